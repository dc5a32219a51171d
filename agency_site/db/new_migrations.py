"""What `make migration` writes beyond what Alembic finds: the next number, defaults for stored rows, indexes of expressions."""

from collections.abc import Iterable, Iterator
from typing import Any

from alembic.operations import ops
from sqlalchemy import Boolean, Connection, DefaultClause, Enum, Integer, MetaData, String, text

_INDEX_NAMES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'index'",
    "postgresql": "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()",
}
_DEFAULTS = ((Boolean, "false"), (Integer, "0"), (String, "''"))
"""What stored rows get in a new column that may not be empty, by its type."""


def complete_migration(
    script: ops.MigrationScript, connection: Connection, metadata: MetaData, newest: str
) -> None:
    """Complete a generated migration in place; `newest` is the number of the one before."""
    script.rev_id = f"{int(newest) + 1:04}"
    upgrades, downgrades = script.upgrade_ops, script.downgrade_ops
    assert upgrades
    assert downgrades
    for operation in _flatten(upgrades.ops):
        if isinstance(operation, ops.AddColumnOp):
            _give_default(operation.column)
    written = {
        operation.index_name
        for operation in _flatten(upgrades.ops)
        if isinstance(operation, ops.CreateIndexOp)
    }
    dropped = {
        operation.table_name
        for operation in _flatten(downgrades.ops)
        if isinstance(operation, ops.DropTableOp)
    }
    missing = find_missing_indexes(connection, metadata) - written
    for table in metadata.sorted_tables:
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            if index.name not in missing:
                continue
            upgrades.ops.append(ops.CreateIndexOp.from_index(index))
            if table.name not in dropped:
                downgrades.ops.insert(0, ops.DropIndexOp.from_index(index))


def find_missing_indexes(connection: Connection, metadata: MetaData) -> set[str]:
    """Return the names of declared indexes that the database lacks. Alembic does not compare those of expressions."""
    made = set(connection.scalars(text(_INDEX_NAMES[connection.dialect.name])))
    return {str(index.name) for table in metadata.tables.values() for index in table.indexes} - made


def _flatten(operations: Iterable[Any]) -> Iterator[Any]:
    for operation in operations:
        yield operation
        yield from _flatten(getattr(operation, "ops", ()))


def _give_default(column: Any) -> None:
    """Give a new column a default, because stored rows and servers of the release before do not fill it in."""
    if column.nullable or column.server_default is not None or isinstance(column.type, Enum):
        return
    default = next((value for kind, value in _DEFAULTS if isinstance(column.type, kind)), None)
    if default is not None:
        column.server_default = DefaultClause(text(default))
