"""`python -m tests.migrations_check`: the migrations make exactly the tables that the code declares, on an empty SQLite file."""

import logging
import tempfile
from pathlib import Path

from alembic import command

from agency_site.db.migrations import config_for


def main() -> None:
    """Upgrade an empty database and compare; raises when they differ."""
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as folder:
        config = config_for(f"sqlite+aiosqlite:///{Path(folder)}/check.sqlite3")
        command.upgrade(config, "head")
        command.check(config)
        command.downgrade(config, "base")


if __name__ == "__main__":
    main()
