"""The screen on which staff book for a client who calls or walks in."""

from collections.abc import Mapping
from typing import Any

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page
from agency_site.backoffice.clients import find_client
from agency_site.backoffice.dialogs import notify_checkbox
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.elements import button_row, card, field_pair, unvalidated_form
from agency_site.backoffice.record_form import FormGroup, describe_form, form_fields
from agency_site.backoffice.records import find_row, lock_row, parse_fields
from agency_site.backoffice.screens import Screen
from agency_site.backoffice.state import StaffState
from agency_site.clock import in_nairobi, today
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import NotFound
from agency_site.features.booking.admin.bookings.record import BOOKINGS, CLIENT_FIELDS
from agency_site.features.booking.admin.bookings.slot_finder import (
    START,
    SlotFinder,
    parse_start,
    slot_finder,
)
from agency_site.features.booking.admin.toolbar import ADD, LIST
from agency_site.features.booking.bookings.request import parse_person
from agency_site.features.booking.bookings.staff_request import ClientBookingRequest
from agency_site.features.booking.bookings.staff_usecases import book_for_client
from agency_site.features.booking.consultants.records import list_active
from agency_site.features.booking.consultants.rules import WAY_LABELS, Way
from agency_site.fields import Control, Field
from agency_site.form_input import parse_date, parse_time, read_form
from agency_site.ids import clean_reference
from agency_site.phone_numbers import format_phone_number
from agency_site.ui.elements import button, link_button
from agency_site.ui.forms import Option, select_field, state_options, submitted

FORM = "caller"
_CLIENT = tuple(field for field in CLIENT_FIELDS if field.name not in ("way", "message"))
_TOPIC = tuple(field for field in CLIENT_FIELDS if field.name == "message")
_NAMES = {"email": "emailaddress", "phone": "phonenumber"}
"""The names of the specification for fields that have others."""


class NewBooking(SlotFinder, StaffState):
    form: rx.Field[list[FormGroup]] = rx.field(default_factory=list)
    """The fields of the client."""
    topic: rx.Field[list[FormGroup]] = rx.field(default_factory=list)
    persons: rx.Field[list[Option]] = rx.field(default_factory=list)
    """The active consultants."""

    @staff_page(Permission.WORK_BOOKINGS)
    async def open_form(self, who: Staff) -> None:
        """Open the form with the values of the address.

        `day`, `time` and `person` select a slot, `from` copies the details of an earlier booking, and `list` and `ref` name a
        record of the client in another list.
        """
        query = self.router.url.query_parameters
        earlier = str(query.get("from", ""))[:20]
        self.wanted = ""
        copied = await _copy_details(who, earlier) if earlier else await _copy_client(who, query)
        self.form, self.topic = describe_form(_CLIENT, copied), describe_form(_TOPIC, copied)
        self.way, self.person = (
            copied.get("way", Way.KAREN),
            clean_reference(str(query.get("person", "")))[:20],
        )
        async with read_scope() as session:
            self.persons = [Option(person.reference, person.name) for person in await list_active(session)]
        day = today()
        try:
            day = parse_date(str(query.get("day", "")))
            self.wanted = f"{day.isoformat()}T{parse_time(str(query.get('time', ''))):%H:%M}"
        except ValueError:
            pass
        await self._load_week(day)

    @staff_event(Permission.WORK_BOOKINGS)
    async def choose_way(self, _who: Staff, way: str) -> None:
        """Show the times of the persons who offer the way."""
        self.way = str(way) if str(way) in list(Way) else ""
        await self._load_week(self._first_day())

    @staff_event(Permission.WORK_BOOKINGS)
    async def choose_person(self, _who: Staff, person: str) -> None:
        """Show the times of one consultant, or of all."""
        self.person = clean_reference(str(person))[:20]
        await self._load_week(self._first_day())

    @staff_event(Permission.WORK_BOOKINGS)
    async def book(self, who: Staff, form: dict[str, Any]) -> Any:
        fields = submitted(form)
        values = _parse_form(fields)
        async with session_scope() as session:
            notify = "notify" in fields
            booking = await book_for_client(session, _build_request(values), who.email, notify=notify)
            await _store_details(session, who, booking.reference, values)
            await audit.record(session, who, "booking.booked", "booking", booking.reference)
        return rx.redirect(f"/admin/booking?ref={booking.reference}&new=1")


async def _copy_details(who: Staff, reference: str) -> dict[str, str]:
    try:
        async with read_scope() as session:
            return BOOKINGS.texts(await find_row(session, BOOKINGS, who, reference)) | {"message": ""}
    except NotFound:
        return {}


async def _copy_client(who: Staff, query: Mapping[str, Any]) -> dict[str, str]:
    async with read_scope() as session:
        client = await find_client(session, who, query)
    if client is None:
        return {}
    return {
        "fullname": client.name,
        "phone": format_phone_number(client.phone),
        "email": client.email,
    }


def _parse_form(form: dict[str, str]) -> dict[str, Any]:
    person = Field("person", "Consultant", Control.OTHER, parser=parse_person)
    start = Field(START, "Time", Control.OTHER, parser=parse_start)
    return parse_fields((*CLIENT_FIELDS, person, start), form)


def _build_request(values: Mapping[str, Any]) -> ClientBookingRequest:
    """Return the request; parsed values are parsed again under the names of the specification."""
    details = {_NAMES.get(name, name): value for name, value in values.items() if name != START}
    start = in_nairobi(values[START])
    return read_form(ClientBookingRequest, {**details, "date": start.date(), "time": start.time()})


async def _store_details(
    session: AsyncSession, who: Staff, reference: str, values: Mapping[str, Any]
) -> None:
    """Store what only staff fill in: the request has the fields of visitors."""
    booking = await lock_row(session, BOOKINGS, who, reference)
    for each in CLIENT_FIELDS:
        each.store(booking, values[each.name])


def _new_booking_page() -> rx.Component:
    client = form_fields(NewBooking.form, FORM, NewBooking.errors)
    topic = form_fields(NewBooking.topic, FORM, NewBooking.errors)
    return unvalidated_form(
        card(
            "When",
            field_pair(_way_field(), rx.cond(NewBooking.persons, _person_field())),
            slot_finder(NewBooking, legend="Free times (Nairobi)"),
        ),
        rx.el.section(
            rx.el.h2("Client"),
            field_pair(rx.el.div(client), topic),
            notify_checkbox("Send confirmation and reminders"),
            button_row(button("Create booking", type="submit"), link_button("Cancel", LIST, "ghost")),
            class_name="office-card bookings-who",
        ),
        keep_draft(FORM),
        on_submit=NewBooking.book,
        aria_label="Add booking",
    )


def _way_field() -> rx.Component:
    options = [rx.el.option(label, value=way.value) for way, label in WAY_LABELS.items()]
    return select_field(
        "How", "way", options, form=FORM, error=NewBooking.errors["way"], default_value=NewBooking.way,
        on_change=NewBooking.choose_way,
    )  # fmt: skip


def _person_field() -> rx.Component:
    return select_field(
        "Consultant",
        "person",
        [rx.el.option("Any", value=""), state_options(NewBooking.persons, NewBooking.person)],
        form=FORM,
        error=NewBooking.errors["person"],
        on_change=NewBooking.choose_person,
    )


NEW_BOOKING = Screen(
    path=ADD,
    title="Add booking",
    permission=Permission.WORK_BOOKINGS,
    body=_new_booking_page,
    on_load=(NewBooking.open_form,),
    under=LIST,
)
