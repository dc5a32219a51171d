"""The page of every declared record: one state, whose record follows from the path, and the components that draw it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event
from agency_site.backoffice.detail_page import (
    DetailPage,
    Edit,
    detail_page,
    history_card,
    name_record,
    note_card,
    record_head,
)
from agency_site.backoffice.dialogs import dialog
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.elements import (
    button_row,
    card,
    columns,
    small_button,
    unvalidated_form,
)
from agency_site.backoffice.lists.definition import Column, record_of
from agency_site.backoffice.lists.search import CLIENT as CLIENT_PATH
from agency_site.backoffice.lists.view import list_screen, new_record_link
from agency_site.backoffice.record_form import (
    FormGroup,
    build_form,
    describe_form,
    first_control,
    form_fields,
    read_texts,
)
from agency_site.backoffice.records import (
    CLIENT,
    CREATE,
    EDIT,
    NOTE,
    NOTE_LENGTH,
    STATE,
    Action,
    Leave,
    Record,
    Related,
    RelatedLine,
    SavedVersion,
    act,
    add_note,
    create_record,
    edit_record,
    field_cell,
    find_record_at,
    find_row,
    list_history,
    lock_row,
    parse_fields,
    register_record,
    version_of,
)
from agency_site.backoffice.screens import Screen
from agency_site.backoffice.state import StaffState, has_permission
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import NotFound
from agency_site.fields import Control
from agency_site.ui.behaviours import FocusWhen
from agency_site.ui.elements import Text, Tone, breakable_address, button, link_button, notice, outside_link
from agency_site.ui.forms import submitted
from agency_site.ui.icon import icon

Component = Callable[[], rx.Component]


@dataclass(frozen=True)
class EditorView:
    """What an editor saw when they began to fill in a form that is always open."""

    version: int
    lines: Mapping[str, int]
    """The number of lines of each `Related`."""


@dataclass
class FactLine:
    """A label and a value of a record."""

    label: str
    text: str
    href: str = ""
    is_outside: bool = False
    """The link leaves the site."""


def _permission_to_act(page: Any, key: object = "", *_form: object, **_named: object) -> Permission | None:
    return page._permission_to(key)  # type: ignore[no-any-return]  # noqa: SLF001 - browsers could call any other method


class RecordState(DetailPage, StaffState):
    """The record that the address names; without a reference the form of a new one."""

    details: rx.Field[list[FactLine]] = rx.field(default_factory=list)
    possible: rx.Field[list[str]] = rx.field(default_factory=list)
    """Keys of the actions that the record's state allows."""
    form: rx.Field[list[FormGroup]] = rx.field(default_factory=list)
    """The fields of the open panel, or of a new record."""
    first: rx.Field[str] = rx.field("")
    """The id of the first control of the form."""
    related: dict[str, list[RelatedLine]] = {}
    """The lines of each `Related` of the record, by its key."""
    dialog: dict[str, str] = {}
    """Title, form and labels of the buttons of the open dialog; empty if none is open."""
    question: rx.Field[str] = rx.field("")
    """The text of the open dialog."""
    _editor_views: dict[str, EditorView] = {}
    """By the key of the action whose form is part of the page."""
    _destination: Leave | None = None
    """The page that the action leads to; None for this one."""

    @staff_event(_permission_to_act)
    async def ask(self, who: Staff, key: str) -> Any:
        """Open the form or the dialog of an action."""
        record = self._require_record()
        await self._ask(who, record, key)
        action = record.find_action(key)
        return action.on_open if action else None

    async def _ask(self, who: Staff, record: Record, key: str) -> None:
        async with read_scope() as session:
            whole = await find_row(session, record, who, self.reference)
            row = record_of(whole, record.table)
            action = record.find_action(key)
            fields = action.fields if action else [each for each in record.fields if not each.is_fixed]
            texts = {each.name: each.first for each in fields} if action else record.texts(row)
            form = await build_form(session, fields, texts, row)
        self._open_panel(key)
        self.form, self.draft, self._draft_version = form, texts, version_of(row)
        self.first = first_control(form, _form_name(record, key))
        question = action.question if action else ""
        self.question = question(whole) if callable(question) else question
        self.dialog = _describe_dialog(record, action) if action and not action.draw else {}

    @staff_event(_permission_to_act)
    async def begin(self, _who: Staff, key: str) -> None:
        """Remember what the page shows, so that later changes by others are shown before the form is sent."""
        if key not in self._editor_views:
            self._keep_view(key)

    @staff_event(_permission_to_act)
    async def run(self, who: Staff, key: str, form: dict[str, Any]) -> Any:
        """Do what the button or the form of that action says."""
        record, sent = self._require_record(), submitted(form)
        if key == CREATE:
            return await self._create(who, record, sent)
        if key == NOTE:
            return await self._add_note(who, record, sent)
        action = record.find_action(key)
        # A form was opened with the version that its editor saw; a button belongs to the one that is shown.
        version = self._draft_version if self.panel == key else self.version
        if action and action.fields and self.panel != key:
            if key not in self._editor_views:
                self._keep_view(key)
            version = self._editor_views[key].version
        if action:
            await self._act_on_record(who, record, action, read_texts(action.fields, sent), version)
            return self._leave_record()
        fields = [each for each in record.fields if not each.is_fixed]
        typed = read_texts(fields, sent)
        values = parse_fields(fields, typed, self.draft)
        texts = typed | {each.name: each.text_of(values[each.name]) for each in fields if each.name in values}
        await self._store(who, Edit(EDIT, texts, dict(self.draft)), version)
        return None

    async def _create(self, who: Staff, record: Record, sent: Mapping[str, str]) -> Any:
        async with session_scope() as session:
            reference = await create_record(session, record, read_texts(record.fields, sent), who)
        return rx.redirect(record.address(reference), replace=True)

    async def _act_on_record(
        self, who: Staff, record: Record, action: Action, texts: Mapping[str, str], version: int
    ) -> None:
        parse_fields(action.fields, texts)
        edit = Edit(
            action.key, dict(action.sets) | {name: texts[name] for name in action.adds_to}, options=texts
        )
        if edit.fields:
            await self._store(who, edit, version)
            return

        async def work(session: AsyncSession) -> str:
            return await self._apply(session, who, edit, version)

        await self._run(who, work)

    async def _add_note(self, who: Staff, record: Record, sent: Mapping[str, str]) -> None:
        async with session_scope() as session:
            await add_note(session, record, self.reference, sent.get(NOTE, ""), who)
        await self._load(who, self.reference)
        self._say("Note saved.")

    def _leave_record(self) -> Any:
        """Return the event that leaves for the page that an action has named; None if it has named none."""
        leave, self._destination = self._destination, None
        return rx.redirect(leave.href, replace=leave.is_gone) if leave else None

    async def _finish(self, who: Staff, message: str) -> None:
        if self._destination:
            self._end_edit()
            return
        await super()._finish(who, message)

    def _record(self) -> Record | None:
        return find_record_at(str(self.router.url.path))

    def _require_record(self) -> Record:
        record = self._record()
        if record is None:
            raise NotFound("There is no such page.")
        return record

    def _permission_to_view(self) -> Permission | None:
        record = self._record()
        return record.see if record else None

    def _permission_to(self, key: object) -> Permission | None:
        record = self._record()
        return record.permission_to(key) if record else None

    def _edit_permission(self) -> Permission | None:
        record = self._record()
        if record is None:
            return None
        return record.permission_to(self._conflict.edit.verb) if self._conflict else record.work

    def _read_address(self) -> str:
        record = self._require_record()
        typed = str(self.router.url.query_parameters.get(record.parameter, ""))
        return record.clean_reference(typed)[:40]

    def _parameters(self) -> dict[str, str]:
        return {str(name): str(value) for name, value in self.router.url.query_parameters.items()}

    def _field_labels(self) -> Mapping[str, str]:
        return self._require_record().labels

    def _fields_of(self, record: SavedVersion) -> dict[str, str]:
        lines = {name: line.text for name, line in self._find_newer_lines().items()}
        additions = (name for action in self._require_record().actions for name in action.adds_to)
        return {**record.fields, **dict.fromkeys(additions, "Nothing newer"), **lines}

    def _find_newer_lines(self) -> dict[str, RelatedLine]:
        """Return the newest line that was added since the editor began, by the name of the field."""
        newer = {}
        for action in self._require_record().actions:
            view = self._editor_views.get(action.key)
            for name, key in action.adds_to.items():
                lines = self.related.get(key, [])
                if view and len(lines) > view.lines.get(key, 0):
                    newer[name] = lines[-1]
        return newer

    def _find_author(self, who: Staff, current: SavedVersion) -> str:
        writers = {name: line.who for name, line in self._find_newer_lines().items()}
        names = {label: name for name, label in self._field_labels().items()}
        disputed = [names[each.label] for each in self.conflicts]
        authors = (writers.get(name) or current.authors.get(name, "") for name in disputed)
        author = next(filter(None, authors), "")
        return "you, in another window" if author == who.email else author

    async def _compare(self, who: Staff, edit: Edit, current: SavedVersion) -> None:
        if edit.verb != EDIT:
            # The dialog of an action would cover the conflict.
            self.panel, self.dialog = "", {}
        await super()._compare(who, edit, current)
        if self.conflicts and edit.verb in self._editor_views:
            # The editor sees what is newer now, so submitting the form again may store it.
            self._keep_view(edit.verb)

    def _keep_view(self, key: str) -> None:
        counts = {related: len(lines) for related, lines in self.related.items()}
        self._editor_views = {**self._editor_views, key: EditorView(self.version, counts)}

    def _end_edit(self) -> None:
        super()._end_edit()
        self._editor_views, self.dialog = {}, {}

    async def _opened(self, who: Staff) -> None:
        record = self._require_record()
        if self.reference and record.welcome and "new" in self.router.url.query_parameters:
            await self._welcome_record(who, record)
        if not who.has_permission(record.work):
            return
        if self.reference:
            await self._open_form_of(who, record)
        elif record.can_create:
            await self._open_new_form(record)

    async def _welcome_record(self, who: Staff, record: Record) -> None:
        async with read_scope() as session:
            whole = await find_row(session, record, who, self.reference)
        if record.welcome and (welcome := record.welcome(record_of(whole, record.table))):
            self._say(welcome)

    async def _open_form_of(self, who: Staff, record: Record) -> None:
        if self.panel or not record.opens_form or EDIT not in self.possible:
            return
        async with read_scope() as session:
            opens_form = record.opens_form(await find_row(session, record, who, self.reference))
        if opens_form:
            await self._ask(who, record, EDIT)

    async def _open_new_form(self, record: Record) -> None:
        async with read_scope() as session:
            self.form = await build_form(session, record.fields, record.first_texts())

    async def _require_visible(self, session: AsyncSession, who: Staff, reference: str) -> None:
        """Do nothing: every statement of a record has its condition."""

    async def _read(self, session: AsyncSession, who: Staff, reference: str) -> dict[str, Any]:
        record = self._require_record()
        whole = await find_row(session, record, who, reference)
        row = record_of(whole, record.table)
        state = record.state(whole) if record.state else None
        heading, below = record.heading(whole)
        # A row without a version says nothing about what belongs to it.
        is_known = self.reference == reference and self.version == version_of(row) > 0
        related = {
            each.key: self.related[each.key]
            if is_known and each.follows_version
            else await each.read(session, whole)
            for each in record.related
        }
        return {
            "related": related,
            "reference": record.reference_of(row),
            "version": version_of(row),
            "subject": name_record(record.reference_of(row), heading),
            "facts": {
                "label": "",
                "heading": heading,
                "below": below,
                "state": state.text if state else "",
                "tone": state.tone if state else "",
                **(await record.values(session, whole, who) if record.values else {}),
                **(record.address_values(whole, self._parameters()) if record.address_values else {}),
            },
            "details": _list_facts(record, whole),
            "possible": await _list_offered(session, record, whole),
            "lines": await list_history(session, record, whole),
        }

    async def _apply(self, session: AsyncSession, who: Staff, edit: Edit, version: int) -> str:
        record = self._require_record()
        action = record.find_action(edit.verb)
        if action:
            result = await act(session, record, action, self.reference, version, edit.options, who)
            if isinstance(result, str):
                return result
            self._destination = result
            return ""
        row = await lock_row(session, record, who, self.reference, version)
        texts = record.texts(row) | {name: text for name, text in edit.fields.items() if name != STATE}
        await edit_record(session, record, self.reference, version, texts, who)
        return record.saved


