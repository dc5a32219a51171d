"""The address of a calendar: view, day, visible days, title, and the pages before and after."""

from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import StrEnum
from typing import Any
from urllib.parse import urlencode

from agency_site.ids import clean_reference

EARLIEST, LATEST = date(2000, 1, 1), date(2099, 12, 31)
"""Bounds of the days in an address."""
WEEK = 7


class CalendarView(StrEnum):
    MONTH = "month"
    WEEK = "week"
    DAY = "day"


@dataclass(frozen=True, kw_only=True)
class CalendarQuery:
    path: str
    """The path of the calendar's screen."""
    view: CalendarView = CalendarView.WEEK
    day: date
    """Any of the days shown."""
    cancelled: bool = False
    """Whether cancelled bookings are shown."""
    person: str = ""
    """The reference of the person whose records are shown; empty for all."""
    is_view_chosen: bool = True
    """The address names the view; otherwise a phone shows a day."""


def parse_calendar_query(
    path: str,
    parameters: Mapping[str, Any],
    today: date,
    default: CalendarView = CalendarView.WEEK,
) -> CalendarQuery:
    """Return the query of an address; invalid values give the `default` view of today."""
    view = str(parameters.get("view"))
    is_known = view in set(CalendarView)
    return CalendarQuery(
        path=path,
        view=CalendarView(view) if is_known else default,
        day=parse_calendar_day(parameters.get("day")) or today,
        cancelled=parameters.get("cancelled") == "shown",
        person=clean_reference(str(parameters.get("person", "")))[:20],
        is_view_chosen=is_known,
    )


def parse_calendar_day(value: object) -> date | None:
    """Return a day written YYYY-MM-DD; None for other text and for days out of bounds."""
    try:
        day = date.fromisoformat(str(value))
    except ValueError:
        return None
    return day if EARLIEST <= day <= LATEST else None


def calendar_url(query: CalendarQuery) -> str:
    parameters = {"view": query.view.value, "day": query.day.isoformat()}
    if query.cancelled:
        parameters["cancelled"] = "shown"
    if query.person:
        parameters["person"] = query.person
    return f"{query.path}?{urlencode(parameters)}"


def visible_days(query: CalendarQuery) -> tuple[date, date]:
    """Return the first and the last visible day: for a month whole weeks, Monday to Sunday."""
    match query.view:
        case CalendarView.DAY:
            return query.day, query.day
        case CalendarView.WEEK:
            return _monday(query.day), _sunday(query.day)
        case CalendarView.MONTH:
            first, last = _first_and_last_of_month(query.day)
            return _monday(first), _sunday(last)


def turn_page(query: CalendarQuery, pages: int) -> CalendarQuery:
    """Return the same view `pages` days, weeks or months later, or earlier for a negative number."""
    match query.view:
        case CalendarView.MONTH:
            day = _months_later(query.day, pages)
        case CalendarView.WEEK:
            day = query.day + timedelta(days=WEEK * pages)
        case CalendarView.DAY:
            day = query.day + timedelta(days=pages)
    return replace(query, day=min(max(day, EARLIEST), LATEST))


def format_title(query: CalendarQuery) -> str:
    """Return the title, such as `23 to 29 November 2026`."""
    first, last = visible_days(query)
    match query.view:
        case CalendarView.DAY:
            return f"{query.day:%A} {query.day.day} {query.day:%B} {query.day.year}"
        case CalendarView.MONTH:
            return f"{query.day:%B} {query.day.year}"
        case CalendarView.WEEK:
            month = "" if first.month == last.month else f" {first:%B}"
            year = "" if first.year == last.year else f" {first.year}"
            return f"{first.day}{month}{year} to {last.day} {last:%B} {last.year}"


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _sunday(day: date) -> date:
    return _monday(day) + timedelta(days=WEEK - 1)


def _first_and_last_of_month(day: date) -> tuple[date, date]:
    return day.replace(day=1), day.replace(day=monthrange(day.year, day.month)[1])


def _months_later(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    # The calendar stops at either end.
    if not EARLIEST.year <= year <= LATEST.year:
        return EARLIEST if months < 0 else LATEST
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
