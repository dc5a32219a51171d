"""How editors read comments: the names of states and steps, and a comment as its page shows it."""

from collections.abc import Mapping, Sequence

from agency_site.backoffice.detail_page import HistoryLine, history_line
from agency_site.backoffice.lists.definition import Cell, when
from agency_site.content.articles import ARTICLES
from agency_site.db.event_log import LoggedEvent
from agency_site.features.comments.records import CommentRecord
from agency_site.features.comments.rules import AUTHOR, DECISIONS, CommentChange, CommentState, may_follow

COMMENTS, COMMENT = "/admin/comments", "/admin/comment"
ERASED = "Erased"
"""Replaces the name of somebody whose data was erased."""

STATES: Mapping[CommentState, Cell] = {
    CommentState.PENDING: Cell("Pending", "bad"),
    CommentState.APPROVED: Cell("Published", "good"),
    CommentState.REJECTED: Cell("Rejected", "quiet"),
    CommentState.WITHDRAWN: Cell("Withdrawn", "quiet"),
}
"""Name and colour of each state."""
STEP_NAMES: Mapping[CommentChange, str] = {
    CommentChange.RECEIVED: "Received",
    CommentChange.APPROVED: "Approved",
    CommentChange.REJECTED: "Rejected",
    CommentChange.WITHDRAWN: "Withdrawn by its author",
    CommentChange.ERASED: "Personal data erased",
}


def article_title(slug: str) -> str:
    """The article's title; its slug once content no longer has it."""
    return next((article.title for article in ARTICLES if article.slug == slug), slug)


def article_href(slug: str) -> str:
    """The article's path; empty once content no longer has it."""
    return next((article.href for article in ARTICLES if article.slug == slug), "")


def decisions_of(comment: CommentRecord) -> list[str]:
    """What an editor may decide about it now; nobody publishes the empty rest of an erased one."""
    return [state.value for state in DECISIONS if comment.email and may_follow(comment.state, state)]


def facts_of(comment: CommentRecord) -> dict[str, str]:
    """The comment as its page shows it."""
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


def log_of(lines: Sequence[LoggedEvent]) -> list[HistoryLine]:
    """What happened, the latest first."""
    return [history_line(line, STEP_NAMES, visitor=AUTHOR) for line in reversed(lines)]
