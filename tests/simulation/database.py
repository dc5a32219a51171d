"""SQLite without threads: every statement and every commit is a step of the scheduler, and may meet a fault."""

import asyncio
import sqlite3
from collections.abc import Callable
from typing import Any, Protocol

import aiosqlite

from tests.simulation.scheduler import ABANDONED, Process

_BUSY_SECONDS = 15.0


class InjectedFault(sqlite3.OperationalError):
    """An error of the database that the simulation has made."""


class Checkpoints(Protocol):
    """Where faults happen: the history decides."""

    async def reach(self, label: str) -> None:
        """A point at which the running process may crash, freeze or wait."""

    def check_database(self, *, writing: bool) -> None:
        """Raises InjectedFault while the database is away, or read-only for a writer."""

    def loses_commit_answer(self) -> bool:
        """Whether this commit succeeds and its answer is lost."""


class Database:
    """One file that several processes use, and who of them writes."""

    def __init__(self, path: str, checkpoints: Checkpoints) -> None:
        self.path = path
        self.checkpoints = checkpoints
        self.connections: set[Connection] = set()
        self.version = 0
        """Counts the commits."""
        self._writer: Connection | None = None
        self._waiting: list[asyncio.Future[None]] = []
        self._watching: list[asyncio.Future[None]] = []

    def connect(self, path: str, **options: Any) -> "Connection":
        """What SQLAlchemy opens a connection with."""
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
            timer = loop.call_at(end, _complete, free)
            await free
            timer.cancel()
            connection.require_open()
        self._writer = connection

    def unlock(self, connection: "Connection") -> None:
        """The connection has ended its transaction."""
        if self._writer is connection:
            self._writer = None
            _complete_all(self._waiting)

    def changed(self) -> None:
        """Something was committed."""
        self.version += 1
        _complete_all(self._watching)

    async def wait_for_change(self, seconds: float) -> None:
        """Return after the next commit, or that long."""
        loop = asyncio.get_running_loop()
        change = loop.create_future()
        self._watching.append(change)
        timer = loop.call_later(seconds, _complete, change)
        await change
        timer.cancel()

    def drop(self, process: Process | None = None) -> None:
        """Break the connections of a process that crashed, or all that are in a transaction, which rolls back."""
        for connection in sorted(self.connections, key=lambda one: one.number):
            if connection.process is process or (process is None and connection.is_used):
                connection.break_off()


def _complete(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


def _complete_all(futures: "list[asyncio.Future[None]]") -> None:
    pending, futures[:] = futures[:], []
    for future in pending:
        future.get_loop().call_soon(_complete, future)


class _Inline:
    """Takes the place of the queue to the driver's thread: what is put there is done at once."""

    def put_nowait(self, item: "tuple[asyncio.Future[Any] | None, Callable[[], Any]]") -> None:
        future, work = item
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
        """Whether a transaction is open."""
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
        if name == "execute":
            return await self._statement(fn, args)
        return fn(*args, **kwargs)

    async def _statement(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        sql = args[0]
        if sql.startswith("PRAGMA busy_timeout"):
            # The lock is the simulation's own: SQLite itself must never wait.
            return fn("PRAGMA busy_timeout=0")
        if sql.startswith("PRAGMA"):
            return fn(*args)
        await self.database.checkpoints.reach("at a statement")
        self.database.checkpoints.check_database(writing=sql == "BEGIN IMMEDIATE")
        self.require_open()
        if sql == "BEGIN IMMEDIATE":
            await self.database.lock(self)
        return fn(*args)

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
        self.database.changed()
        if self.database.checkpoints.loses_commit_answer():
            self.break_off()
            raise InjectedFault("connection closed: the answer to a commit is lost")
        await self.database.checkpoints.reach("after a commit")

    def _roll_back(self, fn: Callable[..., Any]) -> None:
        fn()
        self.database.unlock(self)

    def require_open(self) -> None:
        """Raises InjectedFault once the connection is broken off."""
        if self.broken:
            raise InjectedFault("connection closed: the database went away")