async def _list_offered(session: AsyncSession, record: Record, whole: Any) -> list[str]:
    """Return the keys of the actions that the page offers."""
    possible = record.list_possible(whole)
    checks = {action.key: action.is_offered for action in record.actions if action.is_offered}
    return [key for key in possible if key not in checks or await checks[key](session, whole)]


def _list_facts(record: Record, whole: Any) -> list[FactLine]:
    facts = record.facts or tuple(each.name for each in record.fields)
    return [line for fact in facts if (line := _describe_fact(record, fact, whole)) and line.text]


def _describe_fact(record: Record, fact: str | Column, whole: Any) -> FactLine:
    if isinstance(fact, Column):
        cell = fact.cell(whole)
        return FactLine(fact.label, cell.text, cell.href, cell.href.startswith("http"))
    if fact == CLIENT:
        return _link_client(record, whole)
    own = record.find_field(fact)
    row = record_of(whole, record.table)
    text = field_cell(own, row).text
    value = str(own.value_in(row) or "")
    links = {Control.EMAIL: f"mailto:{value}", Control.PHONE: f"tel:{value}", Control.WEB_ADDRESS: value}
    href = links.get(own.control, "") if text else ""
    return FactLine(
        own.label, text or own.empty[:1].upper() + own.empty[1:], href, own.control is Control.WEB_ADDRESS
    )


