"""States and state transitions of comments."""

from collections.abc import Mapping
from enum import StrEnum

from agency_site.members import steps

AUTHOR = "author"
"""The actor of events that a comment's author caused."""
REFERENCE = "CM"
"""The prefix of references."""
LINK_PURPOSE, NOTICE_PURPOSE = "comment", "comment-notice"
"""The purposes of the tokens in the author's private link and in the notice to staff."""


class CommentState(StrEnum):
    PENDING = "pending"
    """Not decided yet."""
    APPROVED = "approved"
    """Published under its article."""
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    """Withdrawn by its author."""


class CommentChange(StrEnum):
    """The kinds of entries in a comment's event log."""

    RECEIVED = "received"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    ERASED = "erased"
    """The author's data was removed: on request, or after retention."""


STEPS: Mapping[CommentState, frozenset[CommentState]] = steps(
    {
        CommentState.PENDING: frozenset(
            {CommentState.APPROVED, CommentState.REJECTED, CommentState.WITHDRAWN}
        ),
        # Editors may change their decision; the author may withdraw at any time.
        CommentState.APPROVED: frozenset({CommentState.REJECTED, CommentState.WITHDRAWN}),
        CommentState.REJECTED: frozenset({CommentState.APPROVED, CommentState.WITHDRAWN}),
        # A withdrawn comment stays unpublished.
        CommentState.WITHDRAWN: frozenset(),
    }
)
"""The states that may follow each state."""


def can_become(was: CommentState, to: CommentState) -> bool:
    """Return whether a comment in state `was` may become `to`."""
    return to in STEPS[was]
