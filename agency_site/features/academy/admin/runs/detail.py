"""The state of a run's page: planning it, its sessions, enrolment, attendance, certificates and its waiting list."""

from collections.abc import Mapping
from typing import Any, ClassVar

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event
from agency_site.backoffice.audit_labels import changed_fields
from agency_site.backoffice.detail_page import DetailPage, Edit
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy.admin.labels import (
    FIELD_LABELS,
    RUN_PATH,
    STATUS_MESSAGES,
    LearnerLine,
    MaterialLine,
    PlanLine,
    SessionLine,
    UnpaidLine,
    WaitingLine,
    describe_audience,
    describe_mailing,
    describe_waiting_people,
    history_lines,
    learner_lines,
    material_lines,
    new_run_fields,
    plan_lines,
    run_facts,
    run_fields,
    session_fields,
    session_lines,
    trainer_options,
    unpaid_lines,
    waiting_lines,
)
from agency_site.features.academy.certificates.usecases import issue_to_run, list_earning
from agency_site.features.academy.learners.attendance import Attendee, list_attendance, mark_attendance
from agency_site.features.academy.learners.notices import list_payers
from agency_site.features.academy.learners.trainers import list_trainers, require_run
from agency_site.features.academy.learners.usecases import list_run_places
from agency_site.features.academy.planning import usecases as runs
from agency_site.features.academy.planning.materials import add_material, remove_material
from agency_site.features.academy.planning.staff_request import (
    MaterialRequest,
    PatternRequest,
    RunMessageRequest,
    RunRequest,
    SessionRequest,
    collect_weekdays,
)
from agency_site.features.academy.reservations.usecases import list_unpaid, release_unpaid
from agency_site.features.academy.runs import records
from agency_site.features.academy.runs.history import list_history
from agency_site.features.academy.runs.records import RunRecord
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.features.academy.waiting_list.handover import offer_now
from agency_site.features.academy.waiting_list.usecases import list_entries, remove_entry
from agency_site.form_input import read_form
from agency_site.ids import parse_id
from agency_site.ui.forms import Option, submitted

EDIT_FORM, SESSION_FORM, MESSAGE_FORM, MATERIAL_FORM = "edit", "session", "message", "material"

PATTERN, PLAN, REMOVAL = "pattern", "plan", "removal"

CERTIFICATES, OFFER, LEAVING = "certificates", "offer", "leaving"

CANCEL, ATTENDANCE, RELEASE = "cancel", "attendance", "release"
"""The panels of the page."""


