"""States of a booking and the allowed transitions, times as text, and the errors for a slot that is gone."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum

REFERENCE = "BK"
"""The prefix of references."""

NOTE = "note"
"""What a note of staff is called among the events of a booking."""

LINK = "booking"
"""The purpose of the tokens in private links (`signing.private_token`)."""


class BookingState(StrEnum):
    CONFIRMED = "confirmed"
    """Holds a seat of its slot."""
    CANCELLED = "cancelled"
    """Cancelled by the visitor or by staff; its seat is free again."""
    COMPLETED = "completed"
    """The consultation was held."""
    NO_SHOW = "no_show"
    """The visitor did not come."""


class BookingChange(StrEnum):
    """What an event in a booking's log records."""

    BOOKED = "booked"
    MOVED = "moved"
    CANCELLED = "cancelled"
    COMPLETED = "completed"
    NO_SHOW = "no_show"
    REMINDED = "reminded"
    RESTORED = "restored"
    """Reinstated by staff after a cancellation."""
    CORRECTED = "corrected"
    """Staff edited name, e-mail address, phone or message."""
    ERASED = "erased"
    """Personal data was erased: on request, or because its retention period was over."""


TRANSITIONS: Mapping[BookingState, frozenset[BookingState]] = {
    BookingState.CONFIRMED: frozenset({BookingState.CANCELLED, BookingState.COMPLETED, BookingState.NO_SHOW}),
    # Somebody else may have booked the slot since: visitors book anew.
    BookingState.CANCELLED: frozenset(),
    # Staff may correct a mistake.
    BookingState.COMPLETED: frozenset({BookingState.NO_SHOW}),
    BookingState.NO_SHOW: frozenset({BookingState.COMPLETED}),
}
"""The states that a visitor's booking may change to, by the state that it has."""

STAFF_TRANSITIONS: Mapping[BookingState, frozenset[BookingState]] = {
    **TRANSITIONS,
    # Only while a seat of the slot is free, which the seat index decides.
    BookingState.CANCELLED: frozenset({BookingState.CONFIRMED}),
}
"""The same for staff."""


def can_follow(before: BookingState, after: BookingState) -> bool:
    return after in TRANSITIONS[before]


def can_staff_set(before: BookingState, after: BookingState) -> bool:
    return after in STAFF_TRANSITIONS[before]


def reminder_due(starts_at: datetime, now: datetime, hours: int) -> datetime | None:
    """When the reminder is sent; None if that moment has passed: the confirmation is recent enough."""
    due = starts_at - timedelta(hours=hours)
    return due if due > now else None


def state_name(state: BookingState) -> str:
    """Such as `no show`."""
    return state.value.replace("_", " ")
