"""Rows of the screen of busy calendars. No I/O."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agency_site.backoffice.lists.definition import when
from agency_site.features.booking.busy_calendars.usecases import BusyCalendarRecord
from agency_site.features.booking.calendar.collisions import Collision
from agency_site.phone_numbers import format_phone_number
from agency_site.ui.forms import Option

EVERYONE = "everyone"
NO_PERSON = Option("", "Please choose")
_ALL_PERSONS = "Everyone"


@dataclass
class CalendarRow:
    """One calendar."""

    key: str
    name: str
    server: str
    person: str
    read: str
    times: str
    problem: str
    """Why it cannot be read, or what of it is left out; empty if all is well."""
    verdict: str
    tone: str


@dataclass
class CollisionRow:
    """One booking at a busy time."""

    key: str
    reference: str
    href: str
    when: str
    who: str
    calendar: str


def calendar_row(calendar: BusyCalendarRecord) -> CalendarRow:
    verdict, tone = _verdict(calendar)
    since = f" Failing since {when(calendar.failing_since)}." if calendar.failing_since else ""
    return CalendarRow(
        key=str(calendar.id),
        name=calendar.name,
        server=calendar.server,
        person=calendar.person or _ALL_PERSONS,
        read=when(calendar.read_at) or "Never",
        times=str(calendar.times),
        problem=f"{calendar.last_error}{since}"
        if calendar.is_read
        else f"{calendar.person} takes no new bookings.",
        verdict=verdict,
        tone=tone,
    )


def _verdict(calendar: BusyCalendarRecord) -> tuple[str, str]:
    if not calendar.is_read:
        return "No longer read", "quiet"
    if calendar.is_overdue:
        return "Cannot be read", "bad"
    if calendar.failing_since:
        return "Trying again", "busy"
    return ("Partly read", "bad") if calendar.is_partly_read else ("OK", "good")


def person_options(persons: Sequence[tuple[str, str]]) -> list[Option]:
    """Return the persons whose times a calendar can close. With several choices, none is made in advance."""
    if not persons:
        return [Option("", _ALL_PERSONS)]
    return [
        NO_PERSON,
        *(Option(reference, name) for reference, name in persons),
        Option(EVERYONE, _ALL_PERSONS),
    ]


def collision_rows(collisions: Iterable[Collision]) -> list[CollisionRow]:
    return [
        CollisionRow(
            key=f"{collision.reference} {collision.calendar}",
            reference=collision.reference,
            href=f"/admin/booking?ref={collision.reference}",
            when=when(collision.starts_at),
            who=", ".join(
                part for part in (collision.fullname, format_phone_number(collision.phone)) if part
            ),
            calendar=collision.calendar,
        )
        for collision in collisions
    ]


def describe_times(number: int) -> str:
    """Return the number of busy times in words."""
    if not number:
        return "It has no busy times in the period that can be booked."
    return "It has one busy time." if number == 1 else f"It has {number} busy times."
