"""A check that a row fits the declared columns of its table."""

import json
from collections.abc import Mapping

from sqlalchemy import JSON, Enum, String, inspect
from sqlmodel import SQLModel

LARGEST_INDEX_ENTRY = 2704
"""Bytes, of PostgreSQL's B-trees."""


def assert_fits(model: type[SQLModel], row: Mapping[str, object]) -> None:
    """Every value of `row` fits the column of its name, on every database."""
    table = inspect(model).local_table
    indexed = {column.name for index in table.indexes if len(index.columns) == 1 for column in index.columns}
    for name, value in row.items():
        kind = table.c[name].type
        if isinstance(kind, JSON):
            assert "\\u0000" not in json.dumps(value)
        elif isinstance(kind, String) and not isinstance(kind, Enum):
            assert isinstance(value, str)
            assert "\x00" not in value
            size = len(value.encode())
            assert kind.length is None or len(value) <= kind.length, name
            assert name not in indexed or size < LARGEST_INDEX_ENTRY, name
