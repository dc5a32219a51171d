"""The one source of time.

Stored times are aware UTC; shown times and "today" are Nairobi's, whatever clock the server or the browser has
(readings, "Names"). A server process follows the clock of its database (`follow`). Tests replace the clock with `frozen`.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta, timezone

NAIROBI = timezone(timedelta(hours=3), "EAT")
"""East Africa Time, UTC+3 the whole year: Kenya has no daylight saving."""


_ahead = timedelta()
"""How far the clock that this process follows is ahead of the machine's."""
_NOTICEABLE = timedelta(seconds=1)
"""Synchronised clocks differ by less; time should not jump for it."""


def machine_now() -> datetime:
    """Return the present moment by this machine's clock, which may be wrong."""
    return datetime.now(UTC)


def _followed_now() -> datetime:
    return machine_now() + _ahead


_source: Callable[[], datetime] = _followed_now


def follow(ahead: timedelta, error: timedelta) -> None:
    """Follow a clock that is that far ahead of the machine's, give or take `error`, unless this process does so already."""
    global _ahead
    if abs(ahead - _ahead) > max(error, _NOTICEABLE):
        _ahead = ahead


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
