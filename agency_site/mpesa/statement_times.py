"""Parse the completion times of a statement. Day and month must have one order in the whole file. This module does no I/O.

M-Pesa's portal writes DD-MM-YYYY or YYYY-MM-DD. A spreadsheet program that opens and saves the file may write MM/DD/YYYY
instead. Read with the day first, such a time is wrong but plausible, so a file with unclear times is rejected.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import pairwise

from agency_site.clock import NAIROBI

_DAY = (
    r"(?:(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})"
    r"|(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})[-/.](?P<last>\d{4}))"
)
_DATE = re.compile(_DAY, re.ASCII)
_TIME = re.compile(
    rf"(?:{_DAY})[ T](?P<hour>\d{{1,2}}):(?P<minute>\d{{2}})(?::(?P<second_of>\d{{2}})(?:\.\d+)?)?", re.ASCII
)
_PERIOD = re.compile(r"\bperiod\b(.*)", re.IGNORECASE | re.DOTALL)
_DISORDER = timedelta(days=1)
"""The accepted disorder between two lines. Swapped days and months differ by weeks."""
_AS_DOWNLOADED = (
    "Please import the file as downloaded from M-Pesa's portal (Excel workbook or CSV), without saving it "
    "in Excel first."
)


class UnclearTimes(ValueError):
    """The times of the file may mean other days than they seem to; the text explains it to staff."""


class DateOrder(StrEnum):
    """The order of day and month in dates that end with the year."""

    DAY_FIRST = "day"
    MONTH_FIRST = "month"


def is_time(text: str) -> bool:
    """Return whether the text has the form of a completion time, even an impossible one."""
    return _TIME.fullmatch(text) is not None


def read_time(text: str, order: DateOrder) -> datetime | None:
    """Return the time in UTC; None if there is no such time."""
    match = _TIME.fullmatch(text)
    return _build_time(match.groupdict(), order) if match else None


def _build_time(parts: Mapping[str, str | None], order: DateOrder) -> datetime | None:
    year, month, day = (
        parts["year"] or parts["last"],
        parts["month"] or parts["second"],
        parts["day"] or parts["first"],
    )
    if parts["first"] and order is DateOrder.MONTH_FIRST:
        month, day = day, month
    clock = (parts.get("hour") or 0, parts.get("minute") or 0, parts.get("second_of") or 0)
    try:
        numbers = [int(part or 0) for part in (year, month, day, *clock)]
        return datetime(*numbers[:6], tzinfo=NAIROBI).astimezone(UTC)  # type: ignore[arg-type,misc]
    except (ValueError, OverflowError):
        return None


def find_date_order(texts: Iterable[str], preamble: str, latest: datetime) -> DateOrder:
    """Return the order of day and month in a file with these completion times, in the order of its lines.

    `preamble` is the text above the table, which states the period. No line of a statement is later than `latest`. Raises
    UnclearTimes if both orders are possible, or neither is.
    """
    texts = list(texts)
    times = [text for text in texts if any(read_time(text, order) for order in DateOrder)]
    readings = {order: [read_time(text, order) for text in times] for order in DateOrder}
    candidates = [order for order, moments in readings.items() if None not in moments]
    if not candidates or any(map(_has_day_before_month, texts)):
        raise UnclearTimes(
            f"Some of its days are written with the day first, others with the month first. {_AS_DOWNLOADED}"
        )
    moments = {order: [moment for moment in readings[order] if moment] for order in candidates}
    periods = {order: _read_period(preamble, order) for order in candidates}
    # With dashes and the year at the end M-Pesa's portal itself writes the day first.
    is_plain = all((_TIME.fullmatch(text) or {"mark": None})["mark"] in ("-", None) for text in times)
    if is_plain and DateOrder.DAY_FIRST in candidates:
        candidates = [DateOrder.DAY_FIRST]
    if len({tuple(moments[order]) for order in candidates}) == 1:
        return _check_only_order(candidates[0], times, moments[candidates[0]], periods[candidates[0]])
    fitting = [
        order
        for order, times_read in moments.items()
        if is_in_order(times_read) and _is_within(times_read, periods[order]) and max(times_read) <= latest
    ]
    if len(fitting) == 1:
        return fitting[0]
    example = next(text for text in times if len({read_time(text, order) for order in DateOrder}) > 1)
    day, month = (moment for order in DateOrder if (moment := read_time(example, order)))
    raise UnclearTimes(
        f"It writes days such as {example.split()[0]}, and nothing in it shows whether that is {_name(day)} or {_name(month)}. "
        f"{_AS_DOWNLOADED}"
    )


def _check_only_order(
    order: DateOrder,
    times: Sequence[str],
    moments: Sequence[datetime],
    period: tuple[datetime, datetime] | None,
) -> DateOrder:
    if not _is_within(moments, period):
        raise UnclearTimes(f"Its lines are outside the period that it states. {_AS_DOWNLOADED}")
    guessed = any((match := _TIME.fullmatch(text)) and match["first"] for text in times)
    if guessed and not is_in_order(moments):
        raise UnclearTimes(
            f"Its lines are not in the order of their times, so day and month may be swapped in some. {_AS_DOWNLOADED}"
        )
    if len({bool((match := _TIME.fullmatch(text)) and match["first"]) for text in times}) > 1:
        mixed = "Some of its days begin with the year, others end with it"
        raise UnclearTimes(f"{mixed}, so day and month may be swapped in some. {_AS_DOWNLOADED}")
    return order


def _has_day_before_month(text: str) -> bool:
    """Return whether the date begins with the year and can only continue with the day, which M-Pesa never writes."""
    match = _TIME.fullmatch(text)
    return bool(match and match["year"] and int(match["day"]) <= 12 < int(match["month"]) <= 31)


def _name(moment: datetime) -> str:
    return f"{moment.astimezone(NAIROBI):%-d %B}"


def is_in_order(moments: Sequence[datetime]) -> bool:
    """Return whether the times rise, or fall, from line to line."""
    rising = all(after >= before - _DISORDER for before, after in pairwise(moments))
    return rising or all(after <= before + _DISORDER for before, after in pairwise(moments))


def _read_period(preamble: str, order: DateOrder) -> tuple[datetime, datetime] | None:
    """Return the stated period, from the beginning of its first day to the end of its last; None if it is not stated."""
    stated = _PERIOD.search(preamble)
    days = [
        _build_time(match.groupdict(), DateOrder.DAY_FIRST if match["mark"] == "-" else order)
        for match in _DATE.finditer(stated.group(1) if stated else "")
    ][:2]
    if len(days) < 2 or not days[0] or not days[1] or days[0] > days[1]:
        return None
    return days[0], days[1] + timedelta(days=1)


def _is_within(moments: Sequence[datetime], period: tuple[datetime, datetime] | None) -> bool:
    # A transaction that started before midnight may be completed after it.
    return period is None or all(
        period[0] - _DISORDER <= moment <= period[1] + _DISORDER for moment in moments
    )
