"""Texts about consultants for staff: hours, ways, state, and the values of their form. No I/O."""

from calendar import day_abbr
from collections.abc import Iterable, Mapping
from itertools import groupby

from agency_site.backoffice.lists.definition import Cell, when
from agency_site.features.booking.consultants.records import ConsultantRecord
from agency_site.features.booking.consultants.rules import WAY_LABELS, Way
from agency_site.features.booking.consultants.staff_request import WEEKDAYS, ConsultantRequest

CONSULTANTS, CONSULTANT = "/admin/consultants", "/admin/consultant"
"""The paths of the list and of the detail page."""

DAY_LABELS = {day: day.capitalize() for day in WEEKDAYS}

FIELD_LABELS: Mapping[str, str] = {
    "name": "Name",
    "email": "E-mail",
    "video_link": "Meeting link",
    **{way.value: label for way, label in WAY_LABELS.items()},
    **DAY_LABELS,
}
"""The fields that two editors may change differently."""

ALL_HOURS = "All business hours"

TICK = "Yes"
"""The value of a ticked box."""


def consultant_fields(consultant: ConsultantRecord | ConsultantRequest) -> dict[str, str]:
    """Return the fields of a consultant for the form and for comparing two versions; `ConsultantRequest` reads them back."""
    if isinstance(consultant, ConsultantRequest):
        ways: Iterable[Way] = [way for way in Way if getattr(consultant, way)]
        days = {day: getattr(consultant, day) for day in WEEKDAYS}
    else:
        ways = consultant.ways
        days = {day: consultant.hours.get(str(number), "") for number, day in enumerate(WEEKDAYS)}
    return {
        "name": consultant.name,
        "email": consultant.email,
        "video_link": consultant.video_link,
        **{way.value: TICK if way in ways else "" for way in WAY_LABELS},
        **days,
    }


def new_consultant_fields() -> dict[str, str]:
    """Return the fields of the form of a new consultant, who offers all ways."""
    return {**dict.fromkeys(FIELD_LABELS, ""), **{way.value: TICK for way in WAY_LABELS}}


def format_ways(ways: Iterable[str]) -> str:
    """Format ways, such as `In Karen, By phone`."""
    offered = set(ways)
    return ", ".join(label for way, label in WAY_LABELS.items() if way in offered)


def format_week(hours: Mapping[str, str]) -> str:
    """Format the hours by weekday, such as `Mon to Fri 09:00-13:00, Sat 09:00-12:00`. Empty hours are all business hours."""
    if not hours:
        return ALL_HOURS
    days = [(day_abbr[number], hours.get(str(number), "")) for number in range(len(WEEKDAYS))]
    spans = (
        (opening, [name for name, _ in group]) for opening, group in groupby(days, key=lambda day: day[1])
    )
    return ", ".join(f"{_name_span(names)} {opening}" for opening, names in spans if opening)


def _name_span(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"


def state_cell(*, is_active: bool) -> Cell:
    return Cell("Active", "good") if is_active else Cell("Inactive", "quiet")


def consultant_facts(consultant: ConsultantRecord, upcoming: int) -> dict[str, str]:
    """Return the texts of the detail page. `upcoming` is the number of confirmed upcoming bookings."""
    state = state_cell(is_active=consultant.is_active)
    return {
        "name": consultant.name,
        "email": consultant.email,
        "video_link": consultant.video_link,
        "state": state.text,
        "tone": state.tone,
        "active": TICK if consultant.is_active else "",
        "hours": format_week(consultant.hours),
        "ways": format_ways(consultant.ways),
        "upcoming": f"{upcoming} booking" if upcoming == 1 else f"{upcoming} bookings",
        "changed": when(consultant.updated_at),
        "author": consultant.author,
    }
