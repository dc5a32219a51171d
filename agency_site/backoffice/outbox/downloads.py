"""HTTP routes of a message: its HTML for the preview frame, and its attachments."""

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path, Request
from fastapi.responses import HTMLResponse, Response

from agency_site.auth.rules import Permission
from agency_site.backoffice.http_access import require_permission
from agency_site.db.engine import read_scope
from agency_site.mail.staff_usecases import find_attachment, preview_message

router = APIRouter(prefix="/admin/export/mail", include_in_schema=False)
Identity = Annotated[int, Path(ge=1, le=2**31 - 1)]
Position = Annotated[int, Path(ge=0, le=99)]

_HEADERS = {
    # Even opened by itself the message is only displayed: sandboxed, without scripts, forms or external content.
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self'; sandbox"
    ),
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex, nofollow",
}


@router.get("/{identity}")
async def show(identity: Identity, request: Request) -> HTMLResponse:
    await require_permission(request, Permission.SEE_MAIL)
    async with read_scope() as session:
        preview = await preview_message(session, identity)
    return HTMLResponse(preview.html, headers=_HEADERS)


@router.get("/{identity}/files/{position}")
async def download(identity: Identity, position: Position, request: Request) -> Response:
    await require_permission(request, Permission.SEE_MAIL, Permission.EXPORT)
    async with read_scope() as session:
        attachment = await find_attachment(session, identity, position)
    disposition = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(attachment.filename, safe='')}"
    }
    return Response(attachment.content, media_type=attachment.mime, headers=_HEADERS | disposition)
