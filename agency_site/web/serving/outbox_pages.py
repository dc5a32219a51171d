"""Development pages that show mails and text messages.

Served only without an SMTP server, never in production, and to this machine alone, because messages contain private links.
"""

from base64 import b64decode
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, HTTPException, Path, Request
from fastapi.responses import HTMLResponse, Response

from agency_site.clock import in_nairobi
from agency_site.db.engine import read_scope
from agency_site.mail.render import TEMPLATES
from agency_site.mail.tables import OutboxMessage
from agency_site.mail.usecases import find_message, list_newest_messages
from agency_site.phone_numbers import format_phone_number
from agency_site.settings import settings
from agency_site.sms.rules import TextState, format_cost
from agency_site.sms.tables import SmsMessage
from agency_site.sms.usecases import list_newest_texts
from agency_site.web.middleware.own_machine import is_own_request

_MAX_MESSAGES = 200
"""The most messages on the list page."""

_HEADERS = {
    # The pages have no scripts; the sandboxed frame of a message inherits the policy.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex",
}


def _require_development(request: Request) -> None:
    """Respond 404 outside of development, with SMTP configured, or to a request of another machine (DNS rebinding too)."""
    if settings().production or settings().smtp_host or not is_own_request(request.scope):
        raise HTTPException(404, "Not Found")


router = APIRouter(prefix="/outbox", dependencies=[Depends(_require_development)], include_in_schema=False)
_Identity = Annotated[int, Path(ge=1, le=2**31 - 1)]
_Position = Annotated[int, Path(ge=0, le=99)]


@router.get("")
async def list_messages() -> HTMLResponse:
    async with read_scope() as session:
        rows = await list_newest_messages(session, _MAX_MESSAGES)
        texts = [_ShownText.of(row) for row in await list_newest_texts(session, _MAX_MESSAGES)]
    return _render_page("outbox.html", rows=rows, texts=texts, has_texts=settings().sms_simulator)


@router.get("/{identity}")
async def show_message(identity: _Identity) -> HTMLResponse:
    return _render_page("outbox_message.html", row=await _load_message(identity))


@router.get("/{identity}/files/{position}")
async def download_attachment(identity: _Identity, position: _Position) -> Response:
    attachments = (await _load_message(identity)).attachments
    if position >= len(attachments):
        raise HTTPException(404, "Not Found")
    file = attachments[position]
    disposition = f"attachment; filename*=UTF-8''{quote(file['filename'], safe='')}"
    headers = {"Content-Disposition": disposition, "Content-Type": file["mime"]}
    return Response(b64decode(file["content"]), headers=_HEADERS | headers)


@dataclass(frozen=True)
class _ShownText:
    """A text message on the list page."""

    number: str
    text: str
    kind: str
    parts: int
    cost: str
    state: TextState
    last_error: str
    created_at: datetime

    @classmethod
    def of(cls, row: SmsMessage) -> "_ShownText":
        number, cost = format_phone_number(row.to), format_cost(row.cost, row.currency)
        return cls(number, row.text, row.kind, row.parts, cost, row.state, row.last_error, row.created_at)


async def _load_message(identity: int) -> OutboxMessage:
    async with read_scope() as session:
        row = await find_message(session, identity)
    if row is None:
        raise HTTPException(404, "Not Found")
    return row


def _render_page(template: str, **values: object) -> HTMLResponse:
    body = TEMPLATES.get_template(template).render(in_nairobi=in_nairobi, **values)
    return HTMLResponse(body, headers=_HEADERS)
