"""Detail pages: the state that loads one record and stores edits of it, and the components that such pages share.

A page subclasses `DetailPage` and `StaffState`, declares its permissions and fields, and defines `_read`, `_fields_of` and
`_apply`. If another editor has changed the record since it was read, fields that only one of the two changed are merged; for
the others the second editor sees both versions and chooses (`keep_theirs`, `save_mine`).
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.dialogs import confirm_dialog, form_dialog
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.edit_conflicts import Difference, Merge, conflict_panel
from agency_site.backoffice.elements import button_row, card, small_button, unvalidated_form
from agency_site.backoffice.records import HistoryLine
from agency_site.backoffice.screens import REFRESH_MS, Screen
from agency_site.backoffice.state import StaffState, has_permission
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import NotFound, StaleRecord
from agency_site.ids import clean_reference
from agency_site.ui.behaviours import FocusWhen, Interval
from agency_site.ui.elements import Text, button, link_button, skeleton
from agency_site.ui.forms import text_area


def _view_permission(page: Any, *_sent: object, **_named: object) -> Permission | None:
    # With an underscore, because browsers could call any other method.
    return page._permission_to_view()  # type: ignore[no-any-return]  # noqa: SLF001


def _permission_to_edit(page: Any, *_sent: object, **_named: object) -> Permission | None:
    return page._edit_permission()  # type: ignore[no-any-return]  # noqa: SLF001


def read_reference(state: rx.State, parameter: str = "ref") -> str:
    """Return the reference in the page's address, which may be typed by hand."""
    return clean_reference(str(state.router.url.query_parameters.get(parameter, "")))[:20]


def name_record(reference: str, name: str = "") -> list[str]:
    """Return what titles call a record: its reference, unless that is a mere number, and its name."""
    return [part for part in ("" if reference.isdecimal() else reference, name) if part]


@dataclass(frozen=True)
class Edit:
    """A change by an editor, as data, so that it can be applied again after an edit conflict."""

    verb: str
    """The kind of change, such as `approve`; the page's `_apply` knows it."""
    fields: Mapping[str, str]
    """The changed fields of the page with their new values: as typed in a form, or as set by the verb."""
    base: Mapping[str, str] = field(default_factory=dict)
    """The fields when the editor opened the form. If empty, any difference is a conflict."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Further input of the verb, such as a reason."""


Work = Callable[[AsyncSession], Awaitable[str | None]]
"""A use case with its entry in the audit log, in one transaction; may return the message for the page."""


@dataclass(frozen=True)
class EditConflict:
    """An edit of a stale record, and the version that it was compared with; 0 if the record was removed."""

    edit: Edit
    merge: Merge
    version: int


