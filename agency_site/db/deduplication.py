"""Storing a record once, and taking turns, however many ask for the same at the same instant."""

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, func, update
from sqlmodel import Field, SQLModel, col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.ids import new_reference

REPEAT_WINDOW = timedelta(minutes=5)
"""Long enough for a double press, a reload and a reconnecting browser that sends its last event again."""

Found = Callable[[str], str]
"""What a row of that reference is found by: the text of its column `search`."""


class Recognised(SQLModel):
    """Columns of a record that is known again by what somebody sent."""

    content_key: str | None = Field(default=None, max_length=96, unique=True)
    """A digest of the words; let go of once the same words are welcome again."""
    created_at: datetime


class Placed(NamedTuple):
    """The row that stands for what was to be stored."""

    identity: int
    reference: str
    new: bool
    """False: it was there already, and nothing has been stored."""


async def insert_or_find(
    session: AsyncSession,
    model: type[SQLModel],
    row: dict[str, Any],
    prefix: str,
    found_by: Found,
    same: ColumnElement[bool],
) -> Placed:
    """Insert `row` under a new reference; where a unique constraint refuses it, the row that meets `same`."""
    table: Any = model
    while True:
        reference = new_reference(prefix)
        named = row | {"reference": reference, "search": found_by(reference)}
        if stored := await insert_new(session, model, [named]):
            return Placed(stored[0], reference, new=True)
        known = (await session.exec(select(table.id, table.reference).where(same))).first()
        if known is not None:
            return Placed(*known, new=False)


async def insert_unless_repeated(
    session: AsyncSession, model: type[Recognised], row: dict[str, Any], prefix: str, found_by: Found
) -> Placed:
    """Insert `row` unless one with its `content_key` came within `REPEAT_WINDOW`; then that one.

    An older one lets go of the key first, so that the key stays unique at every instant and two presses cannot both pass.
    """
    mine = col(model.content_key) == row["content_key"]
    await session.exec(
        update(model)
        .where(mine, col(model.created_at) <= now() - REPEAT_WINDOW)
        .values(content_key=None)
        .execution_options(synchronize_session=False)
    )
    return await insert_or_find(session, model, row, prefix, found_by, mine)


async def wait_for_turn(session: AsyncSession, what: str) -> None:
    """Let one transaction at a time go on from here for the same `what`; the turn ends with the transaction."""
    connection = await session.connection()
    if connection.dialect.name != "postgresql":
        return  # SQLite lets one writer in at a time.
    number = int.from_bytes(hashlib.sha256(what.encode()).digest()[:8], signed=True)
    await connection.execute(select(func.pg_advisory_xact_lock(number)))
