"""Take a checked backup, and restore one.

A backup counts once its finished file has been decrypted, restored into a scratch database and compared with the inventory that
was taken in the snapshot of the dump. It is encrypted for a temporary key too, so the machine needs no private key.
"""

import fcntl
import hmac
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ValidationError
from sqlalchemy import Connection, make_url

from agency_site.clock import now
from agency_site.db.backups.archive import Key, make_temporary_key, read_archive, write_archive
from agency_site.db.backups.due_work import count_due, set_messages_aside
from agency_site.db.backups.errors import BackupError
from agency_site.db.backups.inventory import Inventory, find_differences
from agency_site.db.backups.rotation import select_kept
from agency_site.db.backups.stores import Scratch, connected, store_at
from agency_site.db.backups.tables import CheckedBackup
from agency_site.db.migrations import known_revisions, migrate, plain_url
from agency_site.db.upgrade_to_1_0 import NEWEST_BEFORE, upgrade
from agency_site.settings import Settings, settings

_STAMP = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(r"agency-(\d{8}T\d{6}Z)\.tar\.gz(\.age)?")
_UNFINISHED = ".unfinished-"
_PURPOSE = "backup"


class Manifest(BaseModel, frozen=True):
    """The description of a backup, in its archive."""

    taken_at: datetime
    kind: str
    secret_key: str
    """A value derived from the secret key, by which a restore notices that the machine has another key."""
    inventory: Inventory


@dataclass(frozen=True)
class FinishedBackup:
    """A finished backup."""

    path: Path
    manifest: Manifest
    seconds: float
    deleted: tuple[Path, ...]
    """Older backups that the retention policy no longer keeps."""


@dataclass(frozen=True)
class FinishedRestore:
    """A database that has been restored."""

    manifest: Manifest
    former: str
    """Where the earlier content of the database is kept; empty if there was none."""
    same_key: bool
    """Whether this machine has the secret key of the backup, which private links and authenticators need."""
    due: Mapping[str, int]
    """What leaves once a server starts, such as mails, and how many of each."""
    seconds: float


def back_up() -> FinishedBackup:
    """Write a checked backup to the folder of the settings, and record it in the database.

    Raises BackupError, and then leaves no file, unless only the record could not be written.
    """
    chosen, started = settings(), time.monotonic()
    if chosen.production and not chosen.backup_recipient and not chosen.backup_unencrypted_in_production:
        raise BackupError(
            "A backup holds personal data: set AGENCY_BACKUP_RECIPIENT to a public key (age-keygen -o key.txt makes one; keep "
            "key.txt away from this machine), or AGENCY_BACKUP_UNENCRYPTED_IN_PRODUCTION=true."
        )
    folder = Path(chosen.backup_folder)
    with _exclusive(folder), _working_folder(folder) as work:
        recipients = tuple(filter(None, chosen.backup_recipient.split(",")))
        moment = now().astimezone(UTC)
        final = folder / f"agency-{moment:{_STAMP}}.tar.gz{'.age' if recipients else ''}"
        if final.exists():
            raise BackupError(f"{final.name} exists already.")
        manifest = _pack(chosen, moment, work, recipients)
        os.replace(work / "archive", final)
        _sync(folder)
        deleted = _rotate(folder, chosen)
        backup = FinishedBackup(final, manifest, time.monotonic() - started, deleted)
    last = CheckedBackup(taken_at=moment, size_bytes=final.stat().st_size, seconds=round(backup.seconds, 3))
    store_at(chosen.database_url).record(last)
    return backup


def restore_staging(source: Path, key: Key | None = None, *, replacing: bool = False) -> FinishedRestore:
    """Restore a copy that reaches no customer: the settings have no way out, and waiting messages are set aside.

    Raises BackupError, as `restore` does.
    """
    if outlets := settings().list_outlets():
        raise BackupError(
            f"A copy for staging must reach no customer. Empty these settings first: {', '.join(outlets)}."
        )
    return restore(source, key, replacing=replacing, prepare=set_messages_aside)


