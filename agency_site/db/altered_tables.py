"""Changed constraints in migrations: SQLite copies the table, and the copy lacks its triggers and its indexes of expressions."""

from collections.abc import Iterator
from contextlib import contextmanager

from alembic import op
from alembic.operations import BatchOperations
from alembic.util import CommandError
from sqlalchemy import Connection, inspect, text

_INDEXES_AND_TRIGGERS = """
SELECT name, sql FROM sqlite_master
WHERE tbl_name = :table AND type IN ('index', 'trigger') AND sql IS NOT NULL
"""


@contextmanager
def alter_table(name: str) -> Iterator[BatchOperations]:
    """Alter a table as `op.batch_alter_table` does, and create the triggers and indexes again that this loses."""
    lost = {} if op.get_context().as_sql else _read_lost_statements(op.get_bind(), name)
    with op.batch_alter_table(name) as batch:
        yield batch
    for statement in lost.values():
        op.get_bind().exec_driver_sql(statement)


def _read_lost_statements(connection: Connection, table: str) -> dict[str, str]:
    """Return the CREATE statements, by name, of what SQLAlchemy does not reflect and a copy of the table therefore lacks."""
    if connection.dialect.name != "sqlite":
        return {}
    reflected = {index["name"] for index in inspect(connection).get_indexes(table)}
    rows = connection.execute(text(_INDEXES_AND_TRIGGERS), {"table": table})
    return {row.name: row.sql for row in rows if row.name not in reflected}


def refuse_rows(table: str, condition: str) -> None:
    """Stop a downgrade whose check constraint does not admit the rows of the condition.

    They were written by the release that is taken back. Change them by hand first, or replace this by an UPDATE where it is known
    what they become.
    """
    if op.get_context().as_sql:
        return
    count = op.get_bind().scalar(text(f"SELECT count(*) FROM {table} WHERE {condition}"))  # noqa: S608
    if count:
        raise CommandError(
            f"{count} rows of {table} have a value that the release before does not know ({condition}). Change them first."
        )
