"""The engine and the two scopes in which the database is touched.

`session_scope` writes and commits once at its end; `read_scope` only reads. On SQLite a writing scope takes the write
lock when it begins (BEGIN IMMEDIATE): two writers then queue for the busy timeout instead of one of them failing half-way.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.loops import PerLoop
from agency_site.settings import settings

BUSY_TIMEOUT_MS = 15_000
"""How long a SQLite writer waits for the lock: longer than any burst that one process serves."""


def make_engine(url: str) -> AsyncEngine:
    """An engine for `url`; SQLite runs in WAL mode with foreign keys and a busy timeout."""
    if not url.startswith("sqlite"):
        return create_async_engine(url, pool_size=10, max_overflow=10, pool_pre_ping=True)
    prepare_folder(url)
    engine = create_async_engine(url)
    event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    event.listen(engine.sync_engine, "begin", _begin_sqlite)
    return engine


def prepare_folder(url: str) -> None:
    """Make the folder of a SQLite file; nothing for other databases."""
    path = make_url(url).database
    if url.startswith("sqlite") and path and path != ":memory:":
        Path(path).parent.mkdir(parents=True, exist_ok=True)


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # The driver must not open transactions by itself: _begin_sqlite does, with the right lock.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=NORMAL",
        "foreign_keys=ON",
        f"busy_timeout={BUSY_TIMEOUT_MS}",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    mode = "IMMEDIATE" if connection.get_execution_options().get("writes") else "DEFERRED"
    connection.exec_driver_sql(f"BEGIN {mode}")


_engines: PerLoop[AsyncEngine] = PerLoop()
_turns: PerLoop[asyncio.Lock] = PerLoop()


def engine() -> AsyncEngine:
    """The engine of this process and event loop, made on first use: forked workers and tests must not share one."""
    url, kept = settings().database_url, _engines.here()
    if url not in kept:
        kept[url] = make_engine(url)
    return kept[url]


async def dispose_engine() -> None:
    """Close the connections of this event loop."""
    kept = _engines.here()
    while kept:
        _, found = kept.popitem()
        await found.dispose()


@asynccontextmanager
async def session_scope() -> AsyncIterator[AsyncSession]:
    """A session that writes: commits once when the block ends, rolls back when it raises."""
    writing = engine().execution_options(writes=True)
    async with _turn(), AsyncSession(writing, expire_on_commit=False) as session, session.begin():
        yield session


def _turn() -> AbstractAsyncContextManager[object]:
    """On SQLite, this process's tasks write one after the other, first come first served.

    SQLite's own waiting is a sleep and another try: with many tasks at once some never get their turn. What is left to
    the busy timeout is the other processes, each with one writer at a time.
    """
    if not settings().sqlite:
        return nullcontext()
    return _turns.here().setdefault(settings().database_url, asyncio.Lock())


@asynccontextmanager
async def read_scope() -> AsyncIterator[AsyncSession]:
    """A session that only reads; nothing it changes is kept."""
    async with AsyncSession(engine(), expire_on_commit=False, autoflush=False) as session:
        yield session
