"""Backups and restores: refusals, the files that they leave, and the moment of the snapshot."""

import os
import re
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url, text

from agency_site import clock
from agency_site.db.backups import stores
from agency_site.db.backups.archive import Key
from agency_site.db.backups.command import main
from agency_site.db.backups.due_work import WORK
from agency_site.db.backups.errors import BackupError
from agency_site.db.backups.readings import find_last_backup
from agency_site.db.backups.usecases import back_up, restore
from agency_site.db.engine import dispose_engine, read_scope, session_scope
from agency_site.db.migrations import known_revisions
from agency_site.db.tables import metadata
from agency_site.mail.delivery import deliver_due_messages
from agency_site.mail.rules import MailState
from agency_site.settings import Settings, settings
from agency_site.web.serving.api import create_api
from tests.http_clients import client_of
from tests.integration.db.backups.keys import make_key
from tests.integration.mail.outbox import list_rows, store_message
from tests.integration.sms.messages import build_text, enqueue
from tests.servers import POSTGRES_PASSWORD, Postgres, free_port, fresh_sqlite, psycopg_address

pytestmark = pytest.mark.each_database

Configure = Callable[..., Settings]
_INSERT = "INSERT INTO mpesa_query_slots (app_key, next_at) VALUES ('{}', '2026-11-20 09:00:00+00:00')"
_CALLBACK = (
    "INSERT INTO callback_inbox (digest, due_at, received_at, body, source, attempt_key, merchant_request_id, "
    "checkout_request_id, result_code, result_text, outcome, amount, receipt, deliveries, note) VALUES "
    "(?, ?, '2026-11-20', '', '', '', '', '', '', '', '', '', '', 1, '')"
)
MIDNIGHT = datetime(2026, 11, 20, 21, 0, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path, configure: Configure) -> Path:
    """The folder of backups, which are not encrypted."""
    path = tmp_path / "backups"
    configure(backup_folder=str(path), journal_folder=str(tmp_path / "journal"))
    return path


@pytest.fixture
def file(tmp_path: Path, folder: Path, configure: Configure) -> Path:
    """A SQLite database with a row, which the settings name."""
    assert folder
    path = tmp_path / "site.sqlite3"
    configure(database_url=fresh_sqlite(path))
    _add_row(path, "R1")
    return path


def _add_row(file: Path, name: str) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute(_INSERT.format(name))


def _read_keys(file: Path) -> list[str]:
    connection = sqlite3.connect(file)
    try:
        return [name for (name,) in connection.execute("SELECT app_key FROM mpesa_query_slots ORDER BY 1")]
    finally:
        connection.close()


def _list_files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")