class DetailPage(StaffState, mixin=True):
    """The open record, which the address names, and the edit conflict to be resolved."""

    VIEW: ClassVar[Permission]
    """The permission to open the page."""
    EDIT: ClassVar[Permission]
    """The permission to resolve an edit conflict; handlers of the page name their own permission."""
    PARAMETER: ClassVar[str] = "ref"
    """The query parameter that names the record."""
    FIELDS: ClassVar[Mapping[str, str]] = {}
    """Labels of the compared fields, by their names in `_fields_of`."""

    ready: rx.Field[bool] = rx.field(False)
    """The record has been read, or there is none at this address; until then the page waits."""
    reference: rx.Field[str] = rx.field("")
    version: rx.Field[int] = rx.field(0)
    facts: dict[str, str] = {}
    lines: rx.Field[list[HistoryLine]] = rx.field(default_factory=list)
    panel: rx.Field[str] = rx.field("")
    """The open form or dialog; empty if none is open."""
    draft: dict[str, str] = {}
    """The fields when the form was opened."""
    conflicts: rx.Field[list[Difference]] = rx.field(default_factory=list)
    """Fields that another editor has saved and this editor is about to change."""
    conflict_author: rx.Field[str] = rx.field("")
    """The other editor; empty if the history does not say."""
    _draft_version: int = 0
    """The version that the form was opened with."""
    _conflict: EditConflict | None = None

    def _permission_to_view(self) -> Permission | None:
        """Return the permission to open the page."""
        return self.VIEW

    def _edit_permission(self) -> Permission | None:
        """Return the permission to resolve an edit conflict of the open record."""
        return self.EDIT

    def _read_address(self) -> str:
        """Return the reference in the page's address; empty if it names no record."""
        return read_reference(self, self.PARAMETER)

    def _field_labels(self) -> Mapping[str, str]:
        """Return the labels of the compared fields of the open record."""
        return self.FIELDS

    async def _read(self, session: AsyncSession, who: Staff, reference: str) -> dict[str, Any]:
        """Return the variables of the page for that record, including `reference` and `version`. Raises NotFound."""
        raise NotImplementedError

    def _fields_of(self, record: Any) -> dict[str, str]:
        """Return the fields of `FIELDS` in a record, such as the current one of a StaleRecord."""
        raise NotImplementedError

    async def _apply(self, session: AsyncSession, who: Staff, edit: Edit, version: int) -> str:
        """Store the edit and its entry in the audit log; return the message for the page. Raises StaleRecord."""
        raise NotImplementedError

    async def _require_visible(self, session: AsyncSession, who: Staff, reference: str) -> None:
        """Raise NotFound for a record that `who` may not see; called in each transaction that reads or changes it."""

    async def _opened(self, who: Staff) -> None:
        """Run after the page was opened; `reference` is empty if the address names no record."""

    @staff_page(_view_permission)
    async def open_record(self, who: Staff) -> None:
        """Show the record that the address names; a reload keeps an open form."""
        reference = self._read_address()
        if reference != self.reference:
            self.reset()  # type: ignore[no-untyped-call]
            self.subject = []
        try:
            if reference:
                await self._load(who, reference)
            await self._opened(who)
        finally:
            self.ready = True

    @staff_watch(_view_permission)
    async def refresh(self, who: Staff) -> None:
        """Show changes by others, and remove a message about the previous state of the record."""
        if not self.reference:
            return
        before = dict(self.facts), self.version
        await self._load(who, self.reference)
        if (self.facts, self.version) != before:
            self.done = ""

    @staff_event(_view_permission)
    async def close_panel(self, _who: Staff) -> None:
        """Cancel the open form or dialog."""
        self._end_edit()

    @staff_event(_permission_to_edit)
    async def keep_theirs(self, who: Staff) -> None:
        """Discard the disputed fields, and save fields that only this editor changed."""
        conflict = self._conflict
        if conflict and conflict.merge.before and conflict.merge.with_theirs() != conflict.merge.theirs:
            await self._store(
                who, replace(conflict.edit, fields=conflict.merge.with_theirs()), conflict.version
            )
            return
        self._end_edit()
        await self._load(who, self.reference)
        self._say("The saved version was kept.")

    @staff_event(_permission_to_edit)
    async def save_mine(self, who: Staff, _form: dict[str, Any]) -> None:
        """Save this editor's version over the other one."""
        conflict = self._conflict
        if conflict:
            await self._store(who, replace(conflict.edit, fields=conflict.merge.with_own()), conflict.version)

    def _open_panel(self, panel: str) -> None:
        """Open a form or dialog of the page."""
        self._end_edit()
        self.panel, self.problem = panel, ""

    def _open_form(self, record: Any) -> None:
        """Begin editing the fields of the record."""
        self.draft, self._draft_version = self._fields_of(record), record.version

    async def _save_form(self, who: Staff, verb: str, fields: Mapping[str, str]) -> None:
        """Store the fields of a form that `_open_form` opened."""
        await self._store(who, Edit(verb, fields, dict(self.draft)), self._draft_version)

    async def _store(self, who: Staff, edit: Edit, version: int) -> None:
        """Apply the edit to that version of the record, or show its conflict with the saved version."""
        try:
            async with session_scope() as session:
                await self._require_visible(session, who, self.reference)
                message = await self._apply(session, who, edit, version)
        except StaleRecord as stale:
            await self._compare(who, edit, stale.current)
            return
        await self._finish(who, message)

    async def _finish(self, who: Staff, message: str) -> None:
        """Show the record after a change, and what was done."""
        self._end_edit()
        await self._load(who, self.reference)
        self._say(message)

    async def _run(self, who: Staff, work: Work, message: str = "") -> None:
        """Run a use case that cannot be merged: after a stale record the editor sees the current record and the error.

        The page shows the message that `work` returns, otherwise `message`.
        """
        try:
            async with session_scope() as session:
                await self._require_visible(session, who, self.reference)
                message = await work(session) or message
        except StaleRecord:
            await self._load(who, self.reference)
            self._reconsider()
            raise
        await self._finish(who, message)

    def _reconsider(self) -> None:
        """Close the panel if it belongs to another state of the record."""
        self._end_edit()

    async def _compare(self, who: Staff, edit: Edit, current: Any) -> None:
        await self._load(who, self.reference)
        theirs = self._fields_of(current)
        merge = Merge(edit.base, theirs, {**theirs, **edit.fields})
        self.conflicts, self.errors = merge.disputed(self._field_labels()), {}
        if self.conflicts:
            self.conflict_author = self._find_author(who, current)
            self._conflict = EditConflict(edit, merge, current.version if current else 0)
        elif merge.with_own() == theirs:
            self._end_edit()
            self._say("Another person has already made the same change.")
        else:
            await self._store(who, replace(edit, fields=merge.with_own()), current.version)

    def _find_author(self, who: Staff, _current: Any) -> str:
        """Return who saved the fields in question; empty if the history does not say."""
        # The history has the newest line first; notes change no field.
        others = (line.who for line in self.lines if not line.noted and line.who != who.email)
        return next(others, "")

    def _end_edit(self) -> None:
        """Close the panel and forget the conflict."""
        self.panel, self.conflicts, self.errors, self._conflict = "", [], {}, None

    async def _load(self, who: Staff, reference: str) -> None:
        async with read_scope() as session:
            try:
                await self._require_visible(session, who, reference)
            except NotFound:
                self.reset()  # type: ignore[no-untyped-call]
                self.ready = True
                raise
            values = {"subject": name_record(reference)} | await self._read(session, who, reference)
        for name, value in values.items():
            # Reflex sends only variables that are set, so unchanged ones are skipped.
            if getattr(self, name) != value:
                setattr(self, name, value)


