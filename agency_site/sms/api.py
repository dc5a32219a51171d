"""The HTTP interface of text messages: delivery reports, texts from phones, opt-outs, and short links."""

import hmac
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import NotFound
from agency_site.request_body import read_form_fields
from agency_site.settings import settings
from agency_site.sms.africas_talking import read_number, read_report
from agency_site.sms.incoming import read_incoming_text, receive_text
from agency_site.sms.reports import receive_report
from agency_site.sms.usecases import SHORT_PATH, find_link_target, stop

_LARGEST_CALLBACK = 16 * 1024
_LONGEST_CODE = 64
UNKNOWN_LINK = "This link is unknown or has expired. Please open the link in our e-mail instead, or call us."
_LINK_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow",
}


async def _read_callback(secret: str, request: Request) -> dict[str, str]:
    """Return the fields of a callback. Raises NotFound for a wrong secret, InputRejected for a body that is no form."""
    guess = secret.encode(errors="replace")
    if not any(hmac.compare_digest(guess, valid.encode()) for valid in settings().sms_callback_secrets):
        raise NotFound("Not Found")
    return await read_form_fields(request, _LARGEST_CALLBACK)


router = APIRouter(prefix="/api/sms/{secret}", include_in_schema=False)
short_links = APIRouter(include_in_schema=False)
_Fields = Annotated[dict[str, str], Depends(_read_callback)]


@router.post("/reports")
async def take_report(fields: _Fields) -> Response:
    """Store a delivery report. A report that names no message is accepted: repeating it would not help."""
    if report := read_report(fields):
        async with session_scope() as session:
            await receive_report(session, report)
    return Response(status_code=200)


@router.post("/messages")
async def take_message(fields: _Fields) -> Response:
    """Act on a text message from a phone."""
    async with session_scope() as session:
        await receive_text(session, read_incoming_text(fields))
    return Response(status_code=200)


@router.post("/opt-outs")
async def take_opt_out(fields: _Fields) -> Response:
    """Record that a number has blocked our sender at the provider."""
    if number := read_number(fields.get("phoneNumber", "")):
        async with session_scope() as session:
            await stop(session, number)
    return Response(status_code=200)


@short_links.get(SHORT_PATH + "{code}")
async def follow_short_link(code: str) -> Response:
    """Redirect to the private page of a short link."""
    target = ""
    if len(code) <= _LONGEST_CODE:
        async with read_scope() as session:
            target = await find_link_target(session, code)
    if not target:
        raise NotFound(UNKNOWN_LINK)
    return RedirectResponse(target, 303, _LINK_HEADERS)
