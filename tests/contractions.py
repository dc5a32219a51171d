"""The check that a release only expands the schema: servers of the last release run beside it on the migrated database.

New tables, and new columns that are nullable or have a default of the database, expand a schema. A table or column that nothing
uses any more is dropped one release later. The check compares the schemas before and after, not the text of migrations.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Engine, inspect

RELEASED = "0001"
"""The newest revision of the last release, whose servers may run beside this version (docs/releasing.md)."""
CONTRACTED: dict[str, str] = {}
"""Allowed contractions, each with the reason why no running server needs it: `{"orders.old_column": "unused since 1.4"}`.

A new member of a stored enum is one, too: `{"orders.state": "read since 1.4, written since 1.5"}`.
"""


@dataclass(frozen=True)
class Column:
    """The properties of a column on which an earlier server depends."""

    kind: str
    required: bool
    """Whether an INSERT must name the column, because the database has no value for it."""
    members: frozenset[str] = frozenset()
    """The values that a check constraint admits, of a column that holds a member of an enum."""


_MEMBERS = re.compile(r"\W*(\w+)\W* IN \((.*)\)\W*", re.DOTALL)
Schema = dict[str, dict[str, Column]]
"""Columns by table and name."""


def read_schema(engine: Engine) -> Schema:
    """Return the tables of a database."""
    inspector = inspect(engine)
    schema: Schema = {}
    for table in inspector.get_table_names():
        checks = [read_members(check["sqltext"]) for check in inspector.get_check_constraints(table)]
        members = {name: values for name, values in checks if name}
        schema[table] = {
            column["name"]: Column(
                str(column["type"]),
                not column["nullable"] and column["default"] is None and not column.get("primary_key"),
                members.get(column["name"], frozenset()),
            )
            for column in inspector.get_columns(table)
        }
    return schema


def read_members(condition: str) -> tuple[str, frozenset[str]]:
    """Return the column of an enum's check constraint and its values; an empty name for another constraint."""
    check = _MEMBERS.fullmatch(condition.strip())
    return (check[1], frozenset(re.findall("'([^']*)'", check[2]))) if check else ("", frozenset())


def find_contractions(before: Schema, after: Schema) -> dict[str, str]:
    """Return each table or column that earlier servers cannot use as before, with the reason."""
    contractions: dict[str, str] = {}
    for table, columns in before.items():
        if table not in after:
            contractions[table] = "the table is dropped or renamed"
            continue
        for name, column in columns.items():
            if reason := _describe_contraction(column, after[table].get(name)):
                contractions[f"{table}.{name}"] = reason
        for name in after[table].keys() - columns.keys():
            if after[table][name].required:
                contractions[f"{table}.{name}"] = (
                    "a new column that earlier servers do not fill in, without a default"
                )
    return contractions


def _describe_contraction(before: Column, after: Column | None) -> str:
    if after is None:
        return "the column is dropped or renamed"
    if after.required and not before.required:
        return "the column now requires a value"
    if before.members and (new := after.members - before.members):
        return f"earlier servers cannot show {', '.join(sorted(new))}; state which release reads and which one writes it"
    if before.members and not after.members:
        return "the column admits any value, which earlier servers cannot show"
    return f"the type changes from {before.kind} to {after.kind}" if before.kind != after.kind else ""


def refuse_contractions(before: Schema, after: Schema, allowed: Mapping[str, str]) -> None:
    """Raise AssertionError for contractions that are not `allowed`, and for entries of `allowed` that do not happen."""
    contractions = find_contractions(before, after)
    refused = [f"{name}: {reason}" for name, reason in contractions.items() if name not in allowed]
    assert not refused, "A server of the last release cannot run beside these migrations:\n" + "\n".join(
        refused
    )
    unused = sorted(allowed.keys() - contractions.keys())
    assert not unused, f"CONTRACTED names what does not happen: {', '.join(unused)}"
