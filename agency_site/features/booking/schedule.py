"""What staff arrange beyond the weekly hours: dates that differ, and figures that outrank the settings. No I/O."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import lru_cache

from agency_site.features.booking.request import parse_time

MOST_SEATS = 50
"""Confirmed bookings that one slot can be made to take, as in the settings."""


@dataclass(frozen=True)
class SpecialHours:
    """One date that differs from its weekday. It outranks public holidays and closed weekdays too."""

    closed: bool = False
    times: tuple[time, ...] = ()
    """Starts of its own, earliest first; none on an open day: those of its weekday."""
    capacity: int | None = None
    """Seats of each slot of that date; none: as usual."""
    reason: str = ""
    """Shown to visitors where the day is closed."""


@dataclass(frozen=True)
class Choices:
    """What the owners have chosen over the settings; none: the setting holds."""

    capacity: int | None = None
    closed_on_holidays: bool | None = None


NOTHING_CHOSEN = Choices()


def starts_of(written: Iterable[str], length: timedelta) -> tuple[time, ...]:
    """Starts written such as `09:00`, in order. Raises ValueError in plain words when they are no starts of one day.

    Two consultations of `length` must fit between midnights and not overlap.
    """
    found = []
    for one in written:
        try:
            found.append(parse_time(one))
        except ValueError:
            raise ValueError(f"{one.strip()[:20]} is no time of day, such as 09:00.") from None
    found.sort()
    ends = [_minutes(start) + length // timedelta(minutes=1) for start in found]
    if any(end > _minutes(later) for end, later in zip(ends, found[1:], strict=False)):
        raise ValueError(f"Times must be at least {length // timedelta(minutes=1)} minutes apart.")
    if ends and ends[-1] > 24 * 60:
        raise ValueError("The last consultation must end before midnight.")
    return tuple(found)


def _minutes(at: time) -> int:
    return at.hour * 60 + at.minute


def written(times: Iterable[time]) -> str:
    """Times as a table holds them: `09:00 11:00`."""
    return " ".join(f"{at:%H:%M}" for at in times)


@lru_cache(maxsize=256)
def read(times: str) -> tuple[time, ...]:
    """The times that `written` wrote."""
    return tuple(time.fromisoformat(one) for one in times.split())


def excess(seats: Iterable[int], capacity: int) -> frozenset[int]:
    """Which of the `seats` taken are more than the slot now takes: the highest ones."""
    ordered = sorted(seats)
    return frozenset(ordered[max(capacity, 0) :])


def overlap(one: datetime, other: datetime, length: timedelta) -> bool:
    """Whether two consultations that begin at these moments have a moment in common."""
    return abs(one - other) < length
