"""What a list reads from the database: the rows that somebody asked for, and how many there are."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, func
from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.backoffice.lists.definition import (
    COUNTED,
    PAGE_SIZE,
    Choice,
    Filter,
    ListDefinition,
    ListQuery,
    filter_keys,
    last_page,
    read_day,
)
from agency_site.clock import NAIROBI
from agency_site.form_input import search_words


def conditions(definition: ListDefinition, list_query: ListQuery) -> list[ColumnElement[bool]]:
    """What every row of the answer meets."""
    found = [
        _condition(one, key, list_query.filters[key])
        for one in definition.filters
        for key in filter_keys(one)
        if key in list_query.filters
    ]
    words = search_words(list_query.words)
    if definition.search is not None and words:
        found.append(definition.search(words))
    return found


def _condition(one: Filter, key: str, value: str) -> ColumnElement[bool]:
    if isinstance(one, Choice):
        return one.where(value)
    day = read_day(value)
    assert day is not None
    begins = datetime.combine(day, time.min, NAIROBI)
    if key.endswith("-from"):
        return one.column >= begins
    return one.column < begins + timedelta(days=1)


def ordered(definition: ListDefinition, list_query: ListQuery) -> Select[Any]:
    """The statement of all rows that are asked for, in their order."""
    return (
        definition.rows().where(*conditions(definition, list_query)).order_by(*_keys(definition, list_query))
    )


def _keys(definition: ListDefinition, list_query: ListQuery) -> tuple[Any, ...]:
    order = list_query.order or definition.order
    column = definition.column(order.removeprefix("-"))
    assert column is not None
    assert column.sort is not None
    keys = (column.sort, definition.identity)
    return tuple(key.desc() for key in keys) if order.startswith("-") else keys


@dataclass(frozen=True)
class Page:
    """A page of a list."""

    number: int
    rows: Sequence[Any]
    total: int
    """Rows of the whole list; one more than `COUNTED` means that there are more."""


async def open_page(session: AsyncSession, definition: ListDefinition, list_query: ListQuery) -> Page:
    """The page that is asked for, or the last one where there are fewer.

    Rows are counted only where the page does not tell how many there are: most searches find a few, and counting them is as
    much work as finding them.
    """
    fitting = _fitting(definition, list_query)
    if list_query.words:
        fitting = _found_first(definition, fitting.limit(COUNTED + 1))
    rows = await _read(session, _page(definition, list_query, fitting))
    if len(rows) < PAGE_SIZE and (rows or list_query.page == 1):
        return Page(list_query.page, rows, (list_query.page - 1) * PAGE_SIZE + len(rows))
    total = await count_of(session, definition, list_query)
    nearest = list_query.at(min(list_query.page, last_page(total)))
    if nearest != list_query or (list_query.words and total > COUNTED):
        rows = await page_of(session, definition, nearest, total)
    return Page(nearest.page, rows, total)


async def page_of(
    session: AsyncSession, definition: ListDefinition, list_query: ListQuery, total: int = 0
) -> Sequence[Any]:
    """The rows of the page that is asked for; `total` is what `count_of` says, where that is known already.

    What a search finds of few rows is found first, by itself. Asked to sort while it searches, a database that expects to find
    much would follow the index of the sort instead and fetch every row by itself; which is right where it does find much.
    """
    fitting = _fitting(definition, list_query)
    if list_query.words and total <= COUNTED:
        fitting = _found_first(definition, fitting)
    return await _read(session, _page(definition, list_query, fitting))


def _fitting(definition: ListDefinition, list_query: ListQuery) -> Select[Any]:
    return definition.rows().with_only_columns(definition.identity).where(*conditions(definition, list_query))


def _found_first(definition: ListDefinition, fitting: Select[Any]) -> Select[Any]:
    found = fitting.cte("found").prefix_with("MATERIALIZED")
    return definition.rows().with_only_columns(definition.identity).where(
        definition.identity.in_(found.select())
    )  # fmt: skip


def _page(definition: ListDefinition, list_query: ListQuery, fitting: Select[Any]) -> Select[Any]:
    """Ids first, which indexes alone answer however far the page is; then the few rows whole."""
    keys = _keys(definition, list_query)
    shown = fitting.order_by(*keys).limit(PAGE_SIZE).offset((list_query.page - 1) * PAGE_SIZE)
    return definition.rows().where(definition.identity.in_(shown)).order_by(*keys)


async def _read(session: AsyncSession, statement: Select[Any]) -> Sequence[Any]:
    return (await session.exec(statement)).all()  # type: ignore[call-overload, no-any-return]


async def attention_count(session: AsyncSession, definition: ListDefinition) -> int:
    """How many records need staff action; none where the list has no filter for them."""
    return await count_of(session, definition, definition.attention_query) if definition.attention else 0


async def count_of(session: AsyncSession, definition: ListDefinition, list_query: ListQuery) -> int:
    """How many rows there are; one more than `COUNTED` means that there are more."""
    narrowed = _fitting(definition, list_query).order_by(None).limit(COUNTED + 1)
    counted = select(func.count()).select_from(narrowed.subquery())
    return (await session.exec(counted)).one()
