"""Booking over HTTP. Invalid input returns 422, a slot that is gone 409, each with a message for the visitor."""

import datetime as dt
import hashlib
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, BeforeValidator, Field

from agency_site.accept_headers import has_current
from agency_site.antispam.admission import admit_post, enforce_form_limits
from agency_site.antispam.rules import Form
from agency_site.auth.calendar_links import find_calendar_reader
from agency_site.client_address import address_of
from agency_site.clock import in_nairobi, now
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected, NotFound
from agency_site.features.booking import usecases
from agency_site.features.booking.calendar_feed import render_feed
from agency_site.features.booking.request import BookingRequest, parse_date
from agency_site.features.booking.slots import booking_policy, first_and_last_day
from agency_site.features.booking.state import CONFIRMED, BookingForm, ManagedBooking, find_first_date
from agency_site.features.booking.usecases import find_by_token
from agency_site.features.booking.view import (
    BOOKING_FORM_ID,
    UNKNOWN_BOOKING,
    booking_form,
    booking_outcome,
    served_booking,
    served_slot_picker,
    served_submit,
)
from agency_site.form_input import read_form
from agency_site.site.layout.private_link import posted_private_link, private_link_response
from agency_site.site.layout.served_pages import Posted, page_response, posted_page, see_other
from agency_site.ui.server_html import new_state, render_html
from agency_site.ui.values import error_of

router = APIRouter(prefix="/api", tags=["booking"])
pages = APIRouter(include_in_schema=False)
"""The booking page and a booking's private page, and their forms as browsers post them without scripts."""
calendars = APIRouter(prefix="/calendar", include_in_schema=False)
"""Calendar feeds of staff: private links that calendar programs open, outside the public API."""


_BOOK, _PRIVATE_PAGE = "/book", "/booking/-"


class OfferedSlot(BaseModel):
    """One consultation slot of the day."""

    time: str = Field(description="Start in Nairobi", examples=["09:00"])
    available: bool = Field(description="Whether it can be booked now")


class DaySlots(BaseModel):
    """The slots inside business hours of one day; none when the day is closed or cannot be booked."""

    date: dt.date
    slots: list[OfferedSlot]


class BookingConfirmation(BaseModel):
    """A confirmed booking."""

    message: str = Field(examples=[CONFIRMED])
    reference: str = Field(examples=["BK-7F3K9Q"])
    date: dt.date = Field(description="Day in Nairobi")
    time: str = Field(description="Start in Nairobi", examples=["09:00"])


class SlotUnavailable(BaseModel):
    """Why the slot can no longer be booked."""

    message: str = Field(
        examples=["Sorry, 11:00 on Tuesday 24 November has just been taken. Please choose another time."]
    )


DayParameter = Annotated[
    dt.date,
    BeforeValidator(parse_date),
    Query(description="Day in Nairobi, YYYY-MM-DD", examples=["2026-11-24"]),
]

_UNAVAILABLE: dict[int | str, dict[str, Any]] = {
    409: {"model": SlotUnavailable, "description": "The slot has been taken"}
}


@router.get("/slots", summary="The slots of a day")
async def slots(date: DayParameter) -> DaySlots:
    """Which consultation slots the day has, and which of them are free now."""
    async with read_scope() as session:
        offered = await usecases.list_slots(session, date)
    return DaySlots(date=date, slots=[OfferedSlot(time=s.time, available=s.available) for s in offered])


@router.post("/book", status_code=201, summary="Book a consultation", responses=_UNAVAILABLE)
async def book(request: BookingRequest, call: Request) -> BookingConfirmation:
    """Book one slot; confirmation and calendar invitation are sent by e-mail."""
    await enforce_form_limits(Form.BOOKING, address_of(call), request.emailaddress)
    async with session_scope() as session:
        booked = await usecases.book(session, request)
    local = in_nairobi(booked.starts_at)
    return BookingConfirmation(
        message=CONFIRMED, reference=booked.reference, date=local.date(), time=f"{local:%H:%M}"
    )


@pages.get("/book")
async def show_booking_page(request: Request) -> Response:
    """The page with free days and times; `date`, `time` and `month` of the address say which."""
    form = new_state(BookingForm)
    asked = request.query_params
    await form._open_day(await find_first_date(asked.get("date", "")), asked.get("time", ""))
    return page_response(request, _BOOK, _draw_times(form, _parse_month(asked)))