def _link_client(record: Record, whole: Any) -> FactLine:
    client = record.clients.of(whole) if record.clients else None
    if client is None or not (client.email or client.phone):
        return FactLine("Client", "")
    query = urlencode({"list": record.definition.name, "ref": record.reference_of(whole)})
    return FactLine("Client", "All records of this client", f"{CLIENT_PATH}?{query}")


def _describe_dialog(record: Record, action: Action) -> dict[str, str]:
    return {
        "title": action.title or f"{action.label}?",
        "form": _form_name(record, action.key),
        "confirm": action.confirm or action.label,
        "cancel": action.cancel,
    }


def _form_name(record: Record, key: str) -> str:
    """Return the name of a form in the browser's drafts, which is part of the ids of its controls."""
    return record.kind if key in (CREATE, EDIT) else f"{record.kind}-{key}"


def record_screens(
    record: Record,
    *,
    body: tuple[Component, ...] = (),
    side: tuple[Component, ...] = (),
    top: tuple[Component, ...] = (),
    head: tuple[Component, ...] = (),
    above: tuple[Component, ...] = (),
    details: tuple[Component, ...] = (),
    form: tuple[Component, ...] = (),
    bottom: tuple[Component, ...] = (),
    class_name: str = "record",
) -> tuple[Screen, Screen]:
    """The list and the page of a record.

    The page has the facts on the left, what belongs to the record and its history on the right. With a `body` the facts are on
    the right. `side` is drawn below them, `top` above both columns, `head` beside the buttons, `above` between heading and search
    of the list, `details` in the card of the facts, `form` below the fields of the edit form, `bottom` below everything.
    """
    register_record(record)
    link = new_record_link(f"New {record.noun[0]}", record.path)
    new_link = rx.cond(has_permission(record.work), link) if record.can_create else rx.fragment()

    def draw() -> rx.Component:
        parts = _columns(record, _draw(body), _draw(side), _draw(details))
        whole = rx.fragment(parts, *_draw(bottom))
        return _record_page(record, class_name, _draw(head), _draw(top), _draw(form), whole)

    # Reflex stores compiled parts under this module, and so each record's scripts by themselves.
    draw.__module__ = record.heading.__module__
    detail = Screen(
        path=record.path,
        title=record.name,
        permission=record.see,
        body=draw,
        on_load=(RecordState.open_record,),
        under=record.list_path,
    )
    return list_screen(record.definition, *_draw(above), new_link, icon=record.icon), detail


