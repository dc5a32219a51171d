"""The statements that a use case sends to the database, and their plans in SQLite."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, event

from agency_site.db.engine import engine, read_scope


@contextmanager
def statements() -> Iterator[list[str]]:
    """Collect the statements that are sent to the database in the block, without BEGIN."""
    queries: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if not statement.startswith("BEGIN"):
            queries.append(statement)

    event.listen(engine().sync_engine, "before_cursor_execute", note)
    try:
        yield queries
    finally:
        event.remove(engine().sync_engine, "before_cursor_execute", note)


async def plans_of(work: Callable[[], Awaitable[object]]) -> list[str]:
    """Return SQLite's plan for each query of `work`, with its parameters."""
    statements_with_values: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.startswith(("SELECT", "WITH")):
            statements_with_values.append((statement, parameters))

    # Reports have an engine of their own.
    event.listen(Engine, "before_cursor_execute", note)
    try:
        await work()
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    async with read_scope() as session:
        connection = await session.connection()
        answers = [
            (await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)).all()
            for statement, parameters in statements_with_values
        ]
    return [" / ".join(str(step[-1]) for step in answer) for answer in answers]
