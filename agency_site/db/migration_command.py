"""`python -m agency_site.db.migration_command NAME`: write a migration from the declared tables. `make migration` calls it.

It compares with a new database that all migrations have made, so that the developer's own database, its age and its kind do not
matter.
"""

import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from alembic import command
from alembic.util import CommandError

from agency_site.db.migrations import config_for
from agency_site.settings import ROOT

_VERSIONS = ROOT / "alembic" / "versions"
UNCHANGED = "Nothing has changed: the migrations make the tables as they are declared. No file was written."


def main() -> int:
    """Write the migration and name its file; return the exit code."""
    name = " ".join(sys.argv[1:]).strip()
    if not name:
        return _refuse("Name the migration: make migration NAME=add_something")
    if shared := describe_shared_numbers(_VERSIONS):
        return _refuse(shared)
    try:
        path = write_migration(name)
    except CommandError as error:
        return _refuse(str(error))
    print(f"Read it: {path.relative_to(ROOT)}" if path else UNCHANGED)
    return 0


def write_migration(name: str) -> Path | None:
    """Write a migration from the newest one to the declared tables; return its file, None if nothing has changed."""
    with tempfile.TemporaryDirectory() as folder:
        config = config_for(f"sqlite+aiosqlite:///{folder}/scratch.sqlite3")
        command.upgrade(config, "head")
        # Alembic writes no file for a migration that `alembic/env.py` drops because it changes nothing.
        config.attributes["drops_empty"] = True
        script = command.revision(config, message=name, autogenerate=True)
    # Alembic returns a list unless it wrote one file.
    return None if script is None or isinstance(script, list) else Path(script.path)


def describe_shared_numbers(versions: Path) -> str:
    """Say which migrations have the same number, because two branches wrote them; empty if none do."""
    files: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(versions.glob("[0-9]*.py")):
        files[path.name.partition("_")[0]].append(path.name)
    pairs = [" and ".join(names) for names in files.values() if len(names) > 1]
    if not pairs:
        return ""
    return (
        f"Two branches wrote one number: {'; '.join(pairs)}. Keep the one of main and renumber yours: the file, `revision` and "
        "`down_revision`. A database that had yours already needs it undone first, or begins anew (docs/contributing.md)."
    )


def _refuse(reason: str) -> int:
    print(reason, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
