"""Blackouts, special days and the owners' choices as staff see them."""

from dataclasses import dataclass
from datetime import date, datetime

from agency_site.features.booking.schedule import read
from agency_site.features.booking.tables import Blackout, SpecialDay


@dataclass(frozen=True)
class BlackoutRecord:
    """A stretch of time without bookings."""

    id: int
    starts_at: datetime
    ends_at: datetime
    reason: str
    """For staff only."""
    author: str


@dataclass(frozen=True)
class SpecialDayRecord:
    """A date that differs from its weekday."""

    date: date
    closed: bool
    times: tuple[str, ...]
    """Such as `09:00`; none on an open day: those of its weekday."""
    capacity: int | None
    reason: str
    """Visitors read it where the day is closed."""
    version: int
    author: str


@dataclass(frozen=True)
class ChoicesRecord:
    """What the owners have chosen over the settings; none: the setting holds."""

    capacity: int | None
    closed_on_holidays: bool | None
    version: int
    """0 while nobody has chosen."""
    author: str


def as_blackout(row: Blackout) -> BlackoutRecord:
    """The stored blackout, frozen."""
    assert row.id is not None
    return BlackoutRecord(row.id, row.starts_at, row.ends_at, row.reason, row.author)


def as_special_day(row: SpecialDay) -> SpecialDayRecord:
    """The stored day, frozen."""
    times = tuple(f"{at:%H:%M}" for at in read(row.times))
    return SpecialDayRecord(row.date, row.closed, times, row.capacity, row.reason, row.version, row.author)
