"""Dates with hours of their own, and the overrides of the booking policy. No I/O."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import time, timedelta
from functools import lru_cache

from agency_site.form_input import parse_time

MAX_CAPACITY = 50
"""Confirmed bookings that one slot takes at most, as in the settings."""


@dataclass(frozen=True)
class ExceptionHours:
    """The hours of one date. They take priority over public holidays and over the weekday."""

    closed: bool = False
    times: tuple[time, ...] = ()
    """Its own starts, earliest first; none on an open day: those of its weekday."""
    capacity: int | None = None
    """Seats of each slot of that date; None: as usual."""
    reason: str = ""
    """Shown to visitors where the day is closed."""


@dataclass(frozen=True)
class PolicyOverrides:
    """What staff have set instead of the settings; None leaves the setting."""

    capacity: int | None = None
    closed_on_holidays: bool | None = None


NO_OVERRIDES = PolicyOverrides()


def parse_starts(typed: Iterable[str], length: timedelta) -> tuple[time, ...]:
    """Starts written such as `09:00`, in order. Raises ValueError with a message for staff.

    Consultations of `length` must end before midnight and not overlap.
    """
    starts = sorted(_parse_start(one) for one in typed)
    ends = [_minutes(start) + length // timedelta(minutes=1) for start in starts]
    if any(end > _minutes(later) for end, later in zip(ends, starts[1:], strict=False)):
        raise ValueError(f"Times must be at least {length // timedelta(minutes=1)} minutes apart.")
    if ends and ends[-1] > 24 * 60:
        raise ValueError("The last consultation must end before midnight.")
    return tuple(starts)


def _parse_start(typed: str) -> time:
    try:
        return parse_time(typed)
    except ValueError:
        raise ValueError(f"{typed.strip()[:20]} is no time of day, such as 09:00.") from None


def _minutes(at: time) -> int:
    return at.hour * 60 + at.minute


def serialize_times(times: Iterable[time]) -> str:
    """Times as the column holds them: `09:00 11:00`."""
    return " ".join(f"{at:%H:%M}" for at in times)


@lru_cache(maxsize=256)
def deserialize_times(times: str) -> tuple[time, ...]:
    """The inverse of `serialize_times`."""
    return tuple(time.fromisoformat(one) for one in times.split())


def excess_seats(seats: Iterable[int], capacity: int) -> frozenset[int]:
    """The taken `seats` beyond the capacity of the slot: the highest ones."""
    ordered = sorted(seats)
    return frozenset(ordered[max(capacity, 0) :])
