"""Consultants in the back office: the people who take consultations, their ways and hours."""

from calendar import day_abbr, day_name
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

import reflex as rx
from sqlalchemy import func
from sqlalchemy import select as rows_of
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.elements import small_note
from agency_site.backoffice.lists.definition import Cell, Choice, Column, each, number_cell, when
from agency_site.backoffice.record_page import record_screens
from agency_site.backoffice.records import Action, Record, Related, RelatedLine, Values
from agency_site.characters import is_blank, plain_dashes
from agency_site.clock import now
from agency_site.content.hours import hours as weekly_hours
from agency_site.errors import Conflict
from agency_site.features.booking.admin.business_hours.labels import affected_rows
from agency_site.features.booking.admin.toolbar import LIST
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.business_hours.usecases import list_misfits
from agency_site.features.booking.consultants.rules import MAX_SEATS, REFERENCE, WAY_LABELS, Way
from agency_site.features.booking.consultants.tables import Consultant
from agency_site.features.booking.schedule.locks import lock_schedule
from agency_site.features.booking.schedule.persons import parse_opening
from agency_site.fields import Control, Field
from agency_site.form_input import EMAIL_LENGTH, NAME_LENGTH, email_address, line, machine_line, person_name
from agency_site.ids import parse_reference

_LINK_LENGTH, _HOURS_LENGTH = 500, 40


def _parse_name(text: str) -> str:
    return person_name(text, "The name", NAME_LENGTH, "Please enter the person's name.")


def _parse_optional_email(text: str) -> str:
    return "" if is_blank(text) else email_address(text, "the person's")


def _parse_link(text: str) -> str:
    address = machine_line(text, "The address of the meeting room", _LINK_LENGTH)
    if not address:
        return ""
    try:
        parts = urlsplit(address)
        is_usable = parts.scheme == "https" and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        is_usable = False
    if not is_usable or " " in address or "\\" in address:
        raise ValueError("Please enter an address that begins with https://, or leave it empty.")
    return address


def _parse_ways(text: str) -> str:
    ways = " ".join(way for way in Way if way in text.splitlines())
    if not ways:
        raise ValueError("Please choose at least one way to meet clients.")
    return ways


def _parse_hours(text: str) -> str:
    opening = parse_opening(plain_dashes(line(text, "The hours", _HOURS_LENGTH)).replace(" ", ""))
    return f"{opening.opens:%H:%M}-{opening.closes:%H:%M}" if opening else ""


def _hours_of(day: str, consultant: Consultant) -> str:
    return consultant.hours.get(day, "")


def _store_hours(day: str, consultant: Consultant, opening: str) -> None:
    others = {key: value for key, value in consultant.hours.items() if key != day}
    consultant.hours = dict(sorted((others | ({day: opening} if opening else {})).items()))


def _day_field(number: int) -> Field:
    name, day = day_name[number], str(number)
    return Field(
        name.lower(), name, longest=_HOURS_LENGTH, is_required=False, parser=_parse_hours, get=partial(_hours_of, day),
        set=partial(_store_hours, day), group="Hours",
        group_hint="Such as 09:00-13:00. An empty day is off; without any hours the person works in all business hours. Clients "
        "book the times of consultations that fit in.",
    )  # fmt: skip


def format_ways(ways: Iterable[str]) -> str:
    """Format ways, such as `In Karen, By phone`."""
    offered = set(ways)
    return ", ".join(label for way, label in WAY_LABELS.items() if way in offered)


def format_week(hours: Mapping[str, str]) -> str:
    """Format the hours by weekday, such as `Mon to Fri 09:00-13:00, Sat 09:00-12:00`. Empty hours are all business hours."""
    if not hours:
        return "All business hours"
    days = [(day_abbr[number], hours.get(str(number), "")) for number in range(7)]
    spans = (
        (opening, [name for name, _ in group]) for opening, group in groupby(days, key=lambda day: day[1])
    )
    return ", ".join(f"{_name_span(names)} {opening}" for opening, names in spans if opening)


