"""States and state transitions of bookings."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum

from agency_site.content.services import SERVICES
from agency_site.members import steps

REFERENCE = "BK"
"""The prefix of references."""

NOTE = "note"
"""The kind of a staff note among the events of a booking."""

SOON = timedelta(hours=2)
"""The time before a consultation of its last reminder."""

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


TRANSITIONS: Mapping[BookingState, frozenset[BookingState]] = steps(
    {
        BookingState.CONFIRMED: frozenset(
            {BookingState.CANCELLED, BookingState.COMPLETED, BookingState.NO_SHOW}
        ),
        # Another visitor may have booked the slot since, so visitors book again.
        BookingState.CANCELLED: frozenset(),
        # Staff may correct a mistake.
        BookingState.COMPLETED: frozenset({BookingState.NO_SHOW}),
        BookingState.NO_SHOW: frozenset({BookingState.COMPLETED}),
    }
)
"""The states that a visitor's booking may change to, by the state that it has."""

STAFF_TRANSITIONS: Mapping[BookingState, frozenset[BookingState]] = steps(
    {
        **TRANSITIONS,
        # Possible only if a seat of the slot is free, which the seat index decides.
        BookingState.CANCELLED: frozenset({BookingState.CONFIRMED}),
    }
)
"""The states that staff may set, by the state that the booking has."""


def can_follow(before: BookingState, after: BookingState) -> bool:
    return after in TRANSITIONS[before]


def can_staff_set(before: BookingState, after: BookingState) -> bool:
    return after in STAFF_TRANSITIONS[before]


def reminder_due(starts_at: datetime, now: datetime, hours: int) -> datetime | None:
    """Return the moment of the next reminder: `hours` before the start, then two hours before it.

    None if both have passed: a client who books later has just read the confirmation.
    """
    moments = (starts_at - timedelta(hours=hours), starts_at - SOON)
    # With fewer hours, the reminder shortly before the start is the only one.
    due_moments = moments if moments[0] < moments[1] else moments[:1]
    return next((due for due in due_moments if due > now), None)


def is_soon(starts_at: datetime, moment: datetime) -> bool:
    """Return whether a reminder at this moment is the one shortly before the start."""
    return starts_at - moment <= SOON


def service_name(slug: str) -> str:
    """Return the name of a service; the slug itself for a service that the site no longer has."""
    return SERVICE_NAMES.get(slug, slug)


def state_name(state: BookingState) -> str:
    """Return the state in words, such as `no-show`."""
    return state.value.replace("_", "-")
