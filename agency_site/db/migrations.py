"""Migrations from within the code: bring a database to the newest schema, and say which schemas this code knows."""

import logging

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, make_url, pool

from agency_site.db.sqlite import prepare_folder
from agency_site.settings import ROOT

log = logging.getLogger(__name__)


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


def _find_revision(url: str) -> str | None:
    prepare_folder(url)
    plain = make_url(url)
    # Migrations run in step, without the asynchronous driver.
    engine = create_engine(
        plain.set(drivername="sqlite") if url.startswith("sqlite") else plain, poolclass=pool.NullPool
    )
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def known_revisions() -> frozenset[str]:
    """The schemas that this code can migrate from."""
    scripts = ScriptDirectory.from_config(Config(ROOT / "alembic.ini"))
    return frozenset(script.revision for script in scripts.walk_revisions())