def _name_span(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"


def _select_consultants() -> Any:
    upcoming = (
        select(func.count())
        .select_from(Booking)
        .where(
            col(Booking.consultant_id) == col(Consultant.id),
            col(Booking.state) == BookingState.CONFIRMED,
            col(Booking.starts_at) > now(),
        )
        .scalar_subquery()
    )
    return rows_of(Consultant, upcoming.label("upcoming"))


def _state_cell(row: Any) -> Cell:
    return Cell("Active", "good") if row.Consultant.is_active else Cell("Inactive", "quiet")


def _upcoming_cell(row: Any) -> Cell:
    href = f"{LIST}?span=ahead&state=confirmed&sort=when&person={row.Consultant.reference}"
    return Cell(f"{row.upcoming} booking{'' if row.upcoming == 1 else 's'}", href=href)


async def _list_affected(session: AsyncSession, row: Any) -> list[RelatedLine]:
    """Return the bookings of this person that no longer fit."""
    misfits = await list_misfits(session, weekly_hours())
    reference = row.Consultant.reference
    affected = affected_rows(booking for booking in misfits if booking.person_reference == reference)
    return [
        RelatedLine(booking.reference, f"{booking.when}, {booking.who}", booking.href) for booking in affected
    ]


async def _check(session: AsyncSession, consultant: Consultant, _values: Values, _who: Staff) -> None:
    """Wait for the bookings that are being made. A new person gets the lowest seat without one."""
    await lock_schedule(session)
    if consultant.id is not None:
        return
    taken = set(await session.exec(select(Consultant.seat)))
    seats = [seat for seat in range(MAX_SEATS) if seat not in taken]
    if not seats:
        raise Conflict(f"There are {MAX_SEATS} consultants already. Please edit one who has left instead.")
    consultant.seat = seats[0]


async def _deactivate(session: AsyncSession, consultant: Consultant, _values: Values, _who: Staff) -> None:
    await lock_schedule(session)
    consultant.is_active = False


async def _reactivate(session: AsyncSession, consultant: Consultant, _values: Values, _who: Staff) -> None:
    await lock_schedule(session)
    consultant.is_active = True


def _ask_to_deactivate(row: Any) -> str:
    return (
        "No further booking can be made with this person. Upcoming ones stay and can be given to others: "
        f"{_upcoming_cell(row).text}. The person's private calendars are no longer read; they can be removed under Busy "
        "calendars."
    )


CONSULTANTS = Record(
    table=Consultant,
    kind="consultant",
    noun=("consultant", "consultants"),
    icon="users",
    path="/admin/consultant",
    list_path="/admin/consultants",
    see=Permission.SET_HOURS,
    work=Permission.SET_HOURS,
    reference=col(Consultant.reference),
    prefix=REFERENCE,
    clean_reference=parse_reference,
    state=_state_cell,
    heading=lambda row: (row.Consultant.name, format_week(row.Consultant.hours)),
    fields=(
        Field("name", "Name", longest=NAME_LENGTH, parser=_parse_name, typing="person", hint="Visitors read it."),
        Field("email", "E-mail", Control.EMAIL, longest=EMAIL_LENGTH, is_required=False, parser=_parse_optional_email,
              empty="notices go to the agency only", hint="Notices of this person's bookings go there too."),
        Field("ways", "Ways", Control.CHOICES, parser=_parse_ways, text=lambda ways: "\n".join(ways.split()),
              words=lambda ways: format_ways(ways.split()), first="\n".join(Way),
              choices=lambda: [(way.value, label) for way, label in WAY_LABELS.items()]),
        Field("video_link", "Meeting link", Control.WEB_ADDRESS, longest=_LINK_LENGTH, is_required=False, parser=_parse_link,
              empty="clients of a video consultation read that the link follows",
              hint="The person's own meeting room, such as https://meet.example.com/wanjiru. Clients who meet by video get it."),
        *map(_day_field, range(7)),
    ),
    check=_check,
    can_create=True,
    create_label="Add consultant",
    log_labels={"created": "Consultant added"},
    facts=(
        "email",
        Column("hours", "Hours", lambda row: Cell(format_week(row.Consultant.hours))),
        "ways",
        "video_link",
        Column("upcoming", "Upcoming", _upcoming_cell),
        Column("changed", "Changed", lambda row: Cell(f"{when(row.Consultant.updated_at)}, {row.Consultant.author}")),
    ),
    related=(
        Related("affected", _list_affected,
                words="Existing bookings no longer fit but are not cancelled. Please move them or give them to another person."),
    ),
    rows=_select_consultants,
    columns=(
        Column("name", "Name", lambda row: Cell(row.Consultant.name, "strong"), sort=func.lower(Consultant.name)),
        "email",
        Column("hours", "Hours", lambda row: Cell(format_week(row.Consultant.hours))),
        "ways",
        Column("upcoming", "Upcoming bookings", lambda row: number_cell(row.upcoming), caption=True),
        Column("state", "State", _state_cell),
    ),
    order="name",
    filters=(
        Choice("state", "State", lambda: (("active", "Active"), ("inactive", "Inactive")),
               lambda value: col(Consultant.is_active).is_(value == "active")),
    ),
    search=each(lambda word: func.lower(Consultant.name).contains(word, autoescape=True)),
    search_hint="Name",
    found_everywhere=False,
    empty="No consultants yet. Each time takes as many bookings as the policy under Hours says.",
    actions=(
        Action("deactivate", "Deactivate", _deactivate, event="deactivated", done="The consultant takes no new bookings.",
               when=lambda consultant: consultant.is_active, title="Deactivate this consultant?", question=_ask_to_deactivate,
               confirm="Yes, deactivate"),
        Action("reactivate", "Reactivate", _reactivate, event="reactivated", done="The consultant takes bookings again.",
               when=lambda consultant: not consultant.is_active),
    ),
)  # fmt: skip


def _explanation() -> rx.Component:
    return small_note(
        "The people who take consultations. While one of them is active, clients book a person: each takes one booking at a "
        "time, within their own hours."
    )


SCREENS = record_screens(CONSULTANTS, above=(_explanation,))
