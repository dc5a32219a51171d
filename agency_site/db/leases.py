"""Background work as rows: a worker leases a due row for a while, and the row of a killed worker becomes due again.

A table of such work has the columns of `Leased`. Claiming is one short transaction; no transaction is open during the work
itself (mail, queries to M-Pesa).
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, TypeVar

from sqlalchemy import ColumnElement, and_, or_, true, update
from sqlmodel import Field, SQLModel, col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.metrics import lease_takeovers

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
"""Before every stored time. SQLite finds the rows that have a time by its index only if a condition compares it."""
_APART = timedelta(minutes=5)
"""The clocks of two servers differ by less, or one of them is wrong."""


class Leased(SQLModel):
    """Columns of a row that a background worker claims."""

    longest_pause: ClassVar[timedelta | None]
    """How far ahead `due_at` can be; None if it is planned for days ahead."""
    due_at: datetime | None = Field(default=None, index=True)
    """When the row is due next; None if it is not due again."""
    leased_until: datetime | None = Field(default=None)
    """When the lease of the last worker ends or has ended."""

    @classmethod
    def list_shorter_pauses(cls) -> Iterable[tuple[ColumnElement[bool], timedelta]]:
        """Return conditions of rows whose longest pause is shorter than that of the table, each with that pause."""
        return ()


Row = TypeVar("Row", bound=Leased)


def has_come(moment: Any, now: datetime, longest: timedelta) -> Any:
    """Return whether a planned moment, or that in a column, has come. A wrong clock has set one far beyond its longest pause."""
    return (moment <= now) | (moment > now + longest + _APART)


def is_due(table: type[Leased], now: datetime) -> ColumnElement[bool]:
    """Return the condition of the due rows of `table`."""
    due_at = col(table.due_at)
    if table.longest_pause is None:
        return due_at <= now
    pauses = (true(), table.longest_pause), *table.list_shorter_pauses()
    has_come_in = (and_(condition, has_come(due_at, now, longest)) for condition, longest in pauses)
    return and_(due_at > LONG_AGO, or_(*has_come_in))


async def claim(
    session: AsyncSession,
    table: type[Row],
    now: datetime,
    *conditions: ColumnElement[bool],
    lease: timedelta = timedelta(minutes=2),
    limit: int = 10,
    **changes: object,
) -> Sequence[Row]:
    """Claim up to `limit` due rows of `table`, oldest first, that meet all `conditions`, and set `changes` in them.

    Call it in a `session_scope` of its own. Two workers never get the same row: PostgreSQL skips rows that another
    transaction has locked, SQLite has one writer at a time.
    """
    key: Any = table.id  # type: ignore[attr-defined]
    free = or_(col(table.leased_until).is_(None), has_come(col(table.leased_until), now, lease))
    due = (
        select(key, table.leased_until)
        .where(is_due(table, now), free, *conditions)
        # By id if they are due at the same moment: in the order in which they were stored.
        .order_by(col(table.due_at), key)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    due_rows = (await session.exec(due)).all()
    if not due_rows:
        return []
    ids = [identity for identity, _ in due_rows]
    lease_takeovers.labels(table.__tablename__).inc(sum(until is not None for _, until in due_rows))
    claimed = update(table).where(key.in_(ids)).values(leased_until=now + lease, **changes).returning(table)
    # Replaces what the session has read of these rows before.
    fresh = {"synchronize_session": False, "populate_existing": True}
    rows = (await session.exec(claimed.execution_options(**fresh))).scalars()
    order = {identity: position for position, identity in enumerate(ids)}
    return sorted(rows, key=lambda row: order[row.id])


async def finish(session: AsyncSession, row: Leased, due_at: datetime | None = None) -> None:
    """End the lease of a row, which is due next at `due_at`, by a statement: that leaves the version that editors compare."""
    table: Any = type(row)
    done = update(table).where(table.id == row.id).values(due_at=due_at, leased_until=None)  # type: ignore[attr-defined]
    await session.exec(done)
