"""If the site, a backup or a migration cannot start, operators read the reason in one line."""

import errno
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import make_url

from agency_site.settings import ROOT, Settings
from agency_site.web import serve
from agency_site.web.build.publish import QUICK
from tests.servers import Postgres, bare_environment, free_port, fresh_sqlite

pytestmark = pytest.mark.thorough

COMMANDS = {
    "serve": ["-m", "agency_site.web.serve"],
    "migrate": ["-m", "alembic", "upgrade", "head"],
    "backup": ["-m", "agency_site.db.backups.command", "backup"],
    "staff": ["-m", "agency_site.auth.command", "--email=amina@example.com", "--role=owner"],
}


def run(command: str, tmp_path: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    own = {f"AGENCY_{name.upper()}": value for name, value in settings.items()}
    environment = bare_environment() | {"PORT": str(free_port()), "STAFF_PASSWORD": "long enough a password"}
    environment |= {"AGENCY_BACKUP_FOLDER": str(tmp_path / "backups")} | own
    return subprocess.run(
        [sys.executable, *COMMANDS[command]],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_a_wrong_password_of_the_database_is_one_line(
    postgres: Postgres, tmp_path: Path, command: str
) -> None:
    wrong = make_url(postgres.bare_database()).set(password="wrong")
    done = run(command, tmp_path, database_url=wrong.render_as_string(hide_password=False))
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert 'password authentication failed for user "agency"' in line


@pytest.mark.parametrize("command", COMMANDS)
def test_another_driver_is_one_line_with_the_variable(tmp_path: Path, command: str) -> None:
    done = run(command, tmp_path, database_url="postgres://site:hidden@db/site")
    assert done.returncode == 1
    assert done.stderr.splitlines()[1].startswith("  - AGENCY_DATABASE_URL: must begin with")
    assert "hidden" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_that_cannot_be_reached_is_one_line(tmp_path: Path) -> None:
    done = run("serve", tmp_path, database_url="postgresql+psycopg://site@127.0.0.1:1/site", smtp_hots="x")
    assert done.returncode == 1
    slip, cause = done.stderr.splitlines()
    assert slip == "AGENCY_SMTP_HOTS is no setting and has no effect: did you mean AGENCY_SMTP_HOST?"
    assert cause.startswith("The database of AGENCY_DATABASE_URL cannot be used: OperationalError")
    assert "Connection refused" in cause


def test_a_full_disk_while_publishing_is_one_line(
    tmp_path: Path, configure: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    configure(database_url=fresh_sqlite(tmp_path / "site.sqlite3"), port=free_port())

    def fill_the_disk(_address: str, *, quality: int) -> None:
        assert quality == QUICK
        raise OSError(errno.ENOSPC, "No space left on device", "/tmp/sites/index.html.br")

    monkeypatch.setattr(serve, "ensure_built", lambda _report: None)
    monkeypatch.setattr(serve, "publish", fill_the_disk)
    assert serve.main() == 1
    assert capsys.readouterr().err == "No space left on device: /tmp/sites/index.html.br\n"


def test_a_start_that_is_interrupted_ends_without_a_trace(
    tmp_path: Path, configure: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    configure(database_url=fresh_sqlite(tmp_path / "site.sqlite3"), port=free_port())

    def interrupt(_report: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(serve, "ensure_built", interrupt)
    assert serve.main() == serve.INTERRUPTED
    output = capsys.readouterr()
    assert output.err == ""
    assert output.out.splitlines()[-1].startswith("  Site stopped")
