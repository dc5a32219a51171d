"""A learner's private page as the server answers it, its files, and its forms."""

import asyncio

from fastapi import APIRouter, Request, Response

from agency_site.antispam.admission import admit_post
from agency_site.client_address import address_of
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy.calendar_files import all_sessions
from agency_site.features.academy.certificates import find_certificate_of
from agency_site.features.academy.emails import build_certificate_address, build_link
from agency_site.features.academy.learner_page.state import NAMED, SENT, LearnerPage
from agency_site.features.academy.learner_page.view import UNKNOWN_LEARNER, learner
from agency_site.features.academy.learners import confirm_learner, find_learner
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
    if state.exists:
        async with session_scope() as session:
            await confirm_learner(session, token)
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
    return _send_file(file.content, file.mime, file.filename)


@pages.get("/learner/{token}/certificate.pdf")
async def download_certificate(token: str) -> Response:
    """The valid certificate; 404 where there is none."""
    # fpdf2 with its fonts is a seventh of the time of importing the app, and most processes draw no certificate.
    from agency_site.features.academy.certificate_drawing import draw_certificate

    async with read_scope() as session:
        found = await find_certificate_of(session, token)
    pdf = await asyncio.to_thread(draw_certificate, found, build_certificate_address(found.serial))
    return _send_file(pdf, "application/pdf", f"certificate-{found.short_serial}.pdf")


def _send_file(content: bytes, mime: str, name: str) -> Response:
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": f'attachment; filename="{name}"',
        "X-Robots-Tag": "noindex, nofollow",
        "Referrer-Policy": "no-referrer",
    }
    return Response(content, headers=headers, media_type=mime)


@pages.post("/learner/{token}/certificate-name")
async def post_certificate_name(token: str, request: Request, posted: Posted) -> Response:
    state = new_state(LearnerPage)
    await state._open(token, {})
    await state._change_name_shown(posted, token, address_of(request), admit_post)
    return _PAGE.answer(request, state, learner, done=f"{state.link}?{NAMED}" if state.done else "")


@pages.post("/learner/{token}/send")
async def post_send(token: str, request: Request, posted: Posted) -> Response:
    state = new_state(LearnerPage)
    await state._open(token, {})
    await state._send(posted, token, address_of(request), admit_post)
    return _PAGE.answer(request, state, learner, done=f"{state.link}?{SENT}" if state.done else "")
