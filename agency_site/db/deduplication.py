"""Stores a record once, however many identical requests arrive at the same instant."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, func, update
from sqlmodel import Field, SQLModel, col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.form_input import search_text
from agency_site.ids import new_reference

REPEAT_WINDOW = timedelta(minutes=5)
"""Long enough for a double click, a reload and a reconnecting browser that sends its last event again."""


class Recognised(SQLModel):
    """Columns of a record that is recognised by its submitted content."""

    content_key: str | None = Field(default=None, max_length=96, unique=True)
    """A digest of the content; empty once the same content is a new record."""
    created_at: datetime


class InsertResult(NamedTuple):
    """The stored row, new or not."""

    identity: int
    reference: str
    new: bool
    """False: it existed already, and nothing has been stored."""


async def insert_or_find(
    session: AsyncSession,
    model: type[SQLModel],
    row: dict[str, Any],
    prefix: str,
    search: Sequence[str],
    same: ColumnElement[bool],
) -> InsertResult:
    """Insert `row` under a new reference; where a unique constraint refuses it, the row that meets `same`.

    Lists find it by its reference and the texts of `search`, the rarest first.
    """
    table: Any = model
    while True:
        reference = new_reference(prefix)
        named = row | {"reference": reference, "search": search_text(reference, *search)}
        if stored := await insert_new(session, model, [named]):
            return InsertResult(stored[0], reference, new=True)
        known = (await session.exec(select(table.id, table.reference).where(same))).first()
        if known is not None:
            return InsertResult(*known, new=False)


async def insert_unless_repeated(
    session: AsyncSession,
    model: type[Recognised],
    row: dict[str, Any],
    prefix: str,
    search: Sequence[str],
    content: Mapping[str, str],
) -> InsertResult:
    """Insert `row` unless one made of the same `content` came within `REPEAT_WINDOW`; then that one.

    The key is a digest of the content, not something that the page carries: the page's state changes with the first
    click, before the second is handled, and is new after every reload, in a second tab and after a restart. An older row
    loses its key first, so that the key is unique at every instant and two clicks cannot both pass.
    """
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    row |= {"content_key": f"{prefix}:{digest}"}
    mine = col(model.content_key) == row["content_key"]
    await session.exec(
        update(model)
        .where(mine, col(model.created_at) <= now() - REPEAT_WINDOW)
        .values(content_key=None)
        .execution_options(synchronize_session=False)
    )
    return await insert_or_find(session, model, row, prefix, search, mine)


async def wait_for_turn(session: AsyncSession, what: str, *, shared: bool = False) -> None:
    """Serialise transactions for the same `what`, from here to the end of each; those that share a turn run together."""
    connection = await session.connection()
    if connection.dialect.name != "postgresql":
        return  # SQLite has one writer at a time.
    number = int.from_bytes(hashlib.sha256(what.encode()).digest()[:8], signed=True)
    lock = func.pg_advisory_xact_lock_shared if shared else func.pg_advisory_xact_lock
    await connection.execute(select(lock(number)))
