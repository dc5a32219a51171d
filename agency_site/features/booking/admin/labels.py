"""Labels of bookings and their events in the back office. No I/O."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from agency_site.backoffice.lists.definition import Cell, Tone, when
from agency_site.backoffice.records import HistoryLine
from agency_site.clock import format_date, in_nairobi, now
from agency_site.db.event_log import RETENTION, SYSTEM, VISITOR, LoggedEvent
from agency_site.features.booking.bookings.rules import NOTE, BookingChange, BookingState
from agency_site.members import ByMember, names

NEEDS_OUTCOME = "Needs an outcome"
STATE_NAMES = names(
    {
        BookingState.CONFIRMED: "Confirmed",
        BookingState.COMPLETED: "Completed",
        BookingState.NO_SHOW: "No-show",
        BookingState.CANCELLED: "Cancelled",
    }
)

_TONES: dict[BookingState, Tone] = ByMember(
    {
        BookingState.CONFIRMED: "good",
        BookingState.COMPLETED: "quiet",
        BookingState.NO_SHOW: "bad",
        BookingState.CANCELLED: "quiet",
    },
    lambda _state: "quiet",
)
_ACTORS = {VISITOR: "The client", SYSTEM: "System", RETENTION: "System"}
_EVENT_LABELS = {
    BookingChange.CANCELLED: "Cancelled",
    BookingChange.COMPLETED: "Completed",
    BookingChange.NO_SHOW: "Marked as no-show",
    BookingChange.REMINDED: "Reminder sent",
    BookingChange.RESTORED: "Reinstated",
    BookingChange.ERASED: "Personal data erased",
    NOTE: "Note",
}


def state_cell(state: BookingState, ends_at: datetime) -> Cell:
    """Return the state as lists show it. A confirmed booking that is over needs an outcome."""
    if state is BookingState.CONFIRMED and ends_at <= now():
        return Cell(NEEDS_OUTCOME, "busy")
    return Cell(STATE_NAMES[state], _TONES[state])


def format_time_span(starts_at: datetime, ends_at: datetime) -> str:
    """Format the time in Nairobi, such as `Tuesday 24 November 2026, 09:00 to 09:30`."""
    begins, ends = in_nairobi(starts_at), in_nairobi(ends_at)
    return f"{begins:%A} {format_date(begins)}, {begins:%H:%M} to {ends:%H:%M}"


def describe_event(event: LoggedEvent, line: HistoryLine, labels: Mapping[str, str]) -> HistoryLine:
    """Return the line of the history for an event, from the usual line; `labels` are those of the edited columns."""
    return replace(
        line,
        what=_event_label(event, labels),
        who=_ACTORS.get(event.actor, event.actor),
        noted=event.what == NOTE,
    )


def _event_label(event: LoggedEvent, labels: Mapping[str, str]) -> str:
    match event.what:
        case BookingChange.BOOKED:
            return f"Booked for {_format_stored_start(event.after)}"
        case BookingChange.MOVED:
            return f"Moved from {_format_stored_start(event.before)} to {_format_stored_start(event.after)}"
        case BookingChange.CORRECTED:
            # Older events, from before values were stored, name the columns only.
            column_lines = [line.partition(": ")[0] for line in event.note.splitlines()]
            columns = column_lines if ": " in event.note else event.note.split(", ")
            names = [labels[name].lower() for name in columns if name in labels]
            return f"Details edited: {', '.join(names)}" if names else "Details edited"
        case what:
            return _EVENT_LABELS.get(what, what)


def _format_stored_start(text: str) -> str:
    try:
        return when(datetime.fromisoformat(text))
    except ValueError:
        return text
