"""The state of a learner's page: editing, moving and ending the place, sending the link, and the certificate."""

from typing import Any, ClassVar

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event
from agency_site.backoffice.audit_labels import changed_fields
from agency_site.backoffice.detail_page import DetailPage, Edit
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import read_scope
from agency_site.features.academy.admin.labels import (
    LEARNER_LABELS,
    describe_mailing,
    describe_recipients,
    learner_facts,
    run_options,
)
from agency_site.features.academy.certificates.staff_request import RevocationRequest
from agency_site.features.academy.certificates.usecases import issue_to_learner, revoke_certificate
from agency_site.features.academy.enrolments.endings import end_place
from agency_site.features.academy.enrolments.moves import list_targets, move_enrolment
from agency_site.features.academy.learners.links import send_learner_link
from agency_site.features.academy.learners.naming import change_learner
from agency_site.features.academy.learners.request import LearnerEdit, LearnerRequest
from agency_site.features.academy.learners.rules import LearnerChange, shorten_serial
from agency_site.features.academy.learners.trainers import require_learner
from agency_site.features.academy.learners.usecases import (
    LearnerRecord,
    StaffLearner,
    find_learner_for_staff,
    find_learner_row,
)
from agency_site.features.academy.waiting_list.usecases import add_paid_order
from agency_site.form_input import read_form
from agency_site.ui.forms import Option, submitted

MOVE, REVOKE, WAIT, EDIT_FORM = "move", "revoke", "wait", "edit"

SEND_LINK, ISSUE, END = "link", "issue", "end"
"""The panels of the page."""


