"""`python -m agency_site.db.backups.command`: take a backup, or restore one. `make backup` and `make restore` call it."""

import argparse
import sys
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from agency_site.db.backups.archive import Key
from agency_site.db.backups.errors import BackupError
from agency_site.db.backups.usecases import FinishedBackup, FinishedRestore, back_up, restore, restore_staging
from agency_site.db.outages import describe_outage
from agency_site.settings import SettingsRefused, load_settings


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        load_settings()
        if options.what == "backup":
            print(_describe_backup(back_up()))
            return 0
        if not options.source:
            raise BackupError(
                "Name the backup: make restore FROM=.data/backups/agency-….tar.gz.age IDENTITY=key.txt"
            )
        key = Key(file=Path(options.identity)) if options.identity else None
        verb = restore_staging if options.staging else restore
        print(_describe_restore(verb(Path(options.source), key, replacing=options.force)))
    except (BackupError, SettingsRefused) as error:
        print(error, file=sys.stderr)
        return 1
    except DBAPIError as error:
        print(f"The database cannot be used. {describe_outage(error)}", file=sys.stderr)
        return 1
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        print(f"{error.strerror or error}{where}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Take a checked backup, or restore one.")
    parser.add_argument("what", choices=("backup", "restore"))
    parser.add_argument("source", nargs="?", default="", help="the backup to restore")
    parser.add_argument("--identity", default="", help="file of the private key (age)")
    parser.add_argument("--force", action="store_true", help="put it in the place of a database with rows")
    parser.add_argument("--staging", action="store_true", help="restore a copy that reaches no customer")
    return parser


def _describe_backup(backup: FinishedBackup) -> str:
    inventory = backup.manifest.inventory
    lines = [
        f"{backup.path} ({backup.path.stat().st_size / 1e6:.1f} MB, {backup.seconds:.1f} s)",
        f"Restored into a scratch database and compared: {inventory.rows} rows in {len(inventory.tables)} tables.",
        *(f"Deleted {path.name}, which the settings no longer keep." for path in backup.deleted),
    ]
    return "\n".join(lines)


def _describe_restore(restored: FinishedRestore) -> str:
    inventory = restored.manifest.inventory
    lines = [
        f"Restored {inventory.rows} rows in {len(inventory.tables)} tables ({restored.seconds:.1f} s): the state of "
        f"{restored.manifest.taken_at:%Y-%m-%d %H:%M} UTC.",
    ]
    if restored.former:
        lines.append(
            f"The earlier content is kept: {restored.former}. Delete it when it is no longer needed."
        )
    if restored.due:
        counts = ", ".join(f"{count} ({what})" for what, count in restored.due.items())
        lines.append(
            f"Due now: {counts}. It leaves when a server starts; without AGENCY_SMTP_HOST and AGENCY_SMS_API_KEY mails and "
            "text messages stay in the outbox."
        )
    if not restored.same_key:
        lines.append(
            "AGENCY_SECRET_KEY is not that of the backup: until it is set, here or in AGENCY_OLD_SECRET_KEYS, private links "
            "and authenticators do not work."
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
