"""Alembic's environment: address from the settings, tables from the list of all tables, SQLite and PostgreSQL alike."""

from alembic import context
from sqlalchemy import create_engine, make_url, pool

from agency_site.db.engine import driver_options
from agency_site.db.sqlite import prepare_folder
from agency_site.db.tables import metadata
from agency_site.settings import settings


def _compared(_thing: object, name: str | None, kind: str, reflected: bool, _declared: object) -> bool:  # noqa: FBT001
    """Indexes of trigrams exist only where PostgreSQL allowed the extension, so the tables do not declare them."""
    return not (kind == "index" and reflected and (name or "").endswith("_trgm"))


OPTIONS = {
    "target_metadata": metadata,
    "compare_type": True,
    "render_as_batch": True,
    "include_object": _compared,
}


def _url() -> str:
    given = context.config.attributes.get("url") or settings().database_url
    url = make_url(given)
    # Migrations run in step, without the asynchronous driver; psycopg speaks both ways.
    return (url.set(drivername="sqlite") if given.startswith("sqlite") else url).render_as_string(
        hide_password=False
    )


def run_offline() -> None:
    """Write the SQL instead of running it."""
    context.configure(url=_url(), literal_binds=True, **OPTIONS)
    with context.begin_transaction():
        context.run_migrations()


def run_online() -> None:
    """Run the migrations."""
    prepare_folder(_url())
    url = _url()
    engine = create_engine(url, poolclass=pool.NullPool, connect_args=driver_options(url))
    with engine.connect() as connection:
        context.configure(connection=connection, **OPTIONS)
        with context.begin_transaction():
            context.run_migrations()
    engine.dispose()


if context.is_offline_mode():
    run_offline()
else:
    run_online()
