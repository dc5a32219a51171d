"""The screen on which staff book for a client who calls or walks in."""

from collections.abc import Mapping
from typing import Any

import reflex as rx
from pydantic import ValidationError

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page
from agency_site.backoffice.clients import find_client
from agency_site.backoffice.dialogs import notify_checkbox
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.elements import button_row, card, field_pair, unvalidated_form
from agency_site.backoffice.screens import Screen
from agency_site.backoffice.state import StaffState
from agency_site.clock import today
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import FieldError, InputRejected, NotFound, rejection
from agency_site.features.booking.admin.bookings.client_form import client_fields
from agency_site.features.booking.admin.bookings.slot_finder import (
    START,
    SlotFinder,
    parse_start,
    slot_finder,
)
from agency_site.features.booking.admin.labels import DETAIL_LABELS, details_form
from agency_site.features.booking.admin.toolbar import ADD, LIST
from agency_site.features.booking.bookings.staff_request import ClientBookingRequest
from agency_site.features.booking.bookings.staff_usecases import book_for_client, find
from agency_site.features.booking.consultants.records import list_active
from agency_site.features.booking.consultants.rules import WAY_LABELS, Way
from agency_site.form_input import CHECK_FIELDS, parse_date, parse_time
from agency_site.ids import clean_reference
from agency_site.phone_numbers import format_phone_number
from agency_site.ui.elements import button, link_button
from agency_site.ui.forms import Option, select_field, state_options, submitted

FORM = "caller"


class NewBooking(SlotFinder, StaffState):
    draft: dict[str, str] = {}
    """The initial values of the fields."""
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
        copied = await _copy_details(earlier) if earlier else await _copy_client(who, query)
        self.draft = {"way": Way.KAREN.value, **copied}
        self.way, self.person = self.draft["way"], clean_reference(str(query.get("person", "")))[:20]
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
        request = _parse_request(fields)
        async with session_scope() as session:
            booking = await book_for_client(session, request, who.email, notify="notify" in fields)
            await audit.record(session, who, "booking.booked", "booking", booking.reference)
        return rx.redirect(f"/admin/booking?ref={booking.reference}&new=1")


async def _copy_details(reference: str) -> dict[str, str]:
    try:
        async with read_scope() as session:
            return {**details_form(await find(session, reference)), "message": ""}
    except NotFound:
        return {}


async def _copy_client(who: Staff, query: Mapping[str, Any]) -> dict[str, str]:
    async with read_scope() as session:
        client = await find_client(session, who, query)
    if client is None:
        return {}
    return {
        "fullname": client.name,
        "phonenumber": format_phone_number(client.phone),
        "emailaddress": client.email,
    }


def _parse_request(form: dict[str, str]) -> ClientBookingRequest:
    errors: tuple[FieldError, ...] = ()
    slot = {"date": today().isoformat(), "time": "00:00"}
    try:
        parse_start(form)
        slot["date"], _, slot["time"] = form[START].partition("T")
    except InputRejected as error:
        errors = error.errors
    try:
        request = ClientBookingRequest.model_validate(
            {**{name: form.get(name, "") for name in (*DETAIL_LABELS, "person")}, **slot}
        )
    except ValidationError as invalid:
        errors += rejection(CHECK_FIELDS, invalid).errors
    if errors:
        raise InputRejected(CHECK_FIELDS, errors)
    return request


def _new_booking_page() -> rx.Component:
    *client, topic = client_fields(FORM, NewBooking.draft, NewBooking.errors, rows="7", without=("way",))
    return unvalidated_form(
        card(
            "When",
            field_pair(_way_field(), rx.cond(NewBooking.persons, _person_field())),
            slot_finder(NewBooking, legend="Free times (Nairobi)"),
        ),
        rx.el.section(
            rx.el.h2("Client"),
            field_pair(rx.el.div(*client), topic),
            notify_checkbox("Send confirmation and reminders"),
            button_row(button("Create booking", type="submit"), link_button("Cancel", LIST, "ghost")),
            class_name="office-card bookings-who",
        ),
        keep_draft(FORM),
        on_submit=NewBooking.book,
        aria_label="Add booking",
    )


def _way_field() -> rx.Component:
    draft: Any = NewBooking.draft
    options = [rx.el.option(label, value=way.value) for way, label in WAY_LABELS.items()]
    return select_field(
        DETAIL_LABELS["way"], "way", options, form=FORM, error=NewBooking.errors["way"], default_value=draft["way"],
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