def _draw(parts: tuple[Component, ...]) -> tuple[rx.Component, ...]:
    return tuple(part() for part in parts)


def _record_page(
    record: Record,
    class_name: str,
    head: tuple[rx.Component, ...],
    top: tuple[rx.Component, ...],
    form: tuple[rx.Component, ...],
    body: rx.Component,
) -> rx.Component:
    facts = RecordState.facts
    page = detail_page(
        RecordState,
        record_head(
            rx.cond(facts["label"] != "", facts["label"], RecordState.reference), facts["state"], facts["tone"],
            facts["heading"], facts["below"], *_buttons(record), *head, label=record.name,
        ),
        *(_warning(each) for each in record.related if each.is_shown and not each.heading),
        *top,
        *((_edit_card(record, form),) if record.fields else ()),
        *(rx.cond(RecordState.panel == action.key, action.draw()) for action in record.actions if action.draw),
        body,
        empty=(f"No {record.noun[0]} selected. Choose one from the list.", f"All {record.noun[1]}", record.list_path),
        class_name=class_name,
    )  # fmt: skip
    has_dialog = any(action.is_asked and action.is_shown and not action.draw for action in record.actions)
    dialogs = (_action_dialog(),) if has_dialog else ()
    if not record.can_create:
        return rx.fragment(page, *dialogs)
    is_new = RecordState.ready & (RecordState.reference == "") & has_permission(record.work)
    return rx.fragment(rx.cond(is_new, _new_card(record), page), *dialogs)


