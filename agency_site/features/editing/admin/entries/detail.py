"""The state of an entry's page: writing, publishing, scheduling and hiding it, its differences and its history.

Actions change the shown entry and version, not those of the address. While an editor writes, a change by another one is
announced but not loaded, so that no unsaved text is lost.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_watch
from agency_site.backoffice.audit_labels import changed_fields
from agency_site.backoffice.detail_page import DetailPage, Edit
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.state import StaffState
from agency_site.clock import now
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS, KindDefinition
from agency_site.content.markdown import render_staff_text
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import NotFound
from agency_site.features.editing.admin.entries.differences import (
    FieldDifference,
    FieldValue,
    list_differences,
    list_values,
)
from agency_site.features.editing.admin.entries.forms import (
    LONGEST,
    fill_fields,
    next_morning,
    read_fields,
    read_moment,
)
from agency_site.features.editing.admin.entries.labels import (
    VersionLine,
    can_add,
    describe_changes,
    describe_state,
    entry_address,
    entry_reference,
    field_labels,
    find_kind,
    has_markdown,
    permission_to_change,
    split_reference,
    version_lines,
)
from agency_site.features.editing.admin.entries.library import LibraryPicture, list_newest_pictures
from agency_site.features.editing.entries import staff_usecases as staff_entries
from agency_site.features.editing.entries.checks import AnswerNeeded
from agency_site.features.editing.entries.previews import last_day, preview_path
from agency_site.features.editing.entries.records import EntryRecord, EntryVersion
from agency_site.features.editing.entries.rules import EntryState
from agency_site.features.editing.entries.text_messages import describe_length
from agency_site.form_input import moment_field_value
from agency_site.ui.forms import submitted

SAVE, PUBLISH = "save", "publish"
"""What the buttons of the form do; the field `ACT` names it."""
ACT = "act"
HIDE, RESET, RESTORE, QUESTIONS = "hide", "reset", "restore", "questions"
"""The panels that ask before something is taken away, and before something unusual is published."""
_NOT_OPEN = -1
"""The version of the form while none is open. Version 0 is the delivered record."""


def _permission_to_change(page: Any, *_sent: object, **_named: object) -> Permission:
    # With an underscore, because browsers could call any other method.
    return page._edit_permission()  # type: ignore[no-any-return]  # noqa: SLF001


class EntryPage(DetailPage, StaffState):
    """The entry that is open, or a new one without a reference. The reference is kind and slug."""

    VIEW: ClassVar = Permission.SEE_CONTENT

    kind: rx.Field[str] = rx.field("")
    """The kind of the open or new entry; empty if no entry is open."""
    can_change: rx.Field[bool] = rx.field(False)
    can_hide: rx.Field[bool] = rx.field(False)
    can_reset: rx.Field[bool] = rx.field(False)
    """The entry lies on top of a delivered record."""
    moment: rx.Field[str] = rx.field("")
    """The proposed moment of publishing."""
    html: rx.Field[str] = rx.field("")
    """The text of the form as visitors would see it."""
    text_length: rx.Field[str] = rx.field("")
    """The length of the text message, with values of usual length; empty without one."""
    preview: rx.Field[str] = rx.field("")
    """The private link to the preview; empty if the saved fields make no page."""
    preview_until: rx.Field[str] = rx.field("")
    """The last day of that link."""
    questions: rx.Field[list[str]] = rx.field(default_factory=list)
    """What must be confirmed before the entry is published."""
    values: rx.Field[list[FieldValue]] = rx.field(default_factory=list)
    """The fields, for readers who cannot change them."""
    unpublished: rx.Field[list[FieldDifference]] = rx.field(default_factory=list)
    """What publishing would change for visitors."""
    changed: rx.Field[list[FieldDifference]] = rx.field(default_factory=list)
    """What differs from the delivered record."""
    versions: rx.Field[list[VersionLine]] = rx.field(default_factory=list)
    library: rx.Field[list[LibraryPicture]] = rx.field(default_factory=list)
    """The newest pictures, once an editor has opened the library."""
    compared: rx.Field[list[FieldDifference]] = rx.field(default_factory=list)
    """What restoring the chosen version would change."""
    changed_by: rx.Field[str] = rx.field("")
    """The editor who changed the entry after it was opened here."""
    _draft_version: int = _NOT_OPEN
    _chosen_event: int = 0
    _waiting: tuple[str, tuple[Any, ...]] = ("", ())
    """The method that waits for the answer to the questions, with its arguments."""
    _created: bool = False
    """True if it has just been stored for the first time."""

    @staff_event(_permission_to_change)
    async def discard_draft(self, who: Staff) -> None:
        """Show the version of the other editor and discard the unsaved text."""
        self._end_edit()
        await self._load(who, self.reference)

    @staff_event(_permission_to_change)
    async def submit(self, who: Staff, form: dict[str, Any]) -> Any:
        """Save the form and, if its button says so, publish it."""
        definition, sent = self._require_kind(), submitted(form)
        fields = read_fields(definition, sent, self.draft)
        verb = PUBLISH if sent.get(ACT) == PUBLISH else SAVE
        self.questions = []
        if self.reference:
            await self._save_form(who, verb, fields)
            return None
        return await self._ask_first(who, "_create", definition.kind, verb, fields)

    @staff_event(_permission_to_change)
    async def confirm(self, who: Staff) -> Any:
        """Do what waits for the answer to the questions."""
        method, arguments = self._waiting
        self._waiting = ("", ())
        return await self._ask_first(who, method, *arguments) if method else None

    async def _ask_first(self, who: Staff, method: str, *arguments: Any) -> Any:
        """Call a method, or show the questions that it asks before something unusual is published."""
        try:
            return await getattr(self, method)(who, *arguments)
        except AnswerNeeded as needed:
            self.questions, self._waiting = [error.message for error in needed.errors], (method, arguments)
            self.panel, self.problem, self.errors = QUESTIONS, "", {}
            return None

    async def _store(self, who: Staff, edit: Edit, version: int) -> None:
        await self._ask_first(who, "_store_edit", edit, version)

    async def _store_edit(self, who: Staff, edit: Edit, version: int) -> None:
        await super()._store(who, edit, version)

    async def _create(self, who: Staff, kind: Kind, verb: str, fields: Mapping[str, str]) -> Any:
        async with session_scope() as session:
            entry = await staff_entries.create_entry(session, kind, fields, who.email)
            reference = entry_reference(entry.kind, entry.slug)
            await audit.record(session, who, "entry.created", "entry", reference)
            if verb == PUBLISH:
                await _publish(session, who, entry, entry.version, self.questions)
        self._created = True
        await self._load(who, reference)
        return rx.redirect(entry_address(entry.kind, entry.slug), replace=True)

    @staff_watch(_permission_to_change)
    async def open_library(self, _who: Staff) -> None:
        """Load the newest pictures."""
        async with read_scope() as session:
            self.library = await list_newest_pictures(session)

    @staff_watch(_permission_to_change)
    async def draw_text(self, _who: Staff, text: str) -> None:
        """Show the text that is being written as visitors would see it."""
        self.html = render_staff_text(str(text)[:LONGEST])

    @staff_watch(_permission_to_change)
    async def measure_text(self, _who: Staff, text: str) -> None:
        """Show the length of the text message that is being written."""
        self.text_length = describe_length(str(text)[:LONGEST])

    @staff_event(_permission_to_change)
    async def schedule(self, who: Staff, form: dict[str, Any]) -> None:
        """Publish the saved fields at the moment of the form."""
        self.questions = []
        await self._ask_first(who, "_schedule", read_moment(submitted(form)))

    async def _schedule(self, who: Staff, moment: datetime) -> None:
        async def work(session: AsyncSession) -> None:
            place = self._place()
            await staff_entries.schedule_entry(
                session, *place, self.version, moment, who.email, self.questions
            )
            await audit.record(session, who, "entry.scheduled", "entry", self.reference, moment.isoformat())

        await self._run(who, work, f"Scheduled for {when(moment)}, Nairobi time.")

    @staff_event(_permission_to_change)
    async def unschedule(self, who: Staff) -> None:
        async def work(session: AsyncSession) -> None:
            await staff_entries.unschedule_entry(session, *self._place(), self.version, who.email)
            await audit.record(session, who, "entry.unscheduled", "entry", self.reference)

        await self._run(who, work, "Unscheduled. The draft is kept.")

    @staff_event(_permission_to_change)
    async def show_again(self, who: Staff) -> None:
        """Show what visitors saw before the entry was hidden."""

        async def work(session: AsyncSession) -> None:
            await staff_entries.show_entry(session, *self._place(), self.version, who.email)
            await audit.record(session, who, "entry.shown", "entry", self.reference)

        await self._run(who, work, "Visitors see it again.")

    @staff_event(_permission_to_change)
    async def renew_preview(self, who: Staff) -> None:
        """End the links to the preview that are known, and show a new one."""

        async def work(session: AsyncSession) -> None:
            await staff_entries.renew_preview(session, *self._place(), self.version, who.email)
            await audit.record(session, who, "entry.preview_renewed", "entry", self.reference)

        await self._run(who, work, "Links to the preview from before no longer work.")

    @staff_event(_permission_to_change)
    async def ask(self, _who: Staff, panel: str) -> None:
        """Ask before the entry is hidden or returned to the delivered text."""
        if panel in (HIDE, RESET):
            self.panel, self.problem = panel, ""

    @staff_event(_permission_to_change)
    async def cancel(self, _who: Staff) -> None:
        """Close the question; the form keeps what was typed."""
        self.panel, self.questions, self._waiting = "", [], ("", ())

    @staff_event(_permission_to_change)
    async def hide(self, who: Staff) -> None:
        async def work(session: AsyncSession) -> None:
            await staff_entries.hide_entry(session, *self._place(), self.version, who.email)
            await audit.record(session, who, "entry.hidden", "entry", self.reference)

        await self._run(who, work, "Hidden. Visitors no longer see it.")

    @staff_event(_permission_to_change)
    async def return_to_delivered(self, who: Staff) -> None:
        async def work(session: AsyncSession) -> None:
            await staff_entries.reset_entry(session, *self._place(), self.version, who.email)
            await audit.record(session, who, "entry.reset", "entry", self.reference)

        await self._run(who, work, "Visitors see the delivered text again.")

    @staff_event(_permission_to_change)
    async def compare_version(self, _who: Staff, event_id: int) -> None:
        """Show what restoring an earlier version would change, and ask."""
        async with read_scope() as session:
            entry = await staff_entries.find_entry(session, *self._place())
            version = await self._find_version(session, event_id)
        self.compared = list_differences(KINDS[entry.kind], entry.fields, version.fields)
        self._chosen_event = version.id
        self.panel, self.problem = RESTORE, ""

    @staff_event(_permission_to_change)
    async def restore(self, who: Staff) -> None:
        """Take the fields of the chosen version into the draft."""
        self.questions = []
        await self._ask_first(who, "_restore", self._chosen_event)

    async def _restore(self, who: Staff, event_id: int) -> None:
        async def work(session: AsyncSession) -> None:
            await staff_entries.restore_version(
                session, *self._place(), self.version, event_id, who.email, self.questions
            )
            await audit.record(session, who, "entry.restored", "entry", self.reference)

        await self._run(who, work, "Restored into the draft. Publish it to show it to visitors.")

    async def _find_version(self, session: AsyncSession, event_id: int) -> EntryVersion:
        versions = await staff_entries.list_versions(session, *self._place())
        for version in versions:
            if version.id == event_id:
                return version
        raise NotFound("There is no such version.")

    def _edit_permission(self) -> Permission:
        return permission_to_change(Kind(self.kind)) if self.kind else Permission.WORK_CONTENT

    def _place(self) -> tuple[Kind, str]:
        """Return kind and slug of the open entry. Raises NotFound if none is open."""
        return split_reference(self.reference)

    def _require_kind(self) -> KindDefinition:
        definition = find_kind(self.kind)
        if definition is None:
            raise NotFound("No entry is open.")
        return definition

    def _read_address(self) -> str:
        query = self.router.url.query_parameters
        definition, slug = find_kind(str(query.get("kind", ""))), str(query.get("slug", ""))
        return entry_reference(definition.kind, slug) if definition and slug else ""

    def _field_labels(self) -> Mapping[str, str]:
        return field_labels(self._require_kind())

    async def _opened(self, who: Staff) -> None:
        if not self.reference:
            self._open_new(who)
        elif self._created:
            # A new entry has its own address, so the page was opened again after saving.
            self._created = False
            self._say("Published." if self.facts["stage"] == EntryState.PUBLISHED else "Saved.")

    def _open_new(self, who: Staff) -> None:
        """Show the form of a new entry of the kind that the address names."""
        definition = find_kind(str(self.router.url.query_parameters.get("kind", "")))
        if definition is None or not can_add(definition, who):
            self.reset()
            return
        if self.kind != definition.kind.value:
            self.reset()
        self.kind, self.draft, self.can_change = definition.kind.value, fill_fields(definition, {}), True

    async def _apply(self, session: AsyncSession, who: Staff, edit: Edit, version: int) -> str:
        kind, slug = self._place()
        entry = await staff_entries.find_entry(session, kind, slug)
        saved = fill_fields(KINDS[kind], entry.fields)
        if edit.verb == SAVE or dict(edit.fields) != saved:
            entry = await staff_entries.save_entry(
                session, kind, slug, version, edit.fields, who.email, self.questions
            )
            changed = changed_fields(field_labels(KINDS[kind]), saved, edit.fields)
            await audit.record(session, who, "entry.saved", "entry", self.reference, changed)
            version = entry.version
        if edit.verb == SAVE:
            return "Saved. Visitors see it once it is published."
        await _publish(session, who, entry, version, self.questions)
        return "Published. Visitors see it within two seconds."

    def _fields_of(self, record: EntryRecord) -> dict[str, str]:
        return fill_fields(KINDS[record.kind], record.fields)

    def _end_edit(self) -> None:
        super()._end_edit()
        self.questions, self._waiting = [], ("", ())
        self._draft_version, self.compared = _NOT_OPEN, []

    async def _read(self, session: AsyncSession, who: Staff, reference: str) -> dict[str, Any]:
        kind, slug = split_reference(reference)
        entry = await staff_entries.find_entry(session, kind, slug)
        if self._draft_version not in {_NOT_OPEN, entry.version}:
            return {"changed_by": entry.editor}
        variables: dict[str, Any] = {
            "reference": reference, "version": entry.version, "changed_by": "", "_draft_version": entry.version,
            "can_change": who.has_permission(permission_to_change(kind)),
        }  # fmt: skip
        if (entry.version, reference) == (self.version, self.reference):
            return variables
        versions = await staff_entries.list_versions(session, kind, slug)
        return variables | _variables_of(entry) | {"versions": version_lines(entry, versions)}


def _variables_of(entry: EntryRecord) -> dict[str, Any]:
    """Return the variables of the page that depend on the version of the entry."""
    definition = KINDS[entry.kind]
    delivered, published = entry.delivered_fields, entry.published_fields
    state, tone = describe_state(entry)
    return {
        "kind": entry.kind.value,
        "facts": {
            "title": entry.title, "state": state, "tone": tone, "stage": entry.state.value,
            "changes": describe_changes(entry), "path": entry.find_path(entry.visible_fields),
            "scheduled": when(entry.publish_at), "hidden": "yes" if entry.is_hidden else "", "problem": entry.problem,
        },
        "draft": fill_fields(definition, entry.fields),
        "values": list_values(definition, entry.fields),
        "html": render_staff_text(entry.fields.get("text", "")) if has_markdown(definition) else "",
        "text_length": describe_length(entry.fields.get("text_message", "")),
        "preview": preview_path(entry.kind, entry.slug, entry.preview_number) if entry.find_path(entry.fields) else "",
        "preview_until": f"{last_day():%-d %B}",
        "moment": moment_field_value(next_morning(now())),
        "unpublished": [] if published is None else list_differences(definition, published, entry.fields),
        "changed": list_differences(definition, delivered, entry.fields) if delivered and entry.version else [],
        "can_hide": definition.can_hide and entry.visible_fields is not None,
        "can_reset": delivered is not None and (entry.is_changed_here or entry.has_unpublished_changes),
    }  # fmt: skip


async def _publish(
    session: AsyncSession, who: Staff, entry: EntryRecord, version: int, answered: Sequence[str]
) -> None:
    changed = changed_fields(field_labels(KINDS[entry.kind]), entry.published_fields or {}, entry.fields)
    await staff_entries.publish_entry(session, entry.kind, entry.slug, version, who.email, answered)
    reference = entry_reference(entry.kind, entry.slug)
    await audit.record(session, who, "entry.published", "entry", reference, changed)
