"""Past issues, which are public: those that staff sent, and those of content."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import format_date, in_nairobi
from agency_site.content.newsletter import ISSUES, Issue
from agency_site.errors import NotFound
from agency_site.features.newsletter.rules import SLUG, IssueState
from agency_site.features.newsletter.tables import NewsletterIssue

_PUBLIC_STATES = (IssueState.SENDING, IssueState.SENT)
"""An issue is public from its first mail on, which links to it."""


@dataclass(frozen=True)
class PastIssue:
    """An issue that was sent."""

    slug: str
    number: int
    sent_on: date
    """The date in Nairobi."""
    title: str
    summary: str
    text: str = ""
    """The text in Markdown. Empty in lists."""

    @property
    def href(self) -> str:
        """The path of its page."""
        return f"/newsletter/{self.slug}"

    @property
    def day(self) -> str:
        """The date, such as `18 November 2026`."""
        return format_date(self.sent_on)


async def list_past(session: AsyncSession) -> tuple[PastIssue, ...]:
    """Return all past issues, newest first, without their texts."""
    sent_issues = await list_sent(session)
    return tuple(
        sorted(
            (*sent_issues, *map(_past_issue, _content_issues())), key=lambda issue: issue.number, reverse=True
        )
    )


async def list_sent(session: AsyncSession, limit: int | None = None) -> tuple[PastIssue, ...]:
    """Return the issues that staff sent, newest first, without their texts."""
    row = NewsletterIssue
    query = (
        select(row.slug, row.number, row.started_at, row.title, row.summary)  # type: ignore[call-overload]
        .where(col(row.state).in_(_PUBLIC_STATES))
        .order_by(col(row.number).desc())
        .limit(limit)
    )
    return tuple(
        PastIssue(slug, number, in_nairobi(started).date(), title, summary)
        for slug, number, started, title, summary in await session.exec(query)
    )


async def find_past(session: AsyncSession, slug: str) -> PastIssue:
    """Return the issue with that slug and its text. Raises NotFound, also for an issue that is not public."""
    for issue in _content_issues():
        if issue.id == slug:
            return _past_issue(issue)
    if not SLUG.fullmatch(slug):
        raise NotFound("There is no issue at this address.")
    query = select(NewsletterIssue).where(
        NewsletterIssue.slug == slug, col(NewsletterIssue.state).in_(_PUBLIC_STATES)
    )
    row = (await session.exec(query)).one_or_none()
    if row is None or row.number is None or row.started_at is None:
        raise NotFound("There is no issue at this address.")
    return PastIssue(
        row.slug, row.number, in_nairobi(row.started_at).date(), row.title, row.summary, row.text
    )


def _content_issues() -> Sequence[Issue]:
    return [issue for issue in ISSUES if issue.text]


def _past_issue(issue: Issue) -> PastIssue:
    return PastIssue(issue.id, issue.number, issue.sent, issue.title, issue.summary, issue.text)
