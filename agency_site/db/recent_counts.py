"""Counts of the last day's rows by state, for Prometheus."""

from datetime import timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import func, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.metrics import Reading

RECENT = timedelta(hours=24)


async def read_recent(
    session: AsyncSession, name: str, meaning: str, states: type[StrEnum], *, state: Any, made_at: Any
) -> list[Reading]:
    """Return, for each of `states`, the number of rows in it whose `made_at` is within the last day."""
    # A subquery for each state uses the index of state and time. SQLite would scan the table for one GROUP BY, because it
    # estimates that a day has a quarter of all rows.
    since = now() - RECENT
    counts = (
        select(func.count()).where(state == member, made_at > since).scalar_subquery() for member in states
    )
    row = (await (await session.connection()).execute(select(*counts))).one()
    return [
        Reading(name, meaning, count, {"state": member.value})
        for member, count in zip(states, row, strict=True)
    ]
