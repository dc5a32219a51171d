"""`make migration` adds to what Alembic generates: the next number, defaults for stored rows, check constraints, and indexes of
expressions. It writes changed constraints in a form that SQLite can run."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum as Members
from typing import Any

from alembic.autogenerate import renderers
from alembic.autogenerate.api import AutogenContext
from alembic.autogenerate.render import render_op
from alembic.operations import ops
from alembic.util import CommandError
from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Connection,
    DefaultClause,
    Enum,
    Float,
    Integer,
    MetaData,
    String,
    TypeDecorator,
    inspect,
    text,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateColumn

INDEX_NAMES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'index'",
    "postgresql": "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()",
}
_EMPTY = ((Boolean, False), (Integer, 0), (Float, 0), (String, ""))
"""The value of stored rows in a new column that is not nullable and declares no default, by its type."""
_TEXTS = re.compile("'(?:[^']|'')*'")
_MEMBERS = re.compile(r"(\S+) IN \(")
_ARRAY = re.compile(r"\(*\"?(\w+)\"?\)*(?:::[a-z ]+)* = ANY \(*ARRAY\[(.*)\].*", re.DOTALL)
_NEEDS_COPY = (
    ops.CreateUniqueConstraintOp,
    ops.CreateForeignKeyOp,
    ops.DropConstraintOp,
    ops.AlterColumnOp,
)
"""Operations that SQLite can run only on a copy of the table."""


@dataclass(frozen=True)
class ChangedCheck:
    """A check constraint whose condition differs from the declared one; None for one that does not exist."""

    table: str
    name: str
    stored: str | None
    declared: str | None

    def __str__(self) -> str:
        return f"{self.table}.{self.name}: {self.stored or 'missing'}; declared: {self.declared or 'not'}"


class AlterTableOps(ops.ModifyTableOps):
    """Changes inside `alter_table`, with its check constraints."""

    checks: tuple[ChangedCheck, ...] = ()


def complete_migration(
    script: ops.MigrationScript, connection: Connection, metadata: MetaData, newest: str
) -> None:
    """Complete a generated migration in place; `newest` is the number of the one before."""
    script.rev_id = f"{int(newest) + 1:04}"
    upgrades, downgrades = script.upgrade_ops, script.downgrade_ops
    assert upgrades
    assert downgrades
    for operation in _flatten(upgrades.ops):
        if isinstance(operation, ops.AddColumnOp) and not _give_default(operation.column):
            raise CommandError(
                f"{operation.table_name}.{operation.column.name}: stored rows have no value for it. Declare it as `| None`, "
                "or fill it in by hand: add it nullable, UPDATE, then alter it"
            )
    for operation in _flatten(downgrades.ops):
        if isinstance(operation, ops.AddColumnOp):
            _give_default(operation.column)
    _add_missing_indexes(upgrades, downgrades, connection, metadata)
    new_checks = _check_new_enum_columns(upgrades, metadata)
    changed = find_changed_checks(connection, metadata)
    _alter_tables(upgrades, [check for check in changed if check.name not in new_checks])
    _alter_tables(
        downgrades,
        [ChangedCheck(check.table, check.name, check.declared, check.stored) for check in changed],
    )


def find_missing_indexes(connection: Connection, metadata: MetaData) -> set[str]:
    """Return the names of declared indexes that the database lacks. Alembic does not compare those of expressions."""
    existing = set(connection.scalars(text(INDEX_NAMES[connection.dialect.name])))
    return {str(index.name) for table in metadata.tables.values() for index in table.indexes} - existing


def find_changed_checks(connection: Connection, metadata: MetaData) -> list[ChangedCheck]:
    """Return check constraints that differ from the declared ones. Alembic compares none, those of enums included.

    PostgreSQL rewrites conditions, so besides missing and superfluous ones only those with other texts, such as the members of
    an enum, are found there.
    """
    stored_tables, changed = set(inspect(connection).get_table_names()), []
    for table in metadata.sorted_tables:
        if table.name not in stored_tables:
            continue
        stored = {
            str(check["name"]): " ".join(check["sqltext"].split())
            for check in inspect(connection).get_check_constraints(table.name)
        }
        if connection.dialect.name == "postgresql":
            stored = {name: _restore_members(condition) for name, condition in stored.items()}
        declared = {
            str(check.name): _condition(check)
            for check in table.constraints
            if isinstance(check, CheckConstraint)
        }
        changed += [
            ChangedCheck(table.name, name, stored.get(name), declared.get(name))
            for name in sorted(stored.keys() | declared.keys())
            if (name not in stored or name not in declared)
            or (connection.dialect.name == "sqlite" and stored[name] != declared[name])
            or set(_TEXTS.findall(stored[name])) != set(_TEXTS.findall(declared[name]))
        ]
    return changed


def _restore_members(condition: str) -> str:
    """Return the check of an enum as it was declared: PostgreSQL stores it as `= ANY (ARRAY[…])`."""
    array = _ARRAY.fullmatch(condition)
    return f"{array[1]} IN ({', '.join(_TEXTS.findall(array[2]))})" if array else condition


def find_removed_members(check: ChangedCheck) -> str:
    """Return the condition of the rows that the changed check of an enum refuses; empty if there are none."""
    column = _MEMBERS.match(check.declared or "")
    removed = [text for text in _TEXTS.findall(check.stored or "") if text not in (check.declared or "")]
    return f"{column[1]} IN ({', '.join(removed)})" if column and removed else ""


def _condition(check: CheckConstraint) -> str:
    condition = check.sqltext.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
    return " ".join(str(condition).replace(f"{check.table.name}.", "").split())


def _flatten(operations: Iterable[Any]) -> Iterator[Any]:
    for operation in operations:
        yield operation
        yield from _flatten(getattr(operation, "ops", ()))


def _add_missing_indexes(
    upgrades: ops.UpgradeOps, downgrades: ops.DowngradeOps, connection: Connection, metadata: MetaData
) -> None:
    generated = {
        operation.index_name
        for operation in _flatten(upgrades.ops)
        if isinstance(operation, ops.CreateIndexOp)
    }
    dropped = {
        operation.table_name
        for operation in _flatten(downgrades.ops)
        if isinstance(operation, ops.DropTableOp)
    }
    missing = find_missing_indexes(connection, metadata) - generated
    for table in metadata.sorted_tables:
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            if index.name not in missing:
                continue
            upgrades.ops.append(ops.CreateIndexOp.from_index(index))
            if table.name not in dropped:
                downgrades.ops.insert(0, ops.DropIndexOp.from_index(index))


def _give_default(column: Any) -> bool:
    """Give a new column a default, because stored rows and servers of the last release do not fill it in.

    Returns False if there is none for its type, such as a time.
    """
    if column.nullable or column.server_default is not None:
        return True
    value = _find_default(column)
    if value is None:
        return False
    column.server_default = DefaultClause(value if isinstance(value, str) else text(str(value).lower()))
    return True


def _find_default(column: Any) -> str | int | float | None:
    """Return the default that the table declares, or the empty value of the type; None if there is neither."""
    kind = column.type.impl if isinstance(column.type, TypeDecorator) else column.type
    declared = column.default.arg if column.default is not None and column.default.is_scalar else None
    if isinstance(kind, JSON):
        return "[]"
    if isinstance(kind, Enum):
        return str(declared.value if isinstance(declared, Members) else kind.enums[0])
    if isinstance(declared, str | int | float):
        return declared
    return next((value for types, value in _EMPTY if isinstance(kind, types)), None)


def _check_new_enum_columns(upgrades: ops.UpgradeOps, metadata: MetaData) -> set[str]:
    """Write each new column of an enum, with the check that Alembic omits, as one statement, which both databases run in place.

    Returns the names of the checks.
    """
    names: set[str] = set()
    for change in upgrades.ops:
        if not isinstance(change, ops.ModifyTableOps):
            continue
        for position, operation in enumerate(change.ops):
            if not (isinstance(operation, ops.AddColumnOp) and isinstance(operation.column.type, Enum)):
                continue
            column = str(CreateColumn(operation.column).compile(dialect=sqlite.dialect())).strip()
            for check in metadata.tables[change.table_name].constraints:
                if isinstance(check, CheckConstraint) and [*check.columns.keys()] == [operation.column.name]:
                    names.add(str(check.name))
                    column += f" CONSTRAINT {check.name} CHECK ({_condition(check)})"
            change.ops[position] = ops.ExecuteSQLOp(f"ALTER TABLE {change.table_name} ADD COLUMN {column}")
    return names


def _alter_tables(operations: ops.UpgradeOps | ops.DowngradeOps, checks: list[ChangedCheck]) -> None:
    """Move operations that need a copy of the table on SQLite into `alter_table`: first in a downgrade, last in an upgrade."""
    tables = [change.table_name for change in operations.ops if isinstance(change, ops.ModifyTableOps)]
    for table in dict.fromkeys([*tables, *(check.table for check in checks)]):
        altered = AlterTableOps(table, [])
        altered.checks = tuple(check for check in checks if check.table == table)
        for change in operations.ops:
            if isinstance(change, ops.ModifyTableOps) and change.table_name == table:
                altered.ops += [operation for operation in change.ops if isinstance(operation, _NEEDS_COPY)]
                change.ops = [operation for operation in change.ops if not isinstance(operation, _NEEDS_COPY)]
        if altered.ops or altered.checks:
            operations.ops.insert(
                0 if isinstance(operations, ops.DowngradeOps) else len(operations.ops), altered
            )


@renderers.dispatch_for(AlterTableOps)
def _render_alter_table(context: AutogenContext, operation: AlterTableOps) -> list[str]:
    """Return the lines of `with alter_table(…)`, which Alembic indents."""
    context.imports.add("from agency_site.db.altered_tables import alter_table")
    rows = []
    for condition in filter(None, map(find_removed_members, operation.checks)):
        context.imports.add("from agency_site.db.altered_tables import refuse_rows")
        rows.append(f"refuse_rows({operation.table_name!r}, {condition!r})")
    lines = [f"with alter_table({operation.table_name!r}) as batch_op:"]
    with context._within_batch():  # noqa: SLF001
        lines += [line for change in operation.ops for line in render_op(context, change)]
    for check in operation.checks:
        if check.stored is not None:
            lines.append(f"batch_op.drop_constraint(op.f({check.name!r}), type_='check')")
        if check.declared is not None:
            lines.append(f"batch_op.create_check_constraint(op.f({check.name!r}), {check.declared!r})")
    return [*rows, *lines, ""]
