"""Take a backup that is known to be good, and restore one.

A backup counts once its finished file has been decrypted, restored into a scratch database and compared with the inventory that
was taken in the snapshot of the dump. The key for that is made for the occasion, so the machine needs no private key.
"""

import fcntl
import hmac
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ValidationError

from agency_site.clock import now
from agency_site.db.backups.archive import Key, passing_key, read_archive, write_archive
from agency_site.db.backups.errors import BackupError
from agency_site.db.backups.inventory import Inventory, differences
from agency_site.db.backups.rotation import choose_kept
from agency_site.db.backups.stores import Scratch, store_at
from agency_site.db.backups.tables import CheckedBackup
from agency_site.db.migrations import known_revisions, migrate
from agency_site.db.upgrade_to_1_0 import NEWEST_BEFORE, upgrade
from agency_site.settings import Settings, settings

_STAMP = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(r"agency-(\d{8}T\d{6}Z)\.tar\.gz(\.age)?")
_UNFINISHED = ".unfinished-"
_PURPOSE = "backup"


class Manifest(BaseModel, frozen=True):
    """What a backup says of itself."""

    taken_at: datetime
    kind: str
    secret_key: str
    """Not the key: a value derived from it, by which a machine with another one is noticed."""
    inventory: Inventory


@dataclass(frozen=True)
class Taken:
    """A finished backup."""

    path: Path
    manifest: Manifest
    seconds: float
    deleted: tuple[Path, ...]
    """Older backups that the retention policy no longer keeps."""


@dataclass(frozen=True)
class Restored:
    """A database that has been restored."""

    manifest: Manifest
    former: str
    """Where the content that was there before is kept; empty: there was none."""
    same_key: bool
    """Whether this machine has the secret key of the backup: private links and authenticators need it."""
    seconds: float


def back_up() -> Taken:
    """Write a checked backup to the folder of the settings, and record it in the database.

    Raises BackupError, and then leaves no file, but where only the record could not be written.
    """
    chosen, begun = settings(), time.monotonic()
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
        taken = Taken(final, manifest, time.monotonic() - begun, deleted)
    last = CheckedBackup(taken_at=moment, size_bytes=final.stat().st_size, seconds=round(taken.seconds, 3))
    store_at(chosen.database_url).record(last)
    return taken


def restore(source: Path, key: Key | None = None, *, replacing: bool = False) -> Restored:
    """Restore the backup at `source` into the database of the settings and migrate it to the newest schema.

    Raises BackupError before anything is changed: when the backup is not whole, when the database is in use, and when there is
    something in it, unless the caller is `replacing` it; then what was there is kept aside.
    """
    chosen, begun = settings(), time.monotonic()
    if not source.is_file():
        raise BackupError(f"There is no file {source}.")
    store = store_at(chosen.database_url)
    if store.has_rows() and not replacing:
        raise BackupError(
            "The database is not empty. FORCE=1 puts the backup in its place and keeps it aside."
        )
    with _working_folder(Path(chosen.backup_folder)) as work:
        read_archive(source, work, key)
        manifest = _read_manifest(work)
        if manifest.kind != store.kind:
            raise BackupError(f"The backup is of {manifest.kind}, AGENCY_DATABASE_URL names {store.kind}.")
        revision = manifest.inventory.revision
        if revision != NEWEST_BEFORE and revision not in known_revisions():
            raise BackupError(
                f"The backup has the schema {revision}, which this version does not know. Use a newer one."
            )
        with store.scratch() as scratch:
            _fill(scratch, work / "database", manifest.inventory)
            if revision == NEWEST_BEFORE:
                upgrade(scratch.url)
            migrate(scratch.url)
            former = store.replace(scratch)
        _restore_journal(work / "journal", Path(chosen.journal_folder))
    same_key = any(hmac.compare_digest(manifest.secret_key, each) for each in chosen.derived_keys(_PURPOSE))
    return Restored(manifest, former, same_key, time.monotonic() - begun)


def _pack(chosen: Settings, moment: datetime, work: Path, recipients: tuple[str, ...]) -> Manifest:
    """Make the file `archive` in `work`, and check it."""
    store, content = store_at(chosen.database_url), work / "content"
    content.mkdir()
    # Before the database: an entry that is stored meanwhile is then in both, and storing it twice changes nothing.
    _copy_journal(Path(chosen.journal_folder), content / "journal")
    inventory = store.dump(content / "database")
    manifest = Manifest(
        taken_at=moment, kind=store.kind, secret_key=chosen.derived_key(_PURPOSE), inventory=inventory
    )
    (content / "manifest.json").write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
    public, key = passing_key() if recipients else ("", None)
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
    if lines := differences(expected, scratch.take_inventory()):
        raise BackupError("What was restored is not what was backed up:\n" + "\n".join(lines))


def _read_manifest(folder: Path) -> Manifest:
    try:
        return Manifest.model_validate_json((folder / "manifest.json").read_bytes())
    except (OSError, ValidationError) as error:
        raise BackupError("This is no backup of the site: it has no manifest.") from error


def _copy_journal(folder: Path, target: Path) -> None:
    target.mkdir()
    for entry in sorted(folder.glob("*.json")):
        # Another process may have stored and removed it: then it is in the snapshot.
        try:
            shutil.copyfile(entry, target / entry.name)
        except FileNotFoundError:
            continue


def _restore_journal(source: Path, folder: Path) -> None:
    entries = sorted(source.glob("*.json")) if source.is_dir() else []
    for entry in entries:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Complete or absent: a running server reads whatever has this name.
        unfinished = folder / f"{entry.name}.tmp"
        shutil.copyfile(entry, unfinished)
        unfinished.replace(folder / entry.name)


@contextmanager
def _exclusive(folder: Path) -> Iterator[None]:
    """One backup at a time; removes what one that was killed has left."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BackupError("Another backup is being taken.") from error
        for left in folder.glob(f"{_UNFINISHED}*"):
            shutil.rmtree(left, ignore_errors=True)
        yield


@contextmanager
def _working_folder(folder: Path) -> Iterator[Path]:
    """A folder that only we can read, on the disk of the backups: plain personal data passes through it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=folder) as made:
        yield Path(made)


def _rotate(folder: Path, chosen: Settings) -> tuple[Path, ...]:
    """Delete backups that are no longer kept. Files of other names are not ours."""
    ours = {path: _taken_at(path) for path in folder.iterdir() if _NAME.fullmatch(path.name)}
    kept = choose_kept(
        ours.values(), chosen.backup_keep_daily, chosen.backup_keep_weekly, chosen.backup_keep_monthly
    )
    deleted = tuple(sorted(path for path, moment in ours.items() if moment not in kept))
    for path in deleted:
        path.unlink()
    return deleted


def _taken_at(path: Path) -> datetime:
    stamp = path.name.removeprefix("agency-").partition(".")[0]
    return datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
