"""Real servers for tests, started on free ports of the loopback address and ended by their process id."""

import fcntl
import functools
import logging
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from redis import Redis as Client
from sqlalchemy import make_url

from agency_site.db.migrations import migrate

_FIRST_PORT, _PORTS = 12_000, 20_000
"""Above the ports that browsers refuse, below those that the system gives to outgoing connections."""
POSTGRES_PASSWORD = "p%ss:w/rd@1 '\"\\"
"""The password of the role `agency`, with every special character of addresses, shells and configuration files."""
SECRET_KEY = "4fB9-kQ2_x7Vw1mZ0tLs8yRc3NhJ6eGa"
"""Strong enough for production."""
_next_ports = count(os.getpid() * 4099)
"""Test processes begin far apart: a server listens some time after its port was chosen, and shares its connections with
another one that listens there too."""


def free_port() -> int:
    """A port of the loopback address that nothing listens on now, and no other test process chooses next."""
    return next(port for number in _next_ports if _is_free(port := _FIRST_PORT + number % _PORTS))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def wait_for_port(port: int, process: subprocess.Popen[bytes], seconds: float = 60) -> None:
    """Return once something accepts connections on `port`; raise when the process ends or time runs out."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args!r} ended with {process.returncode}")
        with socket.socket() as probe:
            probe.settimeout(0.5)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        pause.wait(0.05)
    raise TimeoutError(f"nothing listens on {port} after {seconds} s")


def bare_environment() -> dict[str, str]:
    """The environment without the site's settings: a server of a test has its own, whatever this process was given."""
    return {name: value for name, value in os.environ.items() if not name.startswith("AGENCY_")}


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and everything it started."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def running(
    command: Sequence[str | Path], port: int, folder: str | Path = "", **environment: str
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that listens on the port; ended with the block. It runs in `folder`, or where temporary files are."""
    process = subprocess.Popen(
        command,
        env=os.environ | environment,
        cwd=folder or tempfile.gettempdir(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for_port(port, process)
        yield process
    finally:
        end(process)


def installed(package: str, look: Callable[[], str | None]) -> str | None:
    """Return the result of `look`; if it is empty, install the Debian package first if that is allowed.

    On a fresh machine test processes that run side by side want the same packages at the same moment, and apt-get serves
    one at a time: they wait for one another.
    """
    result = look()
    if result or os.geteuid() != 0 or not shutil.which("apt-get"):
        return result
    with Path(tempfile.gettempdir(), "agency-site-packages.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if look() is None:
            patient = ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300"]
            quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            subprocess.run([*patient, "update"], check=False, capture_output=True, env=quiet)
            subprocess.run([*patient, "install", "-y", package], check=False, capture_output=True, env=quiet)
    return look()


def program(name: str, package: str = "") -> str | None:
    """Path of a program, installed when missing and we are root; the package has the same name unless given."""
    return installed(package or name, lambda: shutil.which(name))


def postgres_binaries() -> Path | None:
    """Folder of initdb and postgres, installed from Debian when missing and we are root."""

    def look() -> str | None:
        homes = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
        usable = [str(home) for home in homes if (home / "initdb").exists()]
        return usable[0] if usable else None

    result = installed("postgresql", look)
    return Path(result) if result else None


def missing(what: str) -> NoReturn:
    """Skip the test, or fail it where all tests have to run."""
    message = f"{what} is not installed and cannot be installed here (needs root and apt-get)"
    if os.environ.get("CI"):
        raise RuntimeError(message)
    pytest.skip(message)


_DELETE_ROWS = """
DO $$ DECLARE name regclass; BEGIN
  -- Neither foreign keys nor the triggers that refuse a change are asked.
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
    AND relname <> 'alembic_version' LOOP
    EXECUTE format('DELETE FROM %s', name);
  END LOOP;
  PERFORM setval(seqrelid, seqstart, false) FROM pg_sequence;
