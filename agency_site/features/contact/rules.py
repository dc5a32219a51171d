"""Kinds, states and state transitions of enquiries."""

from collections.abc import Mapping
from enum import StrEnum

from agency_site.members import steps

REFERENCE = "EQ"
"""The prefix of references."""


class EnquiryKind(StrEnum):
    """The form that an enquiry came through."""

    MESSAGE = "message"
    """The contact form."""
    SIGNUP = "signup"
    """The sign-up for a hosting plan."""


class EnquiryState(StrEnum):
    NEW = "new"
    """Not answered yet."""
    ANSWERED = "answered"
    CLOSED = "closed"
    """No work is left."""


class EnquiryChange(StrEnum):
    """The kinds of entries in an enquiry's event log."""

    RECEIVED = "received"
    REPLIED = "replied"
    """Answered by e-mail from the back office; the entry holds the text."""
    ANSWERED = "answered"
    """Answered in another way, such as by telephone or from a mail program."""
    CLOSED = "closed"
    REOPENED = "reopened"
    NOTED = "noted"
    ERASED = "erased"
    """The person's data was removed: on request, or after retention."""


STEPS: Mapping[EnquiryState, frozenset[EnquiryState]] = steps(
    {
        EnquiryState.NEW: frozenset({EnquiryState.ANSWERED, EnquiryState.CLOSED}),
        EnquiryState.ANSWERED: frozenset({EnquiryState.NEW, EnquiryState.CLOSED}),
        # A closed enquiry may still get a late reply.
        EnquiryState.CLOSED: frozenset({EnquiryState.NEW, EnquiryState.ANSWERED}),
    }
)
"""The states that may follow each state. A second reply to an answered enquiry changes no state."""
