"""Discrepancies that staff have explained."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

_ABOUT_SUMS = text("callback_id IS NULL")


class DiscrepancyClosure(SQLModel, table=True):
    """A discrepancy of the reconciliation report that staff have explained. Rows are never changed.

    It is about one callback, or about the sums of one order, and is valid only for the difference at that time.
    """

    __tablename__ = "discrepancy_closures"
    __table_args__ = (
        CheckConstraint("order_id IS NOT NULL OR callback_id IS NOT NULL", name="names_a_record"),
        UniqueConstraint("callback_id", "amount"),
        Index(
            "uq_discrepancy_closures_order_sums",
            "order_id",
            "amount",
            unique=True,
            sqlite_where=_ABOUT_SUMS,
            postgresql_where=_ABOUT_SUMS,
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    order_id: int | None = Field(default=None, foreign_key="orders.id", index=True)
    """The order; None if the callback belongs to no order."""
    callback_id: int | None = Field(default=None, foreign_key="callback_inbox.id")
    """The callback that no payment reflects; None if the discrepancy is about the sums of the order."""
    amount: int
    """The difference in whole shillings when it was closed."""
    note: str = Field(max_length=400)
    closed_by: str = Field(max_length=254)
    """The e-mail address of the staff account."""
    closed_at: datetime
