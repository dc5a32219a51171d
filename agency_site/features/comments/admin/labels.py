"""Labels of comments in the back office: states, log entries and the facts of the detail page."""

from collections.abc import Mapping, Sequence

from agency_site.backoffice.detail_page import history_line
from agency_site.backoffice.lists.definition import Cell, when
from agency_site.backoffice.records import HistoryLine
from agency_site.content.articles import articles
from agency_site.db.event_log import LoggedEvent
from agency_site.features.comments.records import CommentRecord
from agency_site.features.comments.rules import AUTHOR, DECISIONS, CommentChange, CommentState, can_become
from agency_site.members import ByMember, names

COMMENTS, COMMENT = "/admin/comments", "/admin/comment"
ERASED = "Erased"
"""Shown instead of a name after erasure."""

STATES: Mapping[CommentState, Cell] = ByMember(
    {
        CommentState.PENDING: Cell("Pending", "bad"),
        CommentState.APPROVED: Cell("Published", "good"),
        CommentState.REJECTED: Cell("Rejected", "quiet"),
        CommentState.WITHDRAWN: Cell("Withdrawn", "quiet"),
    },
    Cell,
)
"""Name and colour of each state."""
STEP_NAMES: Mapping[CommentChange, str] = names(
    {
        CommentChange.RECEIVED: "Received",
        CommentChange.APPROVED: "Approved",
        CommentChange.REJECTED: "Rejected",
        CommentChange.WITHDRAWN: "Withdrawn by its author",
        CommentChange.ERASED: "Personal data erased",
    }
)


def article_title(slug: str) -> str:
    """Return the article's title, or its slug if content no longer has it."""
    return next((article.title for article in articles() if article.slug == slug), slug)


def article_href(slug: str) -> str:
    """Return the article's path, or an empty text if content no longer has it."""
    return next((article.href for article in articles() if article.slug == slug), "")


def decisions_of(comment: CommentRecord) -> list[str]:
    """Return the decisions that are possible now. An erased comment has none: no text is left to publish."""
    return [state.value for state in DECISIONS if comment.email and can_become(comment.state, state)]


def facts_of(comment: CommentRecord) -> dict[str, str]:
    """The facts that the detail page shows."""
    return {
        "state_name": STATES[comment.state].text,
        "tone": STATES[comment.state].tone,
        "article": article_title(comment.article),
        "article_href": article_href(comment.article),
        "name": comment.fullname or ERASED,
        "email": comment.email,
        "website": comment.website,
        "text": comment.text,
        "received": when(comment.created_at),
        "decided": when(comment.decided_at),
        "decided_by": comment.decided_by,
    }


def history_lines(lines: Sequence[LoggedEvent]) -> list[HistoryLine]:
    """Return the history, newest first."""
    return [history_line(line, STEP_NAMES, visitor=AUTHOR) for line in reversed(lines)]
