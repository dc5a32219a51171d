"""Migrations from within the code: bring a database to the newest schema, and say which schemas this code knows."""

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from agency_site.settings import ROOT


def config_for(url: str) -> Config:
    """Alembic's configuration for one database."""
    config = Config(ROOT / "alembic.ini")
    config.attributes["url"] = url
    return config


def migrate(url: str) -> None:
    """Bring the database at `url` to the newest schema."""
    command.upgrade(config_for(url), "head")


def known_revisions() -> frozenset[str]:
    """The schemas that this code can migrate from."""
    scripts = ScriptDirectory.from_config(Config(ROOT / "alembic.ini"))
    return frozenset(script.revision for script in scripts.walk_revisions())
