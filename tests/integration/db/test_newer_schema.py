"""A server of the last release starts on a database that a newer release has migrated."""

import logging

import pytest
from sqlalchemy import create_engine, make_url, text

from agency_site.db.migrations import known_revisions, migrate

pytestmark = pytest.mark.each_database


def test_the_schema_of_a_newer_release_stays_as_it_is(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    plain = make_url(database_url)
    engine = create_engine(plain.set(drivername="sqlite") if plain.drivername.startswith("sqlite") else plain)
    newest = max(known_revisions())

    def set_revision(name: str) -> None:
        with engine.begin() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = :name"), {"name": name})

    set_revision("9999")
    try:
        with caplog.at_level(logging.WARNING):
            migrate(database_url)
        with engine.connect() as connection:
            assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "9999"
        assert "9999 of a newer release" in caplog.text
    finally:
        set_revision(newest)
        engine.dispose()