def _columns(
    record: Record,
    body: tuple[rx.Component, ...],
    side: tuple[rx.Component, ...],
    details: tuple[rx.Component, ...],
) -> rx.Component:
    facts = card("Details" if body or details else record.name, _fact_list(), *details)
    related = (_related_card(each) for each in record.related if each.is_shown and each.heading)
    has_history = record.events or record.history
    history = (history_card(RecordState.lines, record.history_heading),) if has_history else ()
    left = rx.el.div(*(body or (facts,)))
    right = (*((facts,) if body else ()), *side, *related, *_note_form(record), *history)
    return columns(left, rx.el.div(*right)) if right else left


def _note_form(record: Record) -> tuple[rx.Component, ...]:
    if not record.note:
        return ()
    form = note_card(
        _form_name(record, NOTE), RecordState.reference, RecordState.errors[NOTE], longest=NOTE_LENGTH,
        permission=record.work, keep=RecordState.run(NOTE),
    )  # fmt: skip
    return (form,)


def action_form(
    record: Record,
    action: Action,
    *beside: rx.Component,
    class_name: str = "record-form",
    tone: Tone = "brand",
) -> rx.Component:
    """The form of an action as a part of the page, shown if it is possible and permitted; `beside` is next to its button."""
    name = _form_name(record, action.key)
    sign = (icon(action.icon, size=18),) if action.icon else ()
    submit = button(*sign, action.confirm or action.label, type="submit", tone=tone)
    form = unvalidated_form(
        form_fields(rx.Var.create(describe_form(action.fields, {})), name, RecordState.errors),
        button_row(submit, *beside) if beside else submit,
        keep_draft(name, RecordState.reference),
        id=name,
        on_focus=RecordState.begin(action.key),
        on_submit=RecordState.run(action.key),
        class_name=class_name,
    )
    return rx.cond(can_act(record, action), form)


def can_act(record: Record, action: Action) -> rx.Var[bool]:
    """Return a variable that says whether the action is possible and permitted."""
    return has_permission(action.permission or record.work) & RecordState.possible.contains(action.key)


def _warning(related: Related) -> rx.Component:
    lines: Any = RecordState.related[related.key]
    return rx.cond(lines, notice(rx.el.p(related.words), related_list(related), role="note"))


def _related_card(related: Related) -> rx.Component:
    lines: Any = RecordState.related[related.key]
    words = (rx.el.p(related.words),) if related.words else ()
    return rx.cond(lines, card(related.heading, *words, related_list(related)))