def detail_page(
    state: type[DetailPage],
    heading: rx.Component,
    *body: rx.Component,
    empty: tuple[str, str, str],
    class_name: str = "record",
) -> rx.Component:
    """A page that shows the record of `state`; without a record it shows `empty`: a text, a link's label, its address."""
    conflicts: Any = state.conflicts
    return rx.el.div(
        Interval.create(every=REFRESH_MS, active=state.reference != "", on_tick=state.refresh),
        rx.cond(
            state.reference != "",
            rx.fragment(
                heading,
                conflict_panel(
                    conflicts, keep=state.keep_theirs, overwrite=state.save_mine, author=state.conflict_author
                ),
                *body,
            ),
            rx.cond(state.ready, nothing_chosen(*empty), waiting()),
        ),
        class_name=class_name,
    )


def detail_screen(
    state: type[DetailPage], path: str, title: str, body: Callable[[], rx.Component], *, under: str
) -> Screen:
    """The screen of a detail page; the list `under` links to its records."""
    permission, on_load = state.VIEW, (state.open_record,)
    return Screen(path=path, title=title, permission=permission, body=body, on_load=on_load, under=under)


def record_head(
    reference: Text, state: Text, tone: Any, title: Text, below: Text, *actions: rx.Component, label: str
) -> rx.Component:
    """The record's reference, state, title and actions."""
    return rx.el.section(
        rx.el.div(
            rx.el.p(
                rx.el.strong(reference),
                rx.el.span(state, class_name="office-tone office-tone-" + tone),
                class_name="record-reference",
            ),
            rx.el.h2(title),
            rx.el.p(below, class_name="record-below"),
        ),
        button_row(*actions),
        aria_label=label,
        class_name="office-card record-head",
    )


