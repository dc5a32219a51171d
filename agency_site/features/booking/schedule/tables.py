"""Blackouts, schedule exceptions and overrides of the booking policy."""

from datetime import date as Date  # noqa: N812 - a field is called date
from datetime import datetime

from sqlalchemy import CheckConstraint
from sqlmodel import Field, SQLModel

from agency_site.db.record_versions import Versioned


class Blackout(SQLModel, table=True):
    """A blocked period. Existing bookings stay."""

    __tablename__ = "blackouts"
    __table_args__ = (CheckConstraint("ends_at > starts_at", name="ends_after_start"),)

    id: int | None = Field(default=None, primary_key=True)
    starts_at: datetime = Field(index=True)
    ends_at: datetime = Field(index=True)
    reason: str = Field(default="", max_length=200)
    author: str = Field(default="", max_length=254)
    """The staff member's e-mail address. Empty for rows created before this column existed."""


class ScheduleException(Versioned, table=True):
    """One date in Nairobi with its own hours (`exceptions.ExceptionHours`)."""

    __tablename__ = "schedule_exceptions"
    __table_args__ = (CheckConstraint("capacity BETWEEN 1 AND 50", name="capacity_in_range"),)

    id: int | None = Field(default=None, primary_key=True)
    date: Date = Field(unique=True)
    closed: bool
    times: str = Field(default="", max_length=300)
    """The starts of its slots, such as `09:00 11:00`."""
    capacity: int | None = None
    reason: str = Field(default="", max_length=200)
    author: str = Field(max_length=254)
    """The e-mail address of the staff member who changed it last."""
    updated_at: datetime


class BookingPolicyOverrides(Versioned, table=True):
    """The values that override the settings. The table has one row, or none if nothing is overridden."""

    __tablename__ = "booking_policy_overrides"
    __table_args__ = (
        CheckConstraint("id = 1", name="single_row"),
        CheckConstraint("capacity BETWEEN 1 AND 50", name="capacity_in_range"),
        CheckConstraint("notice_hours BETWEEN 0 AND 720", name="notice_in_range"),
        CheckConstraint("buffer_minutes BETWEEN 0 AND 240", name="buffer_in_range"),
        CheckConstraint("daily_limit BETWEEN 1 AND 50", name="daily_limit_in_range"),
    )

    id: int = Field(default=1, primary_key=True)
    capacity: int | None = None
    closed_on_holidays: bool | None = None
    notice_hours: int | None = None
    """The hours before the start of a slot within which visitors cannot book it."""
    buffer_minutes: int | None = None
    """The minutes between two consultations of a person."""
    daily_limit: int | None = None
    """The most consultations of a person on one day."""
    author: str = Field(max_length=254)
    updated_at: datetime
