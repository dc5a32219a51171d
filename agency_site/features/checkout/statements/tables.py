"""Imported statements of M-Pesa."""

from datetime import datetime

from sqlalchemy import Text
from sqlmodel import Field, SQLModel


class StatementImport(SQLModel, table=True):
    """A statement of M-Pesa that staff have imported, and what came of it. Rows are never changed."""

    __tablename__ = "statement_imports"

    id: int | None = Field(default=None, primary_key=True)
    imported_at: datetime = Field(index=True)
    imported_by: str = Field(max_length=254)
    """The e-mail address of the staff account."""
    begins: datetime
    ends: datetime
    """The oldest and the newest transaction in it."""
    result: str = Field(sa_type=Text)
    """JSON of `statement_import.ImportResult`: receipts and references, no persons."""
