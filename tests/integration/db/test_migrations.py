"""Migrations make the declared tables; servers that start at once on one database migrate it one after the other."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from agency_site.db.migrations import known_revisions, plain_engine
from agency_site.db.new_migrations import find_missing_indexes
from agency_site.db.tables import metadata
from tests.servers import Postgres

_ROOT = Path(__file__).resolve().parents[3]
_PROCESSES = 4
_MIGRATE = """
import sys
from agency_site.db.migrations import migrate

print("ready", flush=True)
sys.stdin.readline()
migrate(sys.argv[1])
"""
"""Waits for a line after its imports, so that all processes begin at the same moment."""


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database without any table."""
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{tmp_path}/new.sqlite3"
    server: Postgres = request.getfixturevalue("postgres")
    return server.bare_database()


@pytest.fixture
def start() -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Starts a process that migrates the database at an address once it gets a line."""
    running: list[subprocess.Popen[str]] = []

    def started(url: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", _MIGRATE, url], cwd=_ROOT, env=os.environ | {"AGENCY_LOG_LEVEL": "error"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        running.append(process)
        return process

    yield started
    for process in running:
        process.kill()
        process.communicate()


def test_processes_that_migrate_an_empty_database_at_once_all_succeed(
    empty: str, start: Callable[[str], subprocess.Popen[str]]
) -> None:
    processes = [start(empty) for _ in range(_PROCESSES)]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    ends = [(process.communicate(timeout=120)[1], process.returncode) for process in processes]
    assert [code for _, code in ends] == [0] * _PROCESSES, [output for output, _ in ends]
    with plain_engine(empty).connect() as connection:
        revisions = list(connection.scalars(text("SELECT version_num FROM alembic_version")))
    assert len(revisions) == 1
    assert revisions[0] in known_revisions()


def test_every_declared_index_exists(database_url: str) -> None:
    """`alembic check` does not see indexes of expressions on SQLite, and a migration that copies a table may lose them there."""
    with plain_engine(database_url).connect() as connection:
        assert find_missing_indexes(connection, metadata) == set()
