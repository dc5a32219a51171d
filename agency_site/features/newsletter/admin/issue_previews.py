"""Previews of an issue as a mail, as plain text and as a page of the archive, for its detail page."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path as Folder
from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import HTMLResponse

from agency_site.auth.rules import Permission
from agency_site.backoffice.http_access import require_permission
from agency_site.clock import in_nairobi, now
from agency_site.content.markdown import render_staff_text
from agency_site.db.engine import read_scope
from agency_site.features.newsletter import emails, issues
from agency_site.features.newsletter.archive import PastIssue
from agency_site.features.newsletter.issues import IssueRecord
from agency_site.features.newsletter.page import issue_graph
from agency_site.mail.markdown_body import markdown_to_html, markdown_to_text
from agency_site.mail.render import RenderedMessage, render_message
from agency_site.mail.rules import validate_message
from agency_site.settings import settings
from agency_site.site.layout.plain_page import render_template

ADDRESS = "/admin/export/letter/"
router = APIRouter(prefix=ADDRESS.rstrip("/"), include_in_schema=False)
Reference = Annotated[str, Path(max_length=40)]

_HEADERS = {
    # A mail has inline styles, which the page around the frame does not allow, so the frame has its own policy.
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox allow-same-origin"
    ),
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex, nofollow",
}


TEMPLATES = Folder(__file__).parent.parent / "templates"
READER, REFERENCE, TOKEN = "reader@agency.example", "NL-2A3C4D", "preview"
"""A fictitious subscriber."""


@dataclass(frozen=True)
class IssuePreview:
    """An issue in its three formats."""

    mail: str
    """The mail in HTML."""
    text: str
    page: str
    """The page in HTML."""
    size: int
    """The bytes of the mail's HTML, which decide whether Gmail cuts it off."""


LARGEST_MAIL = 100_000
"""Gmail shows about 102 KB of a mail and hides the rest, with the link to unsubscribe, behind another link."""


def measure_issue(issue: IssueRecord) -> int:
    """Return the bytes of the HTML of the issue's mail."""
    return len(_render_mail(issue).html.encode())


def describe_size(size: int) -> str:
    """Describe the size of a mail in words."""
    return f"{max(1, round(size / 1000)):,} KB as a mail"


def _render_mail(issue: IssueRecord) -> RenderedMessage:
    origin = settings().site_url
    message = validate_message(emails.issue_mail(issue, READER, REFERENCE, TOKEN, 0))
    return render_message(message, markdown_to_text(issue.text, origin), markdown_to_html(issue.text, origin))


def preview_issue(issue: IssueRecord) -> IssuePreview:
    """Return the issue as it would be sent now. Nothing is stored or sent."""
    mail = _render_mail(issue)
    day = in_nairobi(issue.started_at or issue.scheduled_at or now()).date()
    past = PastIssue(issue.slug, issue.number or 0, day, issue.title, issue.summary, issue.text)
    content = {"html": render_staff_text(issue.text), "facts": issue_graph(past)}
    page = render_template(TEMPLATES, "issue.html", private=False, issue=past, **content)
    size = len(mail.html.encode())
    return IssuePreview(_open_links_in_tabs(mail.html), mail.text, _open_links_in_tabs(page), size)


def _open_links_in_tabs(html: str) -> str:
    """Make the links of a document in a frame open in new tabs."""
    return html.replace("<head>", '<head><base target="_blank">', 1)


class Preview(StrEnum):
    """The documents of an issue."""

    MAIL = "mail"
    PAGE = "page"


@router.get("/{reference}/{kind}")
async def show_preview(reference: Reference, kind: Preview, request: Request) -> HTMLResponse:
    """Serve the last saved version of the issue. Its links open in new tabs."""
    await require_permission(request, Permission.WORK_SUBSCRIBERS)
    async with read_scope() as session:
        previews = preview_issue(await issues.find(session, reference))
    return HTMLResponse(previews.page if kind is Preview.PAGE else previews.mail, headers=_HEADERS)
