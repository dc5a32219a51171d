"""Which statements a use case sends to the database."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event

from agency_site.db.engine import engine


@contextmanager
def statements() -> Iterator[list[str]]:
    """What is sent to the database inside the block, without the beginning of transactions."""
    sent: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if not statement.startswith("BEGIN"):
            sent.append(statement)

    event.listen(engine().sync_engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(engine().sync_engine, "before_cursor_execute", note)
