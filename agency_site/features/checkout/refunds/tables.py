"""Reversals that staff have requested from M-Pesa, and those that M-Pesa reports."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, text
from sqlmodel import Field, SQLModel

from agency_site.db.columns import choice
from agency_site.db.leases import Leased
from agency_site.features.checkout.refunds.rules import OPEN_REVERSALS, RESULT_WITHIN, ReversalState

_OPEN_REVERSAL_SQL = text(
    "state IN ({})".format(", ".join(f"'{state.value}'" for state in sorted(OPEN_REVERSALS)))
)


class Reversal(Leased, table=True):
    """A request of staff that M-Pesa refund a payment. A successful one has a refund with the same reference.

    `due_at` is the time at which staff are asked to find out a missing result.
    """

    __tablename__ = "reversals"
    longest_pause = RESULT_WITHIN
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
    """Random part of the callback address, like that of a payment."""
    state: ReversalState = choice(ReversalState, "reversal_state", default=ReversalState.CREATED)
    amount: int
    """Whole shillings."""
    reason: str = Field(max_length=500)
    originator_id: str = Field(default="", max_length=128)
    conversation_id: str = Field(default="", max_length=128)
    """M-Pesa's ids of the request; empty if not stated."""
    reference: str = Field(default="", max_length=40)
    """M-Pesa's receipt for the refund; empty if there was none, or that is unknown."""
    result_code: str = Field(default="", max_length=32)
    result_text: str = Field(default="", max_length=255)
    requested_at: datetime
    requested_by: str = Field(max_length=254)
    """The e-mail address of the staff account."""
    settled_at: datetime | None = None


class ReportedRefund(SQLModel, table=True):
    """A reversal of a payment that M-Pesa has reported before staff recorded a refund."""

    __tablename__ = "reported_refunds"
    __table_args__ = (CheckConstraint("amount >= 1", name="amount_positive"),)

    id: int | None = Field(default=None, primary_key=True)
    receipt: str = Field(max_length=32, unique=True)
    """The receipt of the reversal itself."""
    payment_id: int = Field(foreign_key="payments.id", index=True)
    amount: int
    """Whole shillings."""
    booked_at: datetime = Field(index=True)
    """The time of M-Pesa's booking or, if not stated, the time at which it was found."""
    found_at: datetime
    closing_note: str = Field(default="", max_length=400)
    """The explanation of staff; empty if there is none yet."""
    closed_by: str = Field(default="", max_length=254)
    """The e-mail address of the staff account."""
    closed_at: datetime | None = None