class LearnerDetail(DetailPage, StaffState):
    """The learner that is open."""

    VIEW: ClassVar = Permission.SEE_LEARNERS
    EDIT: ClassVar = Permission.WORK_ENROLMENTS
    FIELDS: ClassVar = LEARNER_LABELS

    runs: rx.Field[list[Option]] = rx.field(default_factory=list)
    """Runs to which the enrolment can be moved."""
    _origin: str = ""
    """The run of the enrolment when the dialog was opened."""

    @staff_event(Permission.WORK_ENROLMENTS)
    async def edit(self, _who: Staff) -> None:
        """Open the form that names, corrects or replaces the learner."""
        async with read_scope() as session:
            view = await find_learner_for_staff(session, self.reference)
        self._open_panel(EDIT_FORM)
        self._open_form(view.learner)

    @staff_event(Permission.WORK_ENROLMENTS)
    async def save(self, who: Staff, form: dict[str, Any]) -> None:
        values = submitted(form)
        if not self.draft.get("email"):
            # The form of a place without a learner does not ask what changes.
            values = {**values, "change": LearnerChange.HANDOVER}
        request = read_form(LearnerEdit, values)
        fields = {"fullname": request.fullname, "email": request.email, "phone": request.phone}
        edit = Edit(EDIT_FORM, fields, dict(self.draft), {"change": request.change})
        await self._store(who, edit, self._draft_version)

    @staff_event(Permission.WORK_ENROLMENTS)
    async def begin_move(self, _who: Staff) -> None:
        self._open_panel(MOVE)
        self._origin = self.facts.get("run", "")

    @staff_event(Permission.WORK_ENROLMENTS)
    async def move(self, who: Staff, form: dict[str, Any]) -> None:
        values = submitted(form)
        order, to, notify = self.facts.get("order", ""), values.get("run", ""), "notify" in values

        async def work(session: AsyncSession) -> str:
            mailed = await move_enrolment(session, order, self._origin, to, who.email, notify=notify)
            await audit.record(session, who, "enrolment.moved", "learner", self.reference, to)
            return describe_mailing("Moved.", mailed)

        await self._run(who, work)

    @staff_event(Permission.WORK_ENROLMENTS)
    async def ask_to_end(self, _who: Staff) -> None:
        self._open_panel(END)
        self._draft_version = self.version

    @staff_event(Permission.WORK_ENROLMENTS)
    async def end_place(self, who: Staff, form: dict[str, Any]) -> None:
        """End this place of the order; its other places stay."""
        notify = "notify" in submitted(form)

        async def work(session: AsyncSession) -> str:
            recipients = await end_place(
                session, self.reference, self._draft_version, who.email, notify=notify
            )
            await audit.record(session, who, "learner.place_ended", "learner", self.reference)
            return f"Place ended. {describe_recipients(recipients)}"

        await self._run(who, work)

    @staff_event(Permission.WORK_LEARNERS)
    async def ask_to_mail(self, _who: Staff, panel: str) -> None:
        """Ask whether to send the link again, or to issue a certificate."""
        if panel in (SEND_LINK, ISSUE):
            self._open_panel(panel)

    @staff_event(Permission.WORK_LEARNERS)
    async def send_link(self, who: Staff) -> None:
        async def work(session: AsyncSession) -> None:
            await send_learner_link(session, await find_learner_row(session, self.reference))
            await audit.record(session, who, "learner.link_sent", "learner", self.reference)

        await self._run(who, work, f"The link is on its way to {self.facts.get('email', '')}.")

    @staff_event(Permission.WORK_LEARNERS)
    async def issue_certificate(self, who: Staff) -> None:
        async def work(session: AsyncSession) -> None:
            await issue_to_learner(session, self.reference, who.email)
            await audit.record(session, who, "certificate.issued", "learner", self.reference)

        await self._run(who, work, f"Certificate issued. {self.facts.get('email', '')} gets an e-mail.")

    @staff_event(Permission.WORK_ENROLMENTS)
    async def begin_revocation(self, _who: Staff) -> None:
        self._open_panel(REVOKE)

    @staff_event(Permission.WORK_ENROLMENTS)
    async def revoke_certificate(self, who: Staff, form: dict[str, Any]) -> None:
        request, serial = read_form(RevocationRequest, submitted(form)), self.facts.get("certificate", "")

        async def work(session: AsyncSession) -> None:
            await revoke_certificate(session, self.reference, serial, request.reason, who.email)
            await audit.record(
                session, who, "certificate.revoked", "learner", self.reference, shorten_serial(serial)
            )

        await self._run(who, work, "Certificate revoked: its page says that it is not valid.")

    @staff_event(Permission.WORK_ENROLMENTS)
    async def begin_waiting(self, _who: Staff) -> None:
        self._open_panel(WAIT)

    @staff_event(Permission.WORK_ENROLMENTS)
    async def wait(self, who: Staff, form: dict[str, Any]) -> None:
        """Put the paid order on the waiting list of a run."""
        order, run = self.facts.get("order", ""), submitted(form).get("run", "")

        async def work(session: AsyncSession) -> None:
            await add_paid_order(session, order, run, who.email)
            await audit.record(session, who, "enrolment.waits", "learner", self.reference, run)

        await self._run(who, work, "Put on the waiting list, before all others. The buyer gets an e-mail.")

    async def _apply(self, session: AsyncSession, who: Staff, edit: Edit, version: int) -> str:
        saved = self._fields_of((await find_learner_for_staff(session, self.reference)).learner)
        change, was_named = LearnerChange(edit.options["change"]), bool(saved["email"])
        fields: Any = edit.fields
        learner = LearnerRequest.model_construct(None, **fields)
        recipients = await change_learner(session, self.reference, version, learner, change)
        action = change if was_named else "named"
        changed = changed_fields(LEARNER_LABELS, saved, edit.fields)
        await audit.record(session, who, f"learner.{action}", "learner", self.reference, changed)
        return f"Saved. {describe_recipients(recipients)}"

    def _fields_of(self, record: LearnerRecord) -> dict[str, str]:
        return {"fullname": record.fullname, "email": record.email, "phone": record.phone}

    async def _require_visible(self, session: AsyncSession, who: Staff, reference: str) -> None:
        await require_learner(session, who, reference)

    async def _read(self, session: AsyncSession, who: Staff, reference: str) -> dict[str, Any]:
        view = await find_learner_for_staff(session, reference)
        return {
            "reference": view.learner.reference,
            "version": view.learner.version,
            "facts": learner_facts(view, who),
            "runs": await _list_targets(session, who, view),
        }


async def _list_targets(session: AsyncSession, who: Staff, view: StaffLearner) -> list[Option]:
    if view.course.has_ended or not who.has_permission(Permission.WORK_ENROLMENTS):
        return []
    run = view.course.run
    return run_options(await list_targets(session, view.course.slug, run.reference if run else ""))
