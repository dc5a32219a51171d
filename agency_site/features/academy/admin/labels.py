"""Labels and lines of course runs, learners and waiting lists in the back office."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.lists.definition import Cell, number_cell, when
from agency_site.backoffice.records import HistoryLine, edit_words
from agency_site.clock import now
from agency_site.content.courses import course_by_slug, course_options
from agency_site.db.event_log import LoggedEvent
from agency_site.features.academy.learners.records import CertificateRecord
from agency_site.features.academy.learners.rules import can_mark_attendance, shorten_serial
from agency_site.features.academy.learners.usecases import RunPlace, StaffLearner
from agency_site.features.academy.planning.staff_request import RunRequest
from agency_site.features.academy.reservations.rules import WaitingState
from agency_site.features.academy.reservations.usecases import UnpaidPlaces
from agency_site.features.academy.runs.history import RunChange
from agency_site.features.academy.runs.records import MaterialRecord, RunRecord, SessionRecord
from agency_site.features.academy.runs.rules import (
    MaterialKind,
    PlannedSession,
    RunState,
    RunStatus,
    describe_free,
)
from agency_site.features.academy.runs.tables import CourseRun
from agency_site.features.academy.waiting_list.records import WaitingRecord
from agency_site.features.academy.waiting_list.usecases import OPEN_STATES
from agency_site.form_input import moment_field_value
from agency_site.members import ByMember, names
from agency_site.money import kes
from agency_site.phone_numbers import format_phone_number
from agency_site.ui.forms import Option

RUNS_PATH, RUN_PATH, RUN_CALENDAR_PATH = "/admin/runs", "/admin/run", "/admin/runs/calendar"
LEARNERS_PATH, LEARNER_PATH = "/admin/learners", "/admin/learner"
WAITING_LISTS_PATH = "/admin/waiting-lists"
NOT_NAMED = "Not named yet"

STATES: Mapping[RunState, Cell] = {
    RunState.PLANNED: Cell("Planned", "quiet"),
    RunState.OPEN: Cell("Open", "good"),
    RunState.FULL: Cell("Full", "busy"),
    RunState.RUNNING: Cell("Running", "good"),
    RunState.FINISHED: Cell("Finished", "quiet"),
    RunState.CANCELLED: Cell("Cancelled", "bad"),
}
"""Name and colour of each state."""
STATUS_MESSAGES: Mapping[RunStatus, str] = names(
    {
        RunStatus.OPEN: "Enrolment is open.",
        RunStatus.PLANNED: "Enrolment has ended. The run is planned again.",
        RunStatus.CANCELLED: "The run has been cancelled.",
    }
)
FIELD_LABELS: Mapping[str, str] = {
    "course_slug": "Course",
    "starts_at": "Planned start",
    "trainer": "Trainer",
    "trainer_email": "Trainer's account",
    "room": "Online room",
    "capacity": "Places",
    "price": "Price per place",
    "enrol_from": "Enrolment from",
    "enrol_until": "Enrolment until",
}
"""Labels of the fields of a run, in its form, its history and edit conflicts."""
LEARNER_LABELS: Mapping[str, str] = {"fullname": "Full name", "email": "E-mail", "phone": "Phone"}
"""Labels of the fields of a learner."""

WAITING_STATES: Mapping[WaitingState, Cell] = ByMember(
    {
        WaitingState.WAITING: Cell("Waiting", "busy"),
        WaitingState.OFFERED: Cell("Place kept", "good"),
        WaitingState.TAKEN: Cell("Has a place", "good"),
        WaitingState.LAPSED: Cell("Offer expired", "bad"),
        WaitingState.CLOSED: Cell("Left", "quiet"),
    },
    Cell,
)
"""Name and colour of each state."""
KIND_NAMES: Mapping[MaterialKind, str] = names(
    {
        MaterialKind.MATERIAL: "Material",
        MaterialKind.RECORDING: "Recording",
    }
)

_CHANGES: Mapping[str, str] = {
    RunChange.CREATED: "Created",
    RunChange.EDITED: "Edited",
    RunChange.STATUS: "State changed",
    RunChange.GENERATED: "Sessions generated",
    RunChange.SESSION_SAVED: "Session changed",
    RunChange.SESSION_REMOVED: "Session removed",
    RunChange.MESSAGE: "Message to all learners",
    RunChange.MOVED_IN: "Learners moved in",
    RunChange.MOVED_OUT: "Learners moved out",
    RunChange.PLACE_ENDED: "Place ended",
    RunChange.CERTIFICATES: "Certificates issued",
    RunChange.MATERIAL_ADDED: "Material added",
    RunChange.MATERIAL_REMOVED: "Material removed",
    RunChange.WAITING_ADDED: "Order put on the waiting list",
    RunChange.WAITING_OFFERED: "Place kept for the waiting list",
    RunChange.WAITING_REMOVED: "Removed from the waiting list",
}


@dataclass
class SessionLine:
    """One session on the page of its run."""

    id: str
    number: int
    starts: str
    duration: str
    topic: str
    has_begun: bool
    """Attendance can be marked."""


@dataclass
class LearnerLine:
    """One place on the page of its run."""

    reference: str
    name: str
    email: str
    order: str
    buyer: str
    phone: str
    """Phone number of the buyer."""
    attended: str
    """Number of attended sessions, such as `3 of 4`. Empty if the run has no sessions or the place no learner."""
    certificate: str
    """Serial number of the valid certificate; empty if there is none."""
    certificate_short: str
    """The first groups of the serial number, by which people search."""


@dataclass
class PlanLine:
    """One session before and after the sessions of a run are generated again."""

    number: int
    before: str
    """Empty for a session that is added."""
    after: str
    """Empty for a session that is removed."""


@dataclass
class MaterialLine:
    """A handout or a recording on the page of its run."""

    id: str
    kind: str
    title: str
    address: str
    added: str


@dataclass
class UnpaidLine:
    """Places that are kept for an unpaid order, on the page of their run."""

    id: str
    name: str
    email: str
    places: str
    until: str
    can_release: bool
    """No money has arrived for the order."""


def unpaid_lines(reservations: Sequence[UnpaidPlaces]) -> list[UnpaidLine]:
    """Return the places of a run that unpaid orders keep, as lines."""
    return [
        UnpaidLine(
            str(reservation.id),
            reservation.name,
            reservation.email,
            str(reservation.places),
            _describe_end(reservation),
            not reservation.paid,
        )
        for reservation in reservations
    ]


def _describe_end(reservation: UnpaidPlaces) -> str:
    until = when(reservation.kept_until) or ("" if reservation.paid else "the payment ends")
    paid = f"{kes(reservation.paid)} has arrived" if reservation.paid else ""
    return ": ".join(filter(None, (paid, until)))


@dataclass
class WaitingLine:
    """One entry of the waiting list on the page of its run."""

    reference: str
    name: str
    email: str
    since: str
    state: str
    tone: str
    note: str
    """Number of places and the time until which they are kept, or that they are paid; may be empty."""
    can_get_place: bool
    """Staff can offer a place to the person."""
    is_open: bool
    """The person is on the list."""


def run_fields(run: RunRecord | RunRequest) -> dict[str, str]:
    """Return a run as the texts of its form, which edit conflicts compare. `RunRequest` parses them."""
    return {
        "course_slug": run.course_slug,
        "starts_at": moment_field_value(run.starts_at),
        "trainer": run.trainer,
        "trainer_email": run.trainer_email or "",
        "room": run.room,
        "capacity": str(run.capacity or ""),
        "price": str(run.price or ""),
        "enrol_from": moment_field_value(run.enrol_from),
        "enrol_until": moment_field_value(run.enrol_until),
    }


def new_run_fields() -> dict[str, str]:
    """Return the texts of the form of a new run."""
    (first, _), *_ = course_options()
    return {**dict.fromkeys(FIELD_LABELS, ""), "course_slug": first}


def run_facts(run: RunRecord, sessions: Sequence[SessionRecord], who: Staff) -> dict[str, str]:
    """Return the facts about a run for its page."""
    course = course_by_slug(run.course_slug)
    course_price = kes(course.payment_price) if course and not course.free else "free"
    price = kes(run.price) if run.price else f"{course_price}, the course price"
    return {
        "course": run.course_name,
        "status": run.status.value,
        "state_name": STATES[run.state].text,
        "tone": STATES[run.state].tone,
        "below": f"{'Starts' if sessions else 'Planned for'} {when(run.starts_at)}",
        "ends": when(run.ends_at) if sessions else "",
        "places": "unlimited" if run.capacity is None else f"{run.capacity:,}",
        "taken": f"{run.taken:,}",
        "free": describe_free(run.free),
        "price": price if who.has_permission(Permission.SEE_PAYMENTS) else "",
        "trainer": run.trainer,
        "trainer_email": run.trainer_email or "",
        "room": run.room,
        "enrol_from": when(run.enrol_from),
        "enrol_until": when(run.enrol_until),
        "count": str(len(sessions)),
        "is_over": "yes" if run.state is RunState.FINISHED else "",
    }


def session_lines(sessions: Sequence[SessionRecord]) -> list[SessionLine]:
    """Return the sessions of a run as numbered lines."""
    return [
        SessionLine(
            str(session.id),
            number,
            when(session.starts_at),
            f"{session.minutes} min",
            session.topic,
            can_mark_attendance(session.starts_at, now()),
        )
        for number, session in enumerate(sessions, start=1)
    ]


def learner_lines(places: Sequence[RunPlace], sessions: int, who: Staff) -> list[LearnerLine]:
    """Return the places of a run with `sessions` sessions as lines. Only staff who may see enrolments see the buyers."""
    sees_buyers = who.has_permission(Permission.SEE_ENROLMENTS)
    return [
        LearnerLine(
            place.reference,
            place.name or NOT_NAMED,
            place.email,
            place.order if sees_buyers else "",
            (place.buyer or "Erased") if sees_buyers else "",
            format_phone_number(place.phone or "") if sees_buyers else "",
            f"{place.attended} of {sessions}" if sessions and place.email else "",
            place.certificate,
            shorten_serial(place.certificate),
        )
        for place in places
    ]


def describe_audience(places: Sequence[RunPlace], payers: int) -> dict[str, str]:
    """Describe the people who get an e-mail about a change of a run, and those who get one that goes to learners only."""
    learners = {place.email.lower() for place in places if place.email}
    others = {place.buyer_email.lower() for place in places if place.buyer_email} - learners
    unnamed = sum(not place.email for place in places)
    parts = [_count(len(learners), "learner")] if learners else []
    parts += (
        [f"{_count(len(others), 'buyer')} who {'takes' if len(others) == 1 else 'take'} no place"]
        if others
        else []
    )
    parts += (
        [f"{_count(payers, 'buyer')} who {'has' if payers == 1 else 'have'} paid in part"] if payers else []
    )
    return {
        "audience": " and ".join(parts),
        "audience_learners": _count(len(learners), "learner") if learners else "",
        "unnamed": f"{_count(unnamed, 'place')} without a name {'gets' if unnamed == 1 else 'get'} none."
        if unnamed
        else "",
    }


def describe_waiting_people(entries: Sequence[WaitingRecord], free: int | None) -> str:
    """Describe the number of people who wait for places, and get an e-mail once some are free.

    Empty if there are none, or no place is `free`.
    """
    waiting = sum(entry.state is WaitingState.WAITING and entry.confirmed_at is not None for entry in entries)
    if not waiting or free == 0:
        return ""
    people = "1 person is waiting" if waiting == 1 else f"{waiting:,} people are waiting"
    return f"{people}: free places are offered to them by e-mail."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def describe_mailing(message: str, people: int) -> str:
    """Add the number of people who get an e-mail to a message."""
    if not people:
        return f"{message} No e-mail is sent."
    return (
        f"{message} 1 person gets an e-mail."
        if people == 1
        else f"{message} {people:,} people get an e-mail."
    )


def describe_recipients(addresses: Sequence[str]) -> str:
    """Describe the addresses that an e-mail goes to."""
    return f"E-mail to: {', '.join(addresses)}." if addresses else "No e-mail is sent."


def plan_lines(replaced: Sequence[SessionRecord], planned: Sequence[PlannedSession]) -> list[PlanLine]:
    """Return the sessions of a run now, and as a weekly pattern would generate them, as lines."""
    before, after = ([when(session.starts_at) for session in sessions] for sessions in (replaced, planned))
    return [
        PlanLine(number, *before_and_after)
        for number, before_and_after in enumerate(zip_longest(before, after, fillvalue=""), start=1)
    ]


def material_lines(materials: Sequence[MaterialRecord]) -> list[MaterialLine]:
    """Return the materials and recordings of a run as lines."""
    return [
        MaterialLine(
            str(material.id),
            KIND_NAMES[material.kind],
            material.title,
            material.address,
            when(material.added_at),
        )
        for material in materials
    ]


def waiting_lines(entries: Sequence[WaitingRecord]) -> list[WaitingLine]:
    """Return the waiting list of a run as lines."""
    return [
        WaitingLine(
            entry.reference,
            entry.fullname or "Erased",
            entry.email,
            when(entry.created_at),
            name_waiting_state(entry.state, is_confirmed=entry.confirmed_at is not None),
            WAITING_STATES[entry.state].tone if entry.confirmed_at else "quiet",
            _describe_kept_places(entry),
            entry.order_id is None
            and bool(entry.email)
            and entry.confirmed_at is not None
            and entry.state in (WaitingState.WAITING, WaitingState.LAPSED),
            entry.state in OPEN_STATES,
        )
        for entry in entries
    ]


def name_waiting_state(state: WaitingState, *, is_confirmed: bool) -> str:
    """Return the label of the state of an entry."""
    return (
        WAITING_STATES[state].text if is_confirmed or state is not WaitingState.WAITING else "Not confirmed"
    )


def _describe_kept_places(entry: WaitingRecord) -> str:
    places = _count(entry.places, "place")
    if entry.order_id:
        return f"Paid: {places}"
    until = f"until {when(entry.reserved_until)}" if entry.reserved_until else ""
    return ", ".join(filter(None, (places if entry.places > 1 else "", until)))


def learner_facts(view: StaffLearner, who: Staff) -> dict[str, str]:
    """Return the facts about a learner for their page."""
    learner, course = view.learner, view.course
    return {
        "name": learner.fullname or NOT_NAMED,
        "email": learner.email,
        "phone": learner.phone,
        "can_change": "" if course.has_ended else "yes",
        "can_get_certificate": "yes" if view.can_get_certificate else "",
        "named": str(view.named),
        "state_name": "Ended" if course.has_ended else "Enrolled",
        "tone": "quiet" if course.has_ended else "good",
        "course": course.name,
        "run": course.run.reference if course.run else "",
        "starts": when(course.run.starts_at) if course.run else "",
        "order": view.order if who.has_permission(Permission.SEE_ENROLMENTS) else "",
        "place": f"number {learner.number}; the order has {view.places}",
        "since": when(learner.created_at),
        "places": str(view.places),
        "attended": f"{len(view.attended)} of {len(course.sessions)} sessions" if course.sessions else "",
        **_certificate_facts(view.certificate),
    }


def _certificate_facts(certificate: CertificateRecord | None) -> dict[str, str]:
    if certificate is None:
        return {"certificate": "", "certificate_short": "", "issued": "", "revoked": "", "reason": ""}
    return {
        "certificate": certificate.serial,
        "certificate_short": certificate.short_serial,
        "issued": when(certificate.issued_at),
        "revoked": when(certificate.revoked_at) if certificate.revoked_at else "",
        "reason": certificate.revoke_reason,
    }


def trainer_options(accounts: Sequence[tuple[str, str]]) -> list[Option]:
    """Return the accounts that a run's trainer can be chosen from."""
    return [Option(email, f"{name}, {email}") for email, name in accounts]


