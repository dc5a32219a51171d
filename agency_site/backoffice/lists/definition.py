"""A list of records, declared: its columns, filters, sorts and actions. Every list screen is one of these.

What a list shows is asked for in the page's address, so that it can be reloaded, shared and kept as a view.
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
from agency_site.db.personal_data import of_person
from agency_site.form_input import fold, is_address
from agency_site.ids import certain_reference, reference_in
from agency_site.phone_numbers import expand_kenyan_number

PAGE_SIZE = 25
LONGEST_QUERY = 80
DEEPEST_PAGE = 400
COUNTED = PAGE_SIZE * DEEPEST_PAGE
"""Rows that pages lead to. A list of more says so, and is narrowed; its file has all. Counting a million rows would take longer
than reading a page of them."""
MORE = f"{COUNTED:,}+"
"""Shown instead of a higher count."""
_AFTER_ALL = "z" * 64
"""Sorts behind the letters and digits with which a text may go on, whatever the collation."""
Tone = Literal["", "good", "busy", "bad", "quiet", "strong", "whole"]


@dataclass(frozen=True)
class Cell:
    """The content of one column in one row."""

    text: str
    tone: Tone = ""
    """The colour of a state: its label says the same. `strong` and `whole` stay on one line, such as dates and sums."""
    raw: int | datetime | None = None
    """The number or the moment behind the text, for files that spreadsheets calculate with; none: the text is all."""


@dataclass(frozen=True)
class Client:
    """Whose record a row is; what is not known is empty."""

    name: str
    email: str
    phone: str = ""


@dataclass(frozen=True)
class Clients:
    """Whose records the rows of a list are."""

    of: Callable[[Any], Client]
    """The client of a row."""
    reference: SQLColumnExpression[str]
    """The column that holds what the definition's `reference` returns."""
    having: Callable[[Client], ColumnElement[bool]]
    """The condition of all rows of a client; indexes answer it."""


@dataclass(frozen=True)
class Column:
    """One column."""

    key: str
    label: str
    cell: Callable[[Any], Cell]
    """Of the row that the definition's statement gives."""
    sort: SQLColumnExpression[Any] | None = None
    """What it is sorted by: an indexed expression; none: it is not."""
    shown: bool = True
    """Whether it is shown by default."""
    exported: bool = False
    """Files have it by default also where the screen does not show it."""
    caption: bool = False
    """On a phone its label is shown before the value, which alone does not say what it is: a second date, a mere number."""
    linked: bool = False
    """It carries the link to the record's page; in a list without such a column the first one does."""
    unit: str = ""
    """Of the number in its cells, such as `KES`, or `Nairobi` for moments on its clock; in a file the heading carries it."""
    permission: Permission = Permission.ENTER
    """Who may see it, besides the permission that the list wants."""


@dataclass(frozen=True)
class Choice:
    """A filter: one out of a few values."""

    key: str
    label: str
    options: Callable[[], Sequence[tuple[str, str]]]
    """Value and label of each."""
    where: Callable[[str], ColumnElement[bool]]


@dataclass(frozen=True)
class Days:
    """A filter: from one day to another, both included, on a Nairobi calendar."""

    key: str
    label: str
    column: SQLColumnExpression[Any]


Filter = Choice | Days
Search = Callable[[Sequence[str]], ColumnElement[bool]]
Outcome = tuple[str, str]
"""The reference of a record, and why nothing was done to it; empty: it was done."""


@dataclass(frozen=True)
class ActionOptions:
    """How an action is to be done."""

    notify: bool = False
    """The persons concerned are notified."""
    reason: str = ""
    """Empty where none is asked for."""


@dataclass(frozen=True)
class Action:
    """Something to do with the chosen rows."""

    key: str
    label: str
    permission: Permission
    run: Callable[[AsyncSession, Sequence[str], Staff, ActionOptions], Awaitable[Sequence[Outcome]]]
    """Does it in one transaction."""
    question: str
    """ListQuery first, with the number of rows in `{count}`."""
    notify_label: str = ""
    """Label of the box that decides whether they are notified; empty: there is none."""
    wants_reason: bool = False
    """It is done for a reason that has to be given."""


