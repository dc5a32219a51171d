"""`python -m tests.bench.restore [ROWS]`: how long a checked backup and its restore take, with ROWS bookings and orders each.

The backup is encrypted and checked, the restore begins with an empty database and ends with one that a server can use.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url

from agency_site.db.backups.archive import Key, program
from agency_site.db.backups.usecases import back_up, restore
from agency_site.settings import Settings, settings, variable
from tests.bench.running import heading
from tests.bench.seeding import ROWS, seed
from tests.servers import Postgres, fresh_sqlite, psycopg_address

GOAL_SECONDS = 300


def main(rows: int = ROWS) -> None:
    """Measure both kinds of database."""
    heading(f"Backup and restore of {rows:,} bookings and orders", "python -m tests.bench.restore")
    for kind in ("sqlite", "postgresql"):
        with (
            pytest.MonkeyPatch.context() as patch,
            tempfile.TemporaryDirectory() as name,
            _database(kind, Path(name)) as url,
        ):
            patch.setitem(Settings.model_config, "env_file", None)
            _measure(kind, url, rows, Path(name), patch)
    settings.cache_clear()


@contextmanager
def _database(kind: str, folder: Path) -> Iterator[str]:
    with ExitStack() as stack:
        if kind == "sqlite":
            yield fresh_sqlite(folder / "bench.sqlite3")
        else:
            yield stack.enter_context(Postgres.started()).fresh_database()


def _measure(kind: str, url: str, rows: int, folder: Path, patch: pytest.MonkeyPatch) -> None:
    identity = folder / "key.txt"
    subprocess.run([program("age-keygen", "age"), "-o", identity], check=True, capture_output=True)
    public = subprocess.run(["age-keygen", "-y", identity], check=True, capture_output=True, text=True).stdout
    chosen = {
        "database_url": url, "backup_recipient": public.strip(), "backup_folder": folder / "backups",
        "journal_folder": folder / "journal",
    }  # fmt: skip
    for name, value in chosen.items():
        patch.setenv(variable(name), str(value))
    settings.cache_clear()
    seed(rows)
    archive = back_up()
    _destroy(url)
    restored = restore(archive.path, Key(file=identity))
    inventory = restored.manifest.inventory
    met = "met" if restored.seconds <= GOAL_SECONDS else "MISSED"
    print(
        f"{kind}: {inventory.rows:,} rows; backup with its check {archive.seconds:.1f} s, "
        f"{archive.path.stat().st_size / 1e6:.0f} MB; "
        f"restore {restored.seconds:.1f} s (goal {GOAL_SECONDS} s: {met})"
    )


def _destroy(url: str) -> None:
    address = make_url(url)
    if address.drivername.startswith("sqlite"):
        Path(str(address.database)).unlink()
        return
    with psycopg.connect(psycopg_address(url, "postgres"), autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{address.database}"')
        connection.execute(f'CREATE DATABASE "{address.database}"')


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)
