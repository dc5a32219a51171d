"""Coupons, their uses and their history."""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import CheckConstraint, Index
from sqlmodel import Field, SQLModel

from agency_site.db.event_log import EventRow
from agency_site.db.record_versions import Versioned


class Coupon(Versioned, table=True):
    """A code that takes something off an order: a percentage, or an amount."""

    __tablename__ = "coupons"
    __table_args__ = (
        CheckConstraint("(percent IS NULL) <> (amount IS NULL)", name="percent_or_amount"),
        CheckConstraint("percent >= 1 AND percent <= 100", name="percent_in_range"),
        CheckConstraint("amount >= 1", name="amount_positive"),
        CheckConstraint("used >= 0 AND (uses IS NULL OR used <= uses)", name="used_within_uses"),
        Index("ix_coupons_created_at_id", "created_at", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    code: str = Field(max_length=20, unique=True)
    """Capital letters, digits and dashes."""
    percent: int | None = None
    amount: int | None = None
    """Whole shillings off the whole order."""
    course_slug: str = Field(default="", max_length=80)
    """The only course that the coupon is for; empty for all courses."""
    run_reference: str = Field(default="", max_length=12)
    """The only course run that the coupon is for; empty for all runs."""
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    uses: int | None = None
    """The number of orders that may use the coupon; None for any number."""
    used: int = 0
    """The number of orders that use it: paid ones, and those that are waiting for payment."""
    ended_at: datetime | None = None
    """The time at which staff ended it."""
    created_at: datetime
    updated_at: datetime


class CouponUse(SQLModel, table=True):
    """The use of a coupon by an order: one at most."""

    __tablename__ = "coupon_uses"

    id: int | None = Field(default=None, primary_key=True)
    order_id: int = Field(foreign_key="orders.id", unique=True)
    coupon_id: int = Field(foreign_key="coupons.id", index=True)
    kept_until: datetime | None = Field(default=None, index=True)
    """The time until which the use is kept after a failed payment; None if the order is paid or is being paid."""


class CouponEvent(EventRow, table=True):
    """An event in the history of a coupon."""

    __tablename__ = "coupon_events"
    record_column: ClassVar[str] = "coupon_id"

    coupon_id: int = Field(foreign_key="coupons.id", index=True)
    what: str = Field(max_length=24)
    note: str = Field(default="", max_length=500)