@pages.post("/book")
async def post_booking(request: Request, posted: Posted) -> Response:
    form = new_state(BookingForm)
    await form._open_day(await find_first_date(posted.get("date", "")), posted.get("time", ""))
    await form._book(posted, address_of(request), admit_post)
    if form.reference:
        return see_other(f"{form.manage_link}?booked")
    if repeated := await _find_repeat(posted):
        return see_other(f"/booking/{repeated.token}?booked")
    regions = {
        "booking": render_html(booking_form(form), posted),
        "outcome": render_html(booking_outcome(form)),
        **_draw_times(form, ""),
    }
    return posted_page(request, _BOOK, regions)


async def _find_repeat(posted: Mapping[str, str]) -> usecases.CreatedBooking | None:
    try:
        booking = read_form(BookingRequest, posted)
    except InputRejected:
        return None
    async with read_scope() as session:
        return await usecases.find_repeat(session, booking)


def _draw_times(form: BookingForm, month: str) -> dict[str, str]:
    times = served_slot_picker(form, _BOOK, month, BOOKING_FORM_ID, error_of(form.errors, "time"))
    return {"times": render_html(times), "submit": render_html(served_submit(form))}


def _parse_month(asked: Mapping[str, str]) -> str:
    """The month to show; empty: that of the chosen day."""
    try:
        month = parse_date(f"{asked.get('month', '')}-01")
    except ValueError:
        return ""
    first, last = first_and_last_day(now(), booking_policy())
    return f"{min(max(month, first), last):%Y-%m}"


@pages.get("/booking/{token}")
async def show_booking(token: str, request: Request) -> Response:
    """A booking's private page; `move` or `cancel` in the address opens that question."""
    state = new_state(ManagedBooking)
    await state._load(find_by_token, token)
    if not state.exists:
        return private_link_response(request, _PRIVATE_PAGE, UNKNOWN_BOOKING, 404)
    asked = request.query_params
    state.done = state._done_by(asked)
    question = next((name for name in ("move", "cancel") if name in asked), "")
    if question == "move":
        await state._open_day(await find_first_date(asked.get("date", "")), asked.get("time", ""))
    drawn = served_booking(state, f"/booking/{token}", question, _parse_month(asked))
    return private_link_response(request, _PRIVATE_PAGE, drawn)


@pages.post("/booking/{token}/move")
async def post_move(token: str, request: Request, posted: Posted) -> Response:
    state = new_state(ManagedBooking)
    await state._load(find_by_token, token)
    await state._open_day(await find_first_date(posted.get("date", "")), posted.get("time", ""))
    state.time = posted.get("time", "")
    await state._move(token)
    if state.done:
        return see_other(f"/booking/{token}?moved")
    return _show_refusal(request, state, token, "move")


@pages.post("/booking/{token}/cancel")
async def post_cancellation(token: str, request: Request, posted: Posted) -> Response:
    state = new_state(ManagedBooking)
    await state._load(find_by_token, token)
    await state._cancel(token)
    return (
        see_other(f"/booking/{token}?cancelled") if state.done else _show_refusal(request, state, token, "")
    )


def _show_refusal(request: Request, state: ManagedBooking, token: str, question: str) -> Response:
    if not state.exists:
        return private_link_response(request, _PRIVATE_PAGE, UNKNOWN_BOOKING, 404)
    drawn = served_booking(state, f"/booking/{token}", question, "")
    return posted_private_link(request, _PRIVATE_PAGE, drawn, 409)


@calendars.api_route("/{token}.ics", methods=["GET", "HEAD"])
async def calendar(token: str, request: Request) -> Response:
    """The bookings as iCalendar; 404 for an unknown token."""
    async with read_scope() as session:
        if await find_calendar_reader(session, token) is None:
            raise NotFound("We know no calendar under this link.")
        content = await render_feed(session)
    etag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
    headers = {
        "ETag": etag,
        "Cache-Control": "no-store",
        "Content-Disposition": 'inline; filename="bookings.ics"',
        "X-Content-Type-Options": "nosniff",
        "X-Robots-Tag": "noindex, nofollow",
        "Referrer-Policy": "no-referrer",
    }
    if has_current(request.headers.get("if-none-match", ""), etag):
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type="text/calendar; charset=utf-8")
