"""What the calendar says of a day as a whole: closed, holiday, special hours, blackouts. No I/O."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from agency_site.clock import in_nairobi
from agency_site.features.booking.rules import slot_start
from agency_site.features.booking.slots import Blocked, DayKind
from agency_site.features.booking.staff_calendar import BoardDay


@dataclass
class Banner:
    """What holds for a day as a whole, or for a part of it."""

    text: str
    kind: str
    """`closed`, `blackout` or `note`."""


def banners_of(day: BoardDay, blackouts: Sequence[Blocked]) -> list[Banner]:
    """All that the day's head says; `blackouts` may belong to other days."""
    found = []
    if day.kind is DayKind.HOLIDAY:
        found.append(Banner(f"{day.holiday}, closed", "closed"))
    elif day.kind is DayKind.CLOSED:
        found.append(Banner(f"Closed: {day.note}" if day.note else "Closed", "closed"))
    elif day.special:
        found.append(Banner(f"Special hours: {day.note}" if day.note else "Special hours", "note"))
    if day.holiday and day.kind is not DayKind.HOLIDAY:
        found.append(Banner(day.holiday, "note"))
    begins = slot_start(day.date, time.min)
    ends = begins + timedelta(days=1)
    return found + [
        Banner(_blackout(one, begins, ends), "blackout")
        for one in blackouts
        if one.starts_at < ends and one.ends_at > begins
    ]


def _blackout(one: Blocked, begins: datetime, ends: datetime) -> str:
    whole = one.starts_at <= begins, one.ends_at >= ends
    match whole:
        case True, True:
            hours = ""
        case True, False:
            hours = f" until {_clock(one.ends_at)}"
        case False, True:
            hours = f" from {_clock(one.starts_at)}"
        case _:
            hours = f" {_clock(one.starts_at)} to {_clock(one.ends_at)}"
    return f"Blackout{hours}" + (f": {one.reason}" if one.reason else "")


def _clock(moment: datetime) -> str:
    return f"{in_nairobi(moment):%H:%M}"