END $$
"""
_SCHEMA = """
SELECT md5(string_agg(part, ',' ORDER BY part)) FROM (
  SELECT concat(oid, relname, relkind) AS part FROM pg_class WHERE oid >= 16384
  UNION ALL SELECT concat(attrelid, attname, atttypid, attnotnull) FROM pg_attribute WHERE attrelid >= 16384
  UNION ALL SELECT concat(oid, conname) FROM pg_constraint WHERE oid >= 16384
  UNION ALL SELECT concat(oid, tgname, tgenabled) FROM pg_trigger WHERE oid >= 16384
) AS parts
"""


INITDB_OPTIONS = ("-U", "agency", "--auth=scram-sha-256", "-E", "UTF8", "--locale=C.UTF-8")
"""Require passwords, like the images and managed databases of operators."""


@contextmanager
def password_file() -> Iterator[str]:
    """The name of a file for `initdb --pwfile`, which the account that PostgreSQL runs as can read."""
    with tempfile.NamedTemporaryFile("w", prefix="agency-postgres-") as file:
        file.write(f"{POSTGRES_PASSWORD}\n")
        file.flush()
        Path(file.name).chmod(0o644)
        yield file.name


@dataclass
class Postgres:
    """A running PostgreSQL server."""

    port: int
    _start: Callable[[], subprocess.Popen[bytes]]
    _process: subprocess.Popen[bytes]
    _emptied: list[str] = field(default_factory=list)

    @classmethod
    @contextmanager
    def started(cls) -> "Iterator[Postgres]":
        """Start a server in a temporary folder; ends with the block."""
        binaries = postgres_binaries() or missing("PostgreSQL")
        home = Path(tempfile.mkdtemp(prefix="agency-postgres-"))
        options: dict[str, object] = {}
        if os.geteuid() == 0:
            # PostgreSQL refuses to run as root.
            account = pwd.getpwnam("postgres")
            os.chown(home, account.pw_uid, account.pw_gid)
            options = {"user": account.pw_uid, "group": account.pw_gid}
        data, port = home / "data", free_port()
        with password_file() as password:
            subprocess.run(
                [binaries / "initdb", "-D", data, *INITDB_OPTIONS, f"--pwfile={password}"],
                check=True, capture_output=True, cwd=home, **options,  # type: ignore[call-overload]
            )  # fmt: skip

        def start() -> "subprocess.Popen[bytes]":
            process: subprocess.Popen[bytes] = subprocess.Popen(
                [binaries / "postgres", "-D", data, "-p", str(port), "-k", home, "-c", "listen_addresses=127.0.0.1",
                 "-c", "fsync=off", "-c", "max_connections=200"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=home, **options,  # type: ignore[call-overload]
            )  # fmt: skip
            return process

        server = cls(port, start, start())
        try:
            wait_for_port(port, server._process)
            server._wait_until_ready()
            yield server
        finally:
            end(server._process)
            shutil.rmtree(home, ignore_errors=True)

    def stop(self) -> None:
        """End the server at once: no transaction is finished, no connection is closed properly. What was committed stays,
        since the machine goes on."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(timeout=15)

    def start(self) -> None:
        """Start it again on the same port with what it had committed; returns when it accepts connections."""
        self._process = self._start()
        wait_for_port(self.port, self._process)
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + 30
        while True:
            try:
                psycopg.connect(self._dsn("postgres")).close()
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
            else:
                return

    def _dsn(self, database: str) -> str:
        return f"postgresql://agency:{quote(POSTGRES_PASSWORD, safe='')}@127.0.0.1:{self.port}/{database}"

    @functools.cached_property
    def _template(self) -> str:
        name = "template_migrated"
        self._execute(f"CREATE DATABASE {name}")
        migrated(self._url(name))
        return name

    def _execute(self, statement: str) -> None:
        with psycopg.connect(self._dsn("postgres"), autocommit=True) as connection:
            connection.execute(statement)

    def fresh_database(self) -> str:
        """The address of a new database with all migrations applied."""
        name = f"t_{uuid.uuid4().hex}"
        self._execute(f"CREATE DATABASE {name} TEMPLATE {self._template}")
        return self._url(name)

    def bare_database(self) -> str:
        """The address of a new database without any table."""
        name = f"t_{uuid.uuid4().hex}"
        self._execute(f"CREATE DATABASE {name}")
        return self._url(name)

    @contextmanager
    def empty_database(self) -> "Iterator[str]":
        """The address of a database with all migrations applied and no rows. Emptying one that another test has used takes a
        tenth of the time of creating one; a database whose schema a test has changed is not used again."""
        name = self._emptied.pop() if self._emptied else self.fresh_database().rpartition("/")[2]
        yield self._url(name)
        if self._empty(name):
            self._emptied.append(name)

    def _empty(self, name: str) -> bool:
        """Delete all rows. False if a process that the test has killed still locks some, or if the schema has changed."""
        try:
            with psycopg.connect(
                self._dsn(name), autocommit=True, options="-c lock_timeout=2s"
            ) as connection:
                connection.execute(_DELETE_ROWS)
                return connection.execute(_SCHEMA).fetchone() == self._schema
        except psycopg.OperationalError:
            return False

    @functools.cached_property
    def _schema(self) -> tuple[Any, ...] | None:
        with psycopg.connect(self._dsn(self._template)) as connection:
            return connection.execute(_SCHEMA).fetchone()

    def _url(self, name: str) -> str:
        return self._dsn(name).replace("postgresql:", "postgresql+psycopg:", 1)


