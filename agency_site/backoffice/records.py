"""The declaration of a staff record: its fields, columns, state and actions. List, page, form, history and log follow.

A `Record` names a versioned table and says once what each value is (`fields.Field`) and what staff can do (`Action`). Functions
below run every change in the transaction of the caller: they lock the row, compare its version with the one that the editor saw,
check that the action is possible, store the values, and log the event. `record_page` draws the screens.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from sqlalchemy import ColumnElement, Select, SQLColumnExpression, inspect
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.lists.definition import Action as ListAction
from agency_site.backoffice.lists.definition import (
    ActionOptions,
    Cell,
    Clients,
    Column,
    Filter,
    ListDefinition,
    Outcome,
    Search,
    Tone,
    record_of,
    when,
)
from agency_site.backoffice.lists.definition import change_each as change_each
from agency_site.clock import now
from agency_site.db.event_log import (
    ARROW,
    RETENTION,
    SYSTEM,
    VISITOR,
    EventRow,
    LoggedEvent,
    append_event,
    describe_edit,
    list_events,
)
from agency_site.errors import Conflict, FieldError, InputRejected, NotFound, StaleRecord
from agency_site.fields import Control, Field, Fields
from agency_site.form_input import CHECK_FIELDS, field_text
from agency_site.ids import new_reference, parse_id
from agency_site.phone_numbers import format_phone_number

CREATE, EDIT = "create", "edit"
"""The keys of the two actions that every record with fields has."""
NOTE = "note"
"""The key of the form for notes, and the name of its field."""
NOTE_LENGTH = 2_000
CREATED, EDITED = "created", "edited"
"""Their events."""
NOTED = "noted"
"""The step of a note in the audit log, and its event in the history."""
CLIENT = "client"
"""Among the facts of a record: the link to all records of its client."""
STATE = "state"
"""The name under which the state of a record is compared in an edit conflict."""
_ACTORS = {VISITOR: "the visitor", SYSTEM: "Automatic", RETENTION: "Automatic"}

Values = Mapping[str, Any]
"""The parsed values of fields by name."""


@dataclass(frozen=True)
class Leave:
    """The result of an action after which another page is shown."""

    href: str
    is_gone: bool = False
    """The record has no page any more, so the browser's history leaves it out."""


Verb = Callable[[AsyncSession, Any, Values, Staff], Awaitable[str | Leave | None]]
"""Changes the locked row in the transaction of the session. Returns the message for the page; None for the one of the action."""


@dataclass
class HistoryLine:
    """One entry of a record's history."""

    what: str
    words: str
    """The text of the entry, such as a note; empty if it has none."""
    at: str
    who: str
    noted: bool = False
    """The text matters more than the step: a note, an answer."""


@dataclass
class RelatedLine:
    """A line about something that belongs to a record."""

    label: str
    text: str
    href: str = ""
    who: str = ""
    """Who has added the line; a conflict names them."""


ReadRelated = Callable[[AsyncSession, Any], Awaitable[list[RelatedLine]]]
ReadHistory = Callable[[AsyncSession, Any], Awaitable[list[HistoryLine]]]


@dataclass(frozen=True)
class Related:
    """Lines about what belongs to a record, shown if there are any."""

    key: str
    read: ReadRelated
    """Returns the lines for a row of `Record.rows`."""
    heading: str = ""
    """Empty for a warning, which has no card of its own."""
    words: str = ""
    """The text above the lines."""
    is_shown: bool = True
    """A card or a warning of the page; False for lines that a component of the page draws."""
    follows_version: bool = True
    """They are read again only when the record's version changes; False for lines that change without it."""


def _always(_row: Any) -> bool:
    return True


