"""Alembic's environment: address from the settings, tables from the list of all tables, SQLite and PostgreSQL alike."""

import warnings
from typing import Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from alembic.operations.ops import MigrationScript
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Enum
from sqlalchemy.exc import DBAPIError

from agency_site.db.migrations import (
    DatabaseBefore10,
    is_before_1_0,
    lock_migrations,
    plain_engine,
    plain_url,
)
from agency_site.db.new_migrations import complete_migration
from agency_site.db.outages import describe_outage, is_outage
from agency_site.db.tables import metadata
from agency_site.settings import SettingsRefused, load_settings


def _is_compared(_thing: object, name: str | None, kind: str, reflected: bool, _declared: object) -> bool:  # noqa: FBT001
    """Return whether a table or index is compared. Indexes of trigrams (where PostgreSQL allows the extension) and tables of
    Litestream are declared nowhere."""
    if not reflected or name is None:
        return True
    return not (name.endswith("_trgm") if kind == "index" else name.startswith("_litestream_"))


def _complete(migration: MigrationContext, _revision: object, scripts: list[MigrationScript]) -> None:
    newest = ScriptDirectory.from_config(context.config).get_current_head()
    if scripts and migration.connection is not None and newest:
        complete_migration(scripts[0], migration.connection, metadata, newest)
    if context.config.attributes.get("drops_empty"):
        scripts[:] = [
            script for script in scripts if script.upgrade_ops and not script.upgrade_ops.is_empty()
        ]


def _render_item(kind: str, item: object, _context: AutogenContext) -> str | Literal[False]:
    """Write a column with the members of an enum as SQLAlchemy's own type: migrations import nothing of the site."""
    if kind == "type" and isinstance(item, Enum):
        return f"sa.Enum{repr(item).removeprefix(type(item).__name__)}"
    return False


OPTIONS = {
    "target_metadata": metadata,
    "compare_type": True,
    # A batch copies the whole table on SQLite, which loses its triggers and its indexes of expressions.
    "render_as_batch": False,
    "include_object": _is_compared,
    "render_item": _render_item,
    "process_revision_directives": _complete,
}
# Indexes of expressions: `alembic check` compares them on PostgreSQL, and a test looks for every declared index on both.
warnings.filterwarnings(
    "ignore", r"(autogenerate skipping|Skipped unsupported reflection of) .*expression-based index"
)


def _url() -> str:
    chosen: str | None = context.config.attributes.get("url")
    if chosen:
        return chosen
    try:
        return load_settings().database_url
    except SettingsRefused as error:
        raise SystemExit(str(error)) from None


def run_offline() -> None:
    """Write the SQL of the migrations instead of running it."""
    context.configure(url=plain_url(_url()), literal_binds=True, **OPTIONS)
    with context.begin_transaction():
        context.run_migrations()


def run_online() -> None:
    """Run the migrations in one transaction, one process at a time: the next process finds nothing to do."""
    engine = plain_engine(_url())
    with engine.begin() as connection:
        lock_migrations(connection)
        if is_before_1_0(connection):
            raise DatabaseBefore10
        context.configure(connection=connection, **OPTIONS)
        with context.begin_transaction():
            context.run_migrations()
    engine.dispose()


def run() -> None:
    """Run the migrations, or write their SQL. On the command line an error of the database is one line."""
    if context.is_offline_mode():
        run_offline()
        return
    try:
        run_online()
    except DatabaseBefore10 as error:
        if "url" in context.config.attributes:
            raise
        raise SystemExit(str(error)) from None
    except DBAPIError as error:
        if "url" in context.config.attributes or not is_outage(error):
            raise
        raise SystemExit(
            f"The database of AGENCY_DATABASE_URL cannot be used: {describe_outage(error)}"
        ) from None


run()
