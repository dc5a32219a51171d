"""How staff read course runs: names of states, a run in its form, its sessions as lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.detail_page import HistoryLine, edit_words
from agency_site.backoffice.lists.definition import Cell, number_cell, when
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
STATUS_MESSAGES: Mapping[RunStatus, str] = {
    RunStatus.OPEN: "Enrolment is open.",
    RunStatus.PLANNED: "Enrolment has ended. The run is planned again.",
    RunStatus.CANCELLED: "The run has been cancelled.",
}
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
"""What two editors may change differently."""
LEARNER_LABELS: Mapping[str, str] = {"fullname": "Full name", "email": "E-mail"}
"""The same of a learner."""

WAITING_STATES: Mapping[WaitingState, Cell] = {
    WaitingState.WAITING: Cell("Waiting", "busy"),
    WaitingState.OFFERED: Cell("Place kept", "good"),
    WaitingState.TAKEN: Cell("Has a place", "good"),
    WaitingState.LAPSED: Cell("Offer expired", "bad"),
    WaitingState.CLOSED: Cell("Left", "quiet"),
}
"""Name and colour of each state."""
KIND_NAMES: Mapping[MaterialKind, str] = {
    MaterialKind.MATERIAL: "Material",
    MaterialKind.RECORDING: "Recording",
}

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
    """Of the buyer."""
    attended: str
    """Such as `3 of 4`; empty if the run has no session yet or the place no name."""
    certificate: str
    """Serial number of the valid certificate; empty if there is none."""
    certificate_short: str
    """Its beginning, by which the search finds it."""


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
    """Something that the learners of a run can open."""

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


def unpaid_lines(kept: Sequence[UnpaidPlaces]) -> list[UnpaidLine]:
    """The places of a run that unpaid orders keep."""
    return [
        UnpaidLine(
            str(one.id),
            one.name,
            one.email,
            str(one.places),
            when(one.kept_until) or "the payment ends",
        )
        for one in kept
    ]


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
    """How many places, until when they are kept, or that they are paid; may be empty."""
    can_get_place: bool
    """Staff can keep a place for the person."""
    is_open: bool
    """The person is on the list."""


def run_fields(run: RunRecord | RunRequest) -> dict[str, str]:
    """A run as its form and the comparison of two versions show it; `RunRequest` reads it back."""
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
    """The form of a run that does not exist yet."""
    (first, _), *_ = course_options()
    return {**dict.fromkeys(FIELD_LABELS, ""), "course_slug": first}


def run_facts(run: RunRecord, sessions: Sequence[SessionRecord], who: Staff) -> dict[str, str]:
    """What the page says about a run."""
    course = course_by_slug(run.course_slug)
    usual = kes(course.payment_price) if course and not course.free else "free"
    price = kes(run.price) if run.price else f"{usual}, the course price"
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
    """The sessions of a run, numbered."""
    return [
        SessionLine(
            str(one.id),
            number,
            when(one.starts_at),
            f"{one.minutes} min",
            one.topic,
            can_mark_attendance(one.starts_at, now()),
        )
        for number, one in enumerate(sessions, start=1)
    ]


def learner_lines(places: Sequence[RunPlace], sessions: int, who: Staff) -> list[LearnerLine]:
    """Every place of a run with so many sessions, and who takes it; who has bought it only for those who see enrolments."""
    sees_buyers = who.has_permission(Permission.SEE_ENROLMENTS)
    return [
        LearnerLine(
            one.reference,
            one.name or NOT_NAMED,
            one.email,
            one.order if sees_buyers else "",
            (one.buyer or "Erased") if sees_buyers else "",
            format_phone_number(one.phone or "") if sees_buyers else "",
            f"{one.attended} of {sessions}" if sessions and one.email else "",
            one.certificate,
            shorten_serial(one.certificate),
        )
        for one in places
    ]


def describe_audience(places: Sequence[RunPlace]) -> dict[str, str]:
    """Describe how many people get an e-mail about a change of a run, and how many if it goes to learners only."""
    learners = {one.email.lower() for one in places if one.email}
    others = {one.buyer_email.lower() for one in places if one.buyer_email} - learners
    unnamed = sum(not one.email for one in places)
    parts = [_count(len(learners), "learner")] if learners else []
    parts += (
        [f"{_count(len(others), 'buyer')} who {'takes' if len(others) == 1 else 'take'} no place"]
        if others
        else []
    )
    return {
        "audience": " and ".join(parts),
        "audience_learners": _count(len(learners), "learner") if learners else "",
        "unnamed": f"{_count(unnamed, 'place')} without a name {'gets' if unnamed == 1 else 'get'} none."
        if unnamed
        else "",
    }


def describe_waiting_people(entries: Sequence[WaitingRecord], free: int | None) -> str:
    """Describe how many people wait for places, who get an e-mail once some are free.

    Empty if there are none, or no place is `free`.
    """
    waiting = sum(one.state is WaitingState.WAITING and one.confirmed_at is not None for one in entries)
    if not waiting or free == 0:
        return ""
    people = "1 person is waiting" if waiting == 1 else f"{waiting:,} people are waiting"
    return f"{people}: free places are offered to them by e-mail."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def describe_mailing(message: str, people: int) -> str:
    """Complete a message with how many people get an e-mail."""
    if not people:
        return f"{message} No e-mail is sent."
    return (
        f"{message} 1 person gets an e-mail."
        if people == 1
        else f"{message} {people:,} people get an e-mail."
    )


def describe_recipients(written: Sequence[str]) -> str:
    """Name the addresses that an e-mail goes to."""
    return f"E-mail to: {', '.join(written)}." if written else "No e-mail is sent."


def plan_lines(replaced: Sequence[SessionRecord], planned: Sequence[PlannedSession]) -> list[PlanLine]:
    """The sessions of a run now, and as a weekly pattern would make them."""
    before, after = ([when(one.starts_at) for one in sessions] for sessions in (replaced, planned))
    return [
        PlanLine(number, *both)
        for number, both in enumerate(zip_longest(before, after, fillvalue=""), start=1)
    ]


def material_lines(materials: Sequence[MaterialRecord]) -> list[MaterialLine]:
    """The materials and recordings of a run."""
    return [
        MaterialLine(str(one.id), KIND_NAMES[one.kind], one.title, one.address, when(one.added_at))
        for one in materials
    ]


def waiting_lines(entries: Sequence[WaitingRecord]) -> list[WaitingLine]:
    """The waiting list of a run."""
    return [
        WaitingLine(
            one.reference,
            one.fullname or "Erased",
            one.email,
            when(one.created_at),
            name_waiting_state(one.state, is_confirmed=one.confirmed_at is not None),
            WAITING_STATES[one.state].tone if one.confirmed_at else "quiet",
            _describe_waiting(one),
            one.order_id is None
            and bool(one.email)
            and one.confirmed_at is not None
            and one.state in (WaitingState.WAITING, WaitingState.LAPSED),
            one.state in OPEN_STATES,
        )
        for one in entries
    ]


def name_waiting_state(state: WaitingState, *, is_confirmed: bool) -> str:
    """The state of an entry as lists show it."""
    return (
        WAITING_STATES[state].text if is_confirmed or state is not WaitingState.WAITING else "Not confirmed"
    )


def _describe_waiting(entry: WaitingRecord) -> str:
    places = _count(entry.places, "place")
    if entry.order_id:
        return f"Paid: {places}"
    until = f"until {when(entry.reserved_until)}" if entry.reserved_until else ""
    return ", ".join(filter(None, (places if entry.places > 1 else "", until)))


def learner_facts(found: StaffLearner, who: Staff) -> dict[str, str]:
    """What the page says about a learner."""
    learner, course = found.learner, found.course
    return {
        "name": learner.fullname or NOT_NAMED,
        "email": learner.email,
        "can_change": "" if course.has_ended else "yes",
        "can_get_certificate": "yes" if found.can_get_certificate else "",
        "named": str(found.named),
        "state_name": "Ended" if course.has_ended else "Enrolled",
        "tone": "quiet" if course.has_ended else "good",
        "course": course.name,
        "run": course.run.reference if course.run else "",
        "starts": when(course.run.starts_at) if course.run else "",
        "order": found.order if who.has_permission(Permission.SEE_ENROLMENTS) else "",
        "place": f"number {learner.number}; the order has {found.places}",
        "since": when(learner.created_at),
        "places": str(found.places),
        "attended": f"{len(found.attended)} of {len(course.sessions)} sessions" if course.sessions else "",
        **_certificate_facts(found.certificate),
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
    """Accounts to choose a run's trainer from, by e-mail address and name."""
    return [Option(email, f"{name}, {email}") for email, name in accounts]