@dataclass(frozen=True, kw_only=True)
class ListDefinition:
    """One list."""

    name: str
    """In addresses and file names: letters and dashes."""
    title: str
    noun: tuple[str, str]
    """One and many, such as `booking` and `bookings`."""
    kind: str = ""
    """What the audit log calls the record; empty: as `noun` does."""
    path: str
    permission: Permission
    rows: Callable[[], Select[Any]]
    """The statement without conditions; the columns read its rows."""
    visible: Callable[[Staff], ColumnElement[bool]] | None = None
    """The condition of the rows that a member of staff may see; none: all."""
    identity: SQLColumnExpression[Any]
    """The table's id, last key of every sort."""
    reference: Callable[[Any], str] = attrgetter("reference")
    """What staff call the record."""
    columns: tuple[Column, ...]
    order: str
    """The sort unless another is asked for: a column's key, with a minus for descending."""
    href: Callable[[Any], str] | None = None
    """The record's own page."""
    filters: tuple[Filter, ...] = ()
    search: Search | None = None
    """The condition that the folded words of a search set together; none: the list is not searched."""
    search_hint: str = ""
    found_everywhere: bool = True
    """The search over all lists includes this one."""
    clients: Clients | None = None
    """None: the list is not one of clients' records."""
    actions: tuple[Action, ...] = ()
    empty: str = "Nothing here yet."
    attention: tuple[str, str] | None = None
    """Key and value of the filter that leaves the records which need staff action; none: no record of it does."""

    @property
    def attention_query(self) -> "ListQuery":
        """What the navigation and the dashboard count, and lead to: the records that need staff action."""
        return ListQuery(filters=dict([self.attention] if self.attention else []))

    def seen_by(self, who: Staff) -> "ListDefinition":
        """The list with the rows and columns that `who` may see."""
        columns = tuple(column for column in self.columns if who.has_permission(column.permission))
        seen = replace(self, columns=columns)
        return seen if self.visible is None else seen.narrowed(self.visible(who))

    def narrowed(self, condition: ColumnElement[bool]) -> "ListDefinition":
        """The list of those rows that meet a condition."""
        return replace(self, rows=lambda: self.rows().where(condition))

    def column(self, key: str) -> Column | None:
        """The column of that key."""
        return next((column for column in self.columns if column.key == key), None)


@dataclass(frozen=True)
class ListQuery:
    """What somebody wants to see of a list."""

    words: str = ""
    filters: Mapping[str, str] = field(default_factory=dict)
    """By key; days have two, with `-from` and `-to`."""
    order: str = ""
    """Empty: the list's own."""
    columns: tuple[str, ...] = ()
    """Keys of the columns that are shown; empty: the list's own."""
    page: int = 1

    @property
    def query(self) -> str:
        """The address's query; it names only what was asked for."""
        parameters = {
            "q": self.words,
            **self.filters,
            "sort": self.order,
            "columns": ",".join(self.columns),
            "page": str(self.page) if self.page > 1 else "",
        }
        return urlencode({name: value for name, value in parameters.items() if value})

    def at(self, page: int) -> "ListQuery":
        """The same on another page."""
        return replace(self, page=page)


def filter_keys(one: Filter) -> tuple[str, ...]:
    """The names of a filter's query parameters."""
    return (f"{one.key}-from", f"{one.key}-to") if isinstance(one, Days) else (one.key,)


def read_query(definition: ListDefinition, query: Mapping[str, Any]) -> ListQuery:
    """What an address asks for. What the list does not have, or cannot read, is left out."""
    given = {str(key): value for key, value in query.items() if isinstance(value, str)}
    filters = {
        key: given[key]
        for one in definition.filters
        for key in filter_keys(one)
        if given.get(key) and _valid(one, given[key])
    }
    order = given.get("sort", "")
    sorted_by = definition.column(order.removeprefix("-"))
    wanted = given.get("columns", "").split(",")
    page = given.get("page", "1")
    number = int(page) if page.isascii() and page.isdecimal() and len(page) < 7 else 1
    return ListQuery(
        words=_line(given.get("q", "")),
        filters=filters,
        order=order if sorted_by and sorted_by.sort is not None and order != definition.order else "",
        columns=tuple(column.key for column in definition.columns if column.key in wanted),
        page=min(max(number, 1), DEEPEST_PAGE),
    )


