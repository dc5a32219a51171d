"""The engine, and the scopes in which code uses the database.

`session_scope` writes and commits once at its end; `read_scope` and `report_scope` only read. On SQLite a writing scope takes
the write lock when it begins (BEGIN IMMEDIATE): a second writer then waits, instead of failing half-way.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError, DisconnectionError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.orm.exc import StaleDataError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db.database_clock import follow_clock
from agency_site.db.outages import refuses_writes
from agency_site.db.sqlite import reporting_engine, sqlite_engine
from agency_site.errors import Conflict
from agency_site.event_loops import PerLoop
from agency_site.metrics import database_sessions, database_write_wait_seconds
from agency_site.settings import settings
from agency_site.tracing import span

CONNECTIONS = 20
"""Connections of one process to PostgreSQL."""
WRITERS = 5
"""Connections that write at the same time; more would wait for each other's rows and leave none to readers."""
IDLE_SECONDS = 5.0
"""A connection that was idle for longer is tested before it is used: the server may have been restarted meanwhile."""
APPLICATION = "agency-site"
"""What `pg_stat_activity` shows of our connections, unless the address has an `application_name`."""
_TIMEOUTS = "SELECT set_config('lock_timeout', '{}', true), set_config('statement_timeout', '{}', true)"
"""In milliseconds, for the transaction only: a pooler such as PgBouncer refuses them as options of a new connection."""
_PLANNING = """
SELECT set_config('jit', 'off', true), set_config('random_page_cost', '1.1', true),
 set_config('max_parallel_workers_per_gather', '0', true), set_config('statement_timeout', '{}', true)
"""
"""For reports on PostgreSQL. Compiling a statement (`jit`) takes longer than it saves, single rows cost little on disks without
seeks, and parallel workers would take the cores from visitors. For the transaction only: a pooler may give the connection to
another process."""


def make_engine(url: str) -> AsyncEngine:
    """Return an engine for `url`."""
    if url.startswith("sqlite"):
        return sqlite_engine(url)
    # No overflow: a connection that is opened for a rush and closed after it costs more than waiting for one.
    engine = create_async_engine(
        url, pool_size=CONNECTIONS, max_overflow=0, hide_parameters=True, connect_args=driver_options(url)
    )
    _probe_idle_connections(engine.sync_engine)
    event.listen(engine.sync_engine, "connect", _follow_clock)
    event.listen(engine.sync_engine, "begin", _limit_waiting)
    return engine


def _follow_clock(connection: Any, _record: object) -> None:
    """Follow the database's clock before the first statement: with a wrong one a process would take the leases of others."""
    follow_clock(connection)
    connection.rollback()


def _limit_waiting(connection: Connection) -> None:
    """Limit how long statements of the transaction wait and run. Otherwise its request hangs as well, and keeps its locks."""
    limits = settings()
    if limits.database_lock_seconds or limits.database_statement_seconds:
        timeouts = map(_milliseconds, (limits.database_lock_seconds, limits.database_statement_seconds))
        _execute_by_driver(connection, _TIMEOUTS.format(*timeouts))


def _execute_by_driver(connection: Connection, statement: str) -> None:
    """Execute a statement as a part of BEGIN, which traces and counts of statements leave out. Raises what SQLAlchemy would."""
    cursor = connection.connection.cursor()
    try:
        cursor.execute(statement)
    except Exception as error:
        # Gives the error its class of SQLAlchemy, and empties the pool if the server is gone.
        connection._handle_dbapi_exception(error, statement, None, cursor, None)  # noqa: SLF001
    finally:
        cursor.close()


def _milliseconds(seconds: float) -> int:
    return int(seconds * 1000)


def driver_options(url: str) -> dict[str, object]:
    """Return the options of the driver of PostgreSQL.

    By default psycopg prepares a statement that it has executed five times. A prepared statement exists on one connection of the
    server, and a pooler may give the next transaction another one.
    """
    if url.startswith("sqlite"):
        return {}
    options: dict[str, object] = {"fallback_application_name": APPLICATION}
    return options if settings().database_prepares else options | {"prepare_threshold": None}


def _probe_idle_connections(engine: Engine) -> None:
    """Test only connections that were idle. SQLAlchemy's own test (`pool_pre_ping`) takes a round trip before each use."""

    def note_return(_connection: object, record: ConnectionPoolEntry) -> None:
        record.info["idle_since"] = time.monotonic()

    def probe_idle(connection: Any, record: ConnectionPoolEntry, _proxy: object) -> None:
        since = record.info.get("idle_since")
        if since is None or time.monotonic() - since < IDLE_SECONDS:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise DisconnectionError from error

    event.listen(engine, "checkin", note_return)
    event.listen(engine, "checkout", probe_idle)


