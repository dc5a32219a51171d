"""Rotation of backups: the newest of each of the last days, weeks and months that have one are kept."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

_ALWAYS_KEPT = timedelta(hours=48)
"""A backup that was made by hand, before an upgrade or after a mistake, must not cost the one of the night before."""


def select_kept(
    moments: Iterable[datetime], now: datetime, daily: int, weekly: int, monthly: int
) -> set[datetime]:
    """Return the moments of the backups to keep: all of the last two days, then the newest of each period.

    Days without a backup do not count, so that a machine that was off for a while loses none.
    """
    newest_first = sorted(moments, reverse=True)
    return (
        {moment for moment in newest_first if moment > now - _ALWAYS_KEPT}
        | _newest_of_each(newest_first, datetime.date, daily)
        | _newest_of_each(newest_first, _week, weekly)
        | _newest_of_each(newest_first, _month, monthly)
    )


def _week(moment: datetime) -> tuple[int, int]:
    return moment.isocalendar()[:2]


def _month(moment: datetime) -> tuple[int, int]:
    return moment.year, moment.month


def _newest_of_each(
    newest_first: list[datetime], period: Callable[[datetime], object], count: int
) -> set[datetime]:
    newest: dict[object, datetime] = {}
    for moment in newest_first:
        newest.setdefault(period(moment), moment)
    return set(list(newest.values())[:count])