@dataclass(frozen=True)
class Action:
    """What staff can do with a record: a button of its page, a dialog, and with `each` an action on selected rows."""

    key: str
    label: str
    verb: Verb
    _: KW_ONLY
    event: str | None = None
    """The event in the history and in the audit log; None for `key`."""
    is_logged: bool = True
    """The event is appended to the history after the verb; False for a verb that appends its own."""
    is_audited: bool = True
    """The audit log gets an entry about the row after the verb; False for a verb that writes its own, such as one about another
    record."""
    locks: bool = True
    """The row is locked before the verb; False for a verb that locks other rows before this one."""
    done: str = ""
    """What is said afterwards."""
    fields: tuple[Field, ...] = ()
    """What the dialog asks for."""
    title: str = ""
    """The heading of the dialog; empty for one made of label and noun."""
    question: str | Callable[[Any], str] = ""
    """The text of the dialog, which may depend on the row of `Record.rows`. Without text and fields the button acts at once."""
    confirm: str = ""
    """The button of the dialog; empty for `label`."""
    cancel: str = "Cancel"
    """The button that closes the dialog."""
    when: Callable[[Any], bool] = _always
    """Whether the state of the row allows the action."""
    refusal: Callable[[Any], str] | None = None
    """Returns why the state of the row does not allow it."""
    permission: Permission | None = None
    """None for the permission to change the record."""
    sets: Mapping[str, str] = field(default_factory=dict)
    """What it sets, by names of fields or `STATE`, for comparing with what another editor has saved meanwhile."""
    adds_to: Mapping[str, str] = field(default_factory=dict)
    """The `Related`, by the name of a field, to which the text of the field is added as a line. A line that another person has
    added since this editor began to fill in the form is shown before theirs is stored."""
    each: bool = False
    """Also an action on selected rows; the text of its field, which can only be one, is the reason for all of them."""
    each_question: str = ""
    """The text of the dialog for rows, with their number as `{count}`."""
    is_shown: bool = True
    """A button of the page's head; False for an action that a panel draws, or that rows only have."""
    tone: str = "ghost"
    icon: str = ""
    is_offered: Callable[[AsyncSession, Any], Awaitable[bool]] | None = None
    """Whether the page offers it, besides `when`: a row of `Record.rows`, or the database, may say more than the table's row."""
    draw: Callable[[], Any] | None = None
    """Draws the form as a part of the page, with what a dialog has no room for; it submits to `RecordState.run`."""
    on_open: Any = None
    """The event of another state that follows when the form opens."""
    reference_of: Callable[[Any], str] | None = None
    """Returns the reference in the audit log, if it is not the one of the row."""

    @property
    def step(self) -> str:
        """The event in the history and in the audit log."""
        return self.key if self.event is None else self.event

    @property
    def is_asked(self) -> bool:
        """Return whether a form or a dialog comes before it."""
        return bool(self.fields or self.question or self.draw)


@dataclass(frozen=True)
class FieldColumn:
    """A column of a list that shows a field."""

    name: str
    sort: bool = False
    tone: Tone = ""
    is_shown: bool = True
    exported: bool = False
    caption: bool = False
    linked: bool = False


@dataclass(frozen=True)
class SavedVersion:
    """A record as it is stored now, for an editor who saw an earlier version."""

    version: int
    fields: Mapping[str, str]
    """The text of each field, and the label of the state."""
    state: str
    authors: Mapping[str, str]
    """Who changed a field last; without those of which the history says nothing."""


NoteVerb = Callable[[AsyncSession, Any, str, Staff], Awaitable[None]]
ReadValues = Callable[[AsyncSession, Any, Staff], Awaitable[Mapping[str, str]]]


