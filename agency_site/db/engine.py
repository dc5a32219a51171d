"""The engine and the two scopes in which the database is touched.

`session_scope` writes and commits once at its end; `read_scope` only reads. On SQLite a writing scope takes the write
lock when it begins (BEGIN IMMEDIATE): two writers then queue for the busy timeout instead of one of them failing half-way.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.orm.exc import StaleDataError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db.sqlite import reporting_engine, sqlite_engine
from agency_site.errors import Conflict
from agency_site.event_loops import PerLoop
from agency_site.metrics import database_sessions, database_write_wait_seconds
from agency_site.settings import settings
from agency_site.tracing import span

CONNECTIONS = 20
"""To PostgreSQL, from one process."""
WRITERS = 5
"""How many of them write at the same time; more would wait for each other's rows and leave no connection to readers."""
IDLE_SECONDS = 5.0
"""A connection that was idle for longer is tested before it is used: the server may have been restarted meanwhile."""
APPLICATION = "agency-site"
"""What `pg_stat_activity` shows of our connections, unless the address has an `application_name`."""
_TIMEOUTS = "SELECT set_config('lock_timeout', '{}', true), set_config('statement_timeout', '{}', true)"
"""In milliseconds. Of the transaction only, as below: a pooler refuses them when a connection is opened."""
_PLANNING = """
SELECT set_config('jit', 'off', true), set_config('random_page_cost', '1.1', true),
 set_config('max_parallel_workers_per_gather', '0', true), set_config('statement_timeout', '{}', true)
"""
"""For reports on PostgreSQL: compiling a list's statement takes 100 ms to save one, looking up rows one by one costs little
on the disks of today, and the cores belong to visitors: a report takes one or two of them. Of the transaction only: a pooler
may give the connection to somebody else."""


def make_engine(url: str) -> AsyncEngine:
    """An engine for `url`."""
    if url.startswith("sqlite"):
        return sqlite_engine(url)
    # Nothing beyond the pool: a connection that is made for a rush and closed behind it costs more than the wait.
    engine = create_async_engine(
        url, pool_size=CONNECTIONS, max_overflow=0, hide_parameters=True, connect_args=driver_options(url)
    )
    _probe_idle_connections(engine.sync_engine)
    event.listen(engine.sync_engine, "begin", _limit_waiting)
    return engine


def _limit_waiting(connection: Connection) -> None:
    """Limit how long statements of the transaction wait and run: otherwise its request hangs too, and keeps its locks."""
    chosen = settings()
    if chosen.database_lock_seconds or chosen.database_statement_seconds:
        timeouts = map(_milliseconds, (chosen.database_lock_seconds, chosen.database_statement_seconds))
        _execute_by_driver(connection, _TIMEOUTS.format(*timeouts))


def _execute_by_driver(connection: Connection, statement: str) -> None:
    """Execute what belongs to BEGIN: neither a trace nor a count of statements shows it. Raises what SQLAlchemy would."""
    cursor = connection.connection.cursor()
    try:
        cursor.execute(statement)
    except Exception as error:
        # As after any statement: the error gets its class, and a server that is gone empties the pool.
        connection._handle_dbapi_exception(error, statement, None, cursor, None)  # noqa: SLF001
    finally:
        cursor.close()


def _milliseconds(seconds: float) -> int:
    return int(seconds * 1000)


def driver_options(url: str) -> dict[str, object]:
    """What the driver of PostgreSQL is given besides the address.

    By default psycopg prepares what it has executed five times. What is prepared exists on one connection of the server, and
    a pooler may hand out another for the next transaction.
    """
    if url.startswith("sqlite"):
        return {}
    options: dict[str, object] = {"fallback_application_name": APPLICATION}
    return options if settings().database_prepares else options | {"prepare_threshold": None}


def _probe_idle_connections(engine: Engine) -> None:
    """Replace what the server has closed, without the round trip before each use that the pool's own test takes."""

    def note_return(_connection: object, record: ConnectionPoolEntry) -> None:
        record.info["idle_since"] = time.monotonic()

    def probe_idle(connection: Any, record: ConnectionPoolEntry, _proxy: object) -> None:
        since = record.info.get("idle_since")
        if since is None or time.monotonic() - since < IDLE_SECONDS:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as gone:
            raise DisconnectionError from gone

    event.listen(engine, "checkin", note_return)
    event.listen(engine, "checkout", probe_idle)


@dataclass(frozen=True)
class _Database:
    """What one event loop needs to reach one database."""

    engine: AsyncEngine
    writing: AsyncEngine
    """The same connections, for transactions that write."""
    turns: asyncio.Semaphore
    reporting: AsyncEngine
    """For long reads: on SQLite connections whose statements run in a thread of their own."""


_databases: PerLoop[_Database] = PerLoop()


def _database() -> _Database:
    """This process and event loop's own, made on first use: forked workers and tests must not share one."""
    url, kept = settings().database_url, _databases.here()
    if url not in kept:
        made = make_engine(url)
        turns = asyncio.Semaphore(1 if settings().sqlite else WRITERS)
        reporting = reporting_engine(url) if settings().sqlite else made
        kept[url] = _Database(made, made.execution_options(writes=True), turns, reporting)
    return kept[url]


def engine() -> AsyncEngine:
    """The engine of this process and event loop."""
    return _database().engine


async def dispose_engine() -> None:
    """Close the connections of this event loop."""
    kept = _databases.here()
    while kept:
        _, found = kept.popitem()
        await found.engine.dispose()
        await found.reporting.dispose()


@asynccontextmanager
async def read_scope() -> AsyncIterator[AsyncSession]:
    """A session that only reads; nothing it changes is kept."""
    with span("database read"), database_sessions.track_inprogress():
        async with AsyncSession(engine(), expire_on_commit=False, autoflush=False) as session:
            yield session


@asynccontextmanager
async def _turn(turns: asyncio.Semaphore) -> AsyncIterator[None]:
    begun = time.perf_counter()
    with database_sessions.track_inprogress():
        async with turns:
            database_write_wait_seconds.observe(time.perf_counter() - begun)
            yield


class SessionScope:
    """Opens a session that writes: commits once when the block ends, rolls back when it raises.

    A process's tasks take turns, first come first served: one at a time on SQLite, a few on PostgreSQL. Left to
    themselves some would never get theirs: SQLite's waiting is a sleep and another try, and whoever waits for a
    connection loses it to whoever asks as it comes free. What is left to SQLite's busy timeout is the other processes.
    """

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[AsyncSession]:
        """A session that writes."""
        found = _database()
        try:
            with span("database write"):
                async with (
                    _turn(found.turns),
                    AsyncSession(found.writing, expire_on_commit=False) as session,
                    session.begin(),
                ):
                    yield session
        except StaleDataError:
            # A row with a version was changed between reading it, without a lock, and writing it.
            raise Conflict("Somebody else changed this at the same moment. Please try again.") from None

    reading = staticmethod(read_scope)
    """For use cases that get this scope, and read without waiting for those who write."""


session_scope = SessionScope()


@asynccontextmanager
async def report_scope() -> AsyncIterator[AsyncSession]:
    """A session for long reads, such as lists and exports of staff: nothing else waits for its statements."""
    with span("database report"), database_sessions.track_inprogress():
        async with AsyncSession(_database().reporting, expire_on_commit=False, autoflush=False) as session:
            if not settings().sqlite:
                allowed = _milliseconds(settings().database_report_seconds)
                await (await session.connection()).exec_driver_sql(_PLANNING.format(allowed))
            yield session