@dataclass(frozen=True)
class _Database:
    """The engines of one event loop for one database."""

    engine: AsyncEngine
    writing: AsyncEngine
    """Has the connections of `engine`, for transactions that write."""
    turns: asyncio.Semaphore
    reporting: AsyncEngine
    """For long reads: on SQLite connections whose statements run in a thread of their own."""


_databases: PerLoop[_Database] = PerLoop()


def _database() -> _Database:
    """Return the database of this process and event loop. Forked workers and tests must not share connections."""
    url, databases = settings().database_url, _databases.here()
    if url not in databases:
        own_engine = make_engine(url)
        turns = asyncio.Semaphore(1 if settings().sqlite else WRITERS)
        reporting = reporting_engine(url) if settings().sqlite else own_engine
        databases[url] = _Database(own_engine, own_engine.execution_options(writes=True), turns, reporting)
    return databases[url]


async def follow_database_clock() -> int:
    """Follow the database's clock, as each new connection does: both may be set while connections last. Returns 0."""
    if not settings().sqlite:
        async with read_scope() as session:
            await (await session.connection()).run_sync(lambda own: follow_clock(own.connection))
    return 0


def engine() -> AsyncEngine:
    """The engine of this process and event loop."""
    return _database().engine


async def dispose_engine() -> None:
    """Close the connections of this event loop."""
    databases = _databases.here()
    while databases:
        _, database = databases.popitem()
        await database.engine.dispose()
        await database.reporting.dispose()


@asynccontextmanager
async def read_scope() -> AsyncIterator[AsyncSession]:
    """Open a session that only reads; its changes are not committed."""
    with span("database read"), database_sessions.track_inprogress():
        async with AsyncSession(engine(), expire_on_commit=False, autoflush=False) as session:
            yield session


@asynccontextmanager
async def _writer_turn(turns: asyncio.Semaphore) -> AsyncIterator[None]:
    started = time.perf_counter()
    with database_sessions.track_inprogress():
        async with turns:
            database_write_wait_seconds.observe(time.perf_counter() - started)
            yield


@dataclass
class _Writing:
    is_refused: bool = False
    """The database has refused to be written, and no report of this process has been stored since."""


_writing = _Writing()


def is_writable() -> bool:
    """Return whether the database accepts writes, as far as those of this process have shown. Asking writes nothing."""
    return not _writing.is_refused


def note_written() -> None:
    """Note that rows were stored. A commit alone proves nothing: it may have had no changes."""
    _writing.is_refused = False


class SessionScope:
    """Opens a session that writes: it commits once when the block ends, and rolls back when the block raises.

    The tasks of a process take turns, first come first served: one at a time on SQLite, a few on PostgreSQL. Without turns some
    tasks would starve: SQLite waits for its lock by sleeping and trying again, and a task that waits for a connection may lose it
    to a task that asks later. SQLite's busy timeout is left for the other processes.
    """

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[AsyncSession]:
        """Open the session."""
        database = _database()
        try:
            with span("database write"):
                async with (
                    _writer_turn(database.turns),
                    AsyncSession(database.writing, expire_on_commit=False) as session,
                    session.begin(),
                ):
                    if not settings().sqlite:
                        # A process follows the database's clock from its first connection on; the block asks for the time.
                        await session.connection()
                    yield session
        except DBAPIError as error:
            _writing.is_refused |= refuses_writes(error)
            raise
        except StaleDataError:
            # A row with a version was changed between reading it, without a lock, and writing it.
            raise Conflict("This was changed by someone else at the same moment. Please try again.") from None

    reading = staticmethod(read_scope)
    """For use cases that are given this scope and read without waiting for writers."""


session_scope = SessionScope()


@asynccontextmanager
async def report_scope() -> AsyncIterator[AsyncSession]:
    """Open a session for long reads, such as lists and exports of staff. Nothing else waits for its statements."""
    with span("database report"), database_sessions.track_inprogress():
        async with AsyncSession(_database().reporting, expire_on_commit=False, autoflush=False) as session:
            if not settings().sqlite:
                limit = _milliseconds(settings().database_report_seconds)
                await (await session.connection()).exec_driver_sql(_PLANNING.format(limit))
            yield session