async def _accept(_session: AsyncSession, _row: Any, _values: Values, _who: Staff) -> None:
    """Accept all values."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """One kind of staff record."""

    table: Any
    """A table, with `version` if two editors could change a row."""
    kind: str
    """The name in the audit log, in event names and in drafts."""
    noun: tuple[str, str]
    """Singular and plural, such as `coupon` and `coupons`."""
    icon: str = ""
    path: str
    """The path of the detail page."""
    list_path: str
    parameter: str = "ref"
    """The query parameter that names the record."""
    see: Permission
    work: Permission
    """Required for a new record, for edits, and for actions without a permission of their own."""
    reference: SQLColumnExpression[Any]
    """The column that names a record in addresses, lists and logs."""
    prefix: str = ""
    """The prefix of references of new records; empty if staff enter the reference."""
    clean_reference: Callable[[str], str] = str.strip
    """Returns a typed reference as the column stores it."""
    fields: tuple[Field, ...] = ()
    """What staff fill in; empty if visitors fill the record."""
    check: Verb = _accept
    """Checks what concerns several fields, after they are stored in the row; may fill further columns. A new row has no id."""
    missing: str = ""
    """The message for a reference that no row has; empty for one made of the noun."""
    can_create: bool = False
    create_label: str = ""
    can_edit: Callable[[Any], bool] = _always
    edit_refusal: Callable[[Any], str] | None = None
    opens_form: Callable[[Any], bool] | None = None
    """Returns whether the page of a row of `rows` opens with its form; None for never."""
    author: str = "author"
    """The column with the address of the staff account that has changed a row last, if the table has it; empty if its column of
    that name says something else."""
    actions: tuple[Action, ...] = ()
    state: Callable[[Any], Cell] | None = None
    """Returns the label of a row's state. It gets a row of `rows`, as `heading` and `facts` do."""
    heading: Callable[[Any], tuple[str, str]]
    """Returns the heading and the line below it."""
    facts: tuple[str | Column, ...] = ()
    """The card of the page: names of fields, columns, and `CLIENT`."""
    saved: str = "Saved."
    """What is said after an edit."""
    welcome: Callable[[Any], str] | None = None
    """Returns what is said about a table's row that has just been created, when its page opens at an address with `new`."""
    edit_step: str = EDITED
    """The event of an edit in the history and in the audit log."""
    log_facts: Callable[[Any], tuple[str, ...]] | None = None
    """Returns what the audit log compares before and after an action on a table's row; None for the state."""
    related: tuple[Related, ...] = ()
    events: type[EventRow] | None = None
    read_events: Callable[[AsyncSession, Any], Awaitable[list[LoggedEvent]]] | None = None
    """Returns the events of a table's row, oldest first, if there are others than those of the table `events`."""
    history_heading: str = "History"
    steps: Mapping[str, str] = field(default_factory=dict)
    """The words of events in the history; by default those of `CREATED`, `EDITED` and the labels of actions."""
    history: ReadHistory | None = None
    """Returns the history of a row of `rows`, newest first, if it is not in `events`."""
    note: NoteVerb | None = None
    """Stores a note of staff about a table's row. The page has a form for it if this is given."""
    values: ReadValues | None = None
    """Reads further texts for the panels of the page, by their names in `RecordState.facts`, from a row of `rows`."""
    address_values: Callable[[Any, Mapping[str, str]], Mapping[str, str]] | None = None
    """Returns further such texts from a row of `rows` and the query parameters of the page."""
    column_labels: Mapping[str, str] = field(default_factory=dict)
    """Labels of columns in the history, beside those of the fields with the same name."""
    log_labels: Mapping[str, str] = field(default_factory=dict)
    """The words of steps in the audit log, by their names, where noun and step do not say it."""
    describe_event: Callable[[LoggedEvent, HistoryLine], HistoryLine | None] = lambda _event, line: line
    """Returns the line of the history for an event, from the usual line; None to leave it out."""
    list_name: str = ""
    """The name of the list in addresses; empty for the plural noun."""
    title: str = ""
    """The title of the list; empty for the plural noun."""
    rows: Callable[[], Select[Any]] | None = None
    """The statement of list and page, if rows have further columns."""
    list_rows: Callable[[], Select[Any]] | None = None
    """The statement of the list, if it leaves out rows, or large columns, that only the page shows."""
    visible: Callable[[Staff], ColumnElement[bool]] | None = None
    columns: tuple[str | FieldColumn | Column, ...]
    order: str
    filters: tuple[Filter, ...] = ()
    search: Search | None = None
    search_hint: str = ""
    found_everywhere: bool = True
    clients: Clients | None = None
    list_actions: tuple[ListAction, ...] = ()
    """Actions on selected rows that are no actions of one record."""
    attention: tuple[str, str] | None = None
    empty: str = "Nothing here yet."

    @property
    def name(self) -> str:
        """The singular noun with a capital."""
        return self.noun[0].capitalize()

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """The labels of what two editors may change differently."""
        headings = {each.key: each.heading for each in self.related}
        additions = ((name, headings[key]) for action in self.actions for name, key in action.adds_to.items())
        own = {each.name: each.label for each in self.fields} | ({STATE: "State"} if self.state else {})
        return own | dict(additions)

    @cached_property
    def history_labels(self) -> Mapping[str, str]:
        """The labels of columns in the history."""
        own = ((column, each.label) for each in self.fields for column in (each.columns or (each.name,)))
        return dict(own) | dict(self.column_labels)

    @cached_property
    def event_words(self) -> Mapping[str, str]:
        """The words of each event."""
        own = {action.step: action.label for action in self.actions}
        return {CREATED: "Created", self.edit_step: "Edited"} | own | dict(self.steps)

    @cached_property
    def log_words(self) -> Mapping[str, str]:
        """The words of each step in the audit log."""
        edits = (CREATED, self.edit_step) if self.fields else ()
        steps = (*edits, *(action.step for action in self.actions), *((NOTED,) if self.note else ()))
        return {step: f"{self.name} {step.replace('_', ' ')}" for step in steps} | dict(self.log_labels)

    @cached_property
    def definition(self) -> ListDefinition:
        """The list of these records."""
        return ListDefinition(
            name=self.list_name or self.noun[1].replace(" ", "-"),
            title=self.title or self.noun[1].capitalize(),
            noun=self.noun,
            kind=self.kind,
            path=self.list_path,
            permission=self.see,
            rows=self.list_rows or self.select_rows,
            visible=self.visible,
            identity=col(self.table.id),
            reference=self.reference_of,
            columns=tuple(map(self._list_column, self.columns)),
            order=self.order,
            href=lambda row: self.address(self.reference_of(row)),
            filters=self.filters,
            search=self.search,
            search_hint=self.search_hint,
            found_everywhere=self.found_everywhere,
            clients=self.clients,
            actions=(*map(self._list_action, (each for each in self.actions if each.each)), *self.list_actions),
            attention=self.attention,
            empty=self.empty,
        )  # fmt: skip

    def select_rows(self) -> Select[Any]:
        """Return the statement of list and page."""
        return self.rows() if self.rows else select(self.table)

    def reference_of(self, row: Any) -> str:
        """Return the name of a row in addresses, lists and logs."""
        return str(getattr(record_of(row, self.table), str(getattr(self.reference, "key", ""))))

    def address(self, reference: str = "") -> str:
        """Return the address of the record's page; without a reference that of the form of a new record."""
        return f"{self.path}?{self.parameter}={reference}" if reference else self.path

    def find_field(self, name: str) -> Field:
        """Return the field of that name. Raises KeyError."""
        return next(each for each in self.fields if each.name == name)

    def find_action(self, key: object) -> Action | None:
        """Return the action of that key."""
        return next((action for action in self.actions if action.key == key), None)

    def permission_to(self, key: object) -> Permission | None:
        """Return the permission that an action requires; None if the record has no such action."""
        if key == CREATE:
            return self.work if self.can_create else None
        if key == EDIT:
            return self.work if self.fields else None
        if key == NOTE:
            return self.work if self.note else None
        action = self.find_action(key)
        return (action.permission or self.work) if action else None

    def list_possible(self, whole: Any) -> list[str]:
        """Return the keys of the actions that the state of a row of `rows` allows."""
        row = record_of(whole, self.table)
        possible = [action.key for action in self.actions if action.when(row)]
        return [EDIT, *possible] if self.fields and self.can_edit(row) else possible

    def texts(self, row: Any) -> dict[str, str]:
        """Return the text of each field of a table's row as the form shows it."""
        return {each.name: each.text_of(each.value_in(row)) for each in self.fields}

    def first_texts(self) -> dict[str, str]:
        """Return the text of each field in the form of a new record."""
        return {each.name: each.first for each in self.fields}

    def _list_column(self, column: str | FieldColumn | Column) -> Column:
        if isinstance(column, Column):
            return column
        chosen = FieldColumn(column) if isinstance(column, str) else column
        own = self.find_field(chosen.name)
        return Column(
            own.name,
            own.label,
            lambda row: field_cell(own, record_of(row, self.table), chosen.tone),
            sort=col(getattr(self.table, own.name)) if chosen.sort else None,
            is_shown=chosen.is_shown,
            exported=chosen.exported,
            caption=chosen.caption,
            linked=chosen.linked,
            unit="Nairobi" if own.control is Control.MOMENT else "",
        )

    def _list_action(self, action: Action) -> ListAction:
        async def run(
            session: AsyncSession, references: Sequence[str], who: Staff, options: ActionOptions
        ) -> Sequence[Outcome]:
            texts = {each.name: options.reason for each in action.fields}

            async def change(session: AsyncSession, reference: str, who: Staff) -> None:
                await act(session, self, action, reference, None, texts, who)

            return await change_each(change)(session, references, who, options)

        return ListAction(
            action.key,
            action.label,
            action.permission or self.work,
            run,
            question=action.each_question or f"{action.label} {{count}}?",
            wants_reason=any(each.is_required for each in action.fields),
            is_audited=True,
        )


