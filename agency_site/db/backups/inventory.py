"""What a database contains, as numbers that can be compared: rows, sums of money and a digest of every table.

A backup contains the inventory of the moment it was taken. Whatever is restored from it must have the same.
"""

import hashlib
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection, Integer, inspect, text

_MONEY = frozenset({"amount", "discount", "price", "refunded", "unit_price"})
"""Columns of whole shillings."""
_DIGEST_BYTES = 8


class TableInventory(BaseModel, frozen=True):
    """One table."""

    rows: int
    money: dict[str, int]
    """The sum of each column that contains shillings."""
    digest: str
    """Changes with any value of any row."""


class Inventory(BaseModel, frozen=True):
    """All tables by name, Alembic's among them."""

    revision: str
    tables: dict[str, TableInventory]

    @property
    def rows(self) -> int:
        """Of all tables."""
        return sum(table.rows for name, table in self.tables.items() if name != "alembic_version")


def take_inventory(connection: Connection) -> Inventory:
    """Read every row of every table, in the transaction of `connection`."""
    postgres = connection.dialect.name == "postgresql"
    if postgres:
        # The text of a value must be the same on every server.
        connection.execute(text("SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO'"))
    else:
        connection.connection.driver_connection.create_aggregate("digest", -1, _Digest)  # type: ignore[union-attr]
    names = sorted(inspect(connection).get_table_names())
    revision = connection.scalar(text("SELECT version_num FROM alembic_version")) if names else None
    return Inventory(revision=revision or "", tables={name: _count(connection, name) for name in names})


def has_rows(connection: Connection) -> bool:
    """Whether anything is in the database; tables without rows do not count."""
    names = set(inspect(connection).get_table_names()) - {"alembic_version"}
    # The names come from the database's own catalogue.
    return any(connection.scalar(text(f'SELECT 1 FROM "{name}" LIMIT 1')) for name in sorted(names))  # noqa: S608


def _count(connection: Connection, table: str) -> TableInventory:
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
    asked = f'SELECT {", ".join(["count(*)", digest, *sums])} FROM "{table}" AS t'  # noqa: S608
    rows, found, *amounts = connection.execute(text(asked)).one()
    return TableInventory(rows=rows, money=dict(zip(money, map(int, amounts), strict=True)), digest=found)


class _Digest:
    """SQLite's: the sum of a hash of each row, so that their order does not matter."""

    def __init__(self) -> None:
        self._sum = 0

    def step(self, *values: Any) -> None:
        row = hashlib.blake2b(repr(values).encode(), digest_size=_DIGEST_BYTES).digest()
        self._sum += int.from_bytes(row, "big")

    def finalize(self) -> str:
        return str(self._sum)


def differences(expected: Inventory, found: Inventory) -> list[str]:
    """A line for each table that is not the same in both; none: they are equal."""
    lines = []
    for name in sorted(expected.tables.keys() | found.tables.keys()):
        old, new = expected.tables.get(name), found.tables.get(name)
        if old is None or new is None:
            lines.append(f"{name}: the table is {'missing' if old else 'unknown to the backup'}")
        elif old != new:
            lines.append(f"{name}: {_difference(old, new)}")
    return lines


def _difference(old: TableInventory, new: TableInventory) -> str:
    if old.rows != new.rows:
        return f"{old.rows} rows were backed up, {new.rows} are there"
    if old.money != new.money:
        return f"its sums of money were {old.money}, now they are {new.money}"
    return "its content differs"
