"""SQLite without threads: every statement and every commit is a step of the scheduler, and may meet a fault."""

import asyncio
import re
import sqlite3
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

import aiosqlite
from sqlalchemy.util.concurrency import await_only

from tests.simulation.scheduler import ABANDONED, Process

_BUSY_SECONDS = 15.0
_COMMITS_BETWEEN_SYNCS = 20
_CHANGED_TABLE = re.compile(r"(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)")


class InjectedFault(sqlite3.OperationalError):
    """An error of the database that the simulation has made."""


class Checkpoints(Protocol):
    """Where faults happen: the history decides."""

    async def reach(self, label: str) -> None:
        """A point at which the running process may crash, freeze or wait."""

    def must_wait(self, label: str) -> bool:
        """Return whether the process has to let others run first, for code that cannot await."""

    def note_commit(self, tables: Collection[str]) -> None:
        """Rows of these tables have changed."""

    def check_database(self, *, writing: bool) -> None:
        """Raise InjectedFault while the database is down, or read-only for a writer."""

    def loses_commit_answer(self) -> bool:
        """Return whether this commit succeeds and its answer is lost."""


class Database:
    """One file that several processes use, and who of them writes."""

    def __init__(self, path: str, checkpoints: Checkpoints) -> None:
        self.path = path
        self.checkpoints = checkpoints
        self.connections: set[Connection] = set()
        self._writer: Connection | None = None
        self._unsynced = 0
        self._on_disk = b""
        self._waiting: list[asyncio.Future[None]] = []

    def connect(self, path: str, **options: Any) -> "Connection":
        """Open a connection for SQLAlchemy."""
        options["check_same_thread"] = False
        return Connection(self, lambda: sqlite3.connect(path, **options))

    async def lock(self, connection: "Connection") -> None:
        """Wait for the write lock, at most as long as the busy timeout."""
        loop = asyncio.get_running_loop()
        end = loop.time() + _BUSY_SECONDS
        while self._writer is not None:
            if loop.time() >= end:
                raise InjectedFault("database is locked")
            free = loop.create_future()
            self._waiting.append(free)
            timer = loop.call_at(end, complete, free)
            await free
            timer.cancel()
            connection.require_open()
        self._writer = connection

    def lock_now(self, connection: "Connection") -> None:
        """Take the write lock, which is free."""
        self._writer = connection

    def note_durability(self, pragma: str) -> None:
        """Read from the product's pragma whether each commit reaches the disk before it returns."""
        if "synchronous" in pragma and self._unsynced == 0 and not pragma.endswith(("FULL", "EXTRA")):
            self._keep_on_disk()

    def note_write(self) -> None:
        """A commit is done. Where commits are not synced, the disk has those of a moment before."""
        if self._on_disk:
            self._unsynced += 1
            if self._unsynced % _COMMITS_BETWEEN_SYNCS == 0:
                self._keep_on_disk()

    def _keep_on_disk(self) -> None:
        with closing(sqlite3.connect(self.path)) as connection:
            self._on_disk = connection.serialize()

    def lose_power(self) -> None:
        """Go on with what the disk has. No connection may be open."""
        if self._on_disk:
            for end in ("-wal", "-shm"):
                Path(f"{self.path}{end}").unlink(missing_ok=True)
            Path(self.path).write_bytes(self._on_disk)

    @property
    def is_locked(self) -> bool:
        """Return whether a process is writing."""
        return self._writer is not None

    def unlock(self, connection: "Connection") -> None:
        """The connection has ended its transaction."""
        if self._writer is connection:
            self._writer = None
            complete_all(self._waiting)

    def drop(self, process: Process | None = None) -> None:
        """Break the connections of a process that crashed, or all that are in a transaction, which rolls back."""
        for connection in sorted(self.connections, key=lambda connection: connection.number):
            if connection.process is process or (process is None and connection.is_used):
                connection.break_off()


def complete(future: "asyncio.Future[None]") -> None:
    """End the wait for it, unless it has ended."""
    if not future.done():
        future.set_result(None)


def complete_all(futures: "list[asyncio.Future[None]]") -> None:
    """End the wait for all of them, each in its own process."""
    pending, futures[:] = futures[:], []
    for future in pending:
        future.get_loop().call_soon(complete, future)


class _Inline:
    """Takes the place of the queue to the driver's thread: what is put there is done at once."""

    def put_nowait(self, connection_: "tuple[asyncio.Future[Any] | None, Callable[[], Any]]") -> None:
        future, work = connection_
        result = work()
        if future is not None:
            future.set_result(result)