def related_list(related: Related) -> rx.Component:
    """The lines of what belongs to the record."""
    lines: Any = RecordState.related[related.key]
    return rx.el.ul(rx.foreach(lines, _related_line), class_name="office-log")


def _related_line(line: Any) -> rx.Component:
    link = rx.el.a(line.label, href=line.href, class_name="link")
    return rx.el.li(rx.cond(line.href != "", link, line.label), rx.el.span(line.text), key=line.label)


def _buttons(record: Record) -> tuple[rx.Component, ...]:
    buttons = [action_button(record, action) for action in record.actions if action.is_shown]
    if not record.fields:
        return tuple(buttons)
    edit = small_button("Edit", tone="ink", on_click=RecordState.ask(EDIT))
    return (rx.cond(has_permission(record.work) & RecordState.possible.contains(EDIT), edit), *buttons)


def action_button(record: Record, action: Action) -> rx.Component:
    """The button of an action, shown if it is possible and permitted."""
    on_click = RecordState.ask(action.key) if action.is_asked else RecordState.run(action.key, {})
    sign = (icon(action.icon, size=18),) if action.icon else ()
    return rx.cond(
        can_act(record, action), small_button(*sign, action.label, tone=action.tone, on_click=on_click)
    )


def _fact_list() -> rx.Component:
    return rx.el.dl(rx.foreach(RecordState.details, _fact_line), class_name="office-facts")


def _fact_line(line: Any) -> rx.Component:
    link = rx.cond(
        line.is_outside,
        outside_link(line.text, href=line.href, class_name="link"),
        rx.el.a(breakable_address(line.text), href=line.href, class_name="link"),
    )
    return rx.fragment(
        rx.el.dt(line.label), rx.el.dd(rx.cond(line.href != "", link, line.text)), key=line.label
    )


def _new_card(record: Record) -> rx.Component:
    name = _form_name(record, CREATE)
    return card(
        f"New {record.noun[0]}",
        unvalidated_form(
            form_fields(RecordState.form, name, RecordState.errors),
            button_row(
                button(record.create_label or f"Create {record.noun[0]}", type="submit"),
                link_button("Cancel", record.list_path, "ghost"),
            ),
            keep_draft(name, ""),
            on_submit=RecordState.run(CREATE),
            class_name="office-form",
        ),
        identity=f"new-{record.kind}",
    )


def _edit_card(record: Record, further: tuple[rx.Component, ...]) -> rx.Component:
    name = _form_name(record, EDIT)
    return rx.cond(
        RecordState.panel == EDIT,
        card(
            f"Edit {record.noun[0]}",
            unvalidated_form(
                form_fields(RecordState.form, name, RecordState.errors),
                *further,
                submit_row("Save"),
                keep_draft(name, RecordState.reference),
                on_submit=RecordState.run(EDIT),
                class_name="office-form",
            ),
            FocusWhen.create(when=RecordState.panel != "", target=RecordState.first),
            identity=f"{name}-heading",
        ),
    )


def submit_row(label: Text, cancel_label: Text = "Cancel") -> rx.Component:
    """The buttons of an open form."""
    cancel = button(cancel_label, tone="ghost", on_click=RecordState.close_panel, type="reset")
    return button_row(button(label, type="submit"), cancel)


def _action_dialog() -> rx.Component:
    """The dialog of all actions: its words and fields are values of the state, so a further action adds no script."""
    words: Any = RecordState.dialog
    is_open = words.contains("title")
    form = unvalidated_form(
        form_fields(RecordState.form, words["form"], RecordState.errors),
        # The style sheet hides it while a field of the form shows its own message.
        rx.cond(
            RecordState.problem != "", notice(RecordState.problem, tone="error", class_name="office-problem")
        ),
        submit_row(words["confirm"], words["cancel"]),
        keep_draft(words["form"], RecordState.reference),
        on_submit=RecordState.run(RecordState.panel),
    )
    text = rx.cond(RecordState.question != "", rx.el.p(RecordState.question))
    return dialog(
        "record-dialog",
        words["title"],
        rx.cond(is_open, rx.fragment(text, form)),
        is_open=is_open,
        on_cancel=RecordState.close_panel,
    )
