"""States and state transitions of bookings."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum

from agency_site.content.services import SERVICES

REFERENCE = "BK"
"""The prefix of references."""

NOTE = "note"
"""The kind of a staff note among the events of a booking."""

LINK = "booking"
"""The purpose of the tokens in private links (`signing.private_token`)."""


SERVICE_NAMES: Mapping[str, str] = {service.slug: service.name for service in SERVICES}
"""The names of the services that a client may want to discuss, by slug."""


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
    """The kinds of events in a booking's log."""

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
    # Another visitor may have booked the slot since, so visitors book again.
    BookingState.CANCELLED: frozenset(),
    # Staff may correct a mistake.
    BookingState.COMPLETED: frozenset({BookingState.NO_SHOW}),
    BookingState.NO_SHOW: frozenset({BookingState.COMPLETED}),
}
"""The states that a visitor's booking may change to, by the state that it has."""

STAFF_TRANSITIONS: Mapping[BookingState, frozenset[BookingState]] = {
    **TRANSITIONS,
    # Possible only if a seat of the slot is free, which the seat index decides.
    BookingState.CANCELLED: frozenset({BookingState.CONFIRMED}),
}
"""The states that staff may set, by the state that the booking has."""


def can_follow(before: BookingState, after: BookingState) -> bool:
    return after in TRANSITIONS[before]


def can_staff_set(before: BookingState, after: BookingState) -> bool:
    return after in STAFF_TRANSITIONS[before]


def reminder_due(starts_at: datetime, now: datetime, hours: int) -> datetime | None:
    """The moment for the reminder. None if it has passed: the client has just read the confirmation."""
    due = starts_at - timedelta(hours=hours)
    return due if due > now else None


def service_name(slug: str) -> str:
    """Return the name of a service; the slug itself for a service that the site no longer has."""
    return SERVICE_NAMES.get(slug, slug)


def state_name(state: BookingState) -> str:
    """Return the state in words, such as `no-show`."""
    return state.value.replace("_", "-")
