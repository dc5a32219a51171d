"""`make upgrade-from-0052`: give a database of before release 1.0 the names of 1.0.

Before 1.0 the newest migration was 0052; release 1.0 begins anew with 0001. The upgrade renames tables, columns, indexes and
constraints in one transaction and changes no row. No server may run during the upgrade, because earlier versions do not know
the new names.
"""

import re
import sys
import tempfile

from alembic import command
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError

from agency_site.db.migrations import TABLES_OF_1_0, config_for, is_before_1_0, lock_migrations, plain_engine
from agency_site.db.new_migrations import INDEX_NAMES
from agency_site.db.outages import describe_outage, is_outage
from agency_site.settings import SettingsRefused, load_settings

NEWEST_BEFORE = "0052"
FIRST = "0001"
_DAMAGED = f"The database is not as {NEWEST_BEFORE} made it, and was not changed: restore a backup."
COLUMNS = {
    "newsletter_issues": {
        "handed": "mails_created",
        "last_subscriber": "last_subscriber_id",
        "letter_id": "shared_body_id",
        "looked_at": "processed",
        "refused": "mails_refused",
    },
    "outbox_messages": {"letter_id": "shared_body_id", "repeats": "original_id", "words": "content"},
    "server_processes": {"version": "build"},
    "staff_saved_views": {"listing": "list_name"},
    "unassigned_transactions": {"returned_as": "refund_reference"},
}
_PARTS = TABLES_OF_1_0 | {
    "newsletter_issues_letter_id": "newsletter_issues_shared_body_id",
    "outbox_messages_letter_id": "outbox_messages_shared_body_id",
    "outbox_messages_repeats": "outbox_messages_original_id",
    "staff_saved_views_account_id_listing_name": "staff_saved_views_account_id_list_name_name",
    "unassigned_transactions_returned_as": "unassigned_transactions_refund_reference",
    "certificates_revoked_by_somebody": "certificates_revoked_by_staff",
    "place_reservations_kept_for_somebody": "place_reservations_kept_for_order_or_entry",
}
"""What changes in the names of indexes, constraints and sequences, which contain those of their table and columns."""
_CONSTRAINTS = """
SELECT conrelid::regclass::text, conname FROM pg_constraint
WHERE connamespace = current_schema()::regnamespace AND conrelid <> 0
"""
_INDEXES_AND_SEQUENCES = """
SELECT CASE relkind WHEN 'i' THEN 'INDEX' ELSE 'SEQUENCE' END, relname FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('i', 'S')
"""


class UpgradeRefused(Exception):
    """The database has neither the tables of 1.0 nor those of the last version before it."""


def upgrade(url: str) -> bool:
    """Rename the tables of the database at `url` and record the revision. Return False if it has the tables of 1.0 already.

    Raises UpgradeRefused, and changes nothing, for a database of another revision or with other tables than that revision made.
    """
    engine = plain_engine(url)
    try:
        with engine.begin() as connection:
            lock_migrations(connection)
            revisions = MigrationContext.configure(connection).get_current_heads()
            if revisions and NEWEST_BEFORE not in revisions and not is_before_1_0(connection):
                return False
            if revisions != (NEWEST_BEFORE,):
                raise UpgradeRefused(_describe_refusal(connection, revisions))
            _rename(connection)
            connection.execute(text("UPDATE alembic_version SET version_num = :first"), {"first": FIRST})
            if missing := _find_missing(connection):
                raise UpgradeRefused(f"{_DAMAGED} Missing: {', '.join(missing)}.")
            return True
    except DBAPIError as error:
        if is_outage(error):
            raise
        raise UpgradeRefused(f"{_DAMAGED} {describe_outage(error)}") from error
    finally:
        engine.dispose()


def _describe_refusal(connection: Connection, revisions: tuple[str, ...]) -> str:
    if revisions:
        return (
            f"The database has the schema {' and '.join(sorted(revisions))}. Only {NEWEST_BEFORE} can be upgraded: migrate it "
            "with the last version before 1.0 first, or restore a backup of it."
        )
    if set(inspect(connection).get_table_names()) <= {"alembic_version"}:
        return "The database is empty. Nothing has to be upgraded: start the site, or restore a backup."
    return (
        "The database has tables, but no row in alembic_version says of which schema. Restore a backup; or, if it certainly was "
        f"at {NEWEST_BEFORE}, store {NEWEST_BEFORE} as the one row of alembic_version, and try again."
    )


