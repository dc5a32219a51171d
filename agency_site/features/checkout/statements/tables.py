"""Imported M-Pesa statements."""

from datetime import datetime

from sqlalchemy import Text
from sqlmodel import Field, SQLModel


class StatementImport(SQLModel, table=True):
    """An M-Pesa statement that staff have imported, with the result. Rows are never changed."""

    __tablename__ = "statement_imports"

    id: int | None = Field(default=None, primary_key=True)
    imported_at: datetime = Field(index=True)
    imported_by: str = Field(max_length=254)
    """The e-mail address of the staff account."""
    begins: datetime
    ends: datetime
    """The oldest and the newest transaction in it."""
    result: str = Field(sa_type=Text)
    """JSON of `statements.usecases.ImportResult`: receipts and references, no personal data."""
