"""Reversals that staff have asked M-Pesa for, and returns that M-Pesa reports."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, text
from sqlmodel import Field, SQLModel

from agency_site.db.columns import choice
from agency_site.db.leases import Leased
from agency_site.features.checkout.refunds.rules import OPEN_REVERSALS, ReversalState

_OPEN_REVERSAL_SQL = text(
    "state IN ({})".format(", ".join(f"'{one.value}'" for one in sorted(OPEN_REVERSALS)))
)


class Reversal(Leased, table=True):
    """One request of staff that M-Pesa return a payment. Once M-Pesa has, there is a refund of the same reference.

    `due_at` is when staff are asked to find out, because M-Pesa has not said how it ended.
    """

    __tablename__ = "reversals"
    __table_args__ = (
        CheckConstraint("amount >= 1", name="amount_positive"),
        Index(
            "uq_reversals_one_open_per_payment",
            "payment_id",
            unique=True,
            sqlite_where=_OPEN_REVERSAL_SQL,
            postgresql_where=_OPEN_REVERSAL_SQL,
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    payment_id: int = Field(foreign_key="payments.id", index=True)
    attempt_key: str = Field(max_length=32, unique=True)
    """Random; travels in the callback address, as that of a payment."""
    state: ReversalState = choice(ReversalState, "reversal_state", default=ReversalState.CREATED)
    amount: int
    """Whole shillings."""
    reason: str = Field(max_length=500)
    originator_id: str = Field(default="", max_length=128)
    conversation_id: str = Field(default="", max_length=128)
    """M-Pesa's ids of the request; empty: not stated."""
    reference: str = Field(default="", max_length=40)
    """M-Pesa's receipt of the return; empty: it was not returned, or that is not known."""
    result_code: str = Field(default="", max_length=32)
    result_text: str = Field(default="", max_length=255)
    requested_at: datetime
    requested_by: str = Field(max_length=254)
    """The e-mail address of the staff account."""
    settled_at: datetime | None = None


class ReportedRefund(SQLModel, table=True):
    """A return of a payment to its payer that M-Pesa reports and staff have not recorded as a refund, or had not at that time."""

    __tablename__ = "reported_refunds"
    __table_args__ = (CheckConstraint("amount >= 1", name="amount_positive"),)

    id: int | None = Field(default=None, primary_key=True)
    receipt: str = Field(max_length=32, unique=True)
    """Of the return itself."""
    payment_id: int = Field(foreign_key="payments.id", index=True)
    amount: int
    """Whole shillings."""
    booked_at: datetime = Field(index=True)
    """By M-Pesa; where that is not stated, when it was found."""
    found_at: datetime
    closing_note: str = Field(default="", max_length=400)
    """How staff have explained it; empty: they have not."""
    closed_by: str = Field(default="", max_length=254)
    """The e-mail address of the staff account."""
    closed_at: datetime | None = None
