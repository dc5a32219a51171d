"""The last checked backup, in the database that it is of: every server can see when it was taken."""

from datetime import datetime

from sqlalchemy import BigInteger
from sqlmodel import Field, SQLModel


class CheckedBackup(SQLModel, table=True):
    """A backup that has been restored and compared. Only the last one has a row, which is written after its own snapshot."""

    __tablename__ = "checked_backups"

    taken_at: datetime = Field(primary_key=True)
    size_bytes: int = Field(sa_type=BigInteger)
    seconds: float
    """How long it took to make and to check."""
