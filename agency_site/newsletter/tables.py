"""Who subscribed to the newsletter."""

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from agency_site.clock import now
from agency_site.db import columns as _convention  # noqa: F401 - names the constraints below


class Subscriber(SQLModel, table=True):
    """One address, once."""

    __tablename__ = "subscribers"
    __table_args__ = (UniqueConstraint("email"),)

    id: int | None = Field(default=None, primary_key=True)
    email: str
    """In lower case, so that one mailbox cannot subscribe twice."""
    source: str
    """Where on the site it came from: `footer`, `newsletter` …"""
    created_at: datetime = Field(default_factory=lambda: now())