def restore(
    source: Path,
    key: Key | None = None,
    *,
    replacing: bool = False,
    prepare: Callable[[Connection], None] = lambda _: None,
) -> FinishedRestore:
    """Restore the backup at `source` into the database of the settings and migrate it to the newest schema.

    `prepare` may change the rows before the database is in its place. Raises BackupError before anything is changed: if the
    backup is damaged, if the database is in use, or if it has rows and the caller is not `replacing` it. A replaced database is
    kept under another name.
    """
    chosen, started = settings(), time.monotonic()
    if not source.is_file():
        raise BackupError(f"There is no file {source}.")
    store = store_at(chosen.database_url)
    if store.has_rows() and not replacing:
        raise BackupError(
            "The database is not empty. FORCE=1 replaces it by the backup and keeps it under another name."
        )
    with _working_folder(Path(chosen.backup_folder)) as work:
        read_archive(source, work, key)
        manifest = _read_manifest(work)
        if manifest.kind != store.kind:
            raise BackupError(f"The backup is of {manifest.kind}, AGENCY_DATABASE_URL names {store.kind}.")
        revision = manifest.inventory.revision
        if revision != NEWEST_BEFORE and revision not in known_revisions():
            raise BackupError(
                f"The backup has the schema {revision}, which this version does not know. "
                "If it is from before release 1.0, restore it with its own version and upgrade that to "
                f"{NEWEST_BEFORE} first (docs/releasing.md); else use a newer version of the site."
            )
        with store.scratch() as scratch:
            _fill(scratch, work / "database", manifest.inventory)
            if revision == NEWEST_BEFORE:
                upgrade(scratch.url)
            migrate(scratch.url)
            with connected(make_url(plain_url(scratch.url))) as connection, connection.begin():
                prepare(connection)
                due = count_due(connection, now().astimezone(UTC))
            former = store.replace(scratch)
        _restore_journal(work / "journal", Path(chosen.journal_folder))
    same_key = any(hmac.compare_digest(manifest.secret_key, key) for key in chosen.derived_keys(_PURPOSE))
    return FinishedRestore(manifest, former, same_key, due, time.monotonic() - started)


def _pack(chosen: Settings, moment: datetime, work: Path, recipients: tuple[str, ...]) -> Manifest:
    """Write the file `archive` in `work`, and check it."""
    store, content = store_at(chosen.database_url), work / "content"
    content.mkdir()
    # Before the database: an entry that is stored meanwhile is then in both, and storing it again is idempotent.
    _copy_journal(Path(chosen.journal_folder), content / "journal")
    inventory = store.dump(content / "database")
    manifest = Manifest(
        taken_at=moment, kind=store.kind, secret_key=chosen.derived_key(_PURPOSE), inventory=inventory
    )
    (content / "manifest.json").write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
    public, key = make_temporary_key() if recipients else ("", None)
    write_archive(work / "archive", content, (*recipients, public) if recipients else ())
    shutil.rmtree(content)
    check = work / "check"
    check.mkdir()
    read_archive(work / "archive", check, key)
    with store.scratch() as scratch:
        _fill(scratch, check / "database", _read_manifest(check).inventory)
    return manifest


def _fill(scratch: Scratch, dump: Path, expected: Inventory) -> None:
    if not dump.is_file():
        raise BackupError("This is no backup of the site: it contains no database.")
    scratch.fill(dump)
    if lines := find_differences(expected, scratch.take_inventory()):
        raise BackupError("The restored database differs from the backup:\n" + "\n".join(lines))


def _read_manifest(folder: Path) -> Manifest:
    try:
        return Manifest.model_validate_json((folder / "manifest.json").read_bytes())
    except (OSError, ValidationError) as error:
        raise BackupError("This is no backup of the site: it has no manifest.") from error


def _copy_journal(folder: Path, target: Path) -> None:
    target.mkdir()
    for entry in sorted(folder.glob("*.json")):
        # Another process may have stored the entry in the database and removed it: then the snapshot has it.
        try:
            shutil.copyfile(entry, target / entry.name)
        except FileNotFoundError:
            continue


def _restore_journal(source: Path, folder: Path) -> None:
    entries = sorted(source.glob("*.json")) if source.is_dir() else []
    for entry in entries:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Renamed when complete, because a running server reads each file of this name.
        unfinished = folder / f"{entry.name}.tmp"
        shutil.copyfile(entry, unfinished)
        unfinished.replace(folder / entry.name)


@contextmanager
def _exclusive(folder: Path) -> Iterator[None]:
    """Lock out other backups, and remove the files of one that was killed."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BackupError("Another backup is being taken.") from error
        for leftover in folder.glob(f"{_UNFINISHED}*"):
            shutil.rmtree(leftover, ignore_errors=True)
        yield


@contextmanager
def _working_folder(folder: Path) -> Iterator[Path]:
    """Make a folder that only this account can read, on the disk of the backups: plain personal data passes through it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=folder) as name:
        yield Path(name)


def _rotate(folder: Path, chosen: Settings) -> tuple[Path, ...]:
    """Delete backups that the settings no longer keep, and return them. Files with other names stay."""
    moments = {path: _read_moment(path) for path in folder.iterdir() if _NAME.fullmatch(path.name)}
    kept_moments = select_kept(
        moments.values(),
        now().astimezone(UTC),
        chosen.backup_keep_daily,
        chosen.backup_keep_weekly,
        chosen.backup_keep_monthly,
    )
    deleted = tuple(sorted(path for path, moment in moments.items() if moment not in kept_moments))
    for path in deleted:
        path.unlink()
    return deleted


def _read_moment(path: Path) -> datetime:
    stamp = path.name.removeprefix("agency-").partition(".")[0]
    return datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