def _line(typed: str) -> str:
    return " ".join(typed.encode("utf-8", "ignore").decode().replace("\x00", "").split())[:LONGEST_QUERY]


def _valid(one: Filter, value: str) -> bool:
    if isinstance(one, Days):
        return read_day(value) is not None
    return any(value == option for option, _ in one.options())


def read_day(value: str) -> date | None:
    """The day of a filter in the address; none: that is no day."""
    try:
        return date.fromisoformat(value) if len(value) == 10 else None
    except ValueError:
        return None


def shown_columns(definition: ListDefinition, list_query: ListQuery) -> tuple[Column, ...]:
    """The columns that are shown, in the list's order."""
    if not list_query.columns:
        return tuple(column for column in definition.columns if column.shown)
    return tuple(column for column in definition.columns if column.key in list_query.columns)


def exported_columns(definition: ListDefinition, list_query: ListQuery) -> tuple[Column, ...]:
    """Return the columns of a file, in the order of the list: the chosen ones, otherwise those that are shown or `exported`."""
    if list_query.columns:
        return shown_columns(definition, list_query)
    return tuple(column for column in definition.columns if column.shown or column.exported)


def state_filter(column: SQLColumnExpression[Any], cells: Mapping[Any, Cell]) -> Choice:
    """The filter by state; `cells` has what lists show of each."""
    states = {state.value: state for state in cells}
    return Choice(
        "state",
        "State",
        lambda: [(value, cells[state].text) for value, state in states.items()],
        lambda value: column == states[value],
    )


def outcomes(references: Sequence[str], changed: Sequence[str], why_not: str) -> list[Outcome]:
    """What a bulk action that changed some records has done to each."""
    return [(reference, "" if reference in changed else why_not) for reference in references]


def moment_column(key: str, label: str, column: SQLColumnExpression[Any], **options: Any) -> Column:
    """The moment in a column of the table itself, with its day of the week; with `sort=True` the list is sorted by it."""
    sort = column if options.pop("sort", False) else None
    name = str(getattr(column, "key", key))
    return Column(
        key, label, lambda row: moment_cell(getattr(row, name)), unit="Nairobi", sort=sort, **options
    )


def reference_column(table: Any) -> Column:
    """The reference, by which the list is sorted, of a `table` whose rows may have more beside it."""
    return Column(
        "reference",
        "Reference",
        lambda row: Cell(_own(row, table).reference, "strong"),
        sort=col(table.reference),
    )


def clients_in(table: Any) -> Clients:
    """Whose records the rows of a `table` are: its `email` says so, and its `fullname` and `phone`, if it has them."""
    phone = col(table.phone) if hasattr(table, "phone") else None

    def client(row: Any) -> Client:
        record = _own(row, table)
        return Client(getattr(record, "fullname", ""), record.email, getattr(record, "phone", ""))

    return Clients(client, col(table.reference), with_contact(col(table.email), phone))


def search_in(table: Any) -> Search:
    """`holding` for a `table` with a column `search`, a reference, an address and perhaps a phone number."""
    phone = col(table.phone) if hasattr(table, "phone") else None
    return holding(col(table.search), reference=col(table.reference), email=col(table.email), phone=phone)


def _own(row: Any, table: Any) -> Any:
    """The record of the `table` in a row that has more beside it, or the row itself."""
    return getattr(row, table.__name__, row)


def with_contact(
    email: SQLColumnExpression[str] | None = None, phone: SQLColumnExpression[str] | None = None
) -> Callable[[Client], ColumnElement[bool]]:
    """`Clients.having` of rows that have address, number or both themselves."""
    return lambda client: of_person(client.email, client.phone, email, phone)


