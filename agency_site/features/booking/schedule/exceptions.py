"""The hours of schedule exceptions, and the overrides of the booking policy. No I/O."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import time, timedelta
from functools import lru_cache

from agency_site.form_input import parse_time

MAX_CAPACITY = 50
"""The most confirmed bookings of one slot, as in the settings."""

MAX_NOTICE_HOURS = 720

MAX_BUFFER_MINUTES = 240

MAX_DAILY_LIMIT = 50


@dataclass(frozen=True)
class ExceptionHours:
    """The hours of one date. They take priority over public holidays and over the weekday."""

    closed: bool = False
    times: tuple[time, ...] = ()
    """The starts of its slots, earliest first. Empty if an open day has the starts of its weekday."""
    capacity: int | None = None
    """The seats of each slot. None for the usual number."""
    reason: str = ""
    """Visitors read it if the day is closed."""


@dataclass(frozen=True)
class PolicyOverrides:
    """The values that override the settings. None leaves the setting."""

    capacity: int | None = None
    closed_on_holidays: bool | None = None
    notice_hours: int | None = None
    buffer_minutes: int | None = None
    """The minutes between two consultations of a seat. None for no pause."""
    daily_limit: int | None = None
    """The most consultations of a seat on one day. None for any number."""


NO_OVERRIDES = PolicyOverrides()


def parse_starts(texts: Iterable[str], length: timedelta) -> tuple[time, ...]:
    """Parse starts such as `09:00` and sort them. Raises ValueError with a message for staff.

    Consultations of `length` must end before midnight and not overlap.
    """
    starts = sorted(_parse_start(text) for text in texts)
    ends = [_minutes(start) + length // timedelta(minutes=1) for start in starts]
    if any(end > _minutes(later) for end, later in zip(ends, starts[1:], strict=False)):
        raise ValueError(f"Times must be at least {length // timedelta(minutes=1)} minutes apart.")
    if ends and ends[-1] > 24 * 60:
        raise ValueError("The last consultation must end before midnight.")
    return tuple(starts)


def _parse_start(text: str) -> time:
    try:
        return parse_time(text)
    except ValueError:
        raise ValueError(f"{text.strip()[:20]} is not a time of day such as 09:00.") from None


def _minutes(at: time) -> int:
    return at.hour * 60 + at.minute


def serialize_times(times: Iterable[time]) -> str:
    """Format times for the column, such as `09:00 11:00`."""
    return " ".join(f"{at:%H:%M}" for at in times)


@lru_cache(maxsize=256)
def deserialize_times(times: str) -> tuple[time, ...]:
    """Parse the times of the column."""
    return tuple(time.fromisoformat(text) for text in times.split())


def excess_seats(seats: Iterable[int], capacity: int) -> frozenset[int]:
    """Return the taken seats that exceed the capacity of the slot: the highest ones."""
    ordered = sorted(seats)
    return frozenset(ordered[max(capacity, 0) :])
