"""Changed constraints in migrations: SQLite copies the table, and the copy loses its triggers and its indexes of expressions."""

from collections.abc import Iterator
from contextlib import contextmanager

from alembic import op
from alembic.operations import BatchOperations
from sqlalchemy import Connection, inspect, text

_OWN = "SELECT name, sql FROM sqlite_master WHERE tbl_name = :table AND type IN ('index', 'trigger') AND sql IS NOT NULL"


@contextmanager
def alter_table(name: str) -> Iterator[BatchOperations]:
    """`op.batch_alter_table`, with all triggers and indexes afterwards."""
    kept = {} if op.get_context().as_sql else _read_lost(op.get_bind(), name)
    with op.batch_alter_table(name) as batch:
        yield batch
    for statement in kept.values():
        op.get_bind().exec_driver_sql(statement)


def _read_lost(connection: Connection, table: str) -> dict[str, str]:
    """What a copy of the table would lose, as statements by name: what SQLAlchemy does not see."""
    if connection.dialect.name != "sqlite":
        return {}
    seen = {index["name"] for index in inspect(connection).get_indexes(table)}
    rows = connection.execute(text(_OWN), {"table": table})
    return {row.name: row.sql for row in rows if row.name not in seen}