def edit_card(
    state: type[DetailPage],
    form: str,
    heading: str,
    *fields: rx.Component,
    on_submit: Any,
    focus: str,
    label: str = "Save",
) -> rx.Component:
    """The form for editing the open record, drawn while its panel is open; `focus` is the id of the field that gets the focus."""
    return card(
        heading,
        unvalidated_form(
            *fields,
            button_row(
                button(label, type="submit"),
                button("Cancel", tone="ghost", on_click=state.close_panel, type="reset"),
            ),
            keep_draft(form, state.reference),
            on_submit=on_submit,
            class_name="office-form",
        ),
        FocusWhen.create(when=state.panel != "", target=focus),
        identity=f"{form}-heading",
    )


def panel_form(
    state: type[DetailPage],
    panel: str,
    title: Text,
    *fields: rx.Component,
    submit: tuple[str, Any],
    text: Text | rx.Component,
    cancel: str = "Cancel",
    draft: str = "",
) -> rx.Component:
    """The dialog with a form for the panel `panel`; see `form_dialog`.

    `draft` names the form in the browser's drafts; without it nothing is kept.
    """
    return form_dialog(
        f"{panel}-heading",
        title,
        *fields,
        is_open=state.panel == panel,
        submit=submit,
        cancel=(cancel, state.close_panel),
        text=text,
        problem=state.problem,
        draft=(draft, state.reference) if draft else None,
    )


def panel_question(
    state: type[DetailPage],
    panel: str,
    title: Text,
    *text: Text | rx.Component,
    confirm: tuple[str, Any],
    cancel: str = "Cancel",
) -> rx.Component:
    """The confirmation for the panel `panel`; see `confirm_dialog`."""
    return confirm_dialog(
        f"{panel}-heading",
        title,
        *text,
        is_open=state.panel == panel,
        confirm=confirm,
        cancel=(cancel, state.close_panel),
        problem=state.problem,
    )


def history_card(lines: Any, heading: str = "History") -> rx.Component:
    """The history of the record, newest first."""
    return card(
        heading,
        rx.el.ol(
            rx.foreach(lines, lambda line, index: _history_item(line, lines.length() - index)),
            class_name="office-log record-history",
        ),
    )


def _history_item(line: HistoryLine, age: rx.Var[int]) -> rx.Component:
    return rx.el.li(
        rx.el.strong(line.what),
        rx.cond(line.words != "", rx.el.p(line.words, class_name="office-said-text")),
        rx.el.small(line.at, ", ", line.who),
        key=age.to_string(),
        class_name=rx.cond(line.noted, "record-noted", ""),
    )


def note_card(
    form: str, record: rx.Var[str], error: Text, *, longest: int, permission: Permission, keep: Any
) -> rx.Component:
    """The form with which staff with `permission` add a note of at most `longest` characters to `record`."""
    return rx.cond(
        has_permission(permission),
        card(
            "Add note",
            unvalidated_form(
                text_area("For staff only", "note", form=form, error=error, rows="3", max_length=longest),
                small_button("Save note", type="submit", tone="ink"),
                keep_draft(form, record),
                id=form,
                on_submit=keep,
                class_name="record-form",
            ),
        ),
    )


def waiting() -> rx.Component:
    """The page until its record has been read."""
    return rx.el.div(
        skeleton("office-bone"),
        skeleton("office-bone"),
        rx.el.p("Loading", class_name="sr-only", role="status"),
    )


def nothing_chosen(words: str, label: str, href: str) -> rx.Component:
    """The page if the address names no record."""
    return rx.el.div(rx.el.p(words), link_button(label, href, "ink"), class_name="office-card record-nothing")
