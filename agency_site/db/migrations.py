"""Migrations from within the code: bring a database to the newest schema, and list the schemas that this code can migrate."""

import logging

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, inspect, make_url, pool, text

from agency_site.db.engine import driver_options
from agency_site.db.sqlite import prepare_file
from agency_site.settings import ROOT

log = logging.getLogger(__name__)

_SQLITE_LOCK_SECONDS = 600
"""Longer than the migrations of another process take."""
_POSTGRESQL_LOCK_SECONDS = 60
"""How long a migration waits for a table; its statements may run for as long as they need."""
_ADVISORY_LOCK = 3_141_592_653


TABLES_OF_1_0 = {
    "booking_choices": "booking_policy_overrides",
    "office_choices": "back_office_settings",
    "outbox_letters": "outbox_shared_bodies",
    "reported_returns": "reported_refunds",
    "special_days": "schedule_exceptions",
    "unmatched_returns": "unmatched_refunds",
}
"""Tables of before release 1.0, and their names since."""


class DatabaseBefore10(Exception):
    """The database still has the tables of before release 1.0."""

    def __init__(self) -> None:
        super().__init__(
            "The database is from before release 1.0. Take a backup, then run: make upgrade-from-0052 "
            "(docs/releasing.md)"
        )


def config_for(url: str) -> Config:
    """Alembic's configuration for one database."""
    config = Config(ROOT / "alembic.ini")
    config.attributes["url"] = url
    return config


def migrate(url: str) -> None:
    """Bring the database at `url` to the newest schema.

    The schema of a newer release stays as it is: a server that starts again amid an upgrade, or comes back after one, runs on
    it, because migrations fit the release before (`tests/contractions.py`). Raises DatabaseBefore10.
    """
    present = _find_revision(url)
    if present is None or present in known_revisions():
        command.upgrade(config_for(url), "head")
        return
    log.warning("the database has the schema %s of a newer release, and keeps it", present)


def plain_url(url: str) -> str:
    """The address without the asynchronous driver, because migrations are synchronous. psycopg is both."""
    plain = make_url(url)
    return (plain.set(drivername="sqlite") if url.startswith("sqlite") else plain).render_as_string(
        hide_password=False
    )


def plain_engine(url: str) -> Engine:
    """Return an engine for migrations.

    On SQLite its transactions hold the write lock from their beginning; the driver alone would commit each table by itself.
    """
    prepare_file(url)
    options = driver_options(url)
    if not url.startswith("sqlite"):
        return create_engine(plain_url(url), poolclass=pool.NullPool, connect_args=options)
    waiting = {"isolation_level": None, "timeout": _SQLITE_LOCK_SECONDS}
    engine = create_engine(plain_url(url), poolclass=pool.NullPool, connect_args=options | waiting)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


def _find_revision(url: str) -> str | None:
    engine = plain_engine(url)
    with engine.begin() as connection:
        if is_before_1_0(connection):
            raise DatabaseBefore10
        return MigrationContext.configure(connection).get_current_revision()


def is_before_1_0(connection: Connection) -> bool:
    """Return whether the database has a table that release 1.0 has renamed: 1.0 counts its revisions anew, from 0001."""
    return not TABLES_OF_1_0.keys().isdisjoint(inspect(connection).get_table_names())


def lock_migrations(connection: Connection) -> None:
    """Let servers that start at once migrate one after the other, until the transaction ends. SQLite has one writer anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
        # Requests queue behind a migration that waits for a table: it ends, and is tried again.
        connection.execute(text(f"SET LOCAL lock_timeout = '{_POSTGRESQL_LOCK_SECONDS}s'"))


def known_revisions() -> frozenset[str]:
    """The schemas that this code can migrate from."""
    scripts = ScriptDirectory.from_config(Config(ROOT / "alembic.ini"))
    return frozenset(script.revision for script in scripts.walk_revisions())
