"""Booking over HTTP. Invalid input returns 422, a slot that is gone 409, each with a message for the visitor."""

import datetime as dt
import hashlib
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Query, Request, Response
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
    DayTimes,
    find_times,
    load_calendar,
)
from agency_site.features.booking.view import (
    STEP,
    booking_fields,
    booking_outcome,
    served_submit,
    served_times,
)
from agency_site.form_input import parse_date
from agency_site.site.layout.private_paths import PRIVATE_HEADERS
from agency_site.site.layout.served_pages import Posted, page_response, posted_page, see_other
from agency_site.ui.server_html import new_state, render_html

router = APIRouter(prefix="/api", tags=["booking"])
pages = APIRouter(include_in_schema=False)
"""The booking page, and its form as browsers post it by themselves."""
calendars = APIRouter(prefix="/calendar", include_in_schema=False)
"""Calendar feeds of staff: private links that calendar programs open, outside the public API."""


_BOOK = "/book"


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
    return page_response(request, _BOOK, _draw_untouched(calendar, day.date, slot, parse_month(asked)))


@lru_cache(maxsize=128)
def _draw_untouched(calendar: Calendar, day: dt.date, time: str, month: str) -> Mapping[str, str]:
    """Draw the page as every visitor sees it before anything is typed: once until the calendar changes."""
    form = new_state(BookingForm)
    form._show_times(find_times(calendar, day, time))
    return _draw_times(form, month)


@pages.post("/book")
async def post_booking(request: Request, posted: Posted) -> Response:
    form = new_state(BookingForm)
    if asked := read_asked_times(request, posted):
        form._show_times(await find_asked_times(asked, posted))
        fields = {"booking": render_html(booking_fields(form), posted)}
        return posted_page(request, _BOOK, fields | _draw_times(form, parse_month(asked)), status=200)
    form._show_times(await find_asked_times(posted))
    await form._book(posted, address_of(request), admit_post)
    if form.reference:
        return see_other(f"{form.manage_link}?booked")
    regions = {
        "booking": render_html(booking_fields(form), posted),
        "outcome": render_html(booking_outcome(form)),
        **_draw_times(form, ""),
    }
    return posted_page(request, _BOOK, regions)


def read_asked_times(request: Request, posted: Mapping[str, str]) -> dict[str, str]:
    """What a button of the calendar asks for, which books and moves nothing; empty: another button was used."""
    return dict(parse_qsl(posted.get(STEP, "") or request.url.query))


async def find_asked_times(
    asked: Mapping[str, str], before: Mapping[str, str] = MappingProxyType({})
) -> DayTimes:
    """Return the day and time that are asked for; on the day of `before` its time stays chosen."""
    calendar = await load_calendar()
    day = calendar.find_day(asked.get("date", "")).date
    kept = before.get("time", "") if before.get("date") == day.isoformat() else ""
    return find_times(calendar, day, asked.get("time", kept))


def _draw_times(form: BookingForm, month: str) -> dict[str, str]:
    return {"times": render_html(served_times(form, month)), "submit": render_html(served_submit(form))}


def parse_month(asked: Mapping[str, str]) -> str:
    """The month to show; empty: that of the chosen day."""
    try:
        month = parse_date(f"{asked.get('month', '')}-01")
    except ValueError:
        return ""
    first, last = first_and_last_day(now(), booking_policy())
    return f"{min(max(month, first), last):%Y-%m}"


@calendars.api_route("/{token}.ics", methods=["GET", "HEAD"])
async def calendar(token: str, request: Request) -> Response:
    """The bookings as iCalendar; 404 for an unknown token."""
    async with read_scope() as session:
        if await find_calendar_reader(session, token) is None:
            raise NotFound("We know no calendar under this link.")
        content = await render_feed(session)
    etag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
    headers = PRIVATE_HEADERS | {
        "ETag": etag,
        "Content-Disposition": 'inline; filename="bookings.ics"',
        "X-Content-Type-Options": "nosniff",
    }
    if has_current(request.headers.get("if-none-match", ""), etag):
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type="text/calendar; charset=utf-8")
