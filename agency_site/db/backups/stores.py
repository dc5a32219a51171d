"""Both kinds of database for backups: dump a snapshot, fill a scratch database, replace the real database by it.

A restore fills a scratch database beside the real one, which stays as it is until the whole backup has been read and compared.
Each new backup is checked in the same way.
"""

import os
import secrets
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from psycopg.conninfo import make_conninfo
from sqlalchemy import URL, Connection, create_engine, delete, insert, inspect, make_url, pool, text
from sqlalchemy.exc import DBAPIError

from agency_site.clock import now
from agency_site.db.backups.archive import program
from agency_site.db.backups.errors import BackupError
from agency_site.db.backups.inventory import Inventory, has_rows, take_inventory
from agency_site.db.backups.tables import CheckedBackup
from agency_site.db.outages import describe_outage

_REASON = 500
"""Characters from the end of a program's output that an error quotes."""
_APPLICATION = "agency-site backup"
"""The name of its connections in `pg_stat_activity`."""
_IN_USE = "The database is in use. Stop the servers of the site first."


class Store(Protocol):
    """The database of the site."""

    @property
    def kind(self) -> str:
        """The kind of database, as the manifest names it."""

    def dump(self, target: Path) -> Inventory:
        """Write a snapshot to `target`; return its inventory."""

    def scratch(self) -> "AbstractContextManager[Scratch]":
        """Create a database beside this one, which is dropped at the end."""

    def has_rows(self) -> bool:
        """Return whether any table has rows."""

    def record(self, backup: CheckedBackup) -> None:
        """Record the last checked backup."""

    def replace(self, scratch: "Scratch") -> str:
        """Put a filled scratch database in the place of this one; return where the former content is kept, if there was any."""


class Scratch(Protocol):
    """A database that nothing uses yet, and that is dropped unless it has replaced the real one."""

    @property
    def url(self) -> str:
        """The address, in the form of the settings."""

    def fill(self, dump: Path) -> None:
        """Restore a dump into this database."""

    def take_inventory(self) -> Inventory:
        """Return the inventory of this database."""


def store_at(url: str) -> Store:
    """Return the store for the address of the settings."""
    return SqliteStore(url) if url.startswith("sqlite") else PostgresStore(url)


@contextmanager
def connected(url: URL) -> Iterator[Connection]:
    """Open a connection outside of the site's pool, which commits nothing by itself."""
    options = {} if url.drivername.startswith("sqlite") else {"fallback_application_name": _APPLICATION}
    engine = create_engine(url, poolclass=pool.NullPool, connect_args=options)
    try:
        with engine.connect() as connection:
            yield connection
    except DBAPIError as error:
        raise BackupError(f"The database does not respond as it should: {describe_outage(error)}") from error
    finally:
        engine.dispose()


def _record(url: URL, backup: CheckedBackup) -> None:
    with connected(url) as connection, connection.begin():
        # The new version may take the backup before its own migration.
        if inspect(connection).has_table(str(CheckedBackup.__tablename__)):
            connection.execute(delete(CheckedBackup))
            connection.execute(insert(CheckedBackup).values(backup.model_dump()))


def _name_of_former(name: str) -> str:
    return f"{name}_before_{now():%Y%m%d_%H%M%S}"


@dataclass
class SqliteScratch:
    """A file."""

    path: Path

    @property
    def url(self) -> str:
        return f"sqlite+aiosqlite:///{self.path}"

    def fill(self, dump: Path) -> None:
        shutil.move(dump, self.path)
        self.path.chmod(0o600)

    def take_inventory(self) -> Inventory:
        return _inventory_of_file(self.path)


def _inventory_of_file(path: Path) -> Inventory:
    with connected(URL.create("sqlite", database=str(path))) as connection:
        damage = connection.scalars(text("PRAGMA integrity_check(1)")).all()
        if damage != ["ok"]:
            raise BackupError(f"SQLite calls the copy damaged: {damage[0]}")
        return take_inventory(connection)


@dataclass(frozen=True)
class SqliteStore:
    """A file in WAL mode, which a server may be writing to."""

    address: str
    kind = "sqlite"

    @cached_property
    def _path(self) -> Path:
        return Path(str(make_url(self.address).database))

    def dump(self, target: Path) -> Inventory:
        if not self._path.exists():
            raise BackupError(f"There is no database at {self._path}.")
        source, copy = sqlite3.connect(self._path), sqlite3.connect(target)
        try:
            source.backup(copy)
            # In WAL mode reading the copy would make further files beside it.
            copy.execute("PRAGMA journal_mode=DELETE")
        except sqlite3.Error as error:
            raise BackupError(f"The database cannot be copied to {target.parent}: {error}") from error
        finally:
            source.close()
            copy.close()
        return _inventory_of_file(target)

    @contextmanager
    def scratch(self) -> Iterator[SqliteScratch]:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._path.with_name(f".{self._path.name}-{secrets.token_hex(4)}")
        try:
            yield SqliteScratch(path)
        finally:
            path.unlink(missing_ok=True)

    def has_rows(self) -> bool:
        if not self._path.exists():
            return False
        with connected(URL.create("sqlite", database=str(self._path))) as connection:
            return has_rows(connection)

    def record(self, backup: CheckedBackup) -> None:
        _record(URL.create("sqlite", database=str(self._path)), backup)

    def replace(self, scratch: Scratch) -> str:
        assert isinstance(scratch, SqliteScratch)
        former = Path(_name_of_former(str(self._path)))
        keeps_former = self.has_rows()
        if self._path.exists():
            self._leave_write_ahead_mode()
            os.replace(self._path, former) if keeps_former else self._path.unlink()
        os.replace(scratch.path, self._path)
        return str(former) if keeps_former else ""

    def _leave_write_ahead_mode(self) -> None:
        """Merge the write-ahead log into the file, which SQLite allows only if no other process uses it."""
        connection = sqlite3.connect(self._path, timeout=1)
        try:
            connection.execute("PRAGMA journal_mode=DELETE")
        except sqlite3.OperationalError as error:
            raise BackupError(_IN_USE) from error
        finally:
            connection.close()


