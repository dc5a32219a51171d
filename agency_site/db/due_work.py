"""Loops over due work, in which one item that cannot be handled does not keep the others waiting."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, update
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.leases import Leased, claim
from agency_site.db.outages import concerns_one_statement, is_outage

log = logging.getLogger(__name__)

Item = TypeVar("Item")
Row = TypeVar("Row", bound=Leased)
Scope = Callable[[], AbstractAsyncContextManager[AsyncSession]]

RETRY_AFTER = timedelta(minutes=2)
"""The pause of an item that could not be handled. Items that are due meanwhile come first."""


async def handle_each(
    items: Iterable[Item],
    handle: Callable[[Item], Awaitable[int | None]],
    name: Callable[[Item], str],
    push_back: Callable[[Item], Awaitable[None]] | None = None,
) -> int:
    """Handle one item after the other. Return the sum of the results, in which no result counts as one.

    An item whose handling fails is logged by its `name` and pushed back. While the database is away every item would fail, so
    that error ends the loop.
    """
    done = 0
    for item in items:
        try:
            result = await handle(item)
        except Exception as error:
            if is_outage(error) and not concerns_one_statement(error):
                raise
            log.exception(
                "%s could not be handled; it is tried again, and the others do not wait", name(item)
            )
            if push_back:
                await push_back(item)
        else:
            done += 1 if result is None else result
    return done


async def handle_together(
    items: Iterable[Item],
    handle: Callable[[Item], Awaitable[int | None]],
    name: Callable[[Item], str],
    push_back: Callable[[Item], Awaitable[None]] | None = None,
) -> int:
    """Handle all items at the same time, as `handle_each` does one after the other."""
    works = (handle_each([item], handle, name, push_back) for item in items)
    results = await asyncio.gather(*works, return_exceptions=True)
    done = 0
    for result in results:
        if isinstance(result, BaseException):
            raise result
        done += result
    return done


async def handle_due(
    scope: Scope,
    table: type[Row],
    handle: Callable[[Row], Awaitable[int | None]],
    *conditions: ColumnElement[bool],
    limit: int = 10,
) -> int:
    """Claim due rows of `table` that meet the conditions and handle each, with no transaction open, as `handle_each` does."""
    async with scope() as session:
        rows = await claim(session, table, now(), *conditions, limit=limit)
    return await handle_each(
        rows,
        handle,
        lambda row: f"{table.__tablename__} {_id_of(row)}",
        lambda row: push_back(scope, table, _id_of(row)),
    )


async def push_back(scope: Scope, table: type[Leased], identity: int) -> None:
    """Let a row be due again after a pause, unless it has been handled meanwhile."""
    key: Any = table.id  # type: ignore[attr-defined]
    pushed = (
        update(table)
        .where(key == identity, col(table.due_at).is_not(None))
        .values(due_at=now() + RETRY_AFTER, leased_until=None)
        .execution_options(synchronize_session=False)
    )
    async with scope() as session:
        await session.exec(pushed)


def _id_of(row: Leased) -> int:
    identity: int = row.id  # type: ignore[attr-defined]
    return identity
