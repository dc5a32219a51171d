"""A learner's private page, its files, and its forms."""

import asyncio
from collections.abc import Mapping

from fastapi import APIRouter, Request, Response

from agency_site.antispam.admission import admit_post
from agency_site.antispam.rules import Form
from agency_site.client_address import address_of
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import SiteError
from agency_site.features.academy.certificates.usecases import find_valid_certificate, set_name_shown
from agency_site.features.academy.learner_page.view import UNKNOWN_LEARNER, find_seconds_to_change, learner
from agency_site.features.academy.learners.calendar_files import build_course_file
from agency_site.features.academy.learners.emails import build_certificate_address, build_link
from agency_site.features.academy.learners.links import send_link
from agency_site.features.academy.learners.usecases import LearnerView, confirm_learner, find_learner
from agency_site.site.layout.path_rules import PRIVATE_HEADERS
from agency_site.site.layout.private_page import PrivatePage, find_record
from agency_site.site.layout.served_pages import Posted, see_other

pages = APIRouter(include_in_schema=False)

_PAGE = PrivatePage(
    path="/learner/{token}",
    title="Your course",
    description="See the dates of your course and join its sessions.",
    unknown=UNKNOWN_LEARNER,
    width="",
)
_SENT, _NAMED = "sent", "name"
"""In the addresses to which the posted forms lead."""
_NAME_SHOWN = "The page of your certificate now shows your name."
_NAME_HIDDEN = "The page of your certificate no longer shows your name."
_SOONEST, _LATEST = 10, 600
"""Seconds after which the page shows what has changed."""


@pages.get(_PAGE.path)
async def show_learner(token: str, request: Request) -> Response:
    found = await find_record(find_learner, token)
    if found is None:
        return _PAGE.show(request, None)
    async with session_scope() as session:
        await confirm_learner(session, token)
    content = learner(found, f"/learner/{token}", done=_describe_done(found, request.query_params))
    seconds = find_seconds_to_change(found)
    refresh = round(min(max(seconds, _SOONEST), _LATEST)) if seconds else 0
    return _PAGE.show(request, content, refresh_seconds=refresh)


def _describe_done(view: LearnerView, query: Mapping[str, str]) -> str:
    if _SENT in query:
        return "An e-mail with the link is on its way to your address."
    if _NAMED not in query:
        return ""
    is_shown = view.certificate is not None and view.certificate.is_valid and view.certificate.is_name_shown
    return _NAME_SHOWN if is_shown else _NAME_HIDDEN


@pages.get("/learner/{token}/calendar.ics")
async def download_calendar(token: str) -> Response:
    """All sessions as one file; 404 for an unknown token."""
    async with read_scope() as session:
        found = await find_learner(session, token)
    file = build_course_file(found.learner, found.course, build_link(token))
    return _send_file(file.content, file.mime, file.filename)


@pages.get("/learner/{token}/certificate.pdf")
async def download_certificate(token: str) -> Response:
    """The valid certificate; 404 where there is none."""
    # fpdf2 with its fonts is a seventh of the time of importing the app, and most processes draw no certificate.
    from agency_site.features.academy.certificates.drawing import draw_certificate

    async with read_scope() as session:
        found = await find_valid_certificate(session, token)
    pdf = await asyncio.to_thread(draw_certificate, found, build_certificate_address(found.serial))
    return _send_file(pdf, "application/pdf", f"certificate-{found.short_serial}.pdf")


def _send_file(content: bytes, mime: str, name: str) -> Response:
    headers = PRIVATE_HEADERS | {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, headers=headers, media_type=mime)


@pages.post(f"{_PAGE.path}/certificate-name")
async def post_certificate_name(token: str, request: Request, posted: Posted) -> Response:
    """Show the name on the public page of the certificate, or not: the form says which of both."""
    try:
        await admit_post(Form.LEARNERS, posted, address_of(request))
        async with session_scope() as session:
            await set_name_shown(session, token, shown=posted.get("shown") == "yes")
    except SiteError as refused:
        return await _refuse(request, token, refused)
    return see_other(f"/learner/{token}?{_NAMED}")


@pages.post(f"{_PAGE.path}/send")
async def post_send(token: str, request: Request, posted: Posted) -> Response:
    """Send the link to the stored address."""
    try:
        await admit_post(Form.LEARNERS, posted, address_of(request))
        async with session_scope() as session:
            await send_link(session, token)
    except SiteError as refused:
        return await _refuse(request, token, refused)
    return see_other(f"/learner/{token}?{_SENT}")


async def _refuse(request: Request, token: str, refused: SiteError) -> Response:
    found = await find_record(find_learner, token)
    content = learner(found, f"/learner/{token}", failure=refused.message) if found else None
    return _PAGE.refuse(request, content)
