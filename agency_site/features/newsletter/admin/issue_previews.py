"""An issue as a mail and as a page, for the frame in its file: documents of their own, with the styles of mails."""

from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import HTMLResponse

from agency_site.auth.rules import Right
from agency_site.backoffice.http_access import require_staff
from agency_site.db.engine import read_scope
from agency_site.features.newsletter import issues
from agency_site.features.newsletter.preview import preview

ADDRESS = "/admin/export/letter/"
router = APIRouter(prefix=ADDRESS.rstrip("/"), include_in_schema=False)
Reference = Annotated[str, Path(max_length=40)]

_HEADERS = {
    # Mails carry their styles in themselves, so the page around the frame, which allows none, cannot hold them.
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox allow-same-origin"
    ),
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex, nofollow",
}


class Look(StrEnum):
    """Which of an issue's documents."""

    MAIL = "mail"
    PAGE = "page"


@router.get("/{reference}/{look}")
async def show(reference: Reference, look: Look, request: Request) -> HTMLResponse:
    """The issue as it was saved last. Its links open in a tab of their own."""
    await require_staff(request, Right.WORK_SUBSCRIBERS)
    async with read_scope() as session:
        looks = preview(await issues.find(session, reference))
    return HTMLResponse(looks.page if look is Look.PAGE else looks.mail, headers=_HEADERS)