def run_options(runs: Sequence[RunRecord]) -> list[Option]:
    """Runs to choose from, with their start and the places that are left."""
    return [
        Option(
            one.reference,
            ", ".join(filter(None, (when(one.starts_at), one.reference, describe_free(one.free)))),
        )
        for one in runs
    ]


def session_fields(session: SessionRecord | None, after: SessionRecord | None) -> dict[str, str]:
    """The form of a session; a new one is proposed like `after`, the last of its run."""
    shown = session or after
    return {
        "starts_at": moment_field_value(session.starts_at) if session else "",
        "minutes": str(shown.minutes) if shown else "120",
        "topic": session.topic if session else "",
    }


def history_lines(events: Sequence[LoggedEvent], who: Staff) -> list[HistoryLine]:
    """The history of a run as `who` may read it, the newest first."""
    labels = dict(FIELD_LABELS)
    if not who.has_permission(Permission.SEE_PAYMENTS):
        del labels["price"]
    return [
        HistoryLine(_CHANGES.get(one.what, one.what), _describe_step(one, labels), when(one.at), one.actor)
        for one in reversed(events)
    ]


def _describe_step(event: LoggedEvent, labels: Mapping[str, str]) -> str:
    if event.what == RunChange.EDITED:
        return edit_words(event.note, labels)
    if event.what == RunChange.GENERATED:
        return f"{event.after} sessions"
    if event.what == RunChange.CERTIFICATES:
        return event.after
    if event.note:
        return event.note
    return " → ".join(filter(None, (_format_step(event.before), _format_step(event.after))))


def _format_step(step: str) -> str:
    if step in list(RunStatus):
        return step
    return when(datetime.fromisoformat(step)) if step else ""


def state_cell(run: CourseRun) -> Cell:
    """The state of a run in lists."""
    state = RunRecord.of(run).state
    return STATES[state]


def taken_cell(run: CourseRun) -> Cell:
    """Such as `3 of 12`."""
    if run.capacity is None:
        return number_cell(run.taken)
    return Cell(f"{run.taken:,} of {run.capacity:,}", "whole", run.taken)
