"""Transactions in M-Pesa's books that belong to no payment."""

from datetime import datetime

from sqlmodel import Field

from agency_site.db.leases import Leased


class UnassignedTransaction(Leased, table=True):
    """A transaction in M-Pesa's books that no payment shows. It stays when a payment gets its receipt: then it is assigned.

    One that M-Pesa has reported itself is handled at `due_at` where that has not happened at once.
    """

    __tablename__ = "unassigned_transactions"

    id: int | None = Field(default=None, primary_key=True)
    receipt: str = Field(max_length=32, unique=True)
    amount: str = Field(max_length=32)
    """Shillings, decimal as text; empty: not stated."""
    phone: str = Field(default="", max_length=32)
    """The payer's, with digits masked; empty: not stated, or erased."""
    account: str = Field(default="", max_length=64)
    """What the payer gave as account number: capital letters and digits; empty: not stated, or erased."""
    short_code: str = Field(default="", max_length=10)
    """The short code of another account that was paid to; empty: ours."""
    booked_at: datetime = Field(index=True)
    """By M-Pesa; where that is not stated, when it was found."""
    found_at: datetime
    refund_reference: str | None = Field(default=None, max_length=40, index=True, unique=True)
    """Reference of its return to the payer, as staff have recorded it; none: they have not."""
    closing_note: str = Field(default="", max_length=400)
    """How staff have explained it; empty: they have not."""
    closed_by: str = Field(default="", max_length=254)
    """The e-mail address of the staff account."""
    closed_at: datetime | None = None
