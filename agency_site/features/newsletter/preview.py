"""How an issue will look: as a mail, as plain text, and as a page of the archive. Nothing is stored or sent."""

from dataclasses import dataclass
from pathlib import Path

from agency_site.clock import in_nairobi, now
from agency_site.content.markdown import render_written
from agency_site.features.newsletter import emails
from agency_site.features.newsletter.archive import PastIssue
from agency_site.features.newsletter.issues import IssueRecord
from agency_site.features.newsletter.structured_data import letter_graph
from agency_site.mail.markdown_body import markdown_to_html, markdown_to_text
from agency_site.mail.render import render_message
from agency_site.mail.rules import validate_message
from agency_site.settings import settings
from agency_site.site.layout.plain_page import rendered

TEMPLATES = Path(__file__).parent / "templates"
READER, REFERENCE, TOKEN = "reader@agency.example", "NL-2A3C4D", "preview"
"""Whoever would get it."""


@dataclass(frozen=True)
class IssuePreview:
    """An issue in its three forms."""

    mail: str
    """HTML."""
    text: str
    page: str
    """HTML."""


def preview(issue: IssueRecord) -> IssuePreview:
    """The issue as it stands, as it would leave now."""
    origin = settings().site_url
    message = validate_message(emails.letter(issue, READER, REFERENCE, TOKEN, 0))
    told = render_message(message, markdown_to_text(issue.text, origin), markdown_to_html(issue.text, origin))
    day = in_nairobi(issue.started_at or issue.scheduled_at or now()).date()
    past = PastIssue(issue.slug, issue.number or 0, day, issue.title, issue.summary, issue.text)
    shown = {"html": render_written(issue.text), "facts": letter_graph(past)}
    page = rendered(TEMPLATES, "issue.html", private=False, issue=past, **shown)
    return IssuePreview(_apart(told.html), told.text, _apart(page))


def _apart(html: str) -> str:
    """The document for a frame: its links open in a tab of their own."""
    return html.replace("<head>", '<head><base target="_blank">', 1)
