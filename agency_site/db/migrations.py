"""Migrations from within the code: bring a database to the newest schema, and say which schemas this code knows."""

import logging

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, event, make_url, pool

from agency_site.db.engine import driver_options
from agency_site.db.sqlite import prepare_file
from agency_site.settings import ROOT

log = logging.getLogger(__name__)

_SQLITE_LOCK_SECONDS = 600
"""Longer than the migrations of another process take."""


def config_for(url: str) -> Config:
    """Alembic's configuration for one database."""
    config = Config(ROOT / "alembic.ini")
    config.attributes["url"] = url
    return config


def migrate(url: str) -> None:
    """Bring the database at `url` to the newest schema.

    A newer release's schema stays as it is: a server that starts again amid an upgrade, or comes back after one, runs on it,
    because migrations fit the release before (`tests/contractions.py`).
    """
    present = _find_revision(url)
    if present is None or present in known_revisions():
        command.upgrade(config_for(url), "head")
        return
    log.warning("the database has the schema %s of a newer release, and keeps it", present)


def plain_url(url: str) -> str:
    """The address without the asynchronous driver: migrations run in step. psycopg speaks both ways."""
    plain = make_url(url)
    return (plain.set(drivername="sqlite") if url.startswith("sqlite") else plain).render_as_string(
        hide_password=False
    )


def plain_engine(url: str) -> Engine:
    """An engine for migrations.

    Its transactions on SQLite have the lock of writers from their beginning; the driver alone would commit each table by itself.
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
        return MigrationContext.configure(connection).get_current_revision()


def known_revisions() -> frozenset[str]:
    """The schemas that this code can migrate from."""
    scripts = ScriptDirectory.from_config(Config(ROOT / "alembic.ini"))
    return frozenset(script.revision for script in scripts.walk_revisions())
