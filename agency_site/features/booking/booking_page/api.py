"""The booking page drawn by the server, and its posted form."""

import datetime as dt
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request, Response

from agency_site.antispam.admission import admit_post
from agency_site.client_address import address_of
from agency_site.clock import now
from agency_site.features.booking.booking_page.state import (
    BookingForm,
    DayTimes,
    describe_missing_person,
    find_times,
    load_calendar,
    read_wish,
)
from agency_site.features.booking.booking_page.view import (
    STEP,
    booking_fields,
    booking_outcome,
    served_submit,
    served_times,
)
from agency_site.features.booking.schedule.slots import Calendar, booking_policy, first_and_last_day
from agency_site.form_input import parse_date
from agency_site.site.layout.served_pages import Posted, page_response, posted_page, see_other
from agency_site.ui.server_html import new_state, render_html
from agency_site.visits.cookie import origin_of

pages = APIRouter(include_in_schema=False)

_BOOK = "/book"


@pages.get("/book")
async def show_booking_page(request: Request) -> Response:
    """Serve the page with the free times of the `date` in the address, and its `time` and `month` preselected."""
    query = request.query_params
    wish = read_wish(query)
    calendar = await load_calendar(wish)
    day = calendar.find_day(query.get("date", ""))
    slot = next((slot.time for slot in day.slots if slot.time == query.get("time")), "")
    return page_response(
        request,
        _BOOK,
        _draw_empty_form(
            calendar, wish.way, describe_missing_person(wish, calendar), day.date, slot, parse_month(query)
        ),
    )


@lru_cache(maxsize=128)
def _draw_empty_form(
    calendar: Calendar, way: str, person_note: str, day: dt.date, time: str, month: str
) -> Mapping[str, str]:
    """Draw the page with an empty form, which is the same for all visitors until the calendar changes."""
    form = _build_form(calendar, way, find_times(calendar, day, time))
    form.person_note = person_note
    return _draw_times(form, month)


def _build_form(calendar: Calendar, way: str, times: DayTimes) -> BookingForm:
    """Return the state of the page with these times."""
    form = new_state(BookingForm)
    form.way = way
    form._show_choices(calendar)
    form._show_times(times)
    return form


@pages.post("/book")
async def post_booking(request: Request, posted: Posted) -> Response:
    wish = read_wish(posted)
    calendar = await load_calendar(wish)
    if query := read_calendar_query(request, posted):
        form = _build_form(calendar, wish.way, find_requested_times(calendar, query, posted))
        fields = {"booking": render_html(booking_fields(form), posted)}
        return posted_page(request, _BOOK, fields | _draw_times(form, parse_month(query)), status=200)
    form = _build_form(calendar, wish.way, find_requested_times(calendar, posted))
    await form._book(posted, address_of(request), admit_post, origin_of(request))
    if form.reference:
        return see_other(f"{form.manage_link}?booked")
    regions = {
        "booking": render_html(booking_fields(form), posted),
        "outcome": render_html(booking_outcome(form)),
        **_draw_times(form, ""),
    }
    return posted_page(request, _BOOK, regions)


def read_calendar_query(request: Request, posted: Mapping[str, str]) -> dict[str, str]:
    """Return the query of a day or month button, which books nothing. Empty if another button was used."""
    return dict(parse_qsl(posted.get(STEP, "") or request.url.query))


def find_requested_times(
    calendar: Calendar, query: Mapping[str, str], before: Mapping[str, str] = MappingProxyType({})
) -> DayTimes:
    """Return the requested day and its times. The time chosen in `before` is kept if its day is the same."""
    day = calendar.find_day(query.get("date", "")).date
    previous_time = before.get("time", "") if before.get("date") == day.isoformat() else ""
    return find_times(calendar, day, query.get("time", previous_time))


def _draw_times(form: BookingForm, month: str) -> dict[str, str]:
    return {"times": render_html(served_times(form, month)), "submit": render_html(served_submit(form))}


def parse_month(query: Mapping[str, str]) -> str:
    """Return the month to show. Empty for the month of the chosen day."""
    try:
        month = parse_date(f"{query.get('month', '')}-01")
    except ValueError:
        return ""
    first, last = first_and_last_day(now(), booking_policy())
    return f"{min(max(month, first), last):%Y-%m}"
