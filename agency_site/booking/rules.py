"""What a booking may be and become."""

from enum import StrEnum


class BookingState(StrEnum):
    """Where a booking stands."""

    CONFIRMED = "confirmed"
    """Holds its slot."""
    CANCELLED = "cancelled"
    """Given up by the visitor or by staff; its slot is free again."""
    COMPLETED = "completed"
    """The consultation was held."""
    NO_SHOW = "no_show"
    """The visitor did not come."""


class BookingChange(StrEnum):
    """What an entry of a booking's history records."""

    BOOKED = "booked"
    MOVED = "moved"
    CANCELLED = "cancelled"
    COMPLETED = "completed"
    NO_SHOW = "no_show"
    REMINDED = "reminded"
