"""The screen on which staff book for a client who calls or walks in."""

from typing import Any

import reflex as rx
from pydantic import ValidationError

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.screens import Screen
from agency_site.backoffice.state import StaffState
from agency_site.clock import today
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import FieldError, InputRejected, NotFound, rejection
from agency_site.features.booking.admin.labels import DETAIL_LABELS, details_form
from agency_site.features.booking.admin.slot_finder import START, SlotFinder, parse_start, slot_finder
from agency_site.features.booking.admin.toolbar import ADD, LIST
from agency_site.features.booking.request import MESSAGE_LENGTH, parse_date, parse_time
from agency_site.features.booking.staff_request import ClientBookingRequest
from agency_site.features.booking.staff_usecases import book_for_client, find
from agency_site.form_input import CHECK_FIELDS, EMAIL_LENGTH, PHONE_LENGTH
from agency_site.ui.elements import button, link_button
from agency_site.ui.forms import field, submitted, text_area


class NewBooking(SlotFinder, StaffState):
    draft: dict[str, str] = {}
    """The initial values of the fields."""

    @staff_page(Permission.WORK_BOOKINGS)
    async def open_form(self, _who: Staff) -> None:
        """In the address, `day` and `time` select a slot, `from` copies the client of an earlier booking."""
        query = self.router.url.query_parameters
        self.wanted, self.draft = "", await _copy_client(str(query.get("from", ""))[:20])
        day = today()
        try:
            day = parse_date(str(query.get("day", "")))
            self.wanted = f"{day.isoformat()}T{parse_time(str(query.get('time', ''))):%H:%M}"
        except ValueError:
            pass
        await self._load_week(day)

    @staff_event(Permission.WORK_BOOKINGS)
    async def book(self, who: Staff, form: dict[str, Any]) -> Any:
        typed = submitted(form)
        request = _parse_request(typed)
        async with session_scope() as session:
            booked = await book_for_client(session, request, who.email, notify="tell" in typed)
            await audit.record(session, who, "booking.booked", "booking", booked.reference)
        return rx.redirect(f"/admin/booking?ref={booked.reference}&new=1")


async def _copy_client(reference: str) -> dict[str, str]:
    if not reference:
        return {}
    try:
        async with read_scope() as session:
            return {**details_form(await find(session, reference)), "message": ""}
    except NotFound:
        return {}


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
            {**{name: form.get(name, "") for name in DETAIL_LABELS}, **slot}
        )
    except ValidationError as invalid:
        errors += rejection(CHECK_FIELDS, invalid).errors
    if errors:
        raise InputRejected(CHECK_FIELDS, errors)
    return request


def _page() -> rx.Component:
    return rx.el.form(
        rx.el.section(
            rx.el.h2("When"),
            slot_finder(NewBooking, legend="Free times (Nairobi)"),
            class_name="office-card",
        ),
        rx.el.section(
            rx.el.h2("Client"),
            _client_fields(),
            rx.el.label(
                rx.el.input(type="checkbox", name="tell", default_checked=True),
                "Send confirmation and reminder by e-mail (if there is an address)",
                class_name="office-tick",
            ),
            rx.el.div(
                button("Create booking", type="submit"),
                link_button("Cancel", LIST, "ghost"),
                class_name="office-row",
            ),
            class_name="office-card desk-who",
        ),
        keep_draft("caller"),
        on_submit=NewBooking.book,
        custom_attrs={"noValidate": True},
        aria_label="Add booking",
    )


def _client_fields() -> rx.Component:
    draft, errors, form = NewBooking.draft, NewBooking.errors, "caller"
    return rx.el.div(
        rx.el.div(
            field(DETAIL_LABELS["fullname"], "fullname", form=form, error=errors["fullname"], max_length=120,
                  default_value=draft["fullname"], auto_complete="off"),
            field(DETAIL_LABELS["phonenumber"], "phonenumber", form=form, error=errors["phonenumber"], type="tel",
                  max_length=PHONE_LENGTH, default_value=draft["phonenumber"], auto_complete="off",
                  placeholder="0712 345 678"),
            field(DETAIL_LABELS["emailaddress"], "emailaddress", form=form, error=errors["emailaddress"], type="email",
                  optional="optional", max_length=EMAIL_LENGTH, default_value=draft["emailaddress"], auto_complete="off"),
        ),
        text_area(DETAIL_LABELS["message"], "message", form=form, error=errors["message"], optional="optional",
                  rows="7", max_length=MESSAGE_LENGTH),
        class_name="office-pair",
    )  # fmt: skip


NEW_BOOKING = Screen(
    path=ADD,
    title="Add booking",
    permission=Permission.WORK_BOOKINGS,
    body=_page,
    on_load=(NewBooking.open_form,),
    under=LIST,
)
