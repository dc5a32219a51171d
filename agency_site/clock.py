"""The one source of time.

Stored times are aware UTC; shown times and "today" are Nairobi's, whatever clock the server or the browser has
(readings, "Names"). Tests replace the clock with `frozen`.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta, timezone

NAIROBI = timezone(timedelta(hours=3), "EAT")
"""East Africa Time, UTC+3 the whole year: Kenya has no daylight saving."""


def _system_now() -> datetime:
    return datetime.now(UTC)


_source: Callable[[], datetime] = _system_now


def now() -> datetime:
    """Return the present moment, aware, in UTC."""
    return _source()


def today() -> date:
    """Return today's date in Nairobi."""
    return now().astimezone(NAIROBI).date()


def in_nairobi(moment: datetime) -> datetime:
    """Return the same moment in the Nairobi time zone. Raises ValueError for a naive time."""
    if moment.tzinfo is None:
        raise ValueError("a stored time must be aware")
    return moment.astimezone(NAIROBI)


def format_date(day: date) -> str:
    """Return a text such as `12 January 2027`: the way in which dates are written everywhere."""
    return f"{day:%-d %B %Y}"


def format_moment(moment: datetime) -> str:
    """Return a text such as `Tuesday 12 January 2027, 18:30`, in Nairobi time."""
    return f"{in_nairobi(moment):%A} {format_date(in_nairobi(moment))}, {in_nairobi(moment):%H:%M}"


def format_wait(seconds: int) -> str:
    """Return a text such as `40 seconds`, `14 minutes` or `5 hours`."""
    if seconds < 90:
        return f"{seconds} second{'s' if seconds > 1 else ''}"
    if seconds < 7200:
        return f"{math.ceil(seconds / 60)} minutes"
    return f"{math.ceil(seconds / 3600)} hours"


@contextmanager
def frozen(moment: datetime) -> Iterator[Callable[[datetime], None]]:
    """Hold the clock at `moment` inside the block; the yielded function moves it. For tests."""
    global _source
    before = _source
    held = [moment]
    _source = lambda: held[0]  # noqa: E731 - one expression, replaced as a whole

    def move(to: datetime) -> None:
        held[0] = to

    try:
        yield move
    finally:
        _source = before
