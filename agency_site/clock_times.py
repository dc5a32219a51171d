"""Times of day and opening hours as people write them. No I/O."""

import re
from datetime import time

from agency_site.characters import clean_number, plain_dashes

_TIME = re.compile(r"(\d{1,2})(?: ?[:.h] ?(\d{2}))? ?(?:h|hrs)? ?(?:([ap])\.? ?m\.?)?", re.ASCII)
_COMPACT = re.compile(r"(\d{2})(\d{2}) ?(?:h|hrs)?", re.ASCII)
_BETWEEN = re.compile(r" ?(?:-|\bto\b|\buntil\b|\btill\b) ?")
_CLOSED = frozenset({"", "-", "closed", "none"})
_NOON = 12


def parse_clock_time(value: str) -> time:
    """Return a time of day such as `9:00`, `09.00`, `0900`, `9 am` or `5:30 p.m.`. Raises ValueError with words for staff."""
    if parts := _read_time(_simplify(value)):
        return parts[0]
    raise ValueError("Please write the time as in 09:00.")


def parse_time_span(value: str) -> tuple[time, time] | None:
    """Return both ends of hours such as `08:00-17:00`, `8 - 17`, `8am to 5pm` or `8-5pm`; None for a closed day.

    Raises ValueError.
    """
    text = _simplify(value)
    if text in _CLOSED:
        return None
    match [_read_time(part) for part in _BETWEEN.split(text)]:
        case [(opens, False), (closes, True)] if 0 < opens.hour < _NOON:
            # Of `8-5pm` the first is in the morning, of `1-5pm` in the afternoon.
            later = opens.replace(hour=opens.hour + _NOON)
            return (later if later < closes else opens), closes
        case [(opens, _), (closes, _)]:
            return opens, closes
    raise ValueError(value)


def _simplify(value: str) -> str:
    return " ".join(plain_dashes(clean_number(value)).lower().split())


def _read_time(text: str) -> tuple[time, bool] | None:
    """Return a time and whether it names the half of the day; None for any other text."""
    match = _COMPACT.fullmatch(text) or _TIME.fullmatch(text)
    if match is None:
        return None
    hour, minute, half = int(match[1]), int(match[2] or 0), match[3] if match.re is _TIME else None
    if half and not 1 <= hour <= _NOON:
        return None
    if half:
        hour = hour % _NOON + (_NOON if half == "p" else 0)
    return (time(hour, minute), bool(half)) if hour < 24 and minute < 60 else None
