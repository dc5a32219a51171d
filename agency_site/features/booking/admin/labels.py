"""How the back office says what a booking is and what happened to it. No I/O."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from agency_site.backoffice.detail_page import HistoryLine
from agency_site.backoffice.lists.definition import Cell, Tone, when
from agency_site.clock import in_nairobi, now
from agency_site.db.event_log import RETENTION, SYSTEM, VISITOR, LoggedEvent
from agency_site.features.booking.records import BookingRecord
from agency_site.features.booking.request import BookingDetails
from agency_site.features.booking.rules import NOTE, BookingChange, BookingState
from agency_site.features.booking.slots import policy
from agency_site.form_input import read_form

DETAIL_LABELS = {
    "fullname": "Name",
    "emailaddress": "E-mail",
    "phonenumber": "Phone",
    "message": "What it is about",
}
"""By the keys of `BookingDetails`."""
NEEDS_OUTCOME = "Needs an outcome"
STATE_NAMES = {
    BookingState.CONFIRMED: "Confirmed",
    BookingState.COMPLETED: "Completed",
    BookingState.NO_SHOW: "No-show",
    BookingState.CANCELLED: "Cancelled",
}

_TONES: dict[BookingState, Tone] = {
    BookingState.CONFIRMED: "good",
    BookingState.COMPLETED: "quiet",
    BookingState.NO_SHOW: "bad",
    BookingState.CANCELLED: "quiet",
}
_PEOPLE = {VISITOR: "The client", SYSTEM: "The site", RETENTION: "The site"}
_CHANGES = {
    BookingChange.CANCELLED: "Cancelled",
    BookingChange.COMPLETED: "Completed",
    BookingChange.NO_SHOW: "Marked as no-show",
    BookingChange.REMINDED: "Reminder sent",
    BookingChange.RESTORED: "Confirmed again",
    BookingChange.ERASED: "Personal data erased",
    NOTE: "Note",
}
_CORRECTED = {"fullname": "name", "email": "e-mail", "phone": "phone", "message": "what it is about"}


def state_cell(state: BookingState, starts_at: datetime) -> Cell:
    """Where a booking stands; a confirmed one that is over asks for its outcome."""
    if state is BookingState.CONFIRMED and over(starts_at):
        return Cell(NEEDS_OUTCOME, "busy")
    return Cell(STATE_NAMES[state], _TONES[state])


def over(starts_at: datetime) -> bool:
    """Whether the consultation's time has passed."""
    return starts_at + policy().length <= now()


def dialled(phone: str) -> str:
    """A stored number in groups: `+254 712 345 678`; numbers of other countries stay as they are."""
    if phone.startswith("+254") and len(phone) == 13:
        return f"{phone[:4]} {phone[4:7]} {phone[7:10]} {phone[10:]}"
    return phone


def national(phone: str) -> str:
    """A stored number as lists show it: a Kenyan one as people dial it, `0712 345 678`."""
    shown = dialled(phone)
    return f"0{shown.removeprefix('+254 ')}" if shown.startswith("+254 ") else shown


def span(starts_at: datetime) -> str:
    """Such as `Tuesday 24 November 2026, 09:00 to 09:30`, on a Nairobi clock."""
    begins, ends = in_nairobi(starts_at), in_nairobi(starts_at + policy().length)
    return f"{begins:%A %-d %B %Y, %H:%M} to {ends:%H:%M}"


def facts_of(booking: BookingRecord) -> dict[str, str]:
    """All that the page says about the booking itself, as text."""
    standing = state_cell(booking.state, booking.starts_at)
    return {
        "when": span(booking.starts_at),
        "day": in_nairobi(booking.starts_at).date().isoformat(),
        "standing": standing.text,
        "tone": standing.tone,
        "fullname": booking.fullname or "Erased on request",
        "email": booking.email,
        "phone": booking.phone,
        "dialled": dialled(booking.phone),
        "message": booking.message,
        "booked": when(booking.created_at),
        "changed": when(booking.updated_at) if booking.updated_at > booking.created_at else "",
    }


NEED_A_PERSON = frozenset({"move", "confirm", "correct"})
"""Steps that an erased booking does not take."""


def steps_of(booking: BookingRecord) -> list[str]:
    """What staff can do with the booking now: `move`, `cancel`, `complete`, `no_show`, `confirm`, `correct`."""
    begun = booking.starts_at <= now()
    steps: Mapping[BookingState, tuple[str, ...]] = {
        BookingState.CONFIRMED: ("move", "cancel", *(("complete", "no_show") if begun else ())),
        BookingState.CANCELLED: ("confirm",),
        BookingState.COMPLETED: ("no_show",),
        BookingState.NO_SHOW: ("complete",),
    }
    offered = (*steps[booking.state], "correct")
    return [step for step in offered if not (booking.is_erased and step in NEED_A_PERSON)]


def change_of(before: Mapping[str, str], after: BookingRecord) -> str:
    """What a step made of a booking, by `facts_of` before it: its state or its time."""
    now_is = facts_of(after)
    return ", ".join(
        f"{before[name]} → {now_is[name]}"
        for name in ("standing", "when")
        if before.get(name) != now_is[name]
    )


def details_of(booking: BookingRecord) -> dict[str, str]:
    """What staff can correct, by the keys of `BookingDetails`."""
    values = (booking.fullname, booking.email, booking.phone, booking.message)
    return dict(zip(DETAIL_LABELS, values, strict=True))


def details_given(form: dict[str, str]) -> dict[str, str]:
    """What a submitted form says about the visitor, put in shape. Raises InputRejected with the fields."""
    given = read_form(BookingDetails, {name: form.get(name, "") for name in DETAIL_LABELS})
    return {name: str(getattr(given, name)) for name in DETAIL_LABELS}


def log_of(lines: Sequence[LoggedEvent]) -> list[HistoryLine]:
    """The history as the page shows it, newest first."""
    return [_shown(line) for line in reversed(lines)]


def _shown(line: LoggedEvent) -> HistoryLine:
    corrected = line.what == BookingChange.CORRECTED
    return HistoryLine(
        what=_what(line),
        words="" if corrected else line.note,
        at=when(line.at),
        who=_PEOPLE.get(line.actor, line.actor),
        noted=line.what == NOTE,
    )


def _what(line: LoggedEvent) -> str:
    match line.what:
        case BookingChange.BOOKED:
            return f"Booked for {_moment(line.after)}"
        case BookingChange.MOVED:
            return f"Moved from {_moment(line.before)} to {_moment(line.after)}"
        case BookingChange.CORRECTED:
            named = [_CORRECTED.get(name, name) for name in line.note.split(", ") if name]
            return f"Details corrected: {', '.join(named)}" if named else "Details corrected"
        case what:
            return _CHANGES.get(what, what)


def _moment(written: str) -> str:
    try:
        return when(datetime.fromisoformat(written))
    except ValueError:
        return written
