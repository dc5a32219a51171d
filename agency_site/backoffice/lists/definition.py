"""The declaration of a list of records: its columns, filters, sorts and actions. Every list screen is declared with it.

The page's address holds the query of the list, so that it can be reloaded, shared and saved as a view.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from operator import attrgetter
from typing import Any, Literal
from urllib.parse import urlencode

from sqlalchemy import ColumnElement, Select, SQLColumnExpression, and_, func, or_
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.clock import in_nairobi
from agency_site.db.personal_data import matches_person
from agency_site.errors import SiteError
from agency_site.form_input import fold, is_address
from agency_site.ids import certain_reference, reference_in
from agency_site.phone_numbers import expand_kenyan_number

PAGE_SIZE = 25
LONGEST_QUERY = 80
DEEPEST_PAGE = 400
COUNTED = PAGE_SIZE * DEEPEST_PAGE
"""The most rows that pages reach. A longer list says so and asks for filters; its file has all rows. Counting a million rows
would take longer than reading a page of them."""
MORE = f"{COUNTED:,}+"
"""Shown instead of a higher count."""
_AFTER_ALL = "z" * 64
"""Sorts after every continuation of a text with ASCII characters, in any collation."""
Tone = Literal["", "good", "busy", "bad", "quiet", "strong", "whole"]


@dataclass(frozen=True)
class Cell:
    """The content of one column in one row."""

    text: str
    tone: Tone = ""
    """The colour of a state, whose label says the same. `strong` and `whole` stay on one line, such as dates and sums."""
    raw: int | datetime | None = None
    """The number or moment behind the text, for files that spreadsheets calculate with; None if the text is everything."""
    picture: str = ""
    """The address of a small picture before the text; empty for none."""
    href: str = ""
    """The address that the text links to on the record's page; empty for none."""


@dataclass(frozen=True)
class Client:
    """The person of a row; unknown parts are empty."""

    name: str
    email: str
    phone: str = ""


@dataclass(frozen=True)
class Clients:
    """The columns that connect the rows of a list with clients."""

    of: Callable[[Any], Client]
    """Returns the client of a row."""
    reference: SQLColumnExpression[str]
    """The column with the value that the definition's `reference` returns."""
    having: Callable[[Client], ColumnElement[bool]]
    """Returns the condition of all rows of a client; indexes answer it."""


@dataclass(frozen=True)
class Column:
    """One column."""

    key: str
    label: str
    cell: Callable[[Any], Cell]
    """Returns the cell of a row of the definition's statement."""
    sort: SQLColumnExpression[Any] | None = None
    """An indexed expression for sorting; None if the column cannot be sorted."""
    is_shown: bool = True
    """The column is visible by default."""
    exported: bool = False
    """Files include the column by default even if the screen hides it."""
    caption: bool = False
    """Phones show the label before the value, which alone is not clear: a second date, a bare number."""
    linked: bool = False
    """The cell links to the record's page; without such a column the first one does."""
    unit: str = ""
    """The unit of the cells, such as `KES`, or `Nairobi` for moments in its time zone; files show it in the heading."""
    permission: Permission = Permission.ENTER
    """Required to see the column, besides the permission of the list."""


@dataclass(frozen=True)
class Choice:
    """A filter with a few values."""

    key: str
    label: str
    options: Callable[[], Sequence[tuple[str, str]]]
    """Returns value and label of each option."""
    where: Callable[[str], ColumnElement[bool]]


@dataclass(frozen=True)
class StoredChoice:
    """A filter with a few values of the database. The page reads them when it opens, because it is compiled without data."""

    key: str
    label: str
    read_options: Callable[[AsyncSession], Awaitable[Sequence[tuple[str, str]]]]
    """Returns value and label of each option."""
    where: Callable[[str], ColumnElement[bool]]
    """Returns the condition for any text of an address, which may be no option."""


@dataclass(frozen=True)
class Days:
    """A filter by a range of days, both included, in Nairobi time."""

    key: str
    label: str
    column: SQLColumnExpression[Any]


@dataclass(frozen=True)
class ExactText:
    """A filter by a typed text, for values that are unknown when the page is compiled."""

    key: str
    label: str
    clean: Callable[[str], str]
    """Returns the text as the column stores it; empty for one that it cannot have."""
    where: Callable[[str], ColumnElement[bool]]


Filter = Choice | StoredChoice | Days | ExactText
Search = Callable[[Sequence[str]], ColumnElement[bool]]
Outcome = tuple[str, str]
"""The reference of a record, and the reason why it was not changed; empty if it was changed."""


