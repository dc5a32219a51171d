"""Store a record once, even if identical requests arrive at the same moment."""

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
"""Covers a double click, a reload, and a browser that reconnects and sends its last event again."""


class Deduplicated(SQLModel):
    """Columns of a record that is stored once for the same submitted content."""

    content_key: str | None = Field(default=None, max_length=96, unique=True)
    """A digest of the content; None once the same content counts as a new record."""
    created_at: datetime


class InsertResult(NamedTuple):
    """The row that holds the content: a new one, or one that was stored before."""

    identity: int
    reference: str
    new: bool
    """False if it existed already and nothing was stored."""


async def insert_or_find(
    session: AsyncSession,
    model: type[SQLModel],
    row: dict[str, Any],
    prefix: str,
    search: Sequence[str],
    same: ColumnElement[bool],
) -> InsertResult:
    """Insert `row` under a new reference, or find the row that meets `same` if a unique constraint refuses it.

    Lists find the row by its reference and the texts of `search`, the rarest first.
    """
    table: Any = model
    while True:
        reference = new_reference(prefix)
        values = row | {"reference": reference, "search": search_text(reference, *search)}
        if stored := await insert_new(session, model, [values]):
            return InsertResult(stored[0], reference, new=True)
        existing = (await session.exec(select(table.id, table.reference).where(same))).first()
        if existing is not None:
            return InsertResult(*existing, new=False)


async def insert_unless_repeated(
    session: AsyncSession,
    model: type[Deduplicated],
    row: dict[str, Any],
    prefix: str,
    search: Sequence[str],
    content: Mapping[str, str],
) -> InsertResult:
    """Insert `row`, or find the row that the same `content` made within `REPEAT_WINDOW`.

    The key is a digest of the content, not a value of the page: the page's state changes with the first click, before the
    second one is handled, and is new after a reload, in a second tab and after a restart. An older row loses its key first:
    the key is unique at every moment, so that of two clicks only one inserts.
    """
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    row |= {"content_key": f"{prefix}:{digest}"}
    same_content = col(model.content_key) == row["content_key"]
    await session.exec(
        update(model)
        .where(same_content, col(model.created_at) <= now() - REPEAT_WINDOW)
        .values(content_key=None)
        .execution_options(synchronize_session=False)
    )
    return await insert_or_find(session, model, row, prefix, search, same_content)


async def wait_for_turn(session: AsyncSession, name: str, *, shared: bool = False) -> None:
    """Serialise the transactions that use this `name`, from here to their end. `shared` ones run side by side."""
    connection = await session.connection()
    if connection.dialect.name != "postgresql":
        return  # SQLite has one writer at a time.
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
    lock = func.pg_advisory_xact_lock_shared if shared else func.pg_advisory_xact_lock
    await connection.execute(select(lock(number)))
