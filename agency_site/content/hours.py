"""Business hours and the consultation slots (specification, section 9; readings, 14)."""

from calendar import day_name
from collections.abc import Iterator
from datetime import time
from itertools import groupby, pairwise

from agency_site.content.entries import Kind
from agency_site.content.published import published
from agency_site.content.schema import Hours, Opening

_WEEKDAY = Opening(opens=time(8), closes=time(17))

HOURS = Hours(
    week=(_WEEKDAY, _WEEKDAY, _WEEKDAY, _WEEKDAY, _WEEKDAY, Opening(opens=time(9), closes=time(13)), None),
    slots=(time(9), time(11), time(14), time(16)),
    slot_minutes=30,
)


def hours() -> Hours:
    """Return the weekly hours and consultation times that hold now."""
    return published(Kind.HOURS, (HOURS,))[0]


def name_consultation(half_an_hour: str) -> str:
    """Return the length of a consultation: these words if it is half an hour."""
    minutes = hours().slot_minutes
    return half_an_hour if minutes == 30 else f"{minutes} minutes"


def business_hours() -> tuple[tuple[str, str], ...]:
    """Return the weekly hours in words for visitors, such as "Monday to Friday" and "8:00 AM to 5:00 PM"."""
    return tuple((_name_days(days), _describe(opening)) for days, opening in group_days(hours().week))


def group_days(week: tuple[Opening | None, ...]) -> list[tuple[list[str], Opening | None]]:
    """Return the names of days in a row that have equal hours, with these hours, Monday first."""
    runs_of_days = groupby(zip(day_name, week, strict=True), key=lambda day: day[1])
    return [([name for name, _ in days], opening) for opening, days in runs_of_days]


def _name_days(days: list[str]) -> str:
    match days:
        case [day]:
            return day
        case [first, second]:
            return f"{first} and {second}"
    return f"{days[0]} to {days[-1]}"


def _describe(opening: Opening | None) -> str:
    return f"{_format_time(opening.opens)} to {_format_time(opening.closes)}" if opening else "closed"


def _format_time(at: time) -> str:
    """Format a time of day, such as `8:00 AM`."""
    return f"{at:%I:%M} {'AM' if at.hour < 12 else 'PM'}".removeprefix("0")


def find_hours_problems(hours: Hours) -> dict[str, str]:
    """Return what is wrong with new hours: the names of days in small letters, `slots` or `slot_minutes`, and a message."""
    days = {name.lower(): opening for name, opening in zip(day_name, hours.week, strict=True)}
    problems = {
        name: "The closing time must be later than the opening time."
        for name, opening in days.items()
        if opening and opening.closes <= opening.opens
    }
    outside = [f"{start:%H:%M}" for start in hours.slots if not any(_list_openings_of(start, hours))]
    if outside and not problems:
        problems["slots"] = (
            f"On no day is the office open from {outside[0]} for {hours.slot_minutes} minutes."
        )
    for start, following in pairwise(sorted(hours.slots)):
        if _minutes(following) - _minutes(start) < hours.slot_minutes:
            problems["slot_minutes"] = (
                f"Consultations at {start:%H:%M} and {following:%H:%M} would overlap. Please shorten them or change the times."
            )
            break
    return problems


def _list_openings_of(start: time, hours: Hours) -> Iterator[Opening]:
    """Yield the openings that contain a consultation from its start to its end."""
    return (
        opening
        for opening in hours.week
        if opening
        and opening.opens <= start
        and _minutes(start) + hours.slot_minutes <= _minutes(opening.closes)
    )


def _minutes(at: time) -> int:
    return at.hour * 60 + at.minute
