"""Labels of bookings and their events in the back office. No I/O."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import Enum

from agency_site.backoffice.lists.definition import Cell, Tone, when
from agency_site.backoffice.records import HistoryLine, edit_words
from agency_site.clock import format_date, in_nairobi, now
from agency_site.db.event_log import ARROW, RETENTION, SYSTEM, VISITOR, LoggedEvent
from agency_site.features.booking.bookings.records import BookingRecord
from agency_site.features.booking.bookings.request import column_of
from agency_site.features.booking.bookings.rules import NOTE, SERVICE_NAMES, BookingChange, BookingState
from agency_site.features.booking.consultants.rules import WAY_LABELS
from agency_site.members import ByMember, names
from agency_site.phone_numbers import format_phone_number

DETAIL_LABELS = {
    "fullname": "Name",
    "phonenumber": "Phone",
    "emailaddress": "E-mail",
    "service": "Service",
    "way": "How",
    "message": "Topic",
}
"""The labels by field of `BookingDetails`, in the order of the forms of staff."""
CHOICE_NAMES: Mapping[str, Mapping[str, str]] = {
    "service": SERVICE_NAMES,
    "way": {way.value: label for way, label in WAY_LABELS.items()},
}
"""Names of the choices, by field; other choices are named after their values."""
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
_EDITED_FIELDS = {**{column_of(name): label for name, label in DETAIL_LABELS.items()}, "person": "Consultant"}


def state_cell(state: BookingState, ends_at: datetime) -> Cell:
    """Return the state as lists show it. A confirmed booking that is over needs an outcome."""
    if state is BookingState.CONFIRMED and ends_at <= now():
        return Cell(NEEDS_OUTCOME, "busy")
    return Cell(STATE_NAMES[state], _TONES[state])


def format_time_span(starts_at: datetime, ends_at: datetime) -> str:
    """Format the time in Nairobi, such as `Tuesday 24 November 2026, 09:00 to 09:30`."""
    begins, ends = in_nairobi(starts_at), in_nairobi(ends_at)
    return f"{begins:%A} {format_date(begins)}, {begins:%H:%M} to {ends:%H:%M}"


def name_choice(name: str, value: str) -> str:
    """Return the value of the choice `name` in words: `by-phone` becomes *By phone* if it has no other name."""
    if value in CHOICE_NAMES.get(name, ()):
        return CHOICE_NAMES[name][value]
    return value.replace("-", " ").replace("_", " ").capitalize() or "Not stated"


def describe_value(name: str, value: str) -> str:
    """Return the detail `name` of a booking: a choice in words, other text unchanged."""
    return name_choice(name, value) if isinstance(value, Enum) or (name in CHOICE_NAMES and value) else value


def describe_booking(booking: BookingRecord) -> dict[str, str]:
    """Return the texts of the detail page."""
    state = state_cell(booking.state, booking.ends_at)
    return {
        **{name: describe_value(name, value) for name, value in details_form(booking).items()},
        # For the link; the page shows `phone_label`.
        "phonenumber": booking.phone,
        "when": format_time_span(booking.starts_at, booking.ends_at),
        "day": in_nairobi(booking.starts_at).date().isoformat(),
        "state": state.text,
        "tone": state.tone,
        "fullname": booking.fullname or "Erased",
        "person": booking.person,
        "video_link": "",
        "phone_label": format_phone_number(booking.phone),
        "booked": when(booking.created_at),
        "origin": booking.origin.text,
        "changed": when(booking.updated_at) if booking.updated_at > booking.created_at else "",
    }


_NEED_PERSONAL_DATA = frozenset({"move", "assign", "reinstate", "edit"})
"""Actions that are not available after erasure of the personal data."""


def available_actions(booking: BookingRecord, *, has_consultants: bool = False) -> list[str]:
    """Return the actions that are possible now, of `move`, `assign`, `cancel`, `complete`, `no_show`, `reinstate`, `edit`.

    A booking can be assigned if there are active consultants.
    """
    has_begun = booking.starts_at <= now()
    by_state: Mapping[BookingState, tuple[str, ...]] = {
        BookingState.CONFIRMED: (
            "move",
            *(("assign",) if has_consultants else ()),
            "cancel",
            *(("complete", "no_show") if has_begun else ()),
        ),
        BookingState.CANCELLED: ("reinstate",),
        BookingState.COMPLETED: ("no_show",),
        BookingState.NO_SHOW: ("complete",),
    }
    actions = (*by_state[booking.state], "edit")
    return [name for name in actions if not (booking.is_erased and name in _NEED_PERSONAL_DATA)]


def describe_change(before: Mapping[str, str], after: BookingRecord) -> str:
    """Describe the change of state or time for the audit log. `before` is the earlier `describe_booking`."""
    current = describe_booking(after)
    return ", ".join(
        f"{before[name]} → {current[name]}" for name in ("state", "when") if before.get(name) != current[name]
    )


def details_form(booking: BookingRecord) -> dict[str, str]:
    """Return the values of the edit form by field of `BookingDetails`."""
    columns = {name: getattr(booking, column_of(name)) for name in DETAIL_LABELS}
    return {**columns, "phonenumber": format_phone_number(booking.phone)}


def describe_history(events: Sequence[LoggedEvent]) -> list[HistoryLine]:
    """Return the history, newest first."""
    return [_history_line(event) for event in reversed(events)]


def _history_line(event: LoggedEvent) -> HistoryLine:
    is_edit = event.what == BookingChange.CORRECTED
    return HistoryLine(
        what=_event_label(event),
        words=edit_words(_name_choices(event.note), _EDITED_FIELDS) if is_edit else event.note,
        at=when(event.at),
        who=_ACTORS.get(event.actor, event.actor),
        noted=event.what == NOTE,
    )


def _name_choices(note: str) -> str:
    """Return the stored changes of an edit, with the choices in words."""
    return "\n".join(_name_choices_of_line(line) for line in note.splitlines())


def _name_choices_of_line(line: str) -> str:
    name, _, values = line.partition(": ")
    if name not in CHOICE_NAMES:
        return line
    return f"{name}: {ARROW.join(describe_value(name, value) for value in values.split(ARROW))}"


def _event_label(event: LoggedEvent) -> str:
    match event.what:
        case BookingChange.BOOKED:
            return f"Booked for {_format_stored_start(event.after)}"
        case BookingChange.MOVED:
            return f"Moved from {_format_stored_start(event.before)} to {_format_stored_start(event.after)}"
        case BookingChange.CORRECTED:
            # Older events, from before values were stored, name the columns only.
            column_lines = [line.partition(": ")[0] for line in event.note.splitlines()]
            columns = column_lines if ": " in event.note else event.note.split(", ")
            names = [_EDITED_FIELDS[name].lower() for name in columns if name in _EDITED_FIELDS]
            return f"Details edited: {', '.join(names)}" if names else "Details edited"
        case what:
            return _EVENT_LABELS.get(what, what)


def _format_stored_start(text: str) -> str:
    try:
        return when(datetime.fromisoformat(text))
    except ValueError:
        return text