def field_cell(own: Field, row: Any, tone: Tone = "") -> Cell:
    """Return the value of a field of a table's row, for lists and facts."""
    value = own.value_in(row)
    raw = value if isinstance(value, int | datetime) and not isinstance(value, bool) else None
    return Cell(own.words_of(value), tone, raw)


_records: dict[str, Record] = {}


def register_record(record: Record) -> Record:
    """Register the record under its path. Raises ValueError if two records share a path."""
    if _records.setdefault(record.path, record) is not record:
        raise ValueError(f"two records have the path {record.path}")
    return record


def find_record_at(path: str) -> Record | None:
    """Return the record whose page has the path, with or without a trailing slash."""
    return _records.get(path.rstrip("/"))


def find_record(kind: str) -> Record | None:
    """Return the record of a kind."""
    return next((record for record in _records.values() if record.kind == kind), None)


def records() -> tuple[Record, ...]:
    """Return all records."""
    return tuple(_records.values())


_NOTHING: Fields = {}


def parse_fields(fields: Iterable[Field], texts: Fields, stored: Fields = _NOTHING) -> dict[str, Any]:
    """Return the value of each field, without those that have a text which is `stored` already.

    A stored text is accepted as it is, because its choice may no longer be offered. Raises InputRejected with a message for each
    wrong field.
    """
    values, errors = {}, []
    for each in fields:
        text = texts.get(each.name, "")
        if text and text == stored.get(each.name):
            continue
        try:
            values[each.name] = each.parse(text)
        except ValueError as problem:
            errors.append(FieldError(each.name, str(problem)))
    if errors:
        raise InputRejected(CHECK_FIELDS, tuple(errors))
    return values