@dataclass(frozen=True)
class ActionOptions:
    """The options of an action."""

    notify: bool = False
    """The persons concerned get an e-mail."""
    reason: str = ""
    """Empty if no reason is required."""


RunAction = Callable[[AsyncSession, Sequence[str], Staff, ActionOptions], Awaitable[Sequence[Outcome]]]


@dataclass(frozen=True)
class Action:
    """An action on the selected rows."""

    key: str
    label: str
    permission: Permission
    run: RunAction
    """Runs the action in one transaction."""
    question: str
    """The text of the dialog, with the number of rows as `{count}`."""
    notify_label: str = ""
    """Label of the checkbox for notifying them; empty without a checkbox."""
    wants_reason: bool = False
    """A reason is required."""
    is_audited: bool = False
    """It writes its own entries of the audit log."""


def change_each(change: Callable[[AsyncSession, str, Staff], Awaitable[object]]) -> RunAction:
    """Return what changes one record after another; the message of a SiteError is the reason why one was not changed."""

    async def change_one(session: AsyncSession, reference: str, who: Staff) -> Outcome:
        try:
            await change(session, reference, who)
        except SiteError as wrong:
            return reference, wrong.message
        return reference, ""

    async def run(
        session: AsyncSession, references: Sequence[str], who: Staff, options: ActionOptions
    ) -> Sequence[Outcome]:
        return [await change_one(session, reference, who) for reference in references]

    return run


@dataclass(frozen=True, kw_only=True)
class ListDefinition:
    """One list."""

    name: str
    """The list's name in addresses and file names: ASCII with dashes."""
    title: str
    noun: tuple[str, str]
    """Singular and plural, such as `booking` and `bookings`."""
    kind: str = ""
    """The kind of record in the audit log; empty for the singular `noun`."""
    path: str
    permission: Permission
    rows: Callable[[], Select[Any]]
    """The statement without conditions; the columns read its rows."""
    visible: Callable[[Staff], ColumnElement[bool]] | None = None
    """Returns the condition of rows that a member of staff may see; None if all are visible."""
    identity: SQLColumnExpression[Any]
    """The table's id, the last key of every sort."""
    reference: Callable[[Any], str] = attrgetter("reference")
    """Returns the name of the record that staff use."""
    columns: tuple[Column, ...]
    order: str
    """The default sort: a column's key, with a minus for descending."""
    href: Callable[[Any], str] | None = None
    """Returns the address of the record's page."""
    filters: tuple[Filter, ...] = ()
    search: Search | None = None
    """Returns the condition for folded search words; None if the list has no search."""
    search_hint: str = ""
    found_everywhere: bool = True
    """Included in the search over all lists."""
    clients: Clients | None = None
    """None for lists without clients."""
    actions: tuple[Action, ...] = ()
    empty: str = "Nothing here yet."
    attention: tuple[str, str] | None = None
    """Key and value of the filter for records that need staff action; None if no record can need any."""

    @property
    def attention_query(self) -> "ListQuery":
        """The query for records that need staff action, which the navigation and the dashboard count and link to."""
        return ListQuery(filters=dict([self.attention] if self.attention else []))

    def seen_by(self, who: Staff) -> "ListDefinition":
        """Return the list with the rows and columns that `who` may see."""
        columns = tuple(column for column in self.columns if who.has_permission(column.permission))
        visible_list = replace(self, columns=columns)
        return visible_list if self.visible is None else visible_list.narrowed(self.visible(who))

    def narrowed(self, condition: ColumnElement[bool]) -> "ListDefinition":
        """Return the list of the rows that meet a condition."""
        return replace(self, rows=lambda: self.rows().where(condition))

    def column(self, key: str) -> Column | None:
        return next((column for column in self.columns if column.key == key), None)


@dataclass(frozen=True)
class ListQuery:
    """The query of a list: search, filters, sort, columns, page."""

    words: str = ""
    filters: Mapping[str, str] = field(default_factory=dict)
    """Values by key; days have two keys, ending in `-from` and `-to`."""
    order: str = ""
    """Empty for the list's default."""
    columns: tuple[str, ...] = ()
    """Keys of the visible columns; empty for the list's default."""
    page: int = 1

    @property
    def query(self) -> str:
        """The query string of the address, without defaults."""
        parameters = {
            "q": self.words,
            **self.filters,
            "sort": self.order,
            "columns": ",".join(self.columns),
            "page": str(self.page) if self.page > 1 else "",
        }
        return urlencode({name: value for name, value in parameters.items() if value})

    def at(self, page: int) -> "ListQuery":
        """Return the query for another page."""
        return replace(self, page=page)


