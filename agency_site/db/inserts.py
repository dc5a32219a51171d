"""Insert rows with one statement and no savepoint, without those that a unique constraint rejects."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Insert, inspect
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import SQLModel
from sqlmodel.ext.asyncio.session import AsyncSession


async def insert_new(
    session: AsyncSession, model: type[SQLModel], rows: Sequence[dict[str, Any]]
) -> list[int]:
    """Insert `rows` into the table of `model` and return the ids of those that were stored, without those that existed.

    Each row has a value for every column that is not nullable. A row that another transaction is about to store counts if that
    transaction commits: PostgreSQL waits for it, SQLite has one writer at a time.
    """
    connection = await session.connection()
    statement = _insert_ignoring_conflicts(model, connection.dialect.name)
    stored = await connection.execute(statement, rows[0] if len(rows) == 1 else rows)
    return [identity for (identity,) in stored]


@cache
def _insert_ignoring_conflicts(model: type[SQLModel], dialect: str) -> Insert:
    # Below the mapper, whose bulk insert would sort and regroup the rows first.
    table = inspect(model).local_table
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    return insert(table).on_conflict_do_nothing().returning(table.c.id)