def test_only_the_owner_of_the_process_can_read_a_backup(file: Path, folder: Path) -> None:
    backup = back_up()
    assert stat.S_IMODE(backup.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert _list_files(folder) == [backup.path.name]


async def _read_backup_time() -> float:
    """Return the time of the last backup in the metrics of a server."""
    async with client_of(create_api()) as client:
        metrics = (await client.get("/metrics")).text
    line = re.search(r"^agency_backup_last_success_timestamp_seconds (\S+)$", metrics, re.M)
    assert line
    return float(line[1])


@pytest.mark.usefixtures("database")
async def test_without_a_backup_the_metric_has_the_time_zero() -> None:
    assert await _read_backup_time() == 0


@pytest.mark.usefixtures("database")
async def test_the_last_backup_is_known_to_every_server(folder: Path) -> None:
    with clock.frozen(MIDNIGHT) as move:
        back_up()
        move(MIDNIGHT + timedelta(days=1))
        backup = back_up()
    assert backup.path.name == "agency-20261121T210000Z.tar.gz"
    assert await _read_backup_time() == (MIDNIGHT + timedelta(days=1)).timestamp()
    async with read_scope() as session:
        last = await find_last_backup(session)
    assert last
    assert (last.taken_at, last.size_bytes) == (MIDNIGHT + timedelta(days=1), backup.path.stat().st_size)
    assert last.seconds > 0


def test_a_backup_is_taken_of_a_database_without_the_table_that_records_it(file: Path, folder: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE checked_backups")
    assert back_up().path.exists()


def test_production_refuses_an_unencrypted_backup_unless_the_settings_allow_it(
    file: Path, folder: Path, configure: Configure
) -> None:
    configure(env="production")
    with pytest.raises(BackupError, match="AGENCY_BACKUP_RECIPIENT"):
        back_up()
    assert not folder.exists()
    configure(backup_unencrypted_in_production=True)
    assert back_up().path.exists()


def test_a_backup_for_a_public_key_is_encrypted_and_restored_with_the_private_key(
    file: Path, folder: Path, configure: Configure, tmp_path: Path
) -> None:
    recipient, key = make_key(tmp_path)
    configure(backup_recipient=recipient)
    backup = back_up()
    assert backup.path.read_bytes().startswith(b"age-encryption.org/")
    file.unlink()
    restore(backup.path, key)
    assert _read_keys(file) == ["R1"]


def test_each_of_several_recipients_can_restore(
    file: Path, folder: Path, configure: Configure, tmp_path: Path
) -> None:
    (first, _), (second, key) = make_key(tmp_path, "one.txt"), make_key(tmp_path, "two.txt")
    configure(backup_recipient=f"{first},{second}")
    backup = back_up()
    file.unlink()
    assert restore(backup.path, key).manifest.inventory.rows == 1


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _change_bytes(path: Path) -> None:
    content = bytearray(path.read_bytes())
    # Many bytes: a change of one may not matter where gzip copies the zeros of an empty page from other zeros.
    for position in range(len(content) // 2, len(content) // 2 + 64):
        content[position] ^= 0xFF
    path.write_bytes(content)


def _empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("encrypted", [True, False])
@pytest.mark.parametrize("damage", [_truncate, _change_bytes, _empty])
def test_a_damaged_backup_is_refused_and_the_database_stays_as_it_is(
    file: Path, folder: Path, configure: Configure, tmp_path: Path, damage: Callable[[Path], None], encrypted: bool
) -> None:  # fmt: skip
    recipient, key = make_key(tmp_path)
    configure(backup_recipient=recipient if encrypted else "")
    backup = back_up()
    damage(backup.path)
    _add_row(file, "R2")
    with pytest.raises(BackupError, match=r"damaged|cannot be decrypted|no manifest"):
        restore(backup.path, key, replacing=True)
    assert _read_keys(file) == ["R1", "R2"]
    assert _list_files(file.parent) == sorted(["backups", "key.txt", "site.sqlite3"])


def test_a_backup_is_not_restored_with_another_key_or_without_one(
    file: Path, folder: Path, configure: Configure, tmp_path: Path
) -> None:
    (recipient, _), (_, other) = make_key(tmp_path, "right.txt"), make_key(tmp_path, "wrong.txt")
    configure(backup_recipient=recipient)
    backup = back_up()
    with pytest.raises(BackupError, match="cannot be decrypted: no identity matched"):
        restore(backup.path, other, replacing=True)
    with pytest.raises(BackupError, match="IDENTITY="):
        restore(backup.path, replacing=True)


def test_a_file_that_is_no_backup_is_refused(file: Path, folder: Path, tmp_path: Path) -> None:
    strange = tmp_path / "strange.tar.gz"
    subprocess.run(["tar", "czf", strange, "-C", "/etc", "hostname"], check=True)
    with pytest.raises(BackupError, match=r"no backup of the site: it contains 'hostname'"):
        restore(strange, replacing=True)
    with pytest.raises(BackupError, match="There is no file"):
        restore(tmp_path / "nothing", replacing=True)


def test_a_database_with_rows_is_replaced_only_on_request_and_kept_under_another_name(
    file: Path, folder: Path
) -> None:
    backup = back_up()
    _add_row(file, "R2")
    with pytest.raises(BackupError, match="FORCE=1"):
        restore(backup.path)
    restored = restore(backup.path, replacing=True)
    assert _read_keys(file) == ["R1"]
    assert _read_keys(Path(restored.former)) == ["R1", "R2"]


async def test_a_database_that_a_server_has_open_is_not_replaced(database: str, folder: Path) -> None:
    async with session_scope() as session:
        await (await session.connection()).execute(text(_INSERT.format("R1")))
    backup = back_up()
    with pytest.raises(BackupError, match="in use"):
        restore(backup.path, replacing=True)
    await dispose_engine()
    assert restore(backup.path, replacing=True).former


def test_rows_that_are_written_while_the_dump_runs_are_not_in_it(
    postgres: Postgres, folder: Path, configure: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    with postgres.empty_database() as url:
        configure(database_url=url)
        run_client = stores._run_client

        def write_first(name: str, *arguments: object) -> None:
            if name == "pg_dump":
                with psycopg.connect(psycopg_address(url)) as connection:
                    connection.execute(_INSERT.format("R1"))
            run_client(name, *arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(stores, "_run_client", write_first)
        backup = back_up()
    assert backup.manifest.inventory.tables["mpesa_query_slots"].rows == 0


def test_a_database_of_several_hosts_is_backed_up_and_its_password_is_on_no_command_line(
    postgres: Postgres, folder: Path, configure: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[str] = []
    run = subprocess.run

    def note(command: list[str], **options: Any) -> Any:
        commands.extend(command)
        return run(command, **options)

    with postgres.empty_database() as url:
        address = make_url(url)
        hosts = f"@/{address.database}?host=127.0.0.1:{free_port()}&host=127.0.0.1:{address.port}"
        configure(database_url=f"{url.partition('@127.0.0.1')[0]}{hosts}&application_name=nightly")
        monkeypatch.setattr(subprocess, "run", note)
        assert restore(back_up().path, replacing=True).same_key
    assert any("pg_restore" in word for word in commands)
    assert not [word for word in commands if POSTGRES_PASSWORD in word or "***" in word]


def test_a_backup_with_a_wrong_password_says_so_in_one_line(
    postgres: Postgres, folder: Path, configure: Configure, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = make_url(postgres.bare_database()).set(password="wrong")
    configure(database_url=wrong.render_as_string(hide_password=False))
    assert main(["backup"]) == 1
    printed = capsys.readouterr().err
    assert 'password authentication failed for user "agency"' in printed
    assert len(printed.splitlines()) == 1


def test_a_backup_whose_check_finds_a_difference_leaves_no_file(
    file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose_a_row(self: stores.SqliteScratch, dump: Path) -> None:
        with sqlite3.connect(dump) as connection:
            connection.execute("DELETE FROM mpesa_query_slots")
        dump.rename(self.path)

    monkeypatch.setattr(stores.SqliteScratch, "fill", lose_a_row)
    with pytest.raises(BackupError, match="mpesa_query_slots: 1 rows were backed up, 0 are there"):
        back_up()
    assert _list_files(folder) == []


def test_a_backup_of_before_release_1_0_is_restored_and_upgraded(
    tmp_path: Path, folder: Path, configure: Configure
) -> None:
    file = tmp_path / "old.sqlite3"
    url = f"sqlite+aiosqlite:///{file}"
    dump = Path(__file__).parents[1] / "before_1_0.sqlite.sql"
    with sqlite3.connect(file) as connection:
        connection.executescript(dump.read_text(encoding="utf-8"))
    configure(database_url=url)
    backup = back_up()
    file.unlink()
    assert restore(backup.path).manifest.inventory.revision == "0052"
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT count(*) FROM schedule_exceptions").fetchone() == (2,)
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == (
            max(known_revisions()),
        )


def test_a_backup_of_a_newer_version_is_refused(file: Path, folder: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    backup = back_up()
    with pytest.raises(BackupError, match="the schema 9999, which this version does not know"):
        restore(backup.path, replacing=True)


def test_a_backup_of_the_other_kind_of_database_is_refused(
    file: Path, folder: Path, postgres: Postgres, configure: Configure
) -> None:
    backup = back_up()
    with postgres.empty_database() as url:
        configure(database_url=url)
        with pytest.raises(BackupError, match="The backup is of sqlite"):
            restore(backup.path)


def test_a_restore_reports_whether_the_machine_has_the_secret_key_of_the_backup(
    file: Path, folder: Path, configure: Configure
) -> None:
    backup = back_up()
    configure(secret_key="n" * 40)
    assert not restore(backup.path, replacing=True).same_key
    configure(old_secret_keys="development-only-secret")
    assert restore(backup.path, replacing=True).same_key


def test_old_backups_are_deleted_and_files_with_other_names_stay(
    file: Path, folder: Path, configure: Configure
) -> None:
    configure(backup_keep_daily=2, backup_keep_weekly=0, backup_keep_monthly=0)
    folder.mkdir()
    other_names = ["agency-notes.txt", "agency-20200101T000000Z.tar.gz.copy", "other-20200101T000000Z.tar.gz"]
    for name in [*other_names, "agency-20200101T000000Z.tar.gz", "agency-20200102T000000Z.tar.gz.age"]:
        (folder / name).write_text("")
    backup = back_up()
    assert [path.name for path in backup.deleted] == ["agency-20200101T000000Z.tar.gz"]
    assert {*other_names, "agency-20200102T000000Z.tar.gz.age", backup.path.name} <= set(_list_files(folder))


def test_the_files_of_a_killed_backup_are_removed_by_the_next_one(file: Path, folder: Path) -> None:
    (folder / ".unfinished-killed").mkdir(parents=True)
    (folder / ".unfinished-killed" / "database").write_text("personal data")
    back_up()
    assert not (folder / ".unfinished-killed").exists()


def test_the_commands_print_what_they_have_done(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backup"]) == 0
    printed = capsys.readouterr().out
    assert "Restored into a scratch database and compared: 1 rows in" in printed
    assert main(["restore", printed.split(" (")[0], "--force"]) == 0
    assert "The earlier content is kept" in capsys.readouterr().out
    assert main(["restore", ""]) == 1
    assert "make restore FROM=" in capsys.readouterr().err


def test_a_key_of_the_command_line_is_a_file(file: Path, tmp_path: Path) -> None:
    strange = tmp_path / "x.age"
    strange.write_bytes(b"age-encryption.org/v1\n")
    with pytest.raises(BackupError, match="cannot be decrypted"):
        restore(strange, Key(file=tmp_path / "absent.txt"), replacing=True)


async def _store_waiting(configure: Configure) -> None:
    """Store a mail and a text message that are due."""
    configure(smtp_host="mail.example")
    await store_message()
    await enqueue(build_text())
    await dispose_engine()
    configure(smtp_host="")


@pytest.mark.usefixtures("database")
async def test_a_restore_says_what_leaves_when_a_server_starts(
    folder: Path, configure: Configure, capsys: pytest.CaptureFixture[str]
) -> None:
    await _store_waiting(configure)
    backup = back_up()
    assert main(["restore", str(backup.path), "--force"]) == 0
    assert "Due now: 1 (mails), 1 (text messages). It leaves when a server starts" in capsys.readouterr().out


def test_a_restore_counts_what_a_fast_clock_has_put_off(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.executemany(_CALLBACK, [("now", "2026-11-20"), ("later", "2999-01-01"), ("never", None)])
    backup = back_up()
    # A process of its own: this one has declared all tables for the tests.
    command = [sys.executable, "-m", "agency_site.db.backups.command", "restore", str(backup.path), "--force"]
    environment = {**os.environ, "AGENCY_DATABASE_URL": settings().database_url}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "Due now: 2 (callbacks of M-Pesa)." in done.stdout


@pytest.mark.usefixtures("database")
async def test_a_copy_for_staging_sets_waiting_messages_aside_and_needs_settings_without_a_way_out(
    folder: Path, configure: Configure, capsys: pytest.CaptureFixture[str]
) -> None:
    await _store_waiting(configure)
    backup = back_up()
    configure(smtp_host="mail.example", sms_api_key="key", mpesa_consumer_key="key")
    assert main(["restore", str(backup.path), "--force", "--staging"]) == 1
    refused = capsys.readouterr().err
    assert "AGENCY_SMTP_HOST, AGENCY_SMS_API_KEY, AGENCY_MPESA_CONSUMER_KEY." in refused
    configure(smtp_host="", sms_api_key="", mpesa_consumer_key="")
    assert main(["restore", str(backup.path), "--force", "--staging"]) == 0
    assert "Due now" not in capsys.readouterr().out
    # Not even once the settings have a way out.
    configure(smtp_host="127.0.0.1", smtp_port=free_port())
    assert await deliver_due_messages() == 0
    assert [row.state for row in await list_rows()] == [MailState.KEPT]


def test_every_table_with_a_time_at_which_rows_are_due_has_its_words() -> None:
    due = {name for name, table in metadata.tables.items() if "due_at" in table.c}
    # Calendars are only read.
    assert due - {"busy_calendars"} == set(WORK)


def test_a_disk_that_is_full_is_one_line(
    file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    connect = sqlite3.connect

    def connect_small(path: Path, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(path, **options)
        if path != file:
            connection.execute("PRAGMA max_page_count = 5")
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_small)
    assert main(["backup"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("The database cannot be copied to ")
    assert line.endswith("full")
    assert _list_files(folder) == []
