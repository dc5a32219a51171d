"""What a list reads from the database: the rows that somebody asked for, and how many there are."""

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, func
from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.backoffice.lists.definition import (
    PAGE_SIZE,
    Choice,
    Filter,
    ListDefinition,
    ListQuery,
    filter_keys,
    read_day,
)
from agency_site.clock import NAIROBI
from agency_site.form_input import search_words


def conditions(listing: ListDefinition, asked: ListQuery) -> list[ColumnElement[bool]]:
    """What every row of the answer meets."""
    found = [
        _condition(one, key, asked.filters[key])
        for one in listing.filters
        for key in filter_keys(one)
        if key in asked.filters
    ]
    words = search_words(asked.words)
    if listing.search is not None and words:
        found.append(listing.search(words))
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


def ordered(listing: ListDefinition, asked: ListQuery) -> Select[Any]:
    """The statement of all rows that are asked for, in their order."""
    return listing.rows().where(*conditions(listing, asked)).order_by(*_keys(listing, asked))


def _keys(listing: ListDefinition, asked: ListQuery) -> tuple[Any, ...]:
    order = asked.order or listing.order
    column = listing.column(order.removeprefix("-"))
    assert column is not None
    assert column.sort is not None
    keys = (column.sort, listing.identity)
    return tuple(key.desc() for key in keys) if order.startswith("-") else keys


async def page_of(session: AsyncSession, listing: ListDefinition, asked: ListQuery) -> Sequence[Any]:
    """The rows of the page that is asked for."""
    return (await session.exec(_page(listing, asked))).all()  # type: ignore[call-overload, no-any-return]


def _page(listing: ListDefinition, asked: ListQuery) -> Select[Any]:
    """Ids first, which indexes alone answer however far the page is; then the few rows whole.

    A search goes through the table once, in its own order. Asked to sort while it searches, a database that expects to
    find much would follow the index of the sort instead and fetch every row by itself.
    """
    ids, keys = listing.rows().with_only_columns(listing.identity), _keys(listing, asked)
    fitting = ids.where(*conditions(listing, asked))
    if asked.words:
        fitting = ids.where(listing.identity.in_(fitting))
    shown = fitting.order_by(*keys).limit(PAGE_SIZE).offset((asked.page - 1) * PAGE_SIZE)
    return listing.rows().where(listing.identity.in_(shown)).order_by(*keys)


async def attention_count(session: AsyncSession, listing: ListDefinition) -> int:
    """How many records need staff action; none where the list has no filter for them."""
    return await count_of(session, listing, listing.attention_query) if listing.attention else 0


async def count_of(session: AsyncSession, listing: ListDefinition, asked: ListQuery) -> int:
    """How many rows there are on all pages."""
    narrowed = listing.rows().where(*conditions(listing, asked)).with_only_columns(listing.identity)
    counted = select(func.count()).select_from(narrowed.order_by(None).subquery())
    return (await session.exec(counted)).one()
