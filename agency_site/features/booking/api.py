"""Booking over HTTP. Invalid input returns 422, a slot that is gone 409, each with a message for the visitor."""

import datetime as dt
import hashlib
from collections.abc import Mapping
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Annotated, Any
from urllib.parse import parse_qsl, quote

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, BeforeValidator, Field

from agency_site.accept_headers import has_current
from agency_site.antispam.admission import admit_post, enforce_form_limits, enforce_recipient_limits
from agency_site.antispam.rules import Form
from agency_site.auth.calendar_links import find_calendar_reader
from agency_site.client_address import address_of
from agency_site.clock import in_nairobi, now
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import NotFound
from agency_site.features.booking import usecases
from agency_site.features.booking.calendar_feed import render_feed
from agency_site.features.booking.request import BookingRequest
from agency_site.features.booking.slots import Calendar, booking_policy, first_and_last_day
from agency_site.features.booking.state import (
    CONFIRMED,
    BookingForm,
    ManagedBooking,
    SlotPicker,
    load_calendar,
)
from agency_site.features.booking.usecases import find_by_token
from agency_site.features.booking.view import (
    STEP,
    UNKNOWN_BOOKING,
    booking_fields,
    booking_outcome,
    served_booking,
    served_submit,
    served_times,
)
from agency_site.form_input import parse_date
from agency_site.site.layout.private_link import PrivatePage
from agency_site.site.layout.served_pages import (
    Posted,
    page_response,
    posted_page,
    refuse_other_sites,
    see_other,
)
from agency_site.ui.server_html import new_state, render_html

router = APIRouter(prefix="/api", tags=["booking"])
pages = APIRouter(include_in_schema=False)
"""The booking page and a booking's private page, and their forms as browsers post them without scripts."""
calendars = APIRouter(prefix="/calendar", include_in_schema=False)
"""Calendar feeds of staff: private links that calendar programs open, outside the public API."""


_BOOK = "/book"
_PRIVATE_PAGE = PrivatePage("/booking/-", UNKNOWN_BOOKING)


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
    """Book one slot; confirmation and calendar invitation are sent by e-mail. A repeated request gets the first booking."""
    await enforce_form_limits(Form.BOOKING, address_of(call), request.emailaddress)
    await enforce_recipient_limits(Form.BOOKING, address_of(call), request.emailaddress)
    async with session_scope() as session:
        booked = await usecases.book_once(session, request)
    local = in_nairobi(booked.starts_at)
    return BookingConfirmation(
        message=CONFIRMED, reference=booked.reference, date=local.date(), time=f"{local:%H:%M}"
    )


@pages.get("/book")
async def show_booking_page(request: Request) -> Response:
    """The page with free days and times; `date`, `time` and `month` of the address say which."""
    asked, calendar = request.query_params, await load_calendar()
    day = calendar.find_day(asked.get("date", ""))
    slot = next((slot.time for slot in day.slots if slot.time == asked.get("time")), "")
    return page_response(request, _BOOK, _draw_untouched(calendar, day.date, slot, _parse_month(asked)))


@lru_cache(maxsize=128)
def _draw_untouched(calendar: Calendar, day: dt.date, time: str, month: str) -> Mapping[str, str]:
    """Draw the page as every visitor sees it before anything is typed: once until the calendar changes."""
    form = new_state(BookingForm)
    form._show_day(calendar, day.isoformat(), time)
    return _draw_times(form, month)


@pages.post("/book")
async def post_booking(request: Request, posted: Posted) -> Response:
    form = new_state(BookingForm)
    if asked := _asked_times(request, posted):
        await _open_asked(form, asked, posted)
        fields = {"booking": render_html(booking_fields(form), posted)}
        return posted_page(request, _BOOK, fields | _draw_times(form, _parse_month(asked)), status=200)
    await _open_asked(form, posted)
    await form._book(posted, address_of(request), admit_post)
    if form.reference:
        return see_other(f"{form.manage_link}?booked")
    regions = {
        "booking": render_html(booking_fields(form), posted),
        "outcome": render_html(booking_outcome(form)),
        **_draw_times(form, ""),
    }
    return posted_page(request, _BOOK, regions)


def _asked_times(request: Request, posted: Mapping[str, str]) -> dict[str, str]:
    """What a button of the calendar asks for, which books and moves nothing; empty: another button was used."""
    return dict(parse_qsl(posted.get(STEP, "") or request.url.query))


async def _open_asked(
    state: SlotPicker, asked: Mapping[str, str], before: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Show the day and time that are asked for; on the day of `before` its time stays chosen."""
    calendar = await load_calendar()
    day = calendar.find_day(asked.get("date", "")).date.isoformat()
    kept = before.get("time", "") if before.get("date") == day else ""
    state._show_day(calendar, day, asked.get("time", kept))


def _draw_times(form: BookingForm, month: str) -> dict[str, str]:
    return {"times": render_html(served_times(form, month)), "submit": render_html(served_submit(form))}


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
    """A booking's private page; `move` or `cancel` in the address opens that question, as plain HTML."""
    state, link, asked = await _load(token), f"/booking/{token}", request.query_params
    if "move" in asked:
        return await _show_times(request, state, link, asked)
    if "cancel" in asked:
        question = partial(served_booking, link=link, asks="cancel")
        return _PRIVATE_PAGE.answer(request, state, question, status=200)
    state.done = state._done_by(asked)
    return _PRIVATE_PAGE.show(request, state, partial(served_booking, link=link))


@pages.get("/booking/{token}/move")
async def leave_move(token: str, request: Request) -> Response:
    """The address of an answer, opened once more."""
    return see_other(f"/booking/{quote(token)}?move&{request.url.query}")


@pages.post("/booking/{token}/move")
async def post_move(token: str, request: Request, posted: Posted) -> Response:
    state, link = await _load(token), f"/booking/{token}"
    if asked := _asked_times(request, posted):
        return await _show_times(request, state, link, asked, posted)
    await _open_asked(state, posted)
    state.time = posted.get("time", "")
    await state._move(token)
    refusal = partial(served_booking, link=link, asks="move")
    return _PRIVATE_PAGE.answer(request, state, refusal, done=f"{link}?moved" if state.done else "")


@pages.post("/booking/{token}/cancel", dependencies=[Depends(refuse_other_sites)])
async def post_cancellation(token: str, request: Request) -> Response:
    state, link = await _load(token), f"/booking/{token}"
    await state._cancel(token)
    drawn = partial(served_booking, link=link)
    return _PRIVATE_PAGE.answer(request, state, drawn, done=f"{link}?cancelled" if state.done else "")


async def _load(token: str) -> ManagedBooking:
    state = new_state(ManagedBooking)
    await state._load(find_by_token, token)
    return state


async def _show_times(
    request: Request,
    state: ManagedBooking,
    link: str,
    asked: Mapping[str, str],
    before: Mapping[str, str] = MappingProxyType({}),
) -> Response:
    await _open_asked(state, asked, before)
    times = partial(served_booking, link=link, asks="move", month=_parse_month(asked))
    return _PRIVATE_PAGE.answer(request, state, times, status=200)


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
