"""Times of consultations: how they are written, and the errors of a slot that is gone."""

from datetime import UTC, date, datetime, time, timedelta

from agency_site.clock import NAIROBI, in_nairobi
from agency_site.errors import Conflict

LONGEST_BOOKING = timedelta(days=1)
"""The database refuses longer ones."""


class SlotTaken(Conflict):
    """No seat of the slot is free."""

    def __init__(self, starts_at: datetime) -> None:
        super().__init__(
            f"Sorry, {format_slot_time(starts_at)} has just been taken. Please choose another time."
        )
        self.starts_at = starts_at


class SlotWithdrawn(Conflict):
    """The slot lies in a blackout that staff added after it was offered."""

    def __init__(self, starts_at: datetime) -> None:
        super().__init__(
            f"Sorry, {format_slot_time(starts_at)} is no longer free. Please choose another time."
        )


def format_day(day: date) -> str:
    """Such as `Tuesday 24 November`."""
    return f"{day:%A} {day.day} {day:%B}"


def format_slot_time(starts_at: datetime) -> str:
    """Such as `11:00 on Tuesday 24 November`, on a Nairobi clock."""
    local = in_nairobi(starts_at)
    return f"{local:%H:%M} on {format_day(local.date())}"


def slot_start(day: date, at: time) -> datetime:
    """A Nairobi day and time in UTC."""
    return datetime.combine(day, at, NAIROBI).astimezone(UTC)


def serialize_start(moment: datetime) -> str:
    """A start as the event log stores it."""
    return moment.astimezone(UTC).isoformat(timespec="minutes")
