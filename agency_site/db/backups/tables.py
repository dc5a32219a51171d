"""The last checked backup, recorded in the same database: every server can show when it was taken."""

from datetime import datetime

from sqlalchemy import BigInteger
from sqlmodel import Field, SQLModel


class CheckedBackup(SQLModel, table=True):
    """A backup that has been restored and compared. Only the last one has a row, which its own snapshot does not contain."""

    __tablename__ = "checked_backups"

    taken_at: datetime = Field(primary_key=True)
    size_bytes: int = Field(sa_type=BigInteger)
    seconds: float
    """The time that making and checking it took."""