def psycopg_address(url: str, database: str = "") -> str:
    """The address of the settings as psycopg takes it without SQLAlchemy, of another `database` if one is named."""
    _, parameters = make_url(url).get_dialect()().create_connect_args(make_url(url))
    return make_conninfo(**{**parameters, **({"dbname": database} if database else {})})


def migrated(url: str) -> str:
    """Bring the database at `url` to the newest schema."""
    logging.getLogger("alembic").setLevel(logging.WARNING)
    migrate(url)
    return url


@contextmanager
def pgbouncer(database_url: str, connections: int = 20) -> Iterator[str]:
    """The address of the PostgreSQL database at `database_url` behind PgBouncer, which gives each transaction one of this many
    connections to it."""
    binary = program("pgbouncer") or missing("PgBouncer")
    direct, port = make_url(database_url), free_port()
    with tempfile.TemporaryDirectory(prefix="agency-pgbouncer-") as name:
        folder = Path(name)
        quoted = POSTGRES_PASSWORD.replace('"', '""')
        (folder / "users.txt").write_text(f'"agency" "{quoted}"\n')
        (folder / "pgbouncer.ini").write_text(
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\n"
            f"listen_port = {port}\nunix_socket_dir =\nauth_type = scram-sha-256\n"
            f"auth_file = {folder}/users.txt\npool_mode = transaction\n"
            f"default_pool_size = {connections}\nmax_client_conn = 1000\nlogfile = {folder}/log\n"
            "[databases]\n"
            f"{direct.database} = host=127.0.0.1 port={direct.port} dbname={direct.database} user=agency\n"
        )
        options: dict[str, object] = {}
        if os.geteuid() == 0:
            # PgBouncer refuses to run as root.
            account = pwd.getpwnam("postgres")
            for path in (folder, *folder.iterdir()):
                os.chown(path, account.pw_uid, account.pw_gid)
            options = {"user": account.pw_uid, "group": account.pw_gid}
        process = subprocess.Popen(
            [binary, "-q", folder / "pgbouncer.ini"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, **options,  # type: ignore[call-overload]
        )  # fmt: skip
        try:
            wait_for_port(port, process)
            yield direct.set(port=port).render_as_string(hide_password=False)
        finally:
            end(process)


@functools.cache
def sqlite_template() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        migrated(f"sqlite+aiosqlite:///{folder}/template.sqlite3")
        return Path(folder, "template.sqlite3").read_bytes()


def fresh_sqlite(file: Path) -> str:
    """The address of a new SQLite file with all migrations applied: they run once, every test gets a copy."""
    file.write_bytes(sqlite_template())
    return f"sqlite+aiosqlite:///{file}"


@dataclass
class Redis:
    """A running Redis server."""

    port: int

    @property
    def url(self) -> str:
        """Yield its address."""
        return f"redis://127.0.0.1:{self.port}/0"

    def flush(self) -> None:
        """Delete everything."""
        with Client.from_url(self.url) as client:
            client.flushall()

    @classmethod
    @contextmanager
    def started(cls, port: int = 0) -> "Iterator[Redis]":
        """Start a server that keeps nothing, on a free port unless given; ends with the block."""
        binary = program("redis-server") or missing("Redis")
        port = port or free_port()
        options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        process = subprocess.Popen([binary, *options], stdout=subprocess.DEVNULL, cwd=tempfile.gettempdir())
        try:
            wait_for_port(port, process)
            yield cls(port)
        finally:
            end(process)
