"""Database queries of lists: the rows of a page, and the number of all rows."""

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
    Days,
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
    """Return the conditions of search and filters."""
    clauses = [
        _condition(list_filter, key, list_query.filters[key])
        for list_filter in definition.filters
        for key in filter_keys(list_filter)
        if key in list_query.filters
    ]
    words = search_words(list_query.words)
    if definition.search is not None and words:
        clauses.append(definition.search(words))
    return clauses


def _condition(list_filter: Filter, key: str, value: str) -> ColumnElement[bool]:
    if not isinstance(list_filter, Days):
        return list_filter.where(value)
    day = read_day(value)
    assert day is not None
    start_of_day = datetime.combine(day, time.min, NAIROBI)
    if key.endswith("-from"):
        return list_filter.column >= start_of_day
    return list_filter.column < start_of_day + timedelta(days=1)


def ordered(definition: ListDefinition, list_query: ListQuery) -> Select[Any]:
    """Return the statement of all matching rows, in their order."""
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
    """The rows of the whole list; one more than `COUNTED` means that there are more."""


async def open_page(session: AsyncSession, definition: ListDefinition, list_query: ListQuery) -> Page:
    """Return the page of the query, or the last page if there are fewer.

    Rows are counted only if the page itself does not show their number.
    """
    if list_query.words:
        return await _open_search_page(session, definition, list_query)
    rows = await page_of(session, definition, list_query)
    if len(rows) < PAGE_SIZE and (rows or list_query.page == 1):
        return Page(list_query.page, rows, (list_query.page - 1) * PAGE_SIZE + len(rows))
    total = await count_of(session, definition, list_query)
    nearest = list_query.at(min(list_query.page, last_page(total)))
    if nearest != list_query:
        rows = await page_of(session, definition, nearest)
    return Page(nearest.page, rows, total)


async def _open_search_page(session: AsyncSession, definition: ListDefinition, list_query: ListQuery) -> Page:
    """Return the page of a search, which runs once: sorting and counting its matches costs little in comparison."""
    matches = _search_matches(definition, list_query, COUNTED + 1)
    counted = select(func.count()).select_from(matches).scalar_subquery()
    cut = _cut(definition, list_query, select(matches.c.id, counted), matches.c.sort, matches.c.id)
    page_rows = (await (await session.connection()).execute(cut)).all()
    if not page_rows and list_query.page == 1:
        return Page(1, (), 0)
    total = page_rows[0][1] if page_rows else await count_of(session, definition, list_query)
    if page_rows and total <= COUNTED:
        rows = await _rows_of(session, definition, list_query, [row_id for row_id, _ in page_rows])
        return Page(list_query.page, rows, total)
    nearest = list_query.at(min(list_query.page, last_page(total)))
    return Page(nearest.page, await page_of(session, definition, nearest, total), total)


async def page_of(
    session: AsyncSession, definition: ListDefinition, list_query: ListQuery, total: int = 0
) -> Sequence[Any]:
    """Return the rows of the query's page; `total` is the result of `count_of`, if it is known already.

    A search with few matches runs first, by itself: a planner that expects many matches would follow the index of the sort
    and fetch every row, which is only right if there are many.
    """
    if list_query.words and total <= COUNTED:
        matches = _search_matches(definition, list_query)
        ids = _cut(definition, list_query, select(matches.c.id), matches.c.sort, matches.c.id)
    else:
        matching_ids = _matching_ids(definition, list_query)
        ids = _cut(definition, list_query, matching_ids, _sort(definition, list_query), definition.identity)
    return await _rows_of(session, definition, list_query, ids)


def _search_matches(definition: ListDefinition, list_query: ListQuery, most: int | None = None) -> CTE:
    """The id and the sort value of each match, so that sorting does not fetch the row again."""
    columns: tuple[Any, ...] = (
        definition.identity.label("id"),
        _sort(definition, list_query).label("sort"),
    )
    statement = _matching_ids(definition, list_query).with_only_columns(*columns).limit(most)
    return statement.cte("matches").prefix_with("MATERIALIZED")


def _matching_ids(definition: ListDefinition, list_query: ListQuery) -> Select[Any]:
    return definition.rows().with_only_columns(definition.identity).where(*conditions(definition, list_query))


def _cut(definition: ListDefinition, list_query: ListQuery, ids: Select[Any], *keys: Any) -> Select[Any]:
    """Return the ids of one page. Indexes answer a query for ids alone, however far the page is."""
    in_order = ids.order_by(*_directed(definition, list_query, *keys))
    return in_order.limit(PAGE_SIZE).offset((list_query.page - 1) * PAGE_SIZE)


async def _rows_of(
    session: AsyncSession, definition: ListDefinition, list_query: ListQuery, ids: Select[Any] | list[Any]
) -> Sequence[Any]:
    statement = definition.rows().where(definition.identity.in_(ids)).order_by(*_keys(definition, list_query))
    return (await session.exec(statement)).all()  # type: ignore[call-overload, no-any-return]


async def attention_count(session: AsyncSession, definition: ListDefinition) -> int:
    """Return the number of records that need staff action; 0 if the list has no filter for them."""
    return await count_of(session, definition, definition.attention_query) if definition.attention else 0


async def count_of(session: AsyncSession, definition: ListDefinition, list_query: ListQuery) -> int:
    """Return the number of rows; one more than `COUNTED` means that there are more."""
    statement = _matching_ids(definition, list_query).order_by(None).limit(COUNTED + 1)
    counted = select(func.count()).select_from(statement.subquery())
    return (await session.exec(counted)).one()