async def find_row(session: AsyncSession, record: Record, who: Staff, reference: str) -> Any:
    """Return the row of list and page with that reference. Raises NotFound if there is none that `who` may see."""
    statement = record.select_rows().where(record.reference == _encodable(record, reference))
    if record.visible:
        statement = statement.where(record.visible(who))
    row = (await session.exec(statement.execution_options(populate_existing=True))).one_or_none()  # type: ignore[call-overload]
    if row is None:
        raise NotFound(record.missing or f"There is no {record.noun[0]} {reference.strip()[:40]}.")
    return row


async def lock_row(
    session: AsyncSession,
    record: Record,
    who: Staff,
    reference: str,
    version: int | None = None,
    *,
    locks: bool = True,
) -> Any:
    """Return the table's row with that reference, locked until the transaction ends unless `locks` is False.

    Raises NotFound if there is none that `who` may see, and StaleRecord with a `SavedVersion` if it no longer has that version.
    """
    statement = select(record.table).where(record.reference == _encodable(record, reference))
    if record.visible:
        statement = statement.where(record.visible(who))
    if locks:
        statement = statement.with_for_update(of=record.table)
    row = (await session.exec(statement.execution_options(populate_existing=True))).one_or_none()
    if row is None:
        raise NotFound(record.missing or f"There is no {record.noun[0]} {reference.strip()[:40]}.")
    if version is not None and version_of(row) != version:
        raise StaleRecord(f"{record.noun[0]} {reference}", await _describe_saved(session, record, who, row))
    return row


def _encodable(record: Record, reference: str) -> Any:
    # A request may contain lone surrogates, which no database accepts, and NULs, which PostgreSQL refuses.
    text = record.clean_reference(reference.encode(errors="replace").decode().replace("\0", ""))
    return parse_id(text) if _has_numbers(record) else text


def version_of(row: Any) -> int:
    """Return the version of a table's row; 0 if the table has none."""
    return int(getattr(row, "version", 0))


def _has_numbers(record: Record) -> bool:
    return record.table.model_fields[str(getattr(record.reference, "key", ""))].annotation in (
        int,
        int | None,
    )


def is_changed(row: Any, column: str) -> bool:
    """Return whether the value of a column differs from the stored one; every value of a new row does."""
    return bool(inspect(row).attrs[column].history.has_changes())


async def create_record(session: AsyncSession, record: Record, texts: Fields, who: Staff) -> str:
    """Store a new record; return its reference. Raises InputRejected."""
    values = parse_fields(record.fields, texts)
    row = record.table()
    for each in record.fields:
        each.store(row, values[each.name])
    _stamp(record, row, who, is_new=True)
    await record.check(session, row, values, who)
    await _insert(session, record, row)
    await _log(session, record, row, CREATED, who)
    return record.reference_of(row)


