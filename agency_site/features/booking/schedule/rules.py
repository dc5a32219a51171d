"""Formatting the times of consultations, and the errors of a slot that is no longer free."""

from datetime import UTC, date, datetime, time, timedelta

from agency_site.clock import NAIROBI, in_nairobi
from agency_site.errors import Conflict

LONGEST_BOOKING = timedelta(days=1)
"""The longest booking that the database accepts."""

LONGEST_BUFFER = timedelta(hours=4)
"""The longest pause between two consultations that the database accepts."""


class SlotTaken(Conflict):
    """No seat of the slot is free."""

    def __init__(self, starts_at: datetime) -> None:
        super().__init__(
            f"Sorry, {format_slot_time(starts_at)} has just been taken. Please choose another time."
        )
        self.starts_at = starts_at


class SlotWithdrawn(Conflict):
    """The slot is in a blackout that staff added after it was offered."""

    def __init__(self, starts_at: datetime) -> None:
        super().__init__(
            f"Sorry, {format_slot_time(starts_at)} is no longer free. Please choose another time."
        )


def format_day(day: date) -> str:
    """Format a day, such as `Tuesday 24 November`."""
    return f"{day:%A} {day.day} {day:%B}"


def format_slot_time(starts_at: datetime) -> str:
    """Format a moment in Nairobi, such as `11:00 on Tuesday 24 November`."""
    local = in_nairobi(starts_at)
    return f"{local:%H:%M} on {format_day(local.date())}"


def slot_start(day: date, at: time) -> datetime:
    """Convert a day and time in Nairobi to UTC."""
    return datetime.combine(day, at, NAIROBI).astimezone(UTC)


def serialize_start(moment: datetime) -> str:
    """Format a start for the event log."""
    return moment.astimezone(UTC).isoformat(timespec="minutes")