class RunPage(DetailPage, StaffState):
    """The run that is open. Without a reference the page has the form of a new run."""

    VIEW: ClassVar = Permission.SEE_LEARNERS
    EDIT: ClassVar = Permission.WORK_ENROLMENTS
    FIELDS: ClassVar = FIELD_LABELS

    ready: rx.Field[bool] = rx.field(False)
    """The page has been loaded. Until then an empty reference does not mean a new run."""
    sessions: rx.Field[list[SessionLine]] = rx.field(default_factory=list)
    learners: rx.Field[list[LearnerLine]] = rx.field(default_factory=list)
    trainers: rx.Field[list[Option]] = rx.field(default_factory=list)
    """Accounts that the form offers as trainer."""
    attendance: rx.Field[list[Attendee]] = rx.field(default_factory=list)
    materials: rx.Field[list[MaterialLine]] = rx.field(default_factory=list)
    unpaid: rx.Field[list[UnpaidLine]] = rx.field(default_factory=list)
    """Places that unpaid orders keep."""
    waiting: rx.Field[list[WaitingLine]] = rx.field(default_factory=list)
    attended_session: dict[str, str] = {}
    """`id` and start (`starts`) of the session whose attendance is open."""
    session_draft: dict[str, str] = {}
    """The texts of the form of a session. Its `id` is empty for a new session."""
    plan: rx.Field[list[PlanLine]] = rx.field(default_factory=list)
    """The sessions now and as the pattern would generate them, while a dialog asks staff to confirm."""
    warning: rx.Field[str] = rx.field("")
    """Other sessions of the trainer at the times of that plan."""
    earning: rx.Field[list[str]] = rx.field(default_factory=list)
    """The learners who would get a certificate, while a dialog asks staff to confirm."""
    target: dict[str, str] = {}
    """The record that the open dialog is about: its `id` or `reference`, and the texts that describe it."""
    _pattern: dict[str, Any] = {}
    """The submitted pattern of that plan."""
    _edited_version: int = 0
    """The version of the run when the form or dialog was opened."""
    _created: bool = False
    """The run has just been created."""

    @staff_event(Permission.WORK_ENROLMENTS)
    async def edit(self, _who: Staff) -> None:
        async with read_scope() as session:
            run = await records.find_run(session, self.reference)
            self.trainers = trainer_options(await list_trainers(session, run.trainer_email))
        self._open_panel(EDIT_FORM)
        self._open_form(run)

    @staff_event(Permission.WORK_ENROLMENTS)
    async def save(self, who: Staff, form: dict[str, Any]) -> Any:
        request = read_form(RunRequest, submitted(form))
        if self.reference:
            await self._save_form(who, EDIT_FORM, run_fields(request))
            return None
        async with session_scope() as session:
            run = await runs.create_run(session, request, who.email)
            await audit.record(session, who, "run.created", "run", run.reference)
        self._created = True
        await self._load(who, run.reference)
        return rx.redirect(f"{RUN_PATH}?ref={run.reference}", replace=True)

    @staff_event(Permission.WORK_ENROLMENTS)
    async def ask_to_cancel(self, _who: Staff) -> None:
        self._open_panel(CANCEL)

    @staff_event(Permission.WORK_ENROLMENTS)
    async def set_status(self, who: Staff, status: str) -> None:
        """Open enrolment, or end it; no e-mail is sent."""
        if status not in (RunStatus.OPEN, RunStatus.PLANNED):
            return
        to = RunStatus(status)

        async def work(session: AsyncSession) -> None:
            await runs.change_status(session, self.reference, self.version, to, who.email)
            await audit.record(session, who, f"run.{to}", "run", self.reference)

        await self._run(who, work, STATUS_MESSAGES[to])

    @staff_event(Permission.WORK_ENROLMENTS)
    async def cancel_run(self, who: Staff, form: dict[str, Any]) -> None:
        to, notify = RunStatus.CANCELLED, "notify" in submitted(form)

        async def work(session: AsyncSession) -> str:
            mailed = await runs.change_status(
                session, self.reference, self.version, to, who.email, notify=notify
            )
            await audit.record(session, who, f"run.{to}", "run", self.reference)
            return describe_mailing(STATUS_MESSAGES[to], mailed)

        await self._run(who, work)

    @staff_event(Permission.WORK_ENROLMENTS)
    async def open_pattern(self, _who: Staff) -> None:
        """Show the form of the weekly pattern of a run whose sessions are known to learners."""
        self._open_panel(PATTERN)

    @staff_event(Permission.WORK_ENROLMENTS)
    async def generate(self, who: Staff, form: dict[str, Any]) -> None:
        """Generate the sessions of the submitted pattern. Ask first if that replaces sessions or may send e-mails."""
        values = submitted(form)
        request = _read_pattern(values)
        async with read_scope() as session:
            schedule = await runs.plan_schedule(session, self.reference, request)
        if not schedule.replaced and not schedule.warning and not self.facts.get("audience"):
            await self._generate(who, request, self.version, notify=False)
            return
        self._open_panel(PLAN)
        self.plan, self.warning = plan_lines(schedule.replaced, schedule.planned), schedule.warning
        self._pattern, self._edited_version = values, schedule.run.version

    @staff_event(Permission.WORK_ENROLMENTS)
    async def replace_sessions(self, who: Staff, form: dict[str, Any]) -> None:
        """Generate the sessions that the open dialog shows."""
        request = _read_pattern(self._pattern)
        await self._generate(who, request, self._edited_version, notify="notify" in submitted(form))

    async def _generate(self, who: Staff, request: PatternRequest, version: int, *, notify: bool) -> None:
        async def work(session: AsyncSession) -> str:
            mailed = await runs.generate_sessions(
                session, self.reference, version, request, who.email, notify=notify
            )
            await audit.record(session, who, "run.generated", "run", self.reference)
            return describe_mailing("Sessions generated. Public holidays are left out.", mailed)

        await self._run(who, work)

    @staff_event(Permission.WORK_ENROLMENTS)
    async def edit_session(self, _who: Staff, session_id: str) -> None:
        """Open the form of that session, or of a new one."""
        async with read_scope() as session:
            run = await records.find_run(session, self.reference)
            sessions = await records.list_sessions(session, run.id)
        chosen = next((meeting for meeting in sessions if str(meeting.id) == session_id), None)
        self._open_panel(SESSION_FORM)
        fields = session_fields(chosen, sessions[-1] if sessions else None)
        now_starts = when(chosen.starts_at) if chosen else ""
        self.session_draft = {**fields, "id": str(chosen.id) if chosen else "", "now": now_starts}
        self._edited_version = run.version

    @staff_event(Permission.WORK_ENROLMENTS)
    async def save_session(self, who: Staff, form: dict[str, Any]) -> None:
        values = submitted(form)
        request, notify = read_form(SessionRequest, values), "notify" in values
        chosen, version = parse_id(self.session_draft.get("id")) or None, self._edited_version

        async def work(session: AsyncSession) -> str:
            mailed = await runs.save_session(
                session, self.reference, version, chosen, request, who.email, notify=notify
            )
            warning = await runs.warn_of_clashes(session, self.reference)
            await audit.record(session, who, "run.session_saved", "run", self.reference)
            return f"{describe_mailing('Session saved.', mailed)} {warning}".rstrip()

        await self._run(who, work)

    @staff_event(Permission.WORK_ENROLMENTS)
    async def ask_to_remove(self, _who: Staff, session_id: str) -> None:
        """Ask whether to remove that session."""
        chosen = next((line for line in self.sessions if line.id == session_id), None)
        if chosen is None:
            return
        self._open_panel(REMOVAL)
        self.target = {"id": chosen.id, "starts": chosen.starts, "topic": chosen.topic}
        self._edited_version = self.version

    @staff_event(Permission.WORK_ENROLMENTS)
    async def remove_session(self, who: Staff, form: dict[str, Any]) -> None:
        """Remove the session that the open dialog is about."""
        chosen, notify = parse_id(self.target.get("id")), "notify" in submitted(form)

        async def work(session: AsyncSession) -> str:
            mailed = await runs.remove_session(
                session, self.reference, self._edited_version, chosen, who.email, notify=notify
            )
            await audit.record(session, who, "run.session_removed", "run", self.reference)
            return describe_mailing("Session removed.", mailed)

        await self._run(who, work)

    @staff_event(Permission.WORK_LEARNERS)
    async def open_attendance(self, who: Staff, session_id: str) -> None:
        """Show the attendance of that session."""
        await self._show_attendance(who, parse_id(session_id))
        self._open_panel(ATTENDANCE)

    @staff_event(Permission.WORK_LEARNERS)
    async def set_attendance(self, who: Staff, learner: str, attended: bool) -> None:  # noqa: FBT001 - an event's argument
        if attended not in (True, False):
            return
        session_id = parse_id(self.attended_session.get("id"))
        async with session_scope() as session:
            await self._require_visible(session, who, self.reference)
            await mark_attendance(
                session, self.reference, session_id, str(learner), who.email, attended=attended
            )
            detail = f"{learner}: {'attended' if attended else 'not attended'}"
            await audit.record(session, who, "run.attendance", "run", self.reference, detail)
        await self._show_attendance(who, session_id)

    async def _show_attendance(self, who: Staff, session_id: int) -> None:
        async with read_scope() as session:
            await self._require_visible(session, who, self.reference)
            meeting, learners = await list_attendance(session, self.reference, session_id)
        self.attended_session = {"id": str(meeting.id), "starts": when(meeting.starts_at)}
        self.attendance = list(learners)

    @staff_event(Permission.WORK_LEARNERS)
    async def ask_to_issue(self, who: Staff) -> None:
        """Show the learners who would get a certificate."""
        async with read_scope() as session:
            await self._require_visible(session, who, self.reference)
            earning = await list_earning(session, self.reference)
        self._open_panel(CERTIFICATES)
        self.earning = [f"{learner.fullname}, {learner.email}" for learner in earning]

    @staff_event(Permission.WORK_LEARNERS)
    async def issue_certificates(self, who: Staff) -> None:
        async def work(session: AsyncSession) -> str:
            issued = await issue_to_run(session, self.reference, who.email)
            await audit.record(session, who, "run.certificates", "run", self.reference)
            if issued == 1:
                return "1 certificate issued. Its learner gets an e-mail."
            return f"{issued} certificates issued. Their learners get an e-mail."

        await self._run(who, work)

    @staff_event(Permission.WORK_LEARNERS)
    async def begin_message(self, _who: Staff) -> None:
        self._open_panel(MESSAGE_FORM)

    @staff_event(Permission.WORK_LEARNERS)
    async def send_message(self, who: Staff, form: dict[str, Any]) -> None:
        request = read_form(RunMessageRequest, submitted(form))

        async def work(session: AsyncSession) -> str:
            mailed = await runs.write_message(session, self.reference, request, who.email)
            await audit.record(session, who, "run.message", "run", self.reference)
            return describe_mailing("Sent, and shown on the learners' pages.", mailed)

        await self._run(who, work)

    @staff_event(Permission.WORK_LEARNERS)
    async def begin_material(self, _who: Staff) -> None:
        self._open_panel(MATERIAL_FORM)

    @staff_event(Permission.WORK_LEARNERS)
    async def add_material(self, who: Staff, form: dict[str, Any]) -> None:
        values = submitted(form)
        request, notify = read_form(MaterialRequest, values), "notify" in values

        async def work(session: AsyncSession) -> str:
            mailed = await add_material(session, self.reference, request, who.email, notify=notify)
            await audit.record(session, who, "run.material_added", "run", self.reference)
            return describe_mailing("Added: the pages of all learners show it.", mailed)

        await self._run(who, work)

    @staff_event(Permission.WORK_LEARNERS)
    async def remove_material(self, who: Staff, material_id: str) -> None:
        chosen = parse_id(material_id)

        async def work(session: AsyncSession) -> None:
            await remove_material(session, self.reference, chosen, who.email)
            await audit.record(session, who, "run.material_removed", "run", self.reference)

        await self._run(who, work, "Removed from the pages of all learners.")

    @staff_event(Permission.WORK_ENROLMENTS)
    async def ask_about_waiting(self, _who: Staff, panel: str, entry: str) -> None:
        """Ask whether to offer a place to that person on the waiting list, or to remove them."""
        chosen = next((line for line in self.waiting if line.reference == entry), None)
        if chosen is None or panel not in (OFFER, LEAVING):
            return
        self._open_panel(panel)
        self.target = {"reference": chosen.reference, "name": chosen.name, "email": chosen.email}

    @staff_event(Permission.WORK_ENROLMENTS)
    async def offer_place(self, who: Staff) -> None:
        """Offer a free place to the person that the open dialog is about."""
        entry = self.target.get("reference", "")

        async def work(session: AsyncSession) -> None:
            await offer_now(session, self.reference, entry, who.email)
            await audit.record(session, who, "run.place_offered", "run", self.reference, entry)

        email = self.target.get("email", "")
        await self._run(who, work, f"A place is kept, and {email} gets an e-mail with a link to take it.")

    @staff_event(Permission.WORK_ENROLMENTS)
    async def remove_waiting(self, who: Staff) -> None:
        """Remove the person that the open dialog is about from the waiting list."""
        entry = self.target.get("reference", "")

        async def work(session: AsyncSession) -> None:
            await remove_entry(session, self.reference, entry, who.email)
            await audit.record(session, who, "run.waiting_removed", "run", self.reference, entry)

        await self._run(who, work, "Removed from the waiting list. No e-mail is sent.")

    @staff_event(Permission.WORK_ENROLMENTS)
    async def ask_to_release(self, _who: Staff, reservation_id: str) -> None:
        """Ask whether to release the places that are kept for that unpaid order."""
        chosen = next((line for line in self.unpaid if line.id == reservation_id), None)
        if chosen is None:
            return
        self._open_panel(RELEASE)
        places = "1 place" if chosen.places == "1" else f"{chosen.places} places"
        self.target = {"id": chosen.id, "name": chosen.name, "places": places}

    @staff_event(Permission.WORK_ENROLMENTS)
    async def release_unpaid(self, who: Staff) -> None:
        """Release the places that the open dialog is about."""
        chosen = parse_id(self.target.get("id"))

        async def work(session: AsyncSession) -> None:
            run = await records.find_run(session, self.reference)
            await release_unpaid(session, run.id, chosen)
            await audit.record(session, who, "run.places_released", "run", self.reference)

        await self._run(
            who, work, "Released. If the buyer still pays, the payment takes free places or goes to review."
        )

    async def _opened(self, who: Staff) -> None:
        if not self.reference and who.has_permission(Permission.WORK_ENROLMENTS):
            self.draft = new_run_fields()
            async with read_scope() as session:
                self.trainers = trainer_options(await list_trainers(session))
        self.ready = True
        if self._created:
            # `save` redirected to the address of the new run, which loads the page again.
            self._created = False
            self._say("Run created. Now add its sessions.")

    async def _apply(self, session: AsyncSession, who: Staff, edit: Edit, version: int) -> str:
        request, saved = (
            read_form(RunRequest, edit.fields),
            run_fields(await records.find_run(session, self.reference)),
        )
        await runs.save_run(session, self.reference, version, request, who.email)
        changed = changed_fields(FIELD_LABELS, saved, edit.fields)
        await audit.record(session, who, "run.edited", "run", self.reference, changed)
        run = await records.find_run(session, self.reference)
        waiting = describe_waiting_people(await list_entries(session, run.id), run.free)
        warning = await runs.warn_of_clashes(session, self.reference)
        return " ".join(filter(None, ("Saved.", waiting, warning)))

    def _end_edit(self) -> None:
        super()._end_edit()
        self.plan, self.warning, self.earning, self.target, self._pattern = [], "", [], {}, {}

    def _fields_of(self, record: RunRecord) -> dict[str, str]:
        return run_fields(record)

    async def _require_visible(self, session: AsyncSession, who: Staff, reference: str) -> None:
        await require_run(session, who, reference)

    async def _read(self, session: AsyncSession, who: Staff, reference: str) -> dict[str, Any]:
        run = await records.find_run(session, reference)
        sessions = await records.list_sessions(session, run.id)
        places = await list_run_places(session, run.id)
        entries = await list_entries(session, run.id)
        return {
            "reference": run.reference,
            "version": run.version,
            "facts": {
                **run_facts(run, sessions, who),
                **describe_audience(places, len(await list_payers(session, run.reference))),
                "waiting": describe_waiting_people(entries, None),
            },
            "sessions": session_lines(sessions),
            "learners": learner_lines(places, len(sessions), who),
            "materials": material_lines(await records.list_materials(session, run.id)),
            "unpaid": unpaid_lines(await list_unpaid(session, run.id))
            if who.has_permission(Permission.SEE_ENROLMENTS)
            else [],
            "waiting": waiting_lines(entries) if who.has_permission(Permission.SEE_ENROLMENTS) else [],
            "lines": history_lines(await list_history(session, run.id), who),
        }


def _read_pattern(values: Mapping[str, Any]) -> PatternRequest:
    return read_form(PatternRequest, {**values, "weekdays": collect_weekdays(values)})
