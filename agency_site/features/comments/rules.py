"""What a comment may become."""

from collections.abc import Mapping
from enum import StrEnum

AUTHOR = "author"
"""The actor of events that a comment's author caused."""
REFERENCE = "CM"
"""What the references begin with."""


class CommentState(StrEnum):
    """Where a comment stands."""

    PENDING = "pending"
    """Waits for an editor."""
    APPROVED = "approved"
    """Stands under its article."""
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    """Taken back by its author."""


class CommentChange(StrEnum):
    """What an entry of a comment's history records."""

    RECEIVED = "received"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    ERASED = "erased"
    """The author's data was removed: on request, or once its time was over."""


STEPS: Mapping[CommentState, frozenset[CommentState]] = {
    CommentState.PENDING: frozenset({CommentState.APPROVED, CommentState.REJECTED, CommentState.WITHDRAWN}),
    # Editors may think again; the author may go at any time.
    CommentState.APPROVED: frozenset({CommentState.REJECTED, CommentState.WITHDRAWN}),
    CommentState.REJECTED: frozenset({CommentState.APPROVED, CommentState.WITHDRAWN}),
    # Nobody publishes what its author has taken back.
    CommentState.WITHDRAWN: frozenset(),
}
"""Which states may follow which."""

DECISIONS: Mapping[CommentState, CommentChange] = {
    CommentState.APPROVED: CommentChange.APPROVED,
    CommentState.REJECTED: CommentChange.REJECTED,
}
"""What an editor may decide, and what the history calls it."""


def may_follow(was: CommentState, to: CommentState) -> bool:
    """Whether a comment in `was` may become `to`."""
    return to in STEPS[was]


def before(to: CommentState) -> tuple[CommentState, ...]:
    """The states from which a comment may become `to`."""
    return tuple(state for state in CommentState if may_follow(state, to))
