"""The content of a database as numbers that can be compared: rows, sums of money and a digest of every table.

A backup contains the inventory of its moment. A database that is restored from it must have the same one.
"""

import hashlib
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection, Integer, inspect, text

_MONEY = frozenset({"amount", "discount", "price", "refunded", "unit_price"})
"""Columns of whole shillings."""
_DIGEST_BYTES = 8


class TableInventory(BaseModel, frozen=True):
    """The rows of one table."""

    rows: int
    money: dict[str, int]
    """The sum of each column of shillings."""
    digest: str
    """It changes with any value of any row."""


class Inventory(BaseModel, frozen=True):
    """All tables by name, with that of Alembic."""

    revision: str
    tables: dict[str, TableInventory]

    @property
    def rows(self) -> int:
        """The number of rows in all tables but that of Alembic."""
        return sum(table.rows for name, table in self.tables.items() if name != "alembic_version")


def take_inventory(connection: Connection) -> Inventory:
    """Read every row of every table, in the transaction of `connection`."""
    postgres = connection.dialect.name == "postgresql"
    if postgres:
        # The digest is made of text, which must be the same on every server.
        connection.execute(text("SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO'"))
    else:
        connection.connection.driver_connection.create_aggregate("digest", -1, _Digest)  # type: ignore[union-attr]
    names = sorted(inspect(connection).get_table_names())
    revision = connection.scalar(text("SELECT version_num FROM alembic_version")) if names else None
    return Inventory(revision=revision or "", tables={name: _count_table(connection, name) for name in names})


def has_rows(connection: Connection) -> bool:
    """Return whether any table but that of Alembic has rows."""
    names = set(inspect(connection).get_table_names()) - {"alembic_version"}
    # The names come from the database's own catalogue.
    return any(connection.scalar(text(f'SELECT 1 FROM "{name}" LIMIT 1')) for name in sorted(names))  # noqa: S608


def _count_table(connection: Connection, table: str) -> TableInventory:
    columns = inspect(connection).get_columns(table)
    money = sorted(
        column["name"]
        for column in columns
        if column["name"] in _MONEY and isinstance(column["type"], Integer)
    )
    if connection.dialect.name == "postgresql":
        digest = "coalesce(sum(hashtextextended(t::text, 0)), 0)::text"
    else:
        digest = "coalesce(digest({}), '0')".format(", ".join(f'"{column["name"]}"' for column in columns))
    sums = [f'coalesce(sum("{column}"), 0)' for column in money]
    # The names come from the database's own catalogue.
    statement = f'SELECT {", ".join(["count(*)", digest, *sums])} FROM "{table}" AS t'  # noqa: S608
    rows, digest_of_rows, *amounts = connection.execute(text(statement)).one()
    return TableInventory(
        rows=rows, money=dict(zip(money, map(int, amounts), strict=True)), digest=digest_of_rows
    )


class _Digest:
    """An aggregate function for SQLite: the sum of a hash of each row, which does not depend on the order of rows."""

    def __init__(self) -> None:
        self._sum = 0

    def step(self, *values: Any) -> None:
        row = hashlib.blake2b(repr(values).encode(), digest_size=_DIGEST_BYTES).digest()
        self._sum += int.from_bytes(row, "big")

    def finalize(self) -> str:
        return str(self._sum)


def find_differences(expected: Inventory, actual: Inventory) -> list[str]:
    """Return a line for each table that differs."""
    lines = []
    for name in sorted(expected.tables.keys() | actual.tables.keys()):
        old, new = expected.tables.get(name), actual.tables.get(name)
        if old is None or new is None:
            lines.append(f"{name}: the table is {'missing' if old else 'unknown to the backup'}")
        elif old != new:
            lines.append(f"{name}: {_describe_difference(old, new)}")
    return lines


def _describe_difference(old: TableInventory, new: TableInventory) -> str:
    if old.rows != new.rows:
        return f"{old.rows} rows were backed up, {new.rows} are there"
    if old.money != new.money:
        return f"its sums of money were {old.money}, now they are {new.money}"
    return "its content differs"
