"""The calendar feed of a trainer: a private link that calendar programs open, outside the public API."""

from fastapi import APIRouter, Request, Response

from agency_site.auth.calendar_links import SESSIONS_FEED, find_calendar_reader
from agency_site.db.engine import read_scope
from agency_site.errors import NotFound
from agency_site.features.academy.planning.feed import render_own_sessions
from agency_site.site.layout.calendar_files import calendar_response

session_calendars = APIRouter(prefix="/calendar", include_in_schema=False)


@session_calendars.api_route("/{token}/sessions.ics", methods=["GET", "HEAD"])
async def own_sessions(token: str, request: Request) -> Response:
    """Serve the course sessions of the runs whose trainer has the account, or 404 for an unknown token."""
    async with read_scope() as session:
        reader = await find_calendar_reader(session, token, SESSIONS_FEED)
        if reader is None:
            raise NotFound("There is no calendar at this link.")
        content = await render_own_sessions(session, reader.email)
    return calendar_response(request, content, "sessions.ics")
