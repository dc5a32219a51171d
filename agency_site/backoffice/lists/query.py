"""What a list reads from the database: the rows that somebody asked for, and how many there are."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any

from sqlalchemy import CTE, ColumnElement, Select, SQLColumnExpression, func
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
    return _directed(definition, list_query, _sort(definition, list_query), definition.identity)


def _sort(definition: ListDefinition, list_query: ListQuery) -> SQLColumnExpression[Any]:
    column = definition.column((list_query.order or definition.order).removeprefix("-"))
    assert column is not None
    assert column.sort is not None
    return column.sort


def _directed(definition: ListDefinition, list_query: ListQuery, *keys: Any) -> tuple[Any, ...]:
    downwards = (list_query.order or definition.order).startswith("-")
    return tuple(key.desc() for key in keys) if downwards else keys


@dataclass(frozen=True)
class Page:
    """A page of a list."""

    number: int
    rows: Sequence[Any]
    total: int
    """Rows of the whole list; one more than `COUNTED` means that there are more."""


async def open_page(session: AsyncSession, definition: ListDefinition, list_query: ListQuery) -> Page:
    """The page that is asked for, or the last one where there are fewer.

    Rows are counted only where the page does not tell how many there are.
    """
    if list_query.words:
        return await _open_found(session, definition, list_query)
    rows = await page_of(session, definition, list_query)
    if len(rows) < PAGE_SIZE and (rows or list_query.page == 1):
        return Page(list_query.page, rows, (list_query.page - 1) * PAGE_SIZE + len(rows))
    total = await count_of(session, definition, list_query)
    nearest = list_query.at(min(list_query.page, last_page(total)))
    if nearest != list_query:
        rows = await page_of(session, definition, nearest)
    return Page(nearest.page, rows, total)


async def _open_found(session: AsyncSession, definition: ListDefinition, list_query: ListQuery) -> Page:
    """The same of a search, which is done once: sorting and counting what it finds takes little beside it."""
    found = _found(definition, list_query, COUNTED + 1)
    counted = select(func.count()).select_from(found).scalar_subquery()
    cut = _cut(definition, list_query, select(found.c.id, counted), found.c.sort, found.c.id)
    shown = (await (await session.connection()).execute(cut)).all()
    if not shown and list_query.page == 1:
        return Page(1, (), 0)
    total = shown[0][1] if shown else await count_of(session, definition, list_query)
    if shown and total <= COUNTED:
        rows = await _rows_of(session, definition, list_query, [one for one, _ in shown])
        return Page(list_query.page, rows, total)
    nearest = list_query.at(min(list_query.page, last_page(total)))
    return Page(nearest.page, await page_of(session, definition, nearest, total), total)


async def page_of(
    session: AsyncSession, definition: ListDefinition, list_query: ListQuery, total: int = 0
) -> Sequence[Any]:
    """The rows of the page that is asked for; `total` is what `count_of` says, where that is known already.

    What a search finds of few rows is found first, by itself. Asked to sort while it searches, a database that expects to find
    much would follow the index of the sort instead and fetch every row by itself; which is right where it does find much.
    """
    if list_query.words and total <= COUNTED:
        found = _found(definition, list_query)
        ids = _cut(definition, list_query, select(found.c.id), found.c.sort, found.c.id)
    else:
        fitting = _fitting(definition, list_query)
        ids = _cut(definition, list_query, fitting, _sort(definition, list_query), definition.identity)
    return await _rows_of(session, definition, list_query, ids)


def _found(definition: ListDefinition, list_query: ListQuery, most: int | None = None) -> CTE:
    """The id of each row that a search finds, and what it is sorted by, so that sorting does not fetch the row again."""
    columns: tuple[Any, ...] = (
        definition.identity.label("id"),
        _sort(definition, list_query).label("sort"),
    )
    found = _fitting(definition, list_query).with_only_columns(*columns).limit(most)
    return found.cte("found").prefix_with("MATERIALIZED")


def _fitting(definition: ListDefinition, list_query: ListQuery) -> Select[Any]:
    return definition.rows().with_only_columns(definition.identity).where(*conditions(definition, list_query))


def _cut(definition: ListDefinition, list_query: ListQuery, ids: Select[Any], *keys: Any) -> Select[Any]:
    """Those of the page. Ids alone are answered by indexes, however far the page is."""
    in_order = ids.order_by(*_directed(definition, list_query, *keys))
    return in_order.limit(PAGE_SIZE).offset((list_query.page - 1) * PAGE_SIZE)


async def _rows_of(
    session: AsyncSession, definition: ListDefinition, list_query: ListQuery, ids: Select[Any] | list[Any]
) -> Sequence[Any]:
    whole = definition.rows().where(definition.identity.in_(ids)).order_by(*_keys(definition, list_query))
    return (await session.exec(whole)).all()  # type: ignore[call-overload, no-any-return]


async def attention_count(session: AsyncSession, definition: ListDefinition) -> int:
    """How many records need staff action; none where the list has no filter for them."""
    return await count_of(session, definition, definition.attention_query) if definition.attention else 0


async def count_of(session: AsyncSession, definition: ListDefinition, list_query: ListQuery) -> int:
    """How many rows there are; one more than `COUNTED` means that there are more."""
    narrowed = _fitting(definition, list_query).order_by(None).limit(COUNTED + 1)
    counted = select(func.count()).select_from(narrowed.subquery())
    return (await session.exec(counted)).one()
