"""What a server of the release before cannot bear: it runs beside its successor on the migrated database.

A release only expands the schema: new tables, new columns that are nullable or have a default of the database. What nothing uses
any more is dropped one release later. The schemas before and after are compared: how a migration is written does not matter.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Engine, inspect

RELEASED = "0001"
"""The schema of the release that may run beside this version. Each release moves it to its own newest revision."""
CONTRACTED: dict[str, str] = {}
"""Contractions that are right, each with why no running server misses it: `{"orders.old_column": "unused since 1.4"}`."""


@dataclass(frozen=True)
class Column:
    """What a server that does not know of a change depends on."""

    kind: str
    required: bool
    """Whether a row needs a value that the database does not fill in."""


Schema = dict[str, dict[str, Column]]
"""Columns of each table."""


def read_schema(engine: Engine) -> Schema:
    """The tables that a database has now."""
    found = inspect(engine)
    return {
        table: {
            column["name"]: Column(
                str(column["type"]),
                not column["nullable"] and column["default"] is None and not column.get("primary_key"),
            )
            for column in found.get_columns(table)
        }
        for table in found.get_table_names()
    }


def find_contractions(before: Schema, after: Schema) -> dict[str, str]:
    """Each table or column that the earlier version cannot use as before, and why."""
    found: dict[str, str] = {}
    for table, columns in before.items():
        if table not in after:
            found[table] = "the table is dropped or renamed"
            continue
        for name, column in columns.items():
            if reason := _contraction(column, after[table].get(name)):
                found[f"{table}.{name}"] = reason
        for name in after[table].keys() - columns.keys():
            if after[table][name].required:
                found[f"{table}.{name}"] = (
                    "a new column that earlier servers do not fill in, without a default"
                )
    return found


def _contraction(before: Column, after: Column | None) -> str:
    if after is None:
        return "the column is dropped or renamed"
    if after.required and not before.required:
        return "the column now requires a value"
    return f"the type changes from {before.kind} to {after.kind}" if before.kind != after.kind else ""


def refuse_contractions(before: Schema, after: Schema, allowed: Mapping[str, str]) -> None:
    """Raise AssertionError for contractions that are not `allowed`, and for permissions that allow nothing."""
    found = find_contractions(before, after)
    wrong = [f"{name}: {reason}" for name, reason in found.items() if name not in allowed]
    assert not wrong, "A server of the release before cannot run beside these migrations:\n" + "\n".join(
        wrong
    )
    idle = sorted(allowed.keys() - found.keys())
    assert not idle, f"CONTRACTED names what does not happen: {', '.join(idle)}"