def _find_missing(connection: Connection) -> list[str]:
    """Return the tables, columns, indexes and check constraints of the first migration of 1.0 that the database lacks."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite+aiosqlite:///{folder}/new.sqlite3"
        command.upgrade(config_for(url), FIRST)
        engine = plain_engine(url)
        with engine.connect() as new:
            declared = _list_parts(new)
        engine.dispose()
    return sorted(declared - _list_parts(connection))


def _list_parts(connection: Connection) -> set[str]:
    inspector = inspect(connection)
    tables = inspector.get_table_names()
    indexes = connection.scalars(text(INDEX_NAMES[connection.dialect.name]))
    return {
        *(f"{table}.{column['name']}" for table in tables for column in inspector.get_columns(table)),
        *(str(check["name"]) for table in tables for check in inspector.get_check_constraints(table)),
        # SQLite names the indexes of unique constraints by numbers.
        *(name for name in indexes if not name.startswith("sqlite_autoindex_")),
    }


def _rename(connection: Connection) -> None:
    for table, columns in COLUMNS.items():
        for old, new in columns.items():
            connection.execute(text(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}"))
    for old, new in TABLES_OF_1_0.items():
        connection.execute(text(f"ALTER TABLE {old} RENAME TO {new}"))
    if connection.dialect.name == "postgresql":
        _rename_in_postgresql(connection)
    else:
        _rename_in_sqlite(connection)


def _new_name(name: str) -> str:
    for old, new in _PARTS.items():
        name = name.replace(old, new)
    return name


def _rename_in_postgresql(connection: Connection) -> None:
    # Constraints first: the index of a primary key or a unique constraint is renamed with it.
    for table, name in connection.execute(text(_CONSTRAINTS)).all():
        if _new_name(name) != name:
            connection.execute(text(f"ALTER TABLE {table} RENAME CONSTRAINT {name} TO {_new_name(name)}"))
    for kind, name in connection.execute(text(_INDEXES_AND_SEQUENCES)).all():
        if _new_name(name) != name:
            connection.execute(text(f"ALTER {kind} {name} RENAME TO {_new_name(name)}"))


def _rename_in_sqlite(connection: Connection) -> None:
    objects = text(
        "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND type IN ('table', 'index')"
    )
    rows = connection.execute(objects).all()
    for kind, name, sql in rows:
        if kind == "index" and _new_name(name) != name:
            connection.exec_driver_sql(f"DROP INDEX {name}")
            connection.exec_driver_sql(sql.replace(name, _new_name(name), 1))
    # SQLite cannot rename a constraint: its name is changed in the stored CREATE TABLE, which has no effect on the rows. The
    # other way would be to copy the tables with all their rows. https://sqlite.org/lang_altertable.html describes these steps.
    version = connection.exec_driver_sql("PRAGMA schema_version").scalar_one()
    connection.exec_driver_sql("PRAGMA writable_schema = ON")
    for kind, name, sql in rows:
        renamed = re.sub(r"(?<=CONSTRAINT )\w+", lambda match: _new_name(match.group()), sql)
        if kind == "table" and renamed != sql:
            change = "UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?"
            connection.exec_driver_sql(change, (renamed, name))
    # With a new version other connections read the schema again.
    connection.exec_driver_sql(f"PRAGMA schema_version = {version + 1}")
    connection.exec_driver_sql("PRAGMA writable_schema = RESET")
    # Reads the schema again here: an error in it then rolls everything back.
    inspect(connection).get_table_names()


def main() -> int:
    """Upgrade the database of the settings; return the exit code."""
    try:
        changed = upgrade(load_settings().database_url)
    except (SettingsRefused, UpgradeRefused) as error:
        print(error, file=sys.stderr)
        return 1
    except DBAPIError as error:
        if not is_outage(error):
            raise
        print(
            f"The database of AGENCY_DATABASE_URL cannot be used: {describe_outage(error)}", file=sys.stderr
        )
        return 1
    print(
        "The database has the tables of release 1.0 now."
        if changed
        else "Nothing to do: the database has the tables of release 1.0."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
