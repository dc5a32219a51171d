"""Private calendars of staff, and the times at which they are busy. Titles of events are not stored."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index
from sqlmodel import Field, SQLModel

from agency_site.db.leases import Leased
from agency_site.db.record_versions import Versioned
from agency_site.db.sealed_columns import SealedAddress
from agency_site.features.booking.busy_calendars.rules import READ_EVERY


class BusyCalendar(Leased, Versioned, table=True):
    """One private iCalendar address. `due_at` is the time of its next reading."""

    __tablename__ = "busy_calendars"
    longest_pause = READ_EVERY

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(max_length=120)
    """What staff call it, such as "Google calendar of Wanjiru"."""
    address: str = Field(sa_type=SealedAddress)
    """The secret address, encrypted; `sealed_columns.LOST_LINK` if its key is no longer configured."""
    consultant_id: int | None = Field(default=None, foreign_key="consultants.id", index=True)
    """The person whose consultations it closes; None if it closes those of all."""
    etag: str = Field(default="", max_length=300)
    last_modified: str = Field(default="", max_length=80)
    read_at: datetime | None = None
    """When it was last read, changed or not."""
    failing_since: datetime | None = None
    """When the first of the present failures occurred; None if the last reading succeeded."""
    last_error: str = Field(default="", max_length=300)
    """Why it cannot be read, or which part of it is left out; empty if all is well."""
    author: str = Field(max_length=254)
    created_at: datetime


class BusyTime(SQLModel, table=True):
    """One period in which a calendar says that its owner is busy. It does not pass midnight in Nairobi."""

    __tablename__ = "busy_times"
    __table_args__ = (
        CheckConstraint("ends_at > starts_at", name="ends_after_start"),
        Index("ix_busy_times_starts_at_ends_at", "starts_at", "ends_at"),
    )

    id: int | None = Field(default=None, primary_key=True)
    calendar_id: int = Field(foreign_key="busy_calendars.id", ondelete="CASCADE", index=True)
    starts_at: datetime
    ends_at: datetime
