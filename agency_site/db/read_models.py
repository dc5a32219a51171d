"""Read models: frozen records of rows, so that what a screen or a mail shows does not change with the row."""

from dataclasses import dataclass, fields
from typing import Any, Self

from sqlmodel import SQLModel


@dataclass(frozen=True)
class ReadModel:
    """Base of records whose fields have the names of a row's columns; a stored list is read as a tuple."""

    @classmethod
    def of(cls, row: SQLModel, **parts: Any) -> Self:
        """The record of a row; `parts` are the fields that are not read from the column of their name."""
        names = (field.name for field in fields(cls) if field.name not in parts)
        stored = ((name, getattr(row, name)) for name in names)
        return cls(
            **{name: tuple(value) if isinstance(value, list) else value for name, value in stored}, **parts
        )