def filter_keys(list_filter: Filter) -> tuple[str, ...]:
    """Return the names of a filter's query parameters."""
    return (
        (f"{list_filter.key}-from", f"{list_filter.key}-to")
        if isinstance(list_filter, Days)
        else (list_filter.key,)
    )


def read_query(definition: ListDefinition, query: Mapping[str, Any]) -> ListQuery:
    """Return the query of an address. Unknown columns and invalid values are left out."""
    parameters = {str(key): value for key, value in query.items() if isinstance(value, str)}
    filters = {
        key: value
        for list_filter in definition.filters
        for key in filter_keys(list_filter)
        if (value := _read_value(list_filter, parameters.get(key, "")))
    }
    order = parameters.get("sort", "")
    sorted_by = definition.column(order.removeprefix("-"))
    wanted = parameters.get("columns", "").split(",")
    page = parameters.get("page", "1")
    number = int(page) if page.isascii() and page.isdecimal() and len(page) < 7 else 1
    return ListQuery(
        words=_clean_words(parameters.get("q", "")),
        filters=filters,
        order=order if sorted_by and sorted_by.sort is not None and order != definition.order else "",
        columns=tuple(column.key for column in definition.columns if column.key in wanted),
        page=min(max(number, 1), DEEPEST_PAGE),
    )


def _clean_words(words: str) -> str:
    return " ".join(words.encode("utf-8", "ignore").decode().replace("\x00", "").split())[:LONGEST_QUERY]


def _read_value(list_filter: Filter, value: str) -> str:
    """Return the value of a filter as its condition takes it; empty if the list has no such value."""
    if isinstance(list_filter, ExactText):
        return list_filter.clean(value)
    if isinstance(list_filter, Days):
        return value if read_day(value) else ""
    if isinstance(list_filter, StoredChoice):
        return value if value == _clean_words(value) else ""
    return value if any(value == option for option, _ in list_filter.options()) else ""


def read_day(value: str) -> date | None:
    """Return the day in a filter's value; None if it is not a date."""
    try:
        return date.fromisoformat(value) if len(value) == 10 else None
    except ValueError:
        return None


def shown_columns(definition: ListDefinition, list_query: ListQuery) -> tuple[Column, ...]:
    """Return the visible columns, in the list's order."""
    if not list_query.columns:
        return tuple(column for column in definition.columns if column.is_shown)
    return tuple(column for column in definition.columns if column.key in list_query.columns)


def exported_columns(definition: ListDefinition, list_query: ListQuery) -> tuple[Column, ...]:
    """Return the columns of a file, in the list's order: the selected ones, otherwise the visible and the `exported` ones."""
    if list_query.columns:
        return shown_columns(definition, list_query)
    return tuple(column for column in definition.columns if column.is_shown or column.exported)


def state_filter(column: SQLColumnExpression[Any], cells: Mapping[Any, Cell]) -> Choice:
    """Return the filter by state; `cells` has the label of each state."""
    states = {state.value: state for state in cells}
    return Choice(
        "state",
        "State",
        lambda: [(value, cells[state].text) for value, state in states.items()],
        lambda value: column == states[value],
    )


def outcomes(references: Sequence[str], changed: Sequence[str], why_not: str) -> list[Outcome]:
    """Return the outcome of a bulk action for each record."""
    return [(reference, "" if reference in changed else why_not) for reference in references]


def moment_column(key: str, label: str, column: SQLColumnExpression[Any], **options: Any) -> Column:
    """Return the column of a moment stored in the table, with its day of the week; `sort=True` makes it sortable."""
    sort = column if options.pop("sort", False) else None
    name = str(getattr(column, "key", key))
    return Column(
        key, label, lambda row: moment_cell(getattr(row, name)), unit="Nairobi", sort=sort, **options
    )


def reference_column(table: Any) -> Column:
    """Return the sortable column of the reference; rows of `table` may carry further columns."""
    return Column(
        "reference",
        "Reference",
        lambda row: Cell(record_of(row, table).reference, "strong"),
        sort=col(table.reference),
    )


def clients_in(table: Any) -> Clients:
    """Return the clients of a `table` with `email`, and perhaps `fullname` and `phone`."""
    phone = col(table.phone) if hasattr(table, "phone") else None

    def client(row: Any) -> Client:
        record = record_of(row, table)
        return Client(getattr(record, "fullname", ""), record.email, getattr(record, "phone", ""))

    return Clients(client, col(table.reference), with_contact(col(table.email), phone))


