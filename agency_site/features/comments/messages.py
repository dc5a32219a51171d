"""How readers and authors see a comment: days, the host of a website, where it stands."""

from collections.abc import Mapping
from datetime import datetime
from urllib.parse import urlsplit

from agency_site.clock import in_nairobi
from agency_site.content.articles import ARTICLES
from agency_site.features.comments.rules import CommentState

STANDING: Mapping[CommentState, str] = {
    CommentState.PENDING: "Waits for one of our editors",
    CommentState.APPROVED: "Stands under the article",
    CommentState.REJECTED: "Was not taken in by our editors",
    CommentState.WITHDRAWN: "Withdrawn",
}
"""What an author reads about each state."""


def day_of(moment: datetime) -> str:
    """The day in Nairobi, such as `20 November 2026`."""
    local = in_nairobi(moment)
    return f"{local.day} {local:%B %Y}"


def host_of(website: str) -> str:
    """The host of a web address as a link names it; empty for what is none."""
    try:
        parts = urlsplit(website)
        host = parts.hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.") if parts.scheme in ("http", "https") else ""


def title_of(slug: str) -> tuple[str, str]:
    """Title and path of the article of that slug; empty once content no longer has it."""
    found = next((article for article in ARTICLES if article.slug == slug), None)
    return (found.title, found.href) if found else ("", "")


def slug_at(path: str) -> str:
    """Slug of the article that stands at that path; empty where there is none."""
    return next((article.slug for article in ARTICLES if article.href == path.rstrip("/").lower()), "")