def each(meets: Callable[[str], ColumnElement[bool]]) -> Search:
    """The search for rows that meet a condition for every word."""
    return lambda words: and_(*map(meets, words))


def holding(
    column: SQLColumnExpression[str],
    *,
    reference: SQLColumnExpression[str] | None = None,
    email: SQLColumnExpression[str] | None = None,
    phone: SQLColumnExpression[str] | None = None,
) -> Search:
    """The search for rows whose `column`, folded as `form_input.search_text` does, holds every word somewhere.

    A whole reference, e-mail address or phone number is looked up by the index of its own column, where one is given: no other
    part of the row may hold such words.
    """

    def held(word: str) -> ColumnElement[bool]:
        if reference is not None and (named := certain_reference(word)):
            return reference == named
        if email is not None and is_address(word):
            # Not by its beginning: SQLite expects bounds to find much, and prefers the index of the list's order.
            return func.lower(email) == word
        if phone is not None and (number := expand_kenyan_number(word)):
            return phone == number
        return or_(*(column.contains(one, autoescape=True) for one in spellings(fold(word))))

    return each(held)


def beginning(column: SQLColumnExpression[Any], typed: str) -> ColumnElement[bool]:
    """The condition of rows whose `column` of ASCII text begins with what was typed, in the same case.

    Bounds and not LIKE: SQLite takes no index for LIKE with a parameter, PostgreSQL only one of trigrams.
    """
    return column.between(typed, typed + _AFTER_ALL)


def spellings(word: str) -> tuple[str, ...]:
    """A word, and the reference that it means when it is written in another way."""
    meant = reference_in(word)
    return (word, meant) if meant and meant != word else (word,)


def last_page(total: int) -> int:
    """The number of the last page of so many rows."""
    return max(1, -(-min(total, COUNTED) // PAGE_SIZE))


def excerpt(text: str, length: int) -> str:
    """The beginning of what somebody wrote, on one line of at most `length` characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"


def moment_cell(moment: datetime | None, tone: Tone = "") -> Cell:
    """A moment with its day of the week; empty where there is none."""
    return Cell(when(moment), tone, moment)


def brief_moment_cell(moment: datetime | None) -> Cell:
    """A moment on one line, for lists with many columns."""
    return Cell(when_briefly(moment), "whole", moment)


def number_cell(number: int | None) -> Cell:
    """A number; empty where there is none."""
    return Cell("" if number is None else f"{number:,}", "", number)


def when(moment: datetime | None) -> str:
    """A moment as lists show it, on a Nairobi clock, such as `Tue 24 Nov 2026, 09:00`."""
    return f"{in_nairobi(moment):%a %-d %b %Y, %H:%M}" if moment else ""


def when_briefly(moment: datetime | None) -> str:
    """The same without the day of the week, for lists with many columns."""
    return f"{in_nairobi(moment):%-d %b %Y, %H:%M}" if moment else ""


_definitions: dict[str, ListDefinition] = {}


def register_list(definition: ListDefinition) -> ListDefinition:
    """Make the list known under its path. Raises ValueError when two share it."""
    if _definitions.setdefault(definition.path, definition) is not definition:
        raise ValueError(f"two lists have the path {definition.path}")
    return definition


def list_definitions() -> tuple[ListDefinition, ...]:
    """All lists."""
    return tuple(_definitions.values())


def definitions_for(who: Staff) -> tuple[ListDefinition, ...]:
    """The lists that `who` may see, each with the rows and columns that they may see of it."""
    return tuple(one.seen_by(who) for one in _definitions.values() if who.has_permission(one.permission))


def find_definition(name: str) -> ListDefinition | None:
    """The list of that name."""
    return next((one for one in _definitions.values() if one.name == name), None)


def find_definition_at(path: str) -> ListDefinition | None:
    """The list of the path, with or without a slash at its end."""
    return _definitions.get(path.rstrip("/"))
