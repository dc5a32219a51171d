"""The state of one list on the screen.

The address decides what is shown: handlers change the address, and opening it reads the database.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.auth.tables import SavedView
from agency_site.backoffice.access_control import staff_event, staff_page, staff_watch
from agency_site.backoffice.lists.definition import (
    Action,
    ActionOptions,
    Choice,
    Days,
    ListDefinition,
    ListQuery,
    StoredChoice,
    filter_keys,
    find_definition_at,
    last_page,
    read_query,
    shown_columns,
)
from agency_site.backoffice.lists.query import Page, open_page, page_of
from agency_site.backoffice.lists.saved_views import delete_view, keep_view, views_of
from agency_site.backoffice.state import StaffState
from agency_site.clock import format_moment, now
from agency_site.db.engine import report_scope, session_scope
from agency_site.errors import FieldError, InputRejected
from agency_site.ui.forms import submitted

PICK = "pick:"
"""The prefix of the name of each row's checkbox; the reference follows."""


@dataclass
class Heading:
    """The heading of a column."""

    key: str
    label: str
    sort: str
    """The sort order that a click selects; empty if the column cannot be sorted."""
    direction: str
    """`ascending`, `descending` or `none`."""


@dataclass
class Field:
    """A cell of a row."""

    label: str
    text: str
    tone: str
    caption: bool
    """Narrow screens show the label too."""
    href: str = ""
    """The address of the record's page, in the one cell that links to it."""
    picture: str = ""


@dataclass
class Line:
    """A row."""

    reference: str
    href: str
    fields: list[Field]


@dataclass
class FilterOption:
    """An option of a filter with values of the database."""

    filter: str
    value: str
    text: str


@dataclass
class View:
    """A saved view."""

    id: int
    name: str
    href: str
    current: bool


def _permission_of_list(state: "ListState", *_sent: object, **_named: object) -> Permission | None:
    definition = state._definition()
    return definition.permission if definition else None


