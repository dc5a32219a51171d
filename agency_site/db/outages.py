"""Outages of the database that last a moment (restart, failover, a lock): recognise their errors, and retry the work."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Generic, TypeVar

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.event_loops import PerLoop

log = logging.getLogger(__name__)

Result = TypeVar("Result")

_PAUSES = (0.1, 0.2, 0.4, 0.6, 0.7)
_PATIENCE = 2.0
"""Seconds during which work is retried. One attempt on SQLite may wait longer for the lock, and is then the last."""
_CAUSE_LENGTH = 300
_OF_ONE_STATEMENT = frozenset({"55P03", "57014", "40P01", "40001"})
"""PostgreSQL's error codes of a statement that waited or ran for too long, or lost against another transaction."""
_READ_ONLY = "25006"
"""PostgreSQL's error code of a server that is no longer the primary."""
_DISK_FULL = "53100"
_UNWRITABLE = ("SQLITE_FULL", "SQLITE_READONLY", "SQLITE_IOERR")


def is_outage(error: BaseException) -> bool:
    """Return whether the database could not be reached or used, whatever the statement was."""
    if isinstance(error, PoolTimeout):
        return True
    if not isinstance(error, DBAPIError):
        return False
    if error.connection_invalidated or getattr(error.orig, "sqlstate", None) == _READ_ONLY:
        return True
    # SQLite uses the same class for a faulty statement as for a lock or a full disk.
    faulty = getattr(error.orig, "sqlite_errorname", "") == "SQLITE_ERROR"
    return isinstance(error, OperationalError | InterfaceError) and not faulty


def concerns_one_statement(error: BaseException) -> bool:
    """Return whether PostgreSQL has ended one statement, because of its locks or its length, while others work."""
    return getattr(getattr(error, "orig", None), "sqlstate", None) in _OF_ONE_STATEMENT


def refuses_writes(error: BaseException) -> bool:
    """Return whether the database can be read and not written: its disk is full, or it is read-only."""
    orig = getattr(error, "orig", None)
    if getattr(orig, "sqlstate", None) in (_READ_ONLY, _DISK_FULL):
        return True
    return str(getattr(orig, "sqlite_errorname", "")).startswith(_UNWRITABLE)


def describe_outage(error: BaseException) -> str:
    """Describe the cause in one line, as the database or its driver names it: a wrong password, a lock, a full disk.

    Errors of an outage quote addresses and names of tables, and no values.
    """
    cause = getattr(error, "orig", None) or error
    lines = str(cause).strip().splitlines()
    return f"{type(cause).__name__}: {lines[0] if lines else 'no reason given'}"[:_CAUSE_LENGTH]


def log_failure(logger: logging.Logger, error: BaseException, message: str, *arguments: object) -> None:
    """Log a failure with its traceback, or in one line if the database is away: then everything fails, for a known cause."""
    if is_outage(error):
        logger.error(f"{message}; the database is unavailable: %s", *arguments, describe_outage(error))
    else:
        logger.error(message, *arguments, exc_info=error)


async def retry_outages(
    work: Callable[[], Awaitable[Result]], may_repeat: Callable[[], bool] = lambda: True
) -> Result:
    """Return the result of `work`, which is retried for about two seconds while the database is away."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + _PATIENCE
    for pause in _PAUSES:
        try:
            return await work()
        except Exception as error:
            if not is_outage(error) or not may_repeat() or clock() + pause > deadline:
                raise
            log.warning("the database is unavailable; the work is tried again: %s", describe_outage(error))
        await asyncio.sleep(pause)
    return await work()


async def read_within(seconds: float, name: str, read: Callable[[], Awaitable[Result]]) -> Result | None:
    """Return the result of `read`, or None if the database fails or takes longer: for what a page can do without.

    The log calls it by its `name`.
    """
    try:
        async with asyncio.timeout(seconds):
            return await read()
    except (TimeoutError, SQLAlchemyError) as error:
        is_expected = isinstance(error, TimeoutError) or is_outage(error)
        cause = (
            f"no answer within {seconds:g} s" if isinstance(error, TimeoutError) else describe_outage(error)
        )
        log.warning("a reading failed and is left out: %s: %s", name, cause, exc_info=not is_expected)
        return None


class SharedReading(Generic[Result]):
    """A reading that requests of the same moment share, so that under load a page costs no statement of its own."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._running: PerLoop[asyncio.Task[Result | None]] = PerLoop()

    async def read(self, key: str, seconds: float, read: Callable[[], Awaitable[Result]]) -> Result | None:
        """Return the result as `read_within` does. Requests with the same `key` share one that is under way."""
        running = self._running.here()
        task = running.get(key)
        if task is None:
            task = running[key] = asyncio.create_task(read_within(seconds, self._name, read))
            task.add_done_callback(lambda _: running.pop(key))
        # Shielded, because the visitor whose request began the reading may leave.
        return await asyncio.shield(task)


async def retry_transaction(
    scope: Callable[[], AbstractAsyncContextManager[AsyncSession]],
    work: Callable[[AsyncSession], Awaitable[Result]],
) -> Result:
    """Return the result of `work` in one transaction, which is retried as well, unless its commit may have succeeded."""
    committing = False

    async def attempt() -> Result:
        nonlocal committing
        async with scope() as session:
            result = await work(session)
            committing = True
        return result

    return await retry_outages(attempt, lambda: not committing)
