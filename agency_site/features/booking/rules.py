"""What a booking is called, what it may become, and what is said when its slot is gone.

What a visitor types is judged in `request`; which slots there are is worked out in `slots`.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum

from agency_site.clock import NAIROBI, in_nairobi
from agency_site.errors import Conflict, Overtaken

REFERENCE = "BK"
"""What the references begin with."""
NOTE = "note"
"""What staff wrote down, between the events of a booking."""
LINK = "booking"
"""The purpose of the tokens in private links (`references.private_token`)."""


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
    RESTORED = "restored"
    """Brought back by staff after it had been cancelled."""
    CORRECTED = "corrected"
    """Staff changed name, address, phone or message."""
    ERASED = "erased"
    """Personal data was blanked: on request, or once its time was over."""


STEPS: Mapping[BookingState, frozenset[BookingState]] = {
    BookingState.CONFIRMED: frozenset({BookingState.CANCELLED, BookingState.COMPLETED, BookingState.NO_SHOW}),
    # A cancelled slot may have gone to someone else: a new booking is the only way back.
    BookingState.CANCELLED: frozenset(),
    # Staff may correct a slip.
    BookingState.COMPLETED: frozenset({BookingState.NO_SHOW}),
    BookingState.NO_SHOW: frozenset({BookingState.COMPLETED}),
}
"""Which states may follow which."""


STAFF_STEPS: Mapping[BookingState, frozenset[BookingState]] = {
    **STEPS,
    # Only if its slot is still free, which the seat index decides.
    BookingState.CANCELLED: frozenset({BookingState.CONFIRMED}),
}
"""Which states may follow which when staff say so."""


def may_follow(before: BookingState, after: BookingState) -> bool:
    """Whether a booking in `before` may become `after`."""
    return after in STEPS[before]


def staff_may_set(before: BookingState, after: BookingState) -> bool:
    """Whether staff may let a booking in `before` become `after`."""
    return after in STAFF_STEPS[before]


class SlotTaken(Conflict):
    """Somebody else holds the last seat of the slot."""

    def __init__(self, starts_at: datetime) -> None:
        super().__init__(f"Sorry, {spoken_time(starts_at)} has just been taken. Please choose another time.")
        self.starts_at = starts_at


class SlotWithdrawn(Conflict):
    """The slot was offered, but staff have blocked it since."""

    def __init__(self, starts_at: datetime) -> None:
        super().__init__(f"Sorry, {spoken_time(starts_at)} is no longer free. Please choose another time.")


class EditedMeanwhile(Overtaken[object]):
    """Somebody else changed the record since it was read; `current` is the record as it stands now, None if removed."""

    def __init__(self, what: str, current: object) -> None:
        ending = "is no longer there" if current is None else "has been changed by somebody else meanwhile"
        super().__init__(f"{what} {ending}. Nothing of yours has been saved yet.", current)


def spoken_day(day: date) -> str:
    """Such as `Tuesday 24 November`."""
    return f"{day:%A} {day.day} {day:%B}"


def spoken_time(starts_at: datetime) -> str:
    """Such as `11:00 on Tuesday 24 November`, on a Nairobi clock."""
    local = in_nairobi(starts_at)
    return f"{local:%H:%M} on {spoken_day(local.date())}"


def slot_start(day: date, at: time) -> datetime:
    """The UTC moment of a Nairobi day and time."""
    return datetime.combine(day, at, NAIROBI).astimezone(UTC)


def reminder_due(starts_at: datetime, now: datetime, hours: int) -> datetime | None:
    """When the reminder leaves; none if that moment has passed: the confirmation is fresh enough."""
    due = starts_at - timedelta(hours=hours)
    return due if due > now else None


def stamp(moment: datetime) -> str:
    """A start as the event log keeps it."""
    return moment.astimezone(UTC).isoformat(timespec="minutes")
