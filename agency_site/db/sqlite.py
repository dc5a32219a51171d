"""SQLite behind an event loop: prepared connections, whose calls run in the loop's thread unless they may have to wait.

The driver hands every call to a thread, four times for one statement. Under load each of them waits for the interpreter's lock,
which takes many times as long as the statement.
"""

import asyncio
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import aiosqlite
from sqlalchemy import Connection, event, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from agency_site.settings import ROOT

_BUSY_TIMEOUT_MS = 15_000
"""How long a writer waits for the lock: longer than any burst that one process serves."""
_BEGIN_READING, _BEGIN_WRITING = "BEGIN DEFERRED", "BEGIN IMMEDIATE"
_WRITE_AHEAD = "PRAGMA journal_mode=WAL"
_SYNCHRONOUS = "PRAGMA synchronous=FULL"
"""A commit returns when it is on the disk. With NORMAL a power cut takes the last half minute: bookings that have been confirmed,
callbacks that M-Pesa does not repeat, and idempotency keys."""
_PRAGMAS = (
    f"PRAGMA busy_timeout={_BUSY_TIMEOUT_MS}",
    _WRITE_AHEAD,
    _SYNCHRONOUS,
    "PRAGMA foreign_keys=ON",
)
_MAY_WAIT = frozenset({_BEGIN_WRITING, _WRITE_AHEAD})


class PromptConnection(aiosqlite.Connection):
    """A connection whose statements run in the calling thread, unless they may have to wait.

    In WAL mode a read never waits, and a write has had its lock since BEGIN IMMEDIATE. BEGIN IMMEDIATE itself and the change to
    WAL mode may wait for another process, and COMMIT for the disk: these run in the driver's thread.
    """

    _in_thread: asyncio.Future[Any] | None = None

    async def _execute(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if not self._must_wait(fn, args):
            return fn(*args, **kwargs)
        self._in_thread = asyncio.get_running_loop().create_future()
        self._tx.put_nowait((self._in_thread, partial(fn, *args, **kwargs)))
        return await asyncio.shield(self._in_thread)

    def _must_wait(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> bool:
        # The task that began a call may have been cancelled while the thread goes on: later calls must queue behind it.
        if self._in_thread and not self._in_thread.done():
            return True
        return fn == self._conn.commit or (bool(args) and args[0] in _MAY_WAIT)


def sqlite_engine(url: str) -> AsyncEngine:
    """Return an engine for the file at `url`, in WAL mode with foreign keys and a busy timeout."""
    prepare_file(url)
    engine = create_async_engine(url, connect_args={"async_creator_fn": _connect}, hide_parameters=True)
    event.listen(engine.sync_engine, "connect", _prepare)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


def reporting_engine(url: str) -> AsyncEngine:
    """Return an engine for long reads of the file at `url`, during which the event loop goes on."""
    engine = create_async_engine(url, hide_parameters=True)
    event.listen(engine.sync_engine, "connect", _prepare)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _connect(path: str, **options: Any) -> PromptConnection:
    # Two threads use it, one after the other: the event loop's, and the driver's.
    options["check_same_thread"] = False
    connection = PromptConnection(lambda: sqlite3.connect(path, **options), iter_chunk_size=64)
    connection._thread.daemon = True  # noqa: SLF001 - as SQLAlchemy does with connections that it opens itself
    return connection


def prepare_file(url: str) -> None:
    """Make the folder and the file of a SQLite database, readable by this account only. Other databases need neither.

    SQLite gives its journals the mode of the file. A folder that other accounts share, such as `/tmp`, keeps its mode.
    """
    path = make_url(url).database
    if not url.startswith("sqlite") or not path or path == ":memory:":
        return
    file = Path(path)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.touch(mode=0o600)
    for own_path, mode in (
        (file.parent, 0o700),
        *((Path(f"{file}{end}"), 0o600) for end in ("", "-wal", "-shm")),
    ):
        _tighten(own_path, mode)


def _tighten(path: Path, mode: int) -> None:
    """Set the mode of a file or folder if it belongs to this account, is not shared, and other accounts have rights to it."""
    with suppress(FileNotFoundError):
        status = path.stat()
        is_shared = path.is_dir() and (status.st_mode & stat.S_ISVTX or path.resolve() in (ROOT, Path.home()))
        if status.st_uid == os.geteuid() and not is_shared and status.st_mode & 0o077:
            path.chmod(mode)


def _prepare(connection: Any, _record: object) -> None:
    # The driver must not open transactions by itself: _begin does, with the right lock.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql(_BEGIN_WRITING if writes else _BEGIN_READING)
