"""The booking page drawn by the server, and its posted form."""

from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request, Response

from agency_site.antispam.admission import admit_post
from agency_site.client_address import address_of
from agency_site.features.booking.booking_page.state import BookingForm, load_calendar, parse_month, read_wish
from agency_site.features.booking.booking_page.view import (
    STEP,
    booking_fields,
    booking_outcome,
    meeting_times,
    submit_buttons,
)
from agency_site.features.booking.schedule.persons import Wish
from agency_site.features.booking.schedule.slots import Calendar
from agency_site.site.layout.served_pages import Drawing, Posted, page_response, posted_page, see_other
from agency_site.ui.server_html import describe_states, new_state, render_html
from agency_site.visits.cookie import origin_of

pages = APIRouter(include_in_schema=False)

_BOOK = "/book"


def _draw(form: BookingForm, **regions: str) -> Drawing:
    """Draw days, times and buttons; `regions` are drawn already."""
    times = {"times": render_html(meeting_times(form)), "submit": render_html(submit_buttons(form))}
    return Drawing(regions | times, describe_states(form))


@pages.get(_BOOK)
async def show_booking_page(request: Request) -> Response:
    """Serve the page with the free times of the `date` in the address, and its `time` and `month` preselected."""
    query = request.query_params
    wish = read_wish(query)
    calendar = await load_calendar(wish)
    day = calendar.find_day(query.get("date", ""))
    time = next((slot.time for slot in day.slots if slot.time == query.get("time")), "")
    # Only choices that the calendar knows are kept: an address may have any text.
    draw = _draw_empty_form if wish.person == calendar.wish.person else _draw_empty_form.__wrapped__
    drawing = draw(calendar, wish, day.date.isoformat(), time, parse_month(query.get("month", "")))
    return page_response(request, _BOOK, drawing.regions, states=drawing.states)


@lru_cache(maxsize=128)
def _draw_empty_form(calendar: Calendar, wish: Wish, date: str, time: str, month: str) -> Drawing:
    """Draw the page with an empty form, which is the same for all visitors until the calendar changes."""
    return _draw(build_form(calendar, wish, {"date": date, "time": time, "month": month}))


def build_form(calendar: Calendar, wish: Wish, chosen: Mapping[str, str]) -> BookingForm:
    """Return the state of a page with the times of the chosen day."""
    form = new_state(BookingForm)
    form.way, form.person = wish.way, wish.person
    form._choose(calendar, chosen)
    return form


@pages.post(_BOOK)
async def post_booking(request: Request, posted: Posted) -> Response:
    wish = read_wish(posted)
    calendar = await load_calendar(wish)
    query = read_calendar_query(request, posted)
    form = build_form(calendar, wish, find_choice(query, posted) if query else posted)
    if not query:
        await form._book(posted, address_of(request), admit_post, origin_of(request))
    if form.reference:
        return see_other(f"{form.manage_link}?booked")
    drawing = _draw(
        form,
        booking=render_html(booking_fields(form), posted),
        outcome=render_html(booking_outcome(form)),
    )
    return posted_page(request, _BOOK, drawing.regions, states=drawing.states, status=200 if query else 422)


def read_calendar_query(request: Request, posted: Mapping[str, str]) -> dict[str, str]:
    """Return the query of a day or month button, which books nothing. Empty if another button was used."""
    return dict(parse_qsl(posted.get(STEP, "") or request.url.query))


def find_choice(query: Mapping[str, str], before: Mapping[str, str]) -> dict[str, str]:
    """Return the day, time and month after a day or month button. The time chosen `before` is kept if its day is the same."""
    time = before.get("time", "") if before.get("date") == query.get("date") else ""
    return {"time": time, **query}
