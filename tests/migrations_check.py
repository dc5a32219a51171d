"""`python -m tests.migrations_check`: migrations make exactly the declared tables on an empty SQLite file, and take nothing away
that the last release uses."""

import logging
import sys
import tempfile
from pathlib import Path

from alembic import command
from sqlalchemy import create_engine

from agency_site.db.migration_command import describe_shared_numbers
from agency_site.db.migrations import config_for
from agency_site.db.new_migrations import find_changed_checks, find_missing_indexes
from agency_site.db.tables import metadata
from agency_site.settings import ROOT
from tests.contractions import CONTRACTED, RELEASED, read_schema, refuse_contractions


def main() -> None:
    """Upgrade an empty database and compare it with the declared tables; raise or exit if they differ."""
    logging.disable(logging.INFO)
    if shared := describe_shared_numbers(ROOT / "alembic" / "versions"):
        sys.exit(shared)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "check.sqlite3"
        config, engine = config_for(f"sqlite+aiosqlite:///{file}"), create_engine(f"sqlite:///{file}")
        command.upgrade(config, RELEASED)
        released = read_schema(engine)
        command.upgrade(config, "head")
        refuse_contractions(released, read_schema(engine), CONTRACTED)
        with engine.connect() as connection:
            if missing := find_missing_indexes(connection, metadata):
                sys.exit(
                    f"No migration makes these indexes, which tables declare: {', '.join(sorted(missing))}"
                )
            if changed := find_changed_checks(connection, metadata):
                sys.exit(
                    "No migration makes these check constraints as tables declare them:\n  "
                    + "\n  ".join(map(str, changed))
                )
        engine.dispose()
        command.check(config)
        command.downgrade(config, "base")


if __name__ == "__main__":
    main()
