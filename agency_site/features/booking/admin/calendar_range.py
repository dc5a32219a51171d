"""What the calendar's address asks for: which days a view shows, what they are called, what lies before and behind."""

from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import StrEnum
from typing import Any
from urllib.parse import urlencode

from agency_site.features.booking.rules import spoken_day

PATH = "/admin/bookings/calendar"
EARLIEST, LATEST = date(2000, 1, 1), date(2099, 12, 31)
"""Days beyond these are nobody's booking: an address may ask for anything."""
WEEK = 7


class View(StrEnum):
    """How much the calendar shows at once."""

    MONTH = "month"
    WEEK = "week"
    DAY = "day"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is looked at."""

    view: View = View.WEEK
    day: date
    """One day of what is shown."""
    cancelled: bool = False
    """Cancelled bookings are shown as well."""
    chosen: bool = True
    """Somebody chose the view; otherwise a phone shows a day."""


def read_asked(parameters: Mapping[str, Any], today: date) -> Asked:
    """What the query asks for; whatever makes no sense is left to the default: this week."""
    view = str(parameters.get("view"))
    known = view in set(View)
    return Asked(
        view=View(view) if known else View.WEEK,
        day=read_day(parameters.get("day")) or today,
        cancelled=parameters.get("cancelled") == "shown",
        chosen=known,
    )


def read_day(given: object) -> date | None:
    """The day that is meant, YYYY-MM-DD, if it is one that a calendar may show."""
    try:
        day = date.fromisoformat(str(given))
    except ValueError:
        return None
    return day if EARLIEST <= day <= LATEST else None


def address(asked: Asked) -> str:
    """Where the calendar shows that."""
    query = {"view": asked.view.value, "day": asked.day.isoformat()}
    if asked.cancelled:
        query["cancelled"] = "shown"
    return f"{PATH}?{urlencode(query)}"


def span(asked: Asked) -> tuple[date, date]:
    """The first and the last day shown: for a month all weeks that it touches, Monday to Sunday."""
    match asked.view:
        case View.DAY:
            return asked.day, asked.day
        case View.WEEK:
            return _monday(asked.day), _sunday(asked.day)
        case View.MONTH:
            first, last = _month(asked.day)
            return _monday(first), _sunday(last)


def turned(asked: Asked, pages: int) -> Asked:
    """The same view that many days, weeks or months later; earlier for a negative number."""
    match asked.view:
        case View.MONTH:
            day = _months_later(asked.day, pages)
        case View.WEEK:
            day = asked.day + timedelta(days=WEEK * pages)
        case View.DAY:
            day = asked.day + timedelta(days=pages)
    return replace(asked, day=min(max(day, EARLIEST), LATEST))


def title(asked: Asked) -> str:
    """Such as `23 to 29 November 2026`."""
    first, last = span(asked)
    match asked.view:
        case View.DAY:
            return f"{spoken_day(asked.day)} {asked.day.year}"
        case View.MONTH:
            return f"{asked.day:%B} {asked.day.year}"
        case View.WEEK:
            month = "" if first.month == last.month else f" {first:%B}"
            year = "" if first.year == last.year else f" {first.year}"
            return f"{first.day}{month}{year} to {last.day} {last:%B} {last.year}"


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _sunday(day: date) -> date:
    return _monday(day) + timedelta(days=WEEK - 1)


def _month(day: date) -> tuple[date, date]:
    return day.replace(day=1), day.replace(day=monthrange(day.year, day.month)[1])


def _months_later(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    # A calendar turned past either end stops there.
    if not EARLIEST.year <= year <= LATEST.year:
        return EARLIEST if months < 0 else LATEST
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