@dataclass
class PostgresScratch:
    """A database on the same server."""

    address: URL
    url: str

    def fill(self, dump: Path) -> None:
        jobs = f"--jobs={os.cpu_count() or 1}"
        _run_client("pg_restore", self.address, "--no-owner", "--no-acl", "--exit-on-error", jobs, str(dump))
        with connected(self.address) as connection:
            # Without statistics the first queries would read whole tables.
            connection.execution_options(isolation_level="AUTOCOMMIT").execute(text("ANALYZE"))

    def take_inventory(self) -> Inventory:
        with connected(self.address) as connection:
            return take_inventory(connection)


@dataclass(frozen=True)
class PostgresStore:
    """A database of a server, whose role may create further ones (CREATEDB)."""

    address: str
    kind = "postgresql"

    @cached_property
    def _url(self) -> URL:
        return make_url(self.address)

    def dump(self, target: Path) -> Inventory:
        with connected(self._url) as connection:
            connection = connection.execution_options(isolation_level="REPEATABLE READ")
            snapshot = connection.scalar(text("SELECT pg_export_snapshot()"))
            inventory = take_inventory(connection)
            # The tar is compressed as a whole.
            options = ["--format=custom", "--compress=0", "--no-owner", "--no-acl", f"--snapshot={snapshot}"]
            _run_client("pg_dump", self._url, *options, f"--file={target}")
        return inventory

    @contextmanager
    def scratch(self) -> Iterator[PostgresScratch]:
        name = f"{self._url.database}_scratch_{secrets.token_hex(4)}"
        address = self._url.set(database=name)
        self._administer(
            f"CREATE DATABASE {_quoted(name)} TEMPLATE template0 ENCODING 'UTF8' {self._locale()}"
        )
        try:
            yield PostgresScratch(address, address.render_as_string(hide_password=False))
        finally:
            self._administer(f"DROP DATABASE IF EXISTS {_quoted(name)} WITH (FORCE)")

    def _locale(self) -> str:
        with connected(self._url) as connection:
            statement = "SELECT datcollate, datctype FROM pg_database WHERE datname = current_database()"
            collate, ctype = connection.execute(text(statement)).one()
        return f"LC_COLLATE '{collate}' LC_CTYPE '{ctype}'"

    def has_rows(self) -> bool:
        with connected(self._url) as connection:
            return has_rows(connection)

    def record(self, backup: CheckedBackup) -> None:
        _record(self._url, backup)

    def replace(self, scratch: Scratch) -> str:
        assert isinstance(scratch, PostgresScratch)
        keeps_former, name = self.has_rows(), str(self._url.database)
        former = _name_of_former(name)
        try:
            self._administer(f"ALTER DATABASE {_quoted(name)} RENAME TO {_quoted(former)}")
        except BackupError as error:
            raise BackupError(f"{_IN_USE} ({error})") from error
        try:
            self._administer(
                f"ALTER DATABASE {_quoted(str(scratch.address.database))} RENAME TO {_quoted(name)}"
            )
        except BackupError:
            self._administer(f"ALTER DATABASE {_quoted(former)} RENAME TO {_quoted(name)}")
            raise
        if not keeps_former:
            with suppress(BackupError):
                self._administer(f"DROP DATABASE {_quoted(former)}")
        return f"the database {former}" if keeps_former else ""

    def _administer(self, statement: str) -> None:
        """Run a statement that no transaction may contain, from the database `postgres`, which every server has."""
        with connected(self._url.set(database="postgres")) as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql(statement)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _run_client(name: str, url: URL, *options: str) -> None:
    """Run a client program of PostgreSQL. The password is in its environment, which other users cannot read."""
    # SQLAlchemy and these programs write several hosts differently: the parameters come from the driver.
    _, parameters = url.get_dialect()().create_connect_args(url)
    password = parameters.pop("password", None)
    environment = os.environ | ({"PGPASSWORD": str(password)} if password else {})
    command = [program(name, "postgresql-client"), f"--dbname={make_conninfo(**parameters)}", *options]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BackupError(f"{name} failed: {' '.join(done.stderr.split())[-_REASON:]}")