class ListState(StaffState):
    """The list at the open path."""

    headings: rx.Field[list[Heading]] = rx.field(default_factory=list)
    lines: rx.Field[list[Line]] = rx.field(default_factory=list)
    total: rx.Field[int] = rx.field(0)
    page: rx.Field[int] = rx.field(1)
    pages: rx.Field[int] = rx.field(1)
    words: rx.Field[str] = rx.field("")
    chosen: dict[str, str] = {}
    """The value of each active filter."""
    stored_options: rx.Field[list[FilterOption]] = rx.field(default_factory=list)
    columns: rx.Field[list[str]] = rx.field(default_factory=list)
    """Keys of the visible columns."""
    narrowed: rx.Field[int] = rx.field(0)
    """The number of active filters, including the search."""
    printed: rx.Field[str] = rx.field("")
    """The line above the rows of a printed list: search, filters and the moment."""
    query: rx.Field[str] = rx.field("")
    views: rx.Field[list[View]] = rx.field(default_factory=list)
    question: rx.Field[str] = rx.field("")
    """The text of the dialog before an action; empty if none is open."""
    action_label: rx.Field[str] = rx.field("")
    notify_label: rx.Field[str] = rx.field("")
    wants_reason: rx.Field[bool] = rx.field(False)
    """The action of the dialog requires a reason."""
    outcomes: rx.Field[list[str]] = rx.field(default_factory=list)
    """The records that the last action could not change, with the reason."""
    round: rx.Field[int] = rx.field(0)
    """Incremented to draw the checkboxes afresh."""
    _action: str = ""
    _picked: list[str] = []

    @staff_page(_permission_of_list)
    async def open_list(self, who: Staff) -> None:
        """Show what the address requests."""
        await self._show(who)

    @staff_watch(_permission_of_list)
    async def refresh(self, who: Staff) -> None:
        """Show changes on this page."""
        definition, list_query = self._read_address(who)
        current_query = list_query.at(self.page)
        async with report_scope() as session:
            rows = await page_of(session, definition, current_query, self.total)
            if lines_of(definition, current_query, rows) == self.lines:
                return
            self._show_page(definition, list_query, await open_page(session, definition, list_query))

    @staff_event(_permission_of_list)
    async def narrow(self, who: Staff, form: dict[str, Any]) -> Any:
        """Apply the search and the filters of the form."""
        definition, list_query = self._read_address(who)
        fields = submitted(form)
        keys = [key for list_filter in definition.filters for key in filter_keys(list_filter)]
        form_query = read_query(
            definition, {"q": fields.get("q", ""), **{key: fields.get(key, "") for key in keys}}
        )
        return _redirect_to(
            definition, replace(list_query, words=form_query.words, filters=form_query.filters, page=1)
        )

    @staff_event(_permission_of_list)
    async def sort(self, who: Staff, order: str) -> Any:
        definition, list_query = self._read_address(who)
        sort_query = read_query(definition, {"sort": order if isinstance(order, str) else ""})
        return _redirect_to(definition, replace(list_query, order=sort_query.order, page=1))

    @staff_event(_permission_of_list)
    async def turn_to(self, who: Staff, page: int) -> Any:
        definition, list_query = self._read_address(who)
        number = page if isinstance(page, int) and not isinstance(page, bool) else 1
        return _redirect_to(definition, list_query.at(min(max(number, 1), self.pages)))

    @staff_event(_permission_of_list)
    async def choose_columns(self, who: Staff, form: dict[str, Any]) -> Any:
        definition, list_query = self._read_address(who)
        ticked = [key.removeprefix("column:") for key in submitted(form) if key.startswith("column:")]
        column_query = read_query(definition, {"columns": ",".join(ticked)})
        return _redirect_to(definition, replace(list_query, columns=column_query.columns))

    @staff_event(_permission_of_list)
    async def save_view(self, who: Staff, form: dict[str, Any]) -> None:
        """Save the query under a name; an older view of that name is replaced."""
        definition, list_query = self._read_address(who)
        name = " ".join(submitted(form).get("name", "").split())[:60]
        if not name:
            raise InputRejected("", (FieldError("view", "Please give the view a name."),))
        async with session_scope() as session:
            await keep_view(session, who, definition, name, list_query.query)
        await self._show(who)
        self._say(f"View {name} saved.")

    @staff_event(_permission_of_list)
    async def drop_view(self, who: Staff, identity: int) -> None:
        """Delete one of the reader's own views."""
        if not isinstance(identity, int) or isinstance(identity, bool) or abs(identity) > 2**31:
            return
        async with session_scope() as session:
            await delete_view(session, who, identity)
        await self._show(who)

    @staff_event(_permission_of_list)
    async def ask(self, who: Staff, form: dict[str, Any]) -> None:
        """Open the dialog of an action on the selected rows."""
        definition, _ = self._read_address(who)
        fields = submitted(form)
        action = _action_of(definition, fields.get("action"), who)
        visible = {line.reference for line in self.lines}
        picked = [name.removeprefix(PICK) for name in fields if name.startswith(PICK)]
        self._picked = [reference for reference in picked if reference in visible]
        self.outcomes = []
        if action is None:
            return
        if not self._picked:
            raise InputRejected("Please select at least one row.")
        self._action, self.action_label, self.notify_label = action.key, action.label, action.notify_label
        self.wants_reason = action.wants_reason
        self.errors = {}
        singular, plural = definition.noun
        count = len(self._picked)
        self.question = action.question.format(count=f"{count} {singular if count == 1 else plural}")

    @staff_event(_permission_of_list)
    async def dismiss(self, _who: Staff) -> None:
        self.question = self._action = ""

    @staff_event(_permission_of_list)
    async def run(self, who: Staff, form: dict[str, Any]) -> None:
        """Run the action of the dialog."""
        definition, _ = self._read_address(who)
        action, picked, fields = _action_of(definition, self._action, who), self._picked, submitted(form)
        if action and action.wants_reason and not fields.get("reason", "").strip():
            raise InputRejected("", (FieldError("reason", "Please give a reason."),))
        self.question = self._action = ""
        if action is None or not picked:
            return
        kind = definition.kind or definition.noun[0]
        options = ActionOptions("notify" in fields, fields.get("reason", "").strip())
        async with session_scope() as session:
            outcomes = await action.run(session, picked, who, options)
            for reference, why_not in outcomes:
                if not why_not and not action.is_audited:
                    await audit.record(session, who, f"{kind}.{action.key}", kind, reference)
        await self._show(who)
        self._report(outcomes)

    def _report(self, outcomes: Sequence[tuple[str, str]]) -> None:
        refused = [f"{reference}: {why_not}" for reference, why_not in outcomes if why_not]
        self.outcomes = refused
        self.round += 1
        changed = len(outcomes) - len(refused)
        if refused:
            self._fail(f"Done: {changed}. Not possible: {len(refused)}.", {})
        else:
            self._say(f"Done: {changed}.")

    def _definition(self) -> ListDefinition | None:
        return find_definition_at(str(self.router.url.path))

    def _read_address(self, who: Staff) -> tuple[ListDefinition, ListQuery]:
        declared = self._definition()
        assert declared is not None
        definition = declared.seen_by(who)
        return definition, read_query(definition, self.router.url.query_parameters)

    def _show_page(self, definition: ListDefinition, list_query: ListQuery, page: Page) -> None:
        self.lines = lines_of(definition, list_query, page.rows)
        self.page, self.total, self.pages = page.number, page.total, last_page(page.total)

    async def _show(self, who: Staff) -> None:
        definition, list_query = self._read_address(who)
        async with report_scope() as session:
            self._show_page(definition, list_query, await open_page(session, definition, list_query))
            self.views = _view_links(definition, list_query, await views_of(session, who, definition))
            self.stored_options = await _read_options(session, definition)
        self.words, self.query = list_query.words, list_query.at(self.page).query
        self.chosen = {**list_query.filters}
        self.narrowed = len(list_query.filters) + bool(list_query.words)
        self.printed = "; ".join(
            (*_describe_filters(definition, list_query, self.stored_options), format_moment(now()))
        )
        self.columns = [column.key for column in shown_columns(definition, list_query)]
        self.headings = _headings(definition, list_query)


