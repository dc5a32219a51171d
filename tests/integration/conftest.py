"""Real databases for the integration tests, SQLite in a file and PostgreSQL on a free port, and clients of the API on them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Literal

import httpx
import pytest
from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from sqlalchemy import Engine
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.types import ASGIApp

from agency_site.auth import passwords
from agency_site.content import published
from agency_site.content.courses import payment_list
from agency_site.db import engine
from agency_site.db.engine import dispose_engine, make_engine
from agency_site.settings import settings
from tests.example_records import DEAR_COURSE
from tests.http_clients import PAGE_HEADERS, client_of
from tests.integration.shared_api import shared_api
from tests.servers import Postgres, Redis, fresh_sqlite


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave PostgreSQL to `make test-all`, except for tests with the marker `each_database`."""
    for item in items:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            kind = item.callspec.params.get("database_url")
            if kind == "postgresql" and not item.get_closest_marker("each_database"):
                item.add_marker("thorough")


class CountingHasher(PasswordHasher):
    """Argon2 that counts its verifications; a text that is no hash costs none."""

    verified = 0

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002 - the library's name
        try:
            fits = super().verify(hash, password)
        except VerifyMismatchError:
            CountingHasher.verified += 1
            raise
        CountingHasher.verified += 1
        return fits


@pytest.fixture(autouse=True)
def argon2(monkeypatch: pytest.MonkeyPatch) -> type[CountingHasher]:
    """Argon2 with the least parameters: those of production cost 64 MiB and 30 ms for each sign-in of a test."""
    monkeypatch.setattr(passwords, "HASHER", CountingHasher(time_cost=1, memory_cost=8, parallelism=1))
    CountingHasher.verified = 0
    return CountingHasher


@pytest.fixture(autouse=True)
def prices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Courses cost what tests of money expect, whatever the academy asks for them."""
    for course in payment_list():
        monkeypatch.setitem(vars(course), "payment_price", 25_000 if course is DEAR_COURSE else 15_000)


@pytest.fixture(autouse=True)
def content_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has run its jobs during an outage stays closed; this one goes on with the next test."""
    monkeypatch.setattr(published, "_is_awaited", False)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server of our own for the whole run."""
    with Postgres.started() as server:
        yield server


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Redis]:
    """A Redis server of our own for the whole run."""
    with Redis.started() as server:
        yield server


@pytest.fixture
def redis(redis_server: Redis) -> Redis:
    """The Redis server, emptied."""
    redis_server.flush()
    return redis_server


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty, migrated database; every test that uses it runs on both kinds."""
    if request.param == "sqlite":
        yield fresh_sqlite(tmp_path / "test.sqlite3")
        return
    server: Postgres = request.getfixturevalue("postgres")
    with server.empty_database() as url:
        yield url


@pytest.fixture(scope="session", autouse=True)
def compiled_statements() -> Iterator[None]:
    """The engines of all tests share their compiled statements: each test has an engine of its own, and compiling again
    what the test before has compiled takes a fifth of its time."""
    engines: dict[str, Engine] = {}

    def sharing(url: str) -> AsyncEngine:
        engine = make_engine(url)
        own = engine.sync_engine
        first = engines.setdefault(own.dialect.name, own)
        # A dialect learns the server's version with its first connection.
        if first.dialect.server_version_info:
            own.dialect, own._compiled_cache = first.dialect, first._compiled_cache
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "make_engine", sharing)
        yield


@pytest.fixture
async def database(
    database_url: str, monkeypatch: pytest.MonkeyPatch, configure: object
) -> AsyncIterator[str]:
    """The settings point at an empty, migrated database; `session_scope` and `read_scope` use it."""
    monkeypatch.setenv("AGENCY_DATABASE_URL", database_url)
    settings.cache_clear()
    yield database_url
    # Work that continues after its response, such as a push, has a connection until it ends.
    if others := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(others, timeout=10)
    await dispose_engine()
    assert asyncio.get_running_loop().is_running()


@pytest.fixture
def application(database: str) -> ASGIApp:
    """The API on an empty database. A module that tests another application overrides it."""
    assert database
    return shared_api()


@pytest.fixture
async def visitor(application: ASGIApp) -> AsyncIterator[httpx.AsyncClient]:
    """A visitor's browser without scripts, on a page of the site."""
    async with client_of(application) as browser:
        browser.headers.update(PAGE_HEADERS)
        yield browser


@pytest.fixture
def no_fill_time(configure: Callable[..., object]) -> None:
    """Forms are submitted faster than a visitor can fill them in."""
    configure(form_minimum_seconds=0)