class Connection(aiosqlite.Connection):
    """A connection whose calls run in the scheduler's own thread."""

    _numbers = 0

    def __init__(self, database: Database, connector: Callable[[], sqlite3.Connection]) -> None:
        super().__init__(connector, iter_chunk_size=64)
        self._tx = _Inline()  # type: ignore[assignment]
        self.database = database
        self.process: Process | None = None
        self.broken = False
        self.written: set[str] = set()
        """The tables that the transaction has changed."""
        Connection._numbers += 1
        self.number = Connection._numbers

    def __await__(self) -> Any:
        return self._open().__await__()

    async def _open(self) -> "Connection":
        loop = asyncio.get_running_loop()
        assert isinstance(loop, Process)
        self.process = loop
        self.database.checkpoints.check_database(writing=False)
        self._connection = self._connector()
        self.database.connections.add(self)
        return self

    def stop(self) -> None:
        """Close it; there is no thread to end."""
        self._running = False
        self.break_off()

    @property
    def is_used(self) -> bool:
        """Return whether a transaction is open."""
        return self._connection is not None and self._connection.in_transaction

    def break_off(self) -> None:
        """End its transaction and close it, without the process noticing yet."""
        self.broken = True
        if self._connection is not None:
            self._connection.close()
        self.database.connections.discard(self)
        self.database.unlock(self)
        if self.process and self.process.crashed:
            ABANDONED.kept.append(self)

    def __del__(self) -> None:
        """No warning: a process that crashes closes nothing."""

    async def _execute(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        name = getattr(fn, "__name__", "")
        if self.broken and name in ("close", "rollback"):
            return None
        self.require_open()
        if name == "commit":
            return await self._commit(fn)
        if name == "rollback":
            return self._roll_back(fn)
        return fn(*args, **kwargs)

    def prepare(self, sql: str) -> str:
        """Return the statement to execute instead, which is a step. SQLAlchemy calls this in a greenlet."""
        self.require_open()
        if sql.startswith("PRAGMA"):
            # The lock is the simulation's own: SQLite itself must never wait.
            self.database.note_durability(sql)
            return "PRAGMA busy_timeout=0" if "busy_timeout" in sql else sql
        database = self.database
        if database.checkpoints.must_wait("at a statement"):
            await_only(asyncio.sleep(0))
            self.require_open()
        else:
            # SQLAlchemy insists on waiting for a driver.
            await_only(_AT_ONCE)
        database.checkpoints.check_database(writing=sql == "BEGIN IMMEDIATE")
        if sql == "BEGIN IMMEDIATE":
            self.written.clear()
            if database.is_locked:
                await_only(database.lock(self))
            else:
                database.lock_now(self)
        elif changed := _CHANGED_TABLE.match(sql):
            self.written.add(changed[1])
        return sql

    async def _commit(self, fn: Callable[..., Any]) -> None:
        writes = self.database._writer is self
        if writes:
            await self.database.checkpoints.reach("before a commit")
            self.require_open()
            try:
                self.database.checkpoints.check_database(writing=True)
            except InjectedFault:
                self._roll_back(self._conn.rollback)
                raise
        fn()
        self.database.unlock(self)
        if not writes:
            return
        self.database.note_write()
        self.database.checkpoints.note_commit(self.written)
        if self.database.checkpoints.loses_commit_answer():
            self.break_off()
            raise InjectedFault("connection closed: the answer to a commit is lost")
        await self.database.checkpoints.reach("after a commit")

    def _roll_back(self, fn: Callable[..., Any]) -> None:
        fn()
        self.database.unlock(self)

    def require_open(self) -> None:
        """Raise InjectedFault once the connection is broken off."""
        if self.broken:
            raise InjectedFault("connection closed: the database went away")


class _AtOnce:
    """Nothing to wait for."""

    def __await__(self) -> Generator[None, None, None]:
        yield from ()


_AT_ONCE = _AtOnce()


class Cursor:
    """In the place of SQLAlchemy's cursor over aiosqlite, which changes greenlets four times for each statement."""

    __slots__ = ("_adapt_connection", "_connection", "_cursor", "_rows")
    server_side = False

    def __init__(self, adapted: Any) -> None:
        self._adapt_connection = adapted
        self._connection: Connection = adapted._connection
        self._connection.require_open()
        self._cursor = self._connection._conn.cursor()
        self._rows: deque[Any] = deque()

    @property
    def description(self) -> Any:
        """The description of the columns."""
        return self._cursor.description

    @property
    def rowcount(self) -> Any:
        """Rows that were changed."""
        return self._cursor.rowcount

    @property
    def lastrowid(self) -> Any:
        """The id of the row that was inserted last."""
        return self._cursor.lastrowid

    def execute(self, operation: str, parameters: Any = None) -> None:
        """One statement: a step."""
        statement = self._connection.prepare(operation)
        self._cursor.execute(statement, parameters or ())
        if self._cursor.description:
            self._rows = deque(self._cursor.fetchall())

    def executemany(self, operation: str, parameters: Any) -> None:
        """One statement with many rows: a step."""
        self._cursor.executemany(self._connection.prepare(operation), parameters)

    def fetchone(self) -> Any:
        """The next row, or none."""
        return self._rows.popleft() if self._rows else None

    def fetchmany(self, size: int = 1) -> Sequence[Any]:
        """The next rows."""
        return [self._rows.popleft() for _ in range(min(size, len(self._rows)))]

    def fetchall(self) -> Sequence[Any]:
        """The rows that are left."""
        rows, self._rows = list(self._rows), deque()
        return rows

    def __iter__(self) -> Iterator[Any]:
        while self._rows:
            yield self._rows.popleft()

    def close(self) -> None:
        """Forget the rows."""
        self._rows.clear()
        self._cursor.close()

    async def _async_soft_close(self) -> None:
        """All rows are here already."""