async def edit_record(
    session: AsyncSession, record: Record, reference: str, version: int | None, texts: Fields, who: Staff
) -> bool:
    """Store the fields of a form; return whether anything changed.

    The entry of the audit log names what differs from the saved row. Raises NotFound, StaleRecord, Conflict and InputRejected.
    """
    row = await lock_row(session, record, who, reference, version)
    if not record.can_edit(row):
        raise Conflict(_refusal(record, row, record.edit_refusal))
    open_fields = [each for each in record.fields if not each.is_fixed]
    before = record.texts(row)
    present = {each.name: each.value_in(row) for each in open_fields}
    values = present | parse_fields(open_fields, texts, before)
    # Checks may read the database; what is not checked yet is not written for that.
    with session.no_autoflush:
        for each in open_fields:
            if before[each.name] != each.text_of(values[each.name]):
                each.store(row, values[each.name])
        await record.check(session, row, values, who)
    after = record.texts(row)
    changed = [each.label for each in open_fields if before[each.name] != after[each.name]]
    if not changed:
        return False
    note = describe_edit(*_changed_columns(record, row))
    _stamp(record, row, who)
    await session.flush()
    await _log(session, record, row, record.edit_step, who, ", ".join(changed), note)
    return True


async def act(
    session: AsyncSession,
    record: Record,
    action: Action,
    reference: str,
    version: int | None,
    texts: Fields,
    who: Staff,
) -> str | Leave:
    """Run an action; return what is said afterwards, or the page to leave for.

    What an editor of the present version asks for twice, by a double click, is done once. Raises NotFound, StaleRecord, Conflict
    and InputRejected.
    """
    row = await lock_row(session, record, who, reference, version, locks=action.locks)
    if not action.when(row):
        if version is not None and _is_set(record, action, row):
            return action.done
        raise Conflict(_refusal(record, row, action.refusal))
    before, named = _log_facts(record, row), (action.reference_of or record.reference_of)(row)
    result = await action.verb(session, row, parse_fields(action.fields, texts), who)
    if session.is_modified(row):
        _stamp(record, row, who)
    await session.flush()
    facts = zip(before, _log_facts(record, row), strict=True)
    detail = ", ".join(f"{old}{ARROW}{new}" for old, new in facts if old != new)
    if action.is_logged:
        await _append(session, record, row, action.step, who)
    if action.is_audited:
        await audit.record(session, who, f"{record.kind}.{action.step}", record.kind, named, detail)
    return result or action.done


def _is_set(record: Record, action: Action, row: Any) -> bool:
    """Return whether a row has all that the action sets."""
    current = record.texts(row) | {STATE: _state_text(record, row)}
    return bool(action.sets) and all(current.get(name) == text for name, text in action.sets.items())


async def add_note(session: AsyncSession, record: Record, reference: str, text: str, who: Staff) -> None:
    """Store a note of staff. Raises NotFound and InputRejected."""
    row = await lock_row(session, record, who, reference)
    assert record.note
    words = field_text(text, NOTE, "The note", NOTE_LENGTH, "Please write the note first.")
    await record.note(session, row, words, who)
    await audit.record(session, who, f"{record.kind}.{NOTED}", record.kind, record.reference_of(row))


def _refusal(record: Record, row: Any, explain: Callable[[Any], str] | None) -> str:
    if explain:
        return explain(row)
    state = _state_text(record, row)
    reason = f"This {record.noun[0]} is {state.lower()}, so this" if state else "This"
    return f"{reason} is not possible."


def _log_facts(record: Record, row: Any) -> tuple[str, ...]:
    return record.log_facts(row) if record.log_facts else (_state_text(record, row),)


def _state_text(record: Record, row: Any) -> str:
    return record.state(row).text if record.state and not record.rows else ""


async def _insert(session: AsyncSession, record: Record, row: Any) -> None:
    key = str(getattr(record.reference, "key", ""))
    while True:
        if record.prefix:
            setattr(row, key, new_reference(record.prefix))
        try:
            async with session.begin_nested():
                session.add(row)
        except IntegrityError:
            if record.prefix:
                drawn = select(record.table).where(record.reference == getattr(row, key))
                if (await session.exec(drawn)).first() is None:
                    raise
                # A reference that exists already is drawn again.
                continue
            label = record.find_field(key).label.lower()
            raise InputRejected(
                CHECK_FIELDS, (FieldError(key, f"A {record.noun[0]} with this {label} exists already."),)
            ) from None
        return


