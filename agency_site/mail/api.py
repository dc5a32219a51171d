"""The outbox as pages, for development: what the site would have sent, readable in the browser.

Served only while no SMTP server is configured, and never in production: the messages carry private links.
"""

from base64 import b64decode
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, HTTPException, Path, Request
from fastapi.responses import HTMLResponse, Response

from agency_site.clock import in_nairobi
from agency_site.db.engine import read_scope
from agency_site.mail.render import TEMPLATES
from agency_site.mail.tables import OutboxMessage
from agency_site.mail.usecases import find_message, list_outbox
from agency_site.settings import settings

LISTED = 200
"""Messages on the page, newest first."""

_HEADERS = {
    # The pages need no script; a message's HTML is shown in a sandbox under the same policy.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex",
}


def require_development(request: Request) -> None:
    """Answer 404 unless this is development with mail kept in the outbox, 421 under a name that is not the site's.

    Without the latter any site could have its own name lead to this machine (DNS rebinding) and read the messages.
    """
    if settings().production or settings().smtp_host:
        raise HTTPException(404, "Not Found")
    # Not `request.url`: for a malformed name it takes the server's own.
    name = request.headers.get("host", "").lower().partition(":")[0]
    if name not in settings().host_names:
        raise HTTPException(421, f"The outbox is shown at {settings().site_url}/outbox only.")


router = APIRouter(prefix="/outbox", dependencies=[Depends(require_development)], include_in_schema=False)
Identity = Annotated[int, Path(ge=1, le=2**31 - 1)]
Position = Annotated[int, Path(ge=0, le=99)]


@router.get("")
async def list_messages() -> HTMLResponse:
    """The newest messages."""
    async with read_scope() as session:
        rows = await list_outbox(session, LISTED)
    return _page("outbox.html", rows=rows)


@router.get("/{identity}")
async def show_message(identity: Identity) -> HTMLResponse:
    """One message: its HTML and text bodies, its headers and files."""
    return _page("outbox_message.html", row=await _find(identity))


@router.get("/{identity}/files/{position}")
async def download(identity: Identity, position: Position) -> Response:
    """One file of a message."""
    files = (await _find(identity)).attachments
    if position >= len(files):
        raise HTTPException(404, "Not Found")
    part = files[position]
    disposition = f"attachment; filename*=UTF-8''{quote(part['filename'], safe='')}"
    headers = {"Content-Disposition": disposition, "Content-Type": part["mime"]}
    return Response(b64decode(part["content"]), headers=_HEADERS | headers)


async def _find(identity: int) -> OutboxMessage:
    async with read_scope() as session:
        found = await find_message(session, identity)
    if found is None:
        raise HTTPException(404, "Not Found")
    return found


def _page(template: str, **values: object) -> HTMLResponse:
    body = TEMPLATES.get_template(template).render(in_nairobi=in_nairobi, **values)
    return HTMLResponse(body, headers=_HEADERS)
