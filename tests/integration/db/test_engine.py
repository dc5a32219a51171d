"""Connections and locks: waiting writers do not block other tasks, and dead connections are replaced."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db import engine
from agency_site.db.engine import dispose_engine, read_scope, report_scope, session_scope
from agency_site.db.outages import describe_outage, is_outage
from agency_site.features.newsletter.request import Subscription
from agency_site.features.newsletter.tables import Subscriber
from agency_site.features.newsletter.usecases import subscribe
from agency_site.settings import Settings
from tests.servers import Postgres, fresh_sqlite, pgbouncer, psycopg_address

pytestmark = pytest.mark.each_database

Configure = Callable[..., Settings]


async def subscribers_found(*names: str) -> list[bool]:
    async with read_scope() as session:
        stored = set(await session.exec(select(Subscriber.email)))
    return [f"{name}@example.com" in stored for name in names]


async def store(name: str) -> None:
    async with session_scope() as session:
        await subscribe(session, Subscription(email=f"{name}@example.com"), "footer")


@pytest.mark.usefixtures("database")
async def test_five_times_as_many_writers_as_connections_all_write() -> None:
    names = [f"visitor{number}" for number in range(5 * engine.CONNECTIONS)]
    async with asyncio.timeout(60):
        await asyncio.gather(*(store(name) for name in names))
    assert all(await subscribers_found(*names))


@pytest.mark.usefixtures("database")
async def test_a_writer_that_fails_releases_its_turn() -> None:
    async def fail() -> None:
        async with session_scope():
            raise RuntimeError

    for _ in range(engine.WRITERS + 1):
        with pytest.raises(RuntimeError):
            await fail()
    async with asyncio.timeout(10):
        await store("amina")
    assert await subscribers_found("amina") == [True]


async def read_planning(session: AsyncSession) -> tuple[str, str]:
    statement = "SELECT current_setting('jit'), current_setting('random_page_cost')"
    return tuple((await (await session.connection()).exec_driver_sql(statement)).one())


async def test_reports_on_postgresql_run_without_jit_and_a_pooled_connection_keeps_no_setting_of_them(
    postgres: Postgres, configure: Configure
) -> None:
    with postgres.empty_database() as url:
        configure(database_url=url)
        async with report_scope() as session:
            assert await read_planning(session) == ("off", "1.1")
        async with read_scope() as session:
            assert await read_planning(session) == ("on", "4")
        await dispose_engine()


@pytest.fixture
async def other(tmp_path: Path, configure: Configure) -> AsyncIterator[sqlite3.Connection]:
    """The connection of another process that holds the write lock; `brian` is stored already."""
    file = tmp_path / "site.sqlite3"
    configure(database_url=fresh_sqlite(file))
    await store("brian")
    connection = sqlite3.connect(file, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield connection
    finally:
        connection.close()
        await dispose_engine()


async def test_reads_go_on_while_a_writer_waits_for_another_process(
    other: sqlite3.Connection,
) -> None:
    writing = asyncio.create_task(store("amina"))
    assert (await asyncio.wait([writing], timeout=0.2))[0] == set()
    async with asyncio.timeout(5):
        for _ in range(20):
            assert await subscribers_found("amina") == [False]
    other.execute("COMMIT")
    await asyncio.wait_for(writing, 10)
    assert await subscribers_found("amina") == [True]


async def test_a_writer_cancelled_while_it_waits_for_another_process_blocks_no_other(
    other: sqlite3.Connection,
) -> None:
    writing = asyncio.create_task(store("amina"))
    assert (await asyncio.wait([writing], timeout=0.2))[0] == set()
    writing.cancel()
    async with asyncio.timeout(5):
        for _ in range(20):
            assert await subscribers_found("amina", "brian") == [False, True]
    other.execute("COMMIT")
    with pytest.raises(asyncio.CancelledError):
        await writing
    await store("amina")
    assert await subscribers_found("amina") == [True]


async def test_a_connection_that_the_server_ended_while_it_was_idle_is_replaced(
    postgres: Postgres, configure: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.fresh_database()
    configure(database_url=url)
    monkeypatch.setattr(engine, "IDLE_SECONDS", 0.0)
    await store("amina")
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as server:
        ended = server.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchall()
    assert ended == [(True,)]
    await store("brian")
    async with read_scope() as session:
        assert (
            await (await session.connection()).execute(text("SELECT count(*) FROM subscribers"))
        ).all() == [(2,)]
    await dispose_engine()


async def settings_of_a_transaction(scope: Callable[[], Any]) -> tuple[str, ...]:
    names = ("lock_timeout", "statement_timeout", "application_name")
    async with scope() as session:
        connection = await session.connection()
        return tuple([(await connection.execute(text(f"SHOW {name}"))).scalar_one() for name in names])


@pytest.mark.parametrize("pooled", [False, True])
async def test_statements_on_postgresql_wait_and_run_for_a_limited_time_under_a_name(
    postgres: Postgres, configure: Configure, *, pooled: bool
) -> None:
    with ExitStack() as stack:
        url = stack.enter_context(postgres.empty_database())
        address = stack.enter_context(pgbouncer(url)) if pooled else url
        configure(database_url=address, database_prepares=str(not pooled))
        assert await settings_of_a_transaction(session_scope) == ("5s", "1min", "agency-site")
        assert await settings_of_a_transaction(read_scope) == ("5s", "1min", "agency-site")
        assert await settings_of_a_transaction(report_scope) == ("5s", "10min", "agency-site")
        configure(database_lock_seconds=0, database_statement_seconds=0)
        assert await settings_of_a_transaction(read_scope) == ("0", "0", "agency-site")
        await dispose_engine()


async def test_a_request_waits_for_a_lock_for_a_limited_time_and_the_cause_is_named(
    postgres: Postgres, configure: Configure
) -> None:
    with postgres.empty_database() as url:
        configure(database_url=url, database_lock_seconds=0.2)
        with psycopg.connect(psycopg_address(url)) as holder:
            holder.execute("LOCK TABLE subscribers IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(OperationalError) as refused:
                await subscribers_found("amina")
            holder.rollback()
        assert is_outage(refused.value)
        assert describe_outage(refused.value) == "LockNotAvailable: canceling statement due to lock timeout"
        assert await subscribers_found("amina") == [False]
        await dispose_engine()


async def test_a_connection_that_has_just_ended_is_an_outage_and_is_replaced(
    postgres: Postgres, configure: Configure
) -> None:
    with postgres.empty_database() as url:
        # Only an idle connection is tested before it is used.
        configure(database_url=url)
        assert await asyncio.gather(*(subscribers_found("amina") for _ in range(5))) == [[False]] * 5
        with psycopg.connect(psycopg_address(url), autocommit=True) as server:
            server.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        with pytest.raises(OperationalError) as refused:
            await subscribers_found("amina")
        assert is_outage(refused.value)
        assert refused.value.connection_invalidated
        # The pool replaces all connections that ended at the same moment, not one after the other.
        assert await asyncio.gather(*(subscribers_found("amina") for _ in range(5))) == [[False]] * 5
        await dispose_engine()


async def test_a_full_disk_is_an_outage_whose_cause_is_named(tmp_path: Path, configure: Configure) -> None:
    file = tmp_path / "site.sqlite3"
    configure(database_url=fresh_sqlite(file))
    async with read_scope() as session:
        connection = await session.connection()
        await connection.execute(text("CREATE TABLE things (name TEXT)"))
        pages = (await connection.execute(text("PRAGMA page_count"))).scalar_one()
        await connection.execute(text(f"PRAGMA max_page_count = {pages}"))
        filling = text("INSERT INTO things SELECT hex(zeroblob(100000))")
        with pytest.raises(OperationalError) as refused:
            await connection.execute(filling)
    await dispose_engine()
    assert is_outage(refused.value)
    assert describe_outage(refused.value) == "OperationalError: database or disk is full"


def read_modes(folder: Path) -> dict[str, str]:
    """Return the mode of a folder and of each file in it."""
    return {path.name: oct(path.stat().st_mode & 0o777) for path in (folder, *folder.iterdir())}


async def test_a_new_sqlite_file_is_for_its_own_account_only(tmp_path: Path, configure: Configure) -> None:
    configure(database_url=f"sqlite+aiosqlite:///{tmp_path}/data/site.sqlite3")
    async with session_scope() as session:
        await session.exec(text("CREATE TABLE things (name TEXT)"))  # type: ignore[call-overload]
        assert read_modes(tmp_path / "data") == {
            "data": "0o700", "site.sqlite3": "0o600", "site.sqlite3-wal": "0o600", "site.sqlite3-shm": "0o600",
        }  # fmt: skip
    await dispose_engine()


async def test_an_existing_sqlite_file_and_its_folder_are_closed_to_others(
    tmp_path: Path, configure: Configure
) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    for name in ("site.sqlite3", "site.sqlite3-wal"):
        (folder / name).touch(mode=0o644)
    configure(database_url=f"sqlite+aiosqlite:///{folder}/site.sqlite3")
    assert engine.engine()
    assert read_modes(folder) == {"data": "0o700", "site.sqlite3": "0o600", "site.sqlite3-wal": "0o600"}
    await dispose_engine()


async def test_a_folder_that_accounts_share_keeps_its_mode(tmp_path: Path, configure: Configure) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    configure(database_url=f"sqlite+aiosqlite:///{folder}/site.sqlite3")
    assert engine.engine()
    assert folder.stat().st_mode & 0o7777 == 0o1777
    await dispose_engine()
