"""A server writes to /tmp and the journal only, a backup to its folder: `deploy/` runs both on a read-only file system, without
capabilities."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from agency_site.settings import ROOT
from agency_site.web.build.site_build import ensure_built
from tests.e2e.own_server import START_SECONDS
from tests.servers import SECRET_KEY, Postgres, Redis, bare_environment, end, free_port, wait_for_port

pytestmark = pytest.mark.thorough

READ_ONLY = """
for mounted in / "$0"; do mount --bind "$mounted" "$mounted"; mount -o remount,bind,ro "$mounted"; done
mount -t tmpfs -o size=64m none /tmp
cd "$0"
exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs "$@"
"""
"""Runs a command in a mount namespace of its own, with the rights that a container has. `$0` is the project's folder.
The second mount of it counts: the project may lie on a file system of its own."""


UNSHARED = ["unshare", "--mount", "--propagation=private", "sh", "-ec", READ_ONLY, str(ROOT)]


def environment_of(**settings: str) -> dict[str, str]:
    """The environment of a container with these settings."""
    return bare_environment() | {
        "PYTHONDONTWRITEBYTECODE": "1",
        "REFLEX_DIR": "/tmp/reflex",
        "AGENCY_PUBLISHED_FOLDER": "/tmp/sites",
        "AGENCY_JOURNAL_FOLDER": "/tmp/journal",
        **{f"AGENCY_{name.upper()}": value for name, value in settings.items()},
    }


@contextmanager
def read_only_server(log: Path, **settings: str) -> Iterator[tuple[str, Path]]:
    """Address of a server that can write to /tmp only, and its /tmp as this process sees it."""
    port = free_port()
    server = [sys.executable, "-m", "agency_site.web.serve"]
    with log.open("w") as output:
        process = subprocess.Popen(
            [*UNSHARED, *server], env=environment_of(**settings) | {"PORT": str(port)},
            stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            wait_for_port(port, process, START_SECONDS)
            yield f"http://127.0.0.1:{port}", Path(f"/proc/{process.pid}/root/tmp")
        finally:
            end(process)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_a_server_runs_on_a_read_only_file_system(tmp_path: Path) -> None:
    ensure_built()
    log = tmp_path / "server.log"
    with (
        Postgres.started() as postgres,
        Redis.started() as redis,
        read_only_server(
            log, env="production", secret_key=SECRET_KEY, public_url="https://agency.example",
            database_url=postgres.fresh_database(), redis_url=redis.url, mpesa_simulator_in_production="true",
        ) as (url, temporary),
        httpx.Client(base_url=url, headers={"Host": "agency.example", "X-Forwarded-Proto": "https"}) as client,
    ):  # fmt: skip
        statuses = {
            path: client.get(path).status_code for path in ("/readyz", "/", "/book", "/payment?course=seo")
        }
        file_names = {path.name for path in temporary.iterdir()}
    assert set(statuses.values()) == {200}, (statuses, log.read_text())
    assert file_names <= {"sites", "reflex", "journal"}
    assert "Read-only file system" not in log.read_text()
    assert '"level": "error"' not in log.read_text()


MIGRATE_AND_BACK_UP = (
    '"$0" -m alembic upgrade head; "$0" -m agency_site.db.backups.command backup; ls -A /tmp >&2'
)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_migrations_and_backups_run_on_a_read_only_file_system() -> None:
    with Postgres.started() as postgres:
        done = subprocess.run(
            [*UNSHARED, "sh", "-ec", MIGRATE_AND_BACK_UP, sys.executable],
            env=environment_of(database_url=postgres.fresh_database(), backup_folder="/tmp/backups"),
            check=False, capture_output=True, text=True,
        )  # fmt: skip
    assert "Restored into a scratch database and compared" in done.stdout, done.stderr
    last_line = done.stderr.splitlines()[-1:]
    assert last_line == ["backups"]
