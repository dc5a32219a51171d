"""A database of before release 1.0 gets the tables of 1.0 and keeps its rows."""

import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic import command
from sqlalchemy import Connection, Engine, inspect, text

from agency_site.db.migrations import TABLES_OF_1_0, DatabaseBefore10, config_for, migrate, plain_engine
from agency_site.db.new_migrations import find_changed_checks, find_missing_indexes
from agency_site.db.tables import metadata
from agency_site.db.upgrade_to_1_0 import COLUMNS, UpgradeRefused, main, upgrade
from agency_site.settings import ROOT
from tests.servers import Postgres, bare_environment, psycopg_address

pytestmark = pytest.mark.thorough

_DUMPS = Path(__file__).parent
_CONSTRAINTS = """
SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE connamespace = current_schema()::regnamespace
"""
_SEQUENCES = (
    "SELECT relname FROM pg_class WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace"
)
_TRIGGERS = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
}
_INDEXES = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL",
    "postgresql": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()",
}


def make_database(request: pytest.FixtureRequest, folder: Path, name: str) -> str:
    """Return the address of an empty database of the kind that the test has as its parameter."""
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{folder}/{name}.sqlite3"
    server: Postgres = request.getfixturevalue("postgres")
    return server.bare_database()


@pytest.fixture(params=["sqlite", "postgresql"])
def urls(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """The addresses of a database with the tables and rows of before 1.0, and of a new one of 1.0."""
    before, new = (make_database(request, tmp_path, name) for name in ("before", "new"))
    dump = (_DUMPS / f"before_1_0.{request.param}.sql").read_text(encoding="utf-8")
    if request.param == "sqlite":
        connection = plain_engine(before).raw_connection()
        connection.driver_connection.executescript(dump)  # type: ignore[union-attr]
        connection.close()
    else:
        with psycopg.connect(psycopg_address(before)) as client:
            client.execute(dump)
    migrate(new)
    return before, new


@pytest.fixture
def engine(urls: tuple[str, str]) -> Iterator[Engine]:
    """An engine of the database of before 1.0."""
    opened = plain_engine(urls[0])
    yield opened
    opened.dispose()


def read_schema(url: str) -> dict[str, Any]:
    """Return all that a database knows of its tables, by name; the order of columns and old defaults apart."""
    with plain_engine(url).connect() as connection:
        kind, inspector = connection.dialect.name, inspect(connection)
        schema: dict[str, Any] = {}
        for table in inspector.get_table_names():
            for column in inspector.get_columns(table):
                schema[f"column {table}.{column['name']}"] = (str(column["type"]), column["nullable"])
            if kind == "sqlite":
                schema[f"constraints {table}"] = (
                    inspector.get_pk_constraint(table),
                    *(
                        sorted(map(str, listed))
                        for listed in (
                            inspector.get_unique_constraints(table), inspector.get_foreign_keys(table),
                            inspector.get_check_constraints(table),
                        )
                    ),
                )  # fmt: skip
        for statement in (_TRIGGERS[kind], _INDEXES[kind]):
            schema |= {name: squeeze(sql) for name, sql in connection.execute(text(statement)).all()}
        if kind == "postgresql":
            constraints = connection.execute(text(_CONSTRAINTS)).all()
            schema |= {
                f"constraint {table}.{name}": squeeze(definition) for table, name, definition in constraints
            }
            schema |= {f"sequence {name}": "" for name in connection.scalars(text(_SEQUENCES))}
        return schema


def squeeze(sql: str) -> str:
    """Return SQL without white space, quotes and brackets, and without the casts that PostgreSQL adds when a dump is read."""
    return re.sub(r"::(text|character varying)(\[\])?|[()\s\"]", "", sql)


def read_rows(connection: Connection) -> dict[str, list[dict[str, Any]]]:
    """Return all rows by table, without Alembic's own."""
    tables = sorted(set(inspect(connection).get_table_names()) - {"alembic_version"})
    return {
        table: [dict(row) for row in connection.execute(text(f'SELECT * FROM "{table}"')).mappings()]
        for table in tables
    }


def rename(rows: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows as 1.0 names them."""
    return {
        TABLES_OF_1_0.get(table, table): [
            {COLUMNS.get(table, {}).get(name, name): value for name, value in row.items()} for row in stored
        ]
        for table, stored in rows.items()
    }


def test_an_upgraded_database_has_the_tables_of_a_new_one_and_all_its_rows(
    urls: tuple[str, str], engine: Engine
) -> None:
    before, new = urls
    with engine.connect() as connection:
        rows = read_rows(connection)
    assert all(rows[table] for table in {*TABLES_OF_1_0, *COLUMNS})
    assert upgrade(before)
    with engine.connect() as connection:
        assert read_rows(connection) == rename(rows)
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "0001"
    migrate(before)
    with engine.connect() as connection:
        assert find_missing_indexes(connection, metadata) == set()
        assert find_changed_checks(connection, metadata) == []
        if connection.dialect.name == "sqlite":
            assert connection.execute(text("PRAGMA integrity_check")).scalars().all() == ["ok"]
            assert connection.execute(text("PRAGMA foreign_key_check")).all() == []
    assert read_schema(before) == read_schema(new)
    command.check(config_for(before))


def test_an_upgraded_database_goes_down_to_nothing_and_up_again(urls: tuple[str, str]) -> None:
    before, new = urls
    upgrade(before)
    command.downgrade(config_for(before), "base")
    with plain_engine(before).connect() as connection:
        assert inspect(connection).get_table_names() == ["alembic_version"]
    command.upgrade(config_for(before), "head")
    assert read_schema(before) == read_schema(new)


def test_a_second_upgrade_changes_nothing(urls: tuple[str, str]) -> None:
    assert [upgrade(urls[0]), upgrade(urls[0]), upgrade(urls[1])] == [True, False, False]


def test_another_revision_is_refused_and_stays_as_it_is(urls: tuple[str, str], engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0051'"))
    with pytest.raises(UpgradeRefused, match=r"schema 0051\. Only 0052 can be upgraded"):
        upgrade(urls[0])
    with engine.connect() as connection:
        assert inspect(connection).has_table("special_days")


def test_an_upgrade_that_fails_half_way_leaves_the_database_as_it_was(
    urls: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = read_schema(urls[0])
    monkeypatch.setattr("agency_site.db.upgrade_to_1_0.FIRST", None)
    with pytest.raises(Exception, match=r"(?i)null"):
        upgrade(urls[0])
    assert read_schema(urls[0]) == schema


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("DROP TABLE special_days", "not as 0052 made it.*special_days"),
        ("ALTER TABLE special_days RENAME TO schedule_exceptions", "not as 0052 made it.*special_days"),
        ("DELETE FROM alembic_version", "no row in alembic_version"),
        ("INSERT INTO alembic_version VALUES ('0051')", "the schema 0051 and 0052"),
        ("ALTER TABLE server_processes DROP COLUMN version", "not as 0052 made it.*version"),
        ("CREATE TABLE schedule_exceptions (id INTEGER)", "not as 0052 made it.*schedule_exceptions"),
        ("DROP INDEX ix_bookings_due_at", r"not as 0052 made it.*Missing: ix_bookings_due_at\."),
        ("ALTER TABLE bookings DROP COLUMN message", r"not as 0052 made it.*Missing: bookings\.message"),
    ],
)
def test_a_damaged_database_is_refused_in_true_words_and_stays_as_it_is(
    urls: tuple[str, str], engine: Engine, damage: str, words: str
) -> None:
    check_refusal(urls, engine, damage, words)


@pytest.mark.parametrize("urls", ["postgresql"], indirect=True)
def test_a_database_without_a_check_is_refused(urls: tuple[str, str], engine: Engine) -> None:
    """SQLite drops none without the table and its indexes."""
    damage = "ALTER TABLE bookings DROP CONSTRAINT ck_bookings_seat_not_negative"
    check_refusal(urls, engine, damage, r"not as 0052 made it.*Missing: ck_bookings_seat_not_negative\.")


def check_refusal(urls: tuple[str, str], engine: Engine, damage: str, words: str) -> None:
    with engine.begin() as connection:
        connection.execute(text(damage))
    schema = read_schema(urls[0])
    with pytest.raises(UpgradeRefused, match=words):
        upgrade(urls[0])
    assert read_schema(urls[0]) == schema
    with pytest.raises(DatabaseBefore10):
        migrate(urls[0])


@pytest.mark.parametrize(
    "damage", [lambda content: content[: len(content) // 2], lambda content: b"x" * len(content)]
)
def test_a_damaged_file_is_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    configure: Callable[..., object],
    damage: Callable[[bytes], bytes],
) -> None:
    file = tmp_path / "before.sqlite3"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript((_DUMPS / "before_1_0.sqlite.sql").read_text(encoding="utf-8"))
    file.write_bytes(damage(file.read_bytes()))
    configure(database_url=f"sqlite+aiosqlite:///{file}")
    assert main() == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_site_does_not_start_on_a_database_of_before_1_0(urls: tuple[str, str]) -> None:
    with pytest.raises(DatabaseBefore10, match="make upgrade-from-0052"):
        migrate(urls[0])


@pytest.fixture
def run(urls: tuple[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a module as an operator does, with the database of before 1.0."""

    def run_module(*words: str) -> subprocess.CompletedProcess[str]:
        environment = bare_environment() | {"AGENCY_DATABASE_URL": urls[0]}
        return subprocess.run(
            [sys.executable, "-m", *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )  # fmt: skip

    return run_module


def test_the_command_says_what_it_has_done(run: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    refused = run("alembic", "upgrade", "head")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (1, 1), refused.stderr
    assert "make upgrade-from-0052" in refused.stderr
    done, again = run("agency_site.db.upgrade_to_1_0"), run("agency_site.db.upgrade_to_1_0")
    assert (done.returncode, done.stdout) == (0, "The database has the tables of release 1.0 now.\n")
    assert (again.returncode, again.stdout) == (
        0, "Nothing to do: the database has the tables of release 1.0.\n",
    )  # fmt: skip


def test_an_empty_database_needs_no_upgrade(tmp_path: Path) -> None:
    with pytest.raises(UpgradeRefused, match="The database is empty"):
        upgrade(f"sqlite+aiosqlite:///{tmp_path}/empty.sqlite3")