def _redirect_to(definition: ListDefinition, list_query: ListQuery) -> Any:
    return rx.redirect(f"{definition.path}?{list_query.query}" if list_query.query else definition.path)


async def _read_options(session: AsyncSession, definition: ListDefinition) -> list[FilterOption]:
    return [
        FilterOption(list_filter.key, value, text)
        for list_filter in definition.filters
        if isinstance(list_filter, StoredChoice)
        for value, text in await list_filter.read_options(session)
    ]


def _describe_filters(
    definition: ListDefinition, list_query: ListQuery, stored: Sequence[FilterOption]
) -> Iterator[str]:
    """Yield the search and each filter as a label and its value, such as `State: Not cancelled`."""
    if list_query.words:
        yield f"Search: {list_query.words}"
    for list_filter in definition.filters:
        own = {option.value: option.text for option in stored if option.filter == list_filter.key}
        options = dict(list_filter.options()) if isinstance(list_filter, Choice) else own
        words = (" from", " to") if isinstance(list_filter, Days) else ("",)
        for word, key in zip(words, filter_keys(list_filter), strict=True):
            if value := list_query.filters.get(key):
                yield f"{list_filter.label}{word}: {options.get(value, value)}"


def _action_of(definition: ListDefinition, key: object, who: Staff) -> Action | None:
    return next(
        (
            action
            for action in definition.actions
            if action.key == key and who.has_permission(action.permission)
        ),
        None,
    )


def _headings(definition: ListDefinition, list_query: ListQuery) -> list[Heading]:
    order = list_query.order or definition.order
    headings = []
    for column in shown_columns(definition, list_query):
        current = order.removeprefix("-") == column.key
        direction = ("descending" if order.startswith("-") else "ascending") if current else "none"
        next_order = f"-{column.key}" if direction == "ascending" else column.key
        headings.append(
            Heading(column.key, column.label, next_order if column.sort is not None else "", direction)
        )
    return headings


def lines_of(definition: ListDefinition, list_query: ListQuery, rows: Sequence[Any]) -> list[Line]:
    """Convert rows for the screen."""
    columns = shown_columns(definition, list_query)
    leading = next((column for column in columns if column.linked), next(iter(columns), None))
    lines = []
    for row in rows:
        href = definition.href(row) if definition.href else ""
        fields = []
        for column in columns:
            cell, caption = column.cell(row), column.caption or not column.is_shown
            link = href if column is leading else ""
            fields.append(Field(column.label, cell.text, cell.tone, caption, link, cell.picture))
        lines.append(Line(definition.reference(row), href, fields))
    return lines


def _view_links(definition: ListDefinition, list_query: ListQuery, saved: Sequence[SavedView]) -> list[View]:
    current = list_query.at(1).query
    return [
        View(view.id or 0, view.name, f"{definition.path}?{view.query}", view.query == current)
        for view in saved
    ]