def run_options(runs: Sequence[RunRecord]) -> list[Option]:
    """Return runs to choose from, with their start and their free places."""
    return [
        Option(
            run.reference,
            ", ".join(filter(None, (when(run.starts_at), run.reference, describe_free(run.free)))),
        )
        for run in runs
    ]


def session_fields(session: SessionRecord | None, after: SessionRecord | None) -> dict[str, str]:
    """Return the texts of the form of a session. A new session has the length of `after`, the last of its run."""
    template = session or after
    return {
        "starts_at": moment_field_value(session.starts_at) if session else "",
        "minutes": str(template.minutes) if template else "120",
        "topic": session.topic if session else "",
    }


def history_lines(events: Sequence[LoggedEvent], who: Staff) -> list[HistoryLine]:
    """Return the history of a run, the newest event first. Only staff who may see payments see changes of the price."""
    labels = dict(FIELD_LABELS)
    if not who.has_permission(Permission.SEE_PAYMENTS):
        del labels["price"]
    return [
        HistoryLine(
            _CHANGES.get(event.what, event.what), _describe_event(event, labels), when(event.at), event.actor
        )
        for event in reversed(events)
    ]


def _describe_event(event: LoggedEvent, labels: Mapping[str, str]) -> str:
    if event.what == RunChange.EDITED:
        return edit_words(event.note, labels)
    if event.what == RunChange.GENERATED:
        return f"{event.after} sessions"
    if event.what == RunChange.CERTIFICATES:
        return event.after
    if event.note:
        return event.note
    return " → ".join(filter(None, (_format_change(event.before), _format_change(event.after))))


def _format_change(step: str) -> str:
    if step in list(RunStatus):
        return step
    return when(datetime.fromisoformat(step)) if step else ""


def state_cell(run: CourseRun) -> Cell:
    """Build the cell with the state of a run."""
    state = RunRecord.of(run).state
    return STATES[state]


def taken_cell(run: CourseRun) -> Cell:
    """Build the cell with the taken places, such as `3 of 12`."""
    if run.capacity is None:
        return number_cell(run.taken)
    return Cell(f"{run.taken:,} of {run.capacity:,}", "whole", run.taken)
