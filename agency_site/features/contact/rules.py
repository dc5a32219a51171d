"""Kinds and states of enquiries, and which state may follow which."""

from collections.abc import Mapping
from enum import StrEnum

REFERENCE = "EQ"
"""What references of enquiries begin with."""


class EnquiryKind(StrEnum):
    """Which form it came through."""

    MESSAGE = "message"
    """The contact form."""
    SIGNUP = "signup"
    """The sign-up for a hosting plan."""


class EnquiryState(StrEnum):
    NEW = "new"
    """Not answered yet."""
    ANSWERED = "answered"
    CLOSED = "closed"
    """Nothing is left to do."""


class EnquiryChange(StrEnum):
    """What an entry of an enquiry's event log records."""

    RECEIVED = "received"
    REPLIED = "replied"
    """Answered by e-mail from here; the entry holds the words."""
    ANSWERED = "answered"
    """Marked as answered: by telephone, or from somebody's mail program."""
    CLOSED = "closed"
    REOPENED = "reopened"
    NOTED = "noted"
    ERASED = "erased"
    """The person's data was removed: on request, or after retention."""


STEPS: Mapping[EnquiryState, frozenset[EnquiryState]] = {
    EnquiryState.NEW: frozenset({EnquiryState.ANSWERED, EnquiryState.CLOSED}),
    EnquiryState.ANSWERED: frozenset({EnquiryState.NEW, EnquiryState.CLOSED}),
    # Whoever remembers something answers a closed one too.
    EnquiryState.CLOSED: frozenset({EnquiryState.NEW, EnquiryState.ANSWERED}),
}
"""Which states may follow which. Another answer to an answered enquiry changes no state."""

CHANGES: Mapping[EnquiryState, EnquiryChange] = {
    EnquiryState.NEW: EnquiryChange.REOPENED,
    EnquiryState.ANSWERED: EnquiryChange.ANSWERED,
    EnquiryState.CLOSED: EnquiryChange.CLOSED,
}
"""What the history calls a step to a state that staff set by hand."""


def before(to: EnquiryState) -> tuple[EnquiryState, ...]:
    """The states from which an enquiry may become `to`."""
    return tuple(state for state, steps in STEPS.items() if to in steps)
