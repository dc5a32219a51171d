"""The server processes of the site, each with its last report."""

from datetime import datetime

from sqlalchemy import JSON
from sqlmodel import Field, SQLModel


class ServerProcess(SQLModel, table=True):
    """A server process. One without recent reports has ended or hangs."""

    __tablename__ = "server_processes"

    id: str = Field(primary_key=True, max_length=32)
    """Random; made when the process starts."""
    host: str = Field(max_length=64)
    process_id: int
    build: str = Field(max_length=16)
    """The beginning of the fingerprint of its build."""
    started_at: datetime
    seen_at: datetime = Field(index=True)
    jobs: dict[str, float] = Field(default_factory=dict, sa_type=JSON)
    """When each of its jobs last succeeded, in seconds of the epoch."""
    mpesa_answer: float = 0
    mpesa_failure: float = 0
    """When Daraja last answered it, and when it last failed, in seconds of the epoch; 0 before the first time."""
