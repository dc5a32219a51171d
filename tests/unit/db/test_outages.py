"""Outages of the database: their errors, and how long work is retried."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest
from sqlalchemy.exc import DBAPIError, IntegrityError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from agency_site.db import outages
from agency_site.db.outages import is_outage, read_within, retry_outages, retry_transaction

AWAY = OperationalError("SELECT 1", {}, psycopg.OperationalError("connection refused"))


def sqlite_error(statement: str) -> OperationalError:
    with pytest.raises(sqlite3.OperationalError) as raised:
        sqlite3.connect(":memory:").execute(statement)
    return OperationalError(statement, {}, raised.value)


@pytest.mark.parametrize(
    ("error", "outage"),
    [
        (AWAY, True),
        (PoolTimeout(), True),
        (InternalError("UPDATE", {}, psycopg.errors.ReadOnlySqlTransaction()), True),
        (DBAPIError("SELECT 1", {}, psycopg.Error(), connection_invalidated=True), True),
        (IntegrityError("INSERT", {}, psycopg.errors.UniqueViolation()), False),
        (sqlite_error("SELECT * FROM nowhere"), False),
        (ValueError(), False),
    ],
)
def test_errors_of_an_unreachable_or_unusable_database_are_outages(error: Exception, outage: bool) -> None:
    assert is_outage(error) is outage


class Database:
    """A database that is away for the first few transactions, when they begin or when they commit."""

    def __init__(self, begins: int = 0, commits: int = 0) -> None:
        self.begins, self.commits, self.worked = begins, commits, 0

    @asynccontextmanager
    async def scope(self) -> AsyncIterator[Any]:
        if self.begins:
            self.begins -= 1
            raise AWAY
        yield None
        if self.commits:
            self.commits -= 1
            raise AWAY

    async def work(self, _session: object) -> int:
        self.worked += 1
        return self.worked


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outages, "_PAUSES", (0, 0, 0))


async def test_a_transaction_is_tried_again_until_the_database_is_back() -> None:
    assert await retry_transaction(Database(begins=3).scope, Database().work) == 1


async def test_an_outage_that_lasts_is_raised() -> None:
    database = Database(begins=4)
    with pytest.raises(OperationalError):
        await retry_transaction(database.scope, database.work)
    assert database.worked == 0


async def test_a_commit_that_may_have_succeeded_is_not_repeated() -> None:
    database = Database(commits=1)
    with pytest.raises(OperationalError):
        await retry_transaction(database.scope, database.work)
    assert database.worked == 1


async def test_other_errors_are_raised_at_once() -> None:
    calls = []

    async def work() -> None:
        calls.append(1)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await retry_outages(work)
    assert calls == [1]


async def fail(error: Exception) -> str:
    raise error


async def test_a_reading_is_left_out_if_the_database_is_away_or_slow(
    caplog: pytest.LogCaptureFixture,
) -> None:
    forever = asyncio.Event()
    assert await read_within(1, "mails", lambda: fail(AWAY)) is None
    assert await read_within(0.01, "texts", forever.wait) is None
    away, slow = caplog.messages
    assert away.startswith("a reading failed and is left out: mails: ")
    assert slow == "a reading failed and is left out: texts: no answer within 0.01 s"
    with pytest.raises(KeyError):
        await read_within(1, "mails", lambda: fail(KeyError()))


def test_the_cause_of_an_outage_is_one_line_without_the_statement_and_its_values() -> None:
    password = psycopg.OperationalError(
        'connection failed: FATAL:  password authentication failed for user "agency"\n\tSecond line'
    )
    error = OperationalError("INSERT INTO bookings VALUES (:name)", {"name": "Amina"}, password)
    cause = 'OperationalError: connection failed: FATAL:  password authentication failed for user "agency"'
    assert outages.describe_outage(error) == cause
    assert outages.describe_outage(PoolTimeout("QueuePool limit")) == "TimeoutError: QueuePool limit"
    assert outages.describe_outage(TimeoutError()) == "TimeoutError: no reason given"
    assert len(outages.describe_outage(ValueError("x" * 1000))) == 300
