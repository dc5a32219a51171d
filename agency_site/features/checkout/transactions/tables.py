"""Transactions in M-Pesa's books that belong to no payment."""

from datetime import datetime

from sqlmodel import Field

from agency_site.db.due_work import RETRY_AFTER
from agency_site.db.leases import Leased


class UnassignedTransaction(Leased, table=True):
    """A transaction in M-Pesa's books that had no payment. The row stays when a payment gets its receipt: then it is assigned.

    A confirmation by M-Pesa that was not handled at once is handled at `due_at`.
    """

    __tablename__ = "unassigned_transactions"
    longest_pause = RETRY_AFTER

    id: int | None = Field(default=None, primary_key=True)
    receipt: str = Field(max_length=32, unique=True)
    amount: str = Field(max_length=32)
    """Shillings, decimal as text; empty if not stated."""
    phone: str = Field(default="", max_length=32)
    """The payer's number with digits masked; empty if not stated, or erased."""
    account: str = Field(default="", max_length=64)
    """The account number that the payer entered, capital letters and digits only; empty if not stated, or erased."""
    short_code: str = Field(default="", max_length=10)
    """The short code of another account that was paid; empty if ours was."""
    booked_at: datetime = Field(index=True)
    """The time of M-Pesa's booking or, if not stated, the time at which it was found."""
    found_at: datetime
    refund_reference: str | None = Field(default=None, max_length=40, index=True, unique=True)
    """The reference of its refund, recorded by staff; None if it was not refunded."""
    closing_note: str = Field(default="", max_length=400)
    """The explanation of staff; empty if there is none yet."""
    closed_by: str = Field(default="", max_length=254)
    """The e-mail address of the staff account."""
    closed_at: datetime | None = None
