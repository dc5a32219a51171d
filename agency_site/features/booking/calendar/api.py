"""Calendar feeds of staff: private links that calendar programs open, outside the public API."""

import hashlib

from fastapi import APIRouter, Request, Response

from agency_site.accept_headers import has_etag
from agency_site.auth.calendar_links import find_calendar_reader
from agency_site.db.engine import read_scope
from agency_site.errors import NotFound
from agency_site.features.booking.calendar.feed import render_feed
from agency_site.site.layout.path_rules import PRIVATE_HEADERS

calendars = APIRouter(prefix="/calendar", include_in_schema=False)


@calendars.api_route("/{token}.ics", methods=["GET", "HEAD"])
async def calendar(token: str, request: Request) -> Response:
    """Serve the bookings as iCalendar, or 404 for an unknown token."""
    async with read_scope() as session:
        if await find_calendar_reader(session, token) is None:
            raise NotFound("There is no calendar at this link.")
        content = await render_feed(session)
    etag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
    headers = PRIVATE_HEADERS | {
        "ETag": etag,
        "Content-Disposition": 'inline; filename="bookings.ics"',
        "X-Content-Type-Options": "nosniff",
    }
    if has_etag(request.headers.get("if-none-match", ""), etag):
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type="text/calendar; charset=utf-8")
