"""A learner's private page as the server answers it, its calendar file, and sending the link again."""

from fastapi import APIRouter, Request, Response

from agency_site.antispam.admission import admit_post
from agency_site.client_address import address_of
from agency_site.db.engine import read_scope
from agency_site.features.academy.calendar_files import all_sessions
from agency_site.features.academy.emails import build_link
from agency_site.features.academy.learner_page.state import SENT, LearnerPage
from agency_site.features.academy.learner_page.view import UNKNOWN_LEARNER, learner
from agency_site.features.academy.learners import find_learner
from agency_site.site.layout.private_link import PrivatePage
from agency_site.site.layout.served_pages import Posted
from agency_site.ui.server_html import new_state

pages = APIRouter(include_in_schema=False)

_PAGE = PrivatePage("/learner/-", UNKNOWN_LEARNER)
_SOONEST, _LATEST = 10, 600
"""Seconds after which a page without scripts is loaded again."""


@pages.get("/learner/{token}")
async def show_learner(token: str, request: Request) -> Response:
    state = new_state(LearnerPage)
    await state._open(token, request.query_params)
    return _PAGE.show(request, state, learner, head=_refresh(state._changes_in))


def _refresh(changes_in: float) -> str:
    if not changes_in:
        return ""
    seconds = round(min(max(changes_in, _SOONEST), _LATEST))
    return f'<noscript><meta http-equiv="refresh" content="{seconds}"></noscript>'


@pages.get("/learner/{token}/calendar.ics")
async def download_calendar(token: str) -> Response:
    """All sessions as one file; 404 for an unknown token."""
    async with read_scope() as session:
        found = await find_learner(session, token)
    file = all_sessions(found.learner, found.course, build_link(token))
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": f'attachment; filename="{file.filename}"',
        "X-Robots-Tag": "noindex, nofollow",
        "Referrer-Policy": "no-referrer",
    }
    return Response(file.content, headers=headers, media_type=file.mime)


@pages.post("/learner/{token}/send")
async def post_send(token: str, request: Request, posted: Posted) -> Response:
    state = new_state(LearnerPage)
    await state._open(token, {})
    await state._send(posted, token, address_of(request), admit_post)
    return _PAGE.answer(request, state, learner, done=f"{state.link}?{SENT}" if state.done else "")
