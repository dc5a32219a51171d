"""Real databases for the integration tests: SQLite in a file and PostgreSQL on a free port."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from agency_site.db.engine import dispose_engine
from agency_site.settings import settings
from tests.servers import Postgres, Redis, fresh_sqlite


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
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty, migrated database; every test that uses it runs on both kinds."""
    if request.param == "sqlite":
        return fresh_sqlite(tmp_path / "test.sqlite3")
    server: Postgres = request.getfixturevalue("postgres")
    return server.fresh_database()


@pytest.fixture
async def database(
    database_url: str, monkeypatch: pytest.MonkeyPatch, configure: object
) -> AsyncIterator[str]:
    """The settings point at an empty, migrated database; `session_scope` and `read_scope` use it."""
    monkeypatch.setenv("AGENCY_DATABASE_URL", database_url)
    settings.cache_clear()
    yield database_url
    await dispose_engine()
    assert asyncio.get_running_loop().is_running()
