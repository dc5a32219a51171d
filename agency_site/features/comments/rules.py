"""The states of a comment, and which may follow which."""

from collections.abc import Mapping
from enum import StrEnum

AUTHOR = "author"
"""The actor of events that a comment's author caused."""
REFERENCE = "CM"
"""What references of comments begin with."""
LINK_PURPOSE, NOTICE_PURPOSE = "comment", "comment-notice"
"""Of the tokens in the author's private link and in the notice to staff."""


class CommentState(StrEnum):
    PENDING = "pending"
    """Not decided yet."""
    APPROVED = "approved"
    """Published under its article."""
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    """By its author."""


class CommentChange(StrEnum):
    """What an entry of a comment's event log records."""

    RECEIVED = "received"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    ERASED = "erased"
    """The author's data was removed: on request, or after retention."""


STEPS: Mapping[CommentState, frozenset[CommentState]] = {
    CommentState.PENDING: frozenset({CommentState.APPROVED, CommentState.REJECTED, CommentState.WITHDRAWN}),
    # Editors may change their decision; the author may withdraw at any time.
    CommentState.APPROVED: frozenset({CommentState.REJECTED, CommentState.WITHDRAWN}),
    CommentState.REJECTED: frozenset({CommentState.APPROVED, CommentState.WITHDRAWN}),
    # Nobody publishes what its author has withdrawn.
    CommentState.WITHDRAWN: frozenset(),
}
"""Which states may follow which."""

DECISIONS: Mapping[CommentState, CommentChange] = {
    CommentState.APPROVED: CommentChange.APPROVED,
    CommentState.REJECTED: CommentChange.REJECTED,
}
"""What an editor may decide, and what the event log calls it."""


def may_follow(was: CommentState, to: CommentState) -> bool:
    """Whether a comment in `was` may become `to`."""
    return to in STEPS[was]


def before(to: CommentState) -> tuple[CommentState, ...]:
    """The states from which a comment may become `to`."""
    return tuple(state for state in CommentState if may_follow(state, to))
