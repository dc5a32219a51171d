"""Writing and deleting daily figures of views."""

from datetime import datetime
from functools import cache

from sqlalchemy import Insert
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import col, delete, select
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


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Delete the figures of up to `limit` days before the day of a moment, and return their number."""
    day = col(PageViews.date)
    days = select(day).where(day < in_nairobi(before).date()).distinct().order_by(day).limit(limit)
    rows = select(col(PageViews.id)).where(day.in_(days)).with_for_update(skip_locked=True)
    result = await session.exec(delete(PageViews).where(col(PageViews.id).in_(rows)))
    return result.rowcount
