"""Calendar feeds of staff: private links that calendar programs open, outside the public API."""

from fastapi import APIRouter, Request, Response

from agency_site.auth.calendar_links import BOOKINGS_FEED, find_calendar_reader
from agency_site.db.engine import read_scope
from agency_site.errors import NotFound
from agency_site.features.booking.calendar.feed import render_feed
from agency_site.site.layout.calendar_files import calendar_response

calendars = APIRouter(prefix="/calendar", include_in_schema=False)


@calendars.api_route("/{token}.ics", methods=["GET", "HEAD"])
async def calendar(token: str, request: Request) -> Response:
    """Serve the bookings as iCalendar, or 404 for an unknown token."""
    return await _serve_bookings(request, token, only_own=False)


@calendars.api_route("/{token}/consultations.ics", methods=["GET", "HEAD"])
async def own_consultations(token: str, request: Request) -> Response:
    """Serve the bookings of the person who has the account's e-mail address."""
    return await _serve_bookings(request, token, only_own=True)


async def _serve_bookings(request: Request, token: str, *, only_own: bool) -> Response:
    async with read_scope() as session:
        reader = await find_calendar_reader(session, token, BOOKINGS_FEED)
        if reader is None:
            raise NotFound("There is no calendar at this link.")
        content = await render_feed(session, reader.email if only_own else None)
    return calendar_response(request, content, "consultations.ics" if only_own else "bookings.ics")
