"""The state of an issue's detail page: writing, previewing, testing, scheduling and sending it.

Actions change the shown issue and version, not the one of the address. While an editor writes, a change by another one is
announced but not loaded, so that no unsaved text is lost.
"""

from dataclasses import replace
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
from agency_site.clock import now
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.newsletter import emails, issues
from agency_site.features.newsletter.admin.issue_labels import (
    FIELD_LABELS,
    ISSUE_PATH,
    draft_from_fields,
    facts_of,
    fields_of,
    progress_of,
)
from agency_site.features.newsletter.admin.issue_previews import (
    LARGEST_MAIL,
    describe_size,
    measure_issue,
    preview_issue,
)
from agency_site.features.newsletter.issues import IssueRecord
from agency_site.features.newsletter.request import TEXT_LENGTH, read_draft, read_moment
from agency_site.features.newsletter.rules import IssueState, next_issue_time
from agency_site.form_input import moment_field_value
from agency_site.mail.usecases import count_states_about
from agency_site.ui.forms import submitted

PREVIEW_FORMATS = ("mail", "page", "text")
SAVE = "save"
SEND_NOW = "send"
"""The panel that confirms sending."""


class IssuePage(DetailPage, StaffState):
    """The issue that is open, or a new one without a reference."""

    VIEW: ClassVar = Permission.WORK_SUBSCRIBERS
    EDIT: ClassVar = Permission.WORK_SUBSCRIBERS
    PARAMETER: ClassVar = "id"
    FIELDS: ClassVar = FIELD_LABELS

    stage: rx.Field[str] = rx.field("")
    """The state that the page shows. Empty if no issue is open."""
    interests: rx.Field[list[str]] = rx.field(default_factory=list)
    """The interests that are ticked at first. The other fields of the form are in `draft`."""
    moment: rx.Field[str] = rx.field("")
    """The proposed time of sending."""
    progress: dict[str, int] = {}
    preview_format: rx.Field[str] = rx.field("mail")
    """One of PREVIEW_FORMATS."""
    text: rx.Field[str] = rx.field("")
    """The issue as plain text. Its other formats are separate documents (`issue_previews.py`)."""
    readers: rx.Field[str] = rx.field("")
    """The number of its readers, such as `214 subscribers`."""
    size: rx.Field[str] = rx.field("")
    """The size of its mail in words. Empty until it is saved for the first time."""
    is_too_large: rx.Field[bool] = rx.field(False)
    """True if mail programs would cut the mail off."""
    changed_by: rx.Field[str] = rx.field("")
    """The editor who changed the draft after it was opened here."""
    _created: bool = False
    """True if it has just been stored for the first time."""

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def discard_draft(self, who: Staff) -> None:
        """Show the version of the other editor and discard the unsaved text."""
        self._end_edit()
        await self._load(who, self.reference)

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def save(self, who: Staff, form: dict[str, Any]) -> Any:
        draft = read_draft(submitted(form))
        if self.reference:
            await self._save_form(who, SAVE, fields_of(draft))
            return None
        async with session_scope() as session:
            issue = await issues.create(session, draft, who.email)
            await audit.record(session, who, "issue.created", "issue", issue.reference)
        self._created = True
        await self._load(who, issue.reference)
        self._say("Saved.")
        return rx.redirect(f"{ISSUE_PATH}?id={issue.reference}", replace=True)

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def measure(self, _who: Staff, text: str) -> None:
        """Show the size of the mail with the text that is being written."""
        if not self.reference:
            return
        async with read_scope() as session:
            issue = await issues.find(session, self.reference)
        self._show_size(measure_issue(replace(issue, text=str(text)[:TEXT_LENGTH])))

    def _show_size(self, size: int) -> None:
        self.size, self.is_too_large = describe_size(size), size >= LARGEST_MAIL

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def choose_preview(self, _who: Staff, preview_format: str) -> None:
        if preview_format in PREVIEW_FORMATS:
            self.preview_format = preview_format

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def send_test(self, who: Staff) -> None:
        """Send the issue to this member of staff only."""
        async with session_scope() as session:
            await issues.send_test(session, self.reference, who.email)
            await audit.record(session, who, "issue.tested", "issue", self.reference)
        self._say(f"A test is being sent to {who.email}.")

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def schedule(self, who: Staff, form: dict[str, Any]) -> None:
        moment = read_moment(submitted(form).get("moment", ""))

        async def work(session: AsyncSession) -> None:
            await issues.schedule(session, self.reference, self.version, moment, who.email)
            await audit.record(session, who, "issue.scheduled", "issue", self.reference, moment.isoformat())

        await self._run(who, work, f"Scheduled for {when(moment)}, Nairobi time.")

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def unschedule(self, who: Staff) -> None:
        async def work(session: AsyncSession) -> None:
            await issues.unschedule(session, self.reference, self.version, who.email)
            await audit.record(session, who, "issue.unscheduled", "issue", self.reference)

        await self._run(who, work, "Unscheduled. The issue is a draft again.")

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def ask_to_send(self, _who: Staff) -> None:
        """Ask before the issue is sent, naming the number of its readers."""
        if not self.reference:
            return
        async with read_scope() as session:
            issue = await issues.find(session, self.reference)
            self.readers = await _describe_readers(session, issue)
        self.panel = SEND_NOW

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def cancel_sending(self, _who: Staff) -> None:
        self.panel = ""

    @staff_event(Permission.WORK_SUBSCRIBERS)
    async def send_now(self, who: Staff) -> None:
        self.panel = ""

        async def work(session: AsyncSession) -> None:
            await issues.send_now(session, self.reference, self.version, who.email)
            await audit.record(session, who, "issue.sent", "issue", self.reference)

        await self._run(who, work, "Sending starts within seconds.")

    async def _opened(self, _who: Staff) -> None:
        if not self.reference:
            self.stage = IssueState.DRAFT.value
        if self._created:
            # A new issue has its own address, so the page was opened again after saving.
            self._created = False
            self._say("Saved.")

    async def _apply(self, session: AsyncSession, who: Staff, edit: Edit, version: int) -> str:
        draft, saved = draft_from_fields(edit.fields), fields_of(await issues.find(session, self.reference))
        await issues.save(session, self.reference, version, draft, who.email)
        changed = changed_fields(FIELD_LABELS, saved, edit.fields)
        await audit.record(session, who, "issue.saved", "issue", self.reference, changed)
        return "Saved."

    async def _compare(self, who: Staff, edit: Edit, current: IssueRecord) -> None:
        if current.state is not IssueState.DRAFT:
            # Only a draft can change, so nothing can be merged, and "keep theirs" discards all fields.
            edit = replace(edit, base={})
        await super()._compare(who, edit, current)

    def _fields_of(self, record: IssueRecord) -> dict[str, str]:
        return fields_of(record)

    def _end_edit(self) -> None:
        super()._end_edit()
        self._draft_version = 0

    async def _read(self, session: AsyncSession, _who: Staff, reference: str) -> dict[str, Any]:
        issue = await issues.find(session, reference)
        if self._draft_version not in {0, issue.version}:
            return {"changed_by": issue.editor}
        mails = await count_states_about(session, reference, emails.ISSUE) if issue.started_at else {}
        variables: dict[str, Any] = {
            "reference": issue.reference,
            "version": issue.version,
            "stage": issue.state.value,
            "facts": facts_of(issue),
            "progress": progress_of(issue, mails),
            "draft": fields_of(issue),
            "interests": list(issue.interests),
            "changed_by": "",
            "_draft_version": issue.version if issue.state is IssueState.DRAFT else 0,
        }
        if issue.version == self.version:
            return variables
        moment, preview = moment_field_value(next_issue_time(now())), preview_issue(issue)
        size = {"size": describe_size(preview.size), "is_too_large": preview.size >= LARGEST_MAIL}
        readers = await _describe_readers(session, issue) if not issue.started_at else ""
        return variables | size | {"text": preview.text, "moment": moment, "readers": readers}


async def _describe_readers(session: AsyncSession, issue: IssueRecord) -> str:
    """Describe the number of readers of the saved issue, such as `12 subscribers`."""
    count = await issues.count_readers(session, issue.interests)
    return "1 subscriber" if count == 1 else f"{count:,} subscribers"
