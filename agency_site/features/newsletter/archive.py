"""Past issues, which everybody may read: those that staff sent, and those of content."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi
from agency_site.content.newsletter import ISSUES, Issue
from agency_site.errors import NotFound
from agency_site.features.newsletter.rules import SLUG, IssueState
from agency_site.features.newsletter.tables import NewsletterIssue

_OUT = (IssueState.SENDING, IssueState.SENT)
"""From the first mail on the issue can be read: it links here."""


@dataclass(frozen=True)
class PastIssue:
    """An issue that was sent."""

    slug: str
    number: int
    sent: date
    """On a Nairobi calendar."""
    title: str
    summary: str
    text: str = ""
    """In Markdown; empty in lists."""

    @property
    def href(self) -> str:
        """Where it can be read."""
        return f"/newsletter/{self.slug}"

    @property
    def day(self) -> str:
        """The date, such as `18 November 2026`."""
        return f"{self.sent.day} {self.sent:%B %Y}"


async def list_past(session: AsyncSession) -> tuple[PastIssue, ...]:
    """All past issues, newest first, without their text."""
    sent = await list_sent(session)
    return tuple(sorted((*sent, *map(_of_content, _readable())), key=lambda one: one.number, reverse=True))


async def list_sent(session: AsyncSession, limit: int | None = None) -> tuple[PastIssue, ...]:
    """The newest that staff sent, newest first, without their text."""
    row = NewsletterIssue
    out = (
        select(row.slug, row.number, row.started_at, row.title, row.summary)  # type: ignore[call-overload]
        .where(col(row.state).in_(_OUT))
        .order_by(col(row.number).desc())
        .limit(limit)
    )
    return tuple(
        PastIssue(slug, number, in_nairobi(started).date(), title, summary)
        for slug, number, started, title, summary in await session.exec(out)
    )


async def find_past(session: AsyncSession, slug: str) -> PastIssue:
    """The issue of that slug with its text. Raises NotFound, also for one that is not sent."""
    for issue in _readable():
        if issue.id == slug:
            return _of_content(issue)
    if not SLUG.fullmatch(slug):
        raise NotFound("There is no letter at this address.")
    out = select(NewsletterIssue).where(NewsletterIssue.slug == slug, col(NewsletterIssue.state).in_(_OUT))
    row = (await session.exec(out)).one_or_none()
    if row is None or row.number is None or row.started_at is None:
        raise NotFound("There is no letter at this address.")
    return PastIssue(
        row.slug, row.number, in_nairobi(row.started_at).date(), row.title, row.summary, row.text
    )


def _readable() -> Sequence[Issue]:
    return [issue for issue in ISSUES if issue.text]


def _of_content(issue: Issue) -> PastIssue:
    return PastIssue(issue.id, issue.number, issue.sent, issue.title, issue.summary, issue.text)