def _stamp(record: Record, row: Any, who: Staff, *, is_new: bool = False) -> None:
    """Fill the columns that say when a row was changed, and by whom, if the table has them."""
    stamps = {"updated_at": now(), record.author: who.email} | ({"created_at": now()} if is_new else {})
    entered = {each.name for each in record.fields}
    for name, value in stamps.items():
        if name in type(row).model_fields and name not in entered:
            setattr(row, name, value)


def _changed_columns(record: Record, row: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the old and the new value of each changed column that the history names."""
    before, after = {}, {}
    for name in record.history_labels:
        if name in type(row).model_fields and is_changed(row, name):
            history = inspect(row).attrs[name].history
            before[name] = history.deleted[0] if history.deleted else None
            after[name] = history.added[0]
    return before, after


async def _log(
    session: AsyncSession, record: Record, row: Any, step: str, who: Staff, detail: str = "", note: str = ""
) -> None:
    await _append(session, record, row, step, who, note)
    await audit.record(session, who, f"{record.kind}.{step}", record.kind, record.reference_of(row), detail)


async def _append(
    session: AsyncSession, record: Record, row: Any, step: str, who: Staff, note: str = ""
) -> None:
    if record.events:
        await append_event(session, record.events, [row.id], step, who.email, note=note)


async def _read_events(session: AsyncSession, record: Record, row: Any) -> list[LoggedEvent]:
    if record.read_events:
        return await record.read_events(session, row)
    return await list_events(session, record.events, row.id) if record.events else []


async def _describe_saved(session: AsyncSession, record: Record, who: Staff, row: Any) -> SavedVersion:
    events = await _read_events(session, record, row)
    texts = record.texts(row)
    whole = await find_row(session, record, who, record.reference_of(row)) if record.rows else row
    state = record.state(whole).text if record.state else ""
    authors = dict.fromkeys(texts, str(getattr(row, record.author, "") if record.author else ""))
    for event in events:
        if event.what == NOTED:
            continue
        # Reasons are texts of people, which may begin like the line of an edit.
        lines = event.note.splitlines() if event.what == record.edit_step else ()
        names = [line.partition(": ")[0] for line in lines]
        edited = {each.name for each in record.fields if {each.name, *each.columns}.intersection(names)}
        authors |= dict.fromkeys(edited or (STATE,), _ACTORS.get(event.actor, event.actor))
    return SavedVersion(
        version_of(row), texts | ({STATE: state} if record.state else {}), state.lower(), authors
    )


async def list_history(session: AsyncSession, record: Record, whole: Any) -> list[HistoryLine]:
    """Return the history of a row of `Record.rows`, newest first."""
    if record.history:
        return await record.history(session, whole)
    events = await _read_events(session, record, record_of(whole, record.table))
    return list(_history_lines(record, reversed(events)))


def _history_lines(record: Record, events: Iterable[LoggedEvent]) -> Iterator[HistoryLine]:
    for event in events:
        words = (
            edit_words(event.note, record.history_labels, record.fields)
            if event.what == record.edit_step
            else event.note
        )
        what = record.event_words.get(event.what, event.what.replace("_", " ").capitalize())
        line = HistoryLine(what, words, when(event.at), _ACTORS.get(event.actor, event.actor))
        if described := record.describe_event(event, line):
            yield described


def edit_words(note: str, labels: Mapping[str, str], fields: Sequence[Field] = ()) -> str:
    """Return the columns that an edit changed, as `describe_edit` stored them, in words; columns without a label are left out."""
    options = {
        each.name: dict(each.list_options())
        for each in fields
        if each.control in (Control.CHOICE, Control.CHOICES)
    }
    changes = []
    for line in note.splitlines():
        name, _, values = line.partition(": ")
        if name in labels:
            old, _, new = values.partition(ARROW)
            known = options.get(name, {})
            words = (known.get(value) or _format_stored_value(value) for value in (old, new))
            changes.append(f"{labels[name]}: {ARROW.join(words)}")
    return "\n".join(changes)


def _format_stored_value(stored: str) -> str:
    if stored.startswith("+"):
        return format_phone_number(stored)
    try:
        return when(datetime.fromisoformat(stored)) if "T" in stored else stored or "empty"
    except ValueError:
        return stored
