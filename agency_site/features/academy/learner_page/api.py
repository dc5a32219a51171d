"""A learner's private page, its files, and its forms."""

import asyncio

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
from agency_site.site.layout.form_results import has_result, see_result
from agency_site.site.layout.path_rules import PRIVATE_HEADERS
from agency_site.site.layout.private_page import PrivatePage, find_record
from agency_site.site.layout.served_pages import Posted

pages = APIRouter(include_in_schema=False)

_PAGE = PrivatePage(
    path="/learner/{token}",
    title="Your course",
    description="See the dates of your course and join its sessions.",
    unknown=UNKNOWN_LEARNER,
    width="",
)
_SENT, _NAMED, _CONFIRMED = "sent", "name", "confirmed"
"""Query parameters of the addresses to which the posted forms redirect."""
_NAME_SHOWN = "The page of your certificate now shows your name."
_NAME_HIDDEN = "The page of your certificate no longer shows your name."
_MIN_REFRESH, _MAX_REFRESH = 10, 600
"""Limits of the time, in seconds, after which the page reloads."""


@pages.get(_PAGE.path)
async def show_learner(token: str, request: Request) -> Response:
    view = await find_record(find_learner, token)
    if view is None:
        return _PAGE.show(request, None)
    content = learner(view, f"/learner/{token}", done=_describe_result(view, request))
    seconds = find_seconds_to_change(view)
    refresh = round(min(max(seconds, _MIN_REFRESH), _MAX_REFRESH)) if seconds else 0
    return _PAGE.show(request, content, refresh_seconds=refresh)


def _describe_result(view: LearnerView, request: Request) -> str:
    if has_result(request, _SENT):
        return "An e-mail with the link is on its way to your address."
    if has_result(request, _CONFIRMED) and view.is_confirmed:
        return "Thank you. Our e-mails now greet you by name."
    if not has_result(request, _NAMED) or view.certificate is None or not view.certificate.is_valid:
        return ""
    return _NAME_SHOWN if view.certificate.is_name_shown else _NAME_HIDDEN


@pages.get("/learner/{token}/calendar.ics")
async def download_calendar(token: str) -> Response:
    """Send all sessions as one calendar file; 404 for an unknown token."""
    async with read_scope() as session:
        view = await find_learner(session, token)
    file = build_course_file(view.learner, view.course, build_link(token))
    return _send_file(file.content, file.mime, file.filename)


@pages.get("/learner/{token}/certificate.pdf")
async def download_certificate(token: str) -> Response:
    """Send the valid certificate; 404 if there is none."""
    # Imported late: fpdf2 and its fonts take a seventh of the app's import time, and most processes draw no certificate.
    from agency_site.features.academy.certificates.drawing import draw_certificate

    async with read_scope() as session:
        certificate = await find_valid_certificate(session, token)
    pdf = await asyncio.to_thread(
        draw_certificate, certificate, build_certificate_address(certificate.serial)
    )
    return _send_file(pdf, "application/pdf", f"certificate-{certificate.short_serial}.pdf")


def _send_file(content: bytes, mime: str, name: str) -> Response:
    headers = PRIVATE_HEADERS | {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, headers=headers, media_type=mime)


@pages.post(f"{_PAGE.path}/certificate-name")
async def post_certificate_name(token: str, request: Request, posted: Posted) -> Response:
    """Show or hide the name on the public page of the certificate, as the form says."""
    try:
        await admit_post(Form.LEARNERS, posted, address_of(request))
        async with session_scope() as session:
            await set_name_shown(session, token, is_shown=posted.get("shown") == "yes")
    except SiteError as refused:
        return await _refuse(request, token, refused)
    return see_result(f"/learner/{token}", _NAMED)


@pages.post(f"{_PAGE.path}/confirm")
async def post_confirm(token: str, request: Request, posted: Posted) -> Response:
    """Record that the learner reads the mailbox. Opening the page does not: programs that check mails open links, too."""
    try:
        await admit_post(Form.LEARNERS, posted, address_of(request))
        async with session_scope() as session:
            await confirm_learner(session, token)
    except SiteError as refused:
        return await _refuse(request, token, refused)
    return see_result(f"/learner/{token}", _CONFIRMED)


@pages.post(f"{_PAGE.path}/send")
async def post_send(token: str, request: Request, posted: Posted) -> Response:
    """Send the link to the stored address."""
    try:
        await admit_post(Form.LEARNERS, posted, address_of(request))
        async with session_scope() as session:
            await send_link(session, token)
    except SiteError as refused:
        return await _refuse(request, token, refused)
    return see_result(f"/learner/{token}", _SENT)


async def _refuse(request: Request, token: str, refused: SiteError) -> Response:
    view = await find_record(find_learner, token)
    content = learner(view, f"/learner/{token}", failure=refused.message) if view else None
    return _PAGE.refuse(request, content)