def search_in(table: Any) -> Search:
    """Return `search_text_in` for a `table` with a column `search`, a reference, an address and perhaps a phone number."""
    phone = col(table.phone) if hasattr(table, "phone") else None
    return search_text_in(
        col(table.search), reference=col(table.reference), email=col(table.email), phone=phone
    )


def record_of(row: Any, table: Any) -> Any:
    """Return the record of `table` in a row with further columns, or the row itself."""
    return getattr(row, table.__name__, row)


def with_contact(
    email: SQLColumnExpression[str] | None = None, phone: SQLColumnExpression[str] | None = None
) -> Callable[[Client], ColumnElement[bool]]:
    """Return `Clients.having` for rows that hold address, number or both themselves."""
    return lambda client: matches_person(client.email, client.phone, email, phone)


def each(meets: Callable[[str], ColumnElement[bool]]) -> Search:
    """Return the search for rows that meet a condition for every word."""
    return lambda words: and_(*map(meets, words))


def search_text_in(
    column: SQLColumnExpression[str],
    *,
    reference: SQLColumnExpression[str] | None = None,
    email: SQLColumnExpression[str] | None = None,
    phone: SQLColumnExpression[str] | None = None,
) -> Search:
    """Return the search for rows whose `column`, folded like `form_input.search_text`, contains every word.

    A complete reference, e-mail address or phone number is looked up in its own indexed column if one is given.
    """

    def matches_word(word: str) -> ColumnElement[bool]:
        if reference is not None and (wanted := certain_reference(word)):
            return reference == wanted
        if email is not None and is_address(word):
            # Not by prefix: SQLite overestimates the rows of a range and would prefer the index of the list's order.
            return func.lower(email) == word
        if phone is not None and (number := expand_kenyan_number(word)):
            return phone == number
        return or_(*(column.contains(spelling, autoescape=True) for spelling in spellings(fold(word))))

    return each(matches_word)


def beginning(column: SQLColumnExpression[Any], prefix: str) -> ColumnElement[bool]:
    """Return the condition of rows whose ASCII `column` begins with `prefix`, case-sensitive.

    A range instead of LIKE: SQLite uses no index for LIKE with a parameter, PostgreSQL only a trigram index.
    """
    return column.between(prefix, prefix + _AFTER_ALL)


def spellings(word: str) -> tuple[str, ...]:
    """Return the word and, if it means a reference in another spelling, that reference."""
    reference = reference_in(word)
    return (word, reference) if reference and reference != word else (word,)


def last_page(total: int) -> int:
    """Return the number of the last page of `total` rows."""
    return max(1, -(-min(total, COUNTED) // PAGE_SIZE))


def excerpt(text: str, length: int) -> str:
    """Return the beginning of a text, on one line of at most `length` characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"


def moment_cell(moment: datetime | None, tone: Tone = "") -> Cell:
    """Return a cell with a moment and its day of the week; empty without a moment."""
    return Cell(when(moment), tone, moment)


def brief_moment_cell(moment: datetime | None) -> Cell:
    """Return a cell with a moment on one line, for lists with many columns."""
    return Cell(when_briefly(moment), "whole", moment)


def number_cell(number: int | None) -> Cell:
    """Return a cell with a number; empty without a number."""
    return Cell("" if number is None else f"{number:,}", "", number)


def when(moment: datetime | None) -> str:
    """Format a moment for lists in Nairobi time, such as `Tue 24 Nov 2026, 09:00`."""
    return f"{in_nairobi(moment):%a %-d %b %Y, %H:%M}" if moment else ""


def when_briefly(moment: datetime | None) -> str:
    """Format a moment without the day of the week, for lists with many columns."""
    return f"{in_nairobi(moment):%-d %b %Y, %H:%M}" if moment else ""


_definitions: dict[str, ListDefinition] = {}


def register_list(definition: ListDefinition) -> ListDefinition:
    """Register the list under its path. Raises ValueError if two lists share a path."""
    if _definitions.setdefault(definition.path, definition) is not definition:
        raise ValueError(f"two lists have the path {definition.path}")
    return definition


def list_definitions() -> tuple[ListDefinition, ...]:
    return tuple(_definitions.values())


def definitions_for(who: Staff) -> tuple[ListDefinition, ...]:
    """Return the lists that `who` may see, each with the rows and columns that they may see."""
    return tuple(
        definition.seen_by(who)
        for definition in _definitions.values()
        if who.has_permission(definition.permission)
    )


def find_definition(name: str) -> ListDefinition | None:
    return next((definition for definition in _definitions.values() if definition.name == name), None)


def find_definition_at(path: str) -> ListDefinition | None:
    """Return the list at the path, with or without a trailing slash."""
    return _definitions.get(path.rstrip("/"))
