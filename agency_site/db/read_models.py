"""Read models: frozen copies of rows, so that the content of a screen or a mail does not change with the row."""

from dataclasses import dataclass, fields
from typing import Any, Self

from sqlmodel import SQLModel


@dataclass(frozen=True)
class ReadModel:
    """Base of records whose fields have the names of a row's columns. A stored list becomes a tuple."""

    @classmethod
    def of(cls, row: SQLModel, **parts: Any) -> Self:
        """Return the record of a row; `parts` are the fields that are not columns of the row."""
        names = (field.name for field in fields(cls) if field.name not in parts)
        values = ((name, getattr(row, name)) for name in names)
        return cls(
            **{name: tuple(value) if isinstance(value, list) else value for name, value in values}, **parts
        )
