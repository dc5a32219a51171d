"""Writing and deleting daily figures of views."""

from datetime import datetime
from functools import cache

from sqlalchemy import Insert
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import col, delete, func, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi
from agency_site.visits.counter import Tallies, ViewKey
from agency_site.visits.tables import PageViews


async def add_views(session: AsyncSession, tallies: Tallies) -> None:
    """Add views to the stored figures.

    Any number of processes may do it at once: each row is one atomic addition, and all lock the rows in the same order, so that
    none waits for another that waits for it.
    """
    rows = [
        key._asdict() | {"views": tally.views, "visits": tally.visits}
        for key, tally in sorted(tallies.items(), key=lambda item: item[0])
    ]
    if rows:
        connection = await session.connection()
        await connection.execute(_addition(connection.dialect.name), rows)


@cache
def _addition(dialect: str) -> Insert:
    insert = postgresql.insert(PageViews) if dialect == "postgresql" else sqlite.insert(PageViews)
    return insert.on_conflict_do_update(
        index_elements=ViewKey._fields,
        set_={name: getattr(PageViews, name) + insert.excluded[name] for name in ("views", "visits")},
    )


async def expire(session: AsyncSession, before: datetime, _limit: int) -> int:
    """Delete the figures of the oldest day before a moment, and return their number.

    A day at a time, whatever the limit for records of persons: its rows are few, and no visitor waits for them.
    """
    past = col(PageViews.date) < in_nairobi(before).date()
    oldest = select(func.min(PageViews.date)).where(past).scalar_subquery()
    result = await session.exec(delete(PageViews).where(col(PageViews.date) == oldest))
    return result.rowcount
