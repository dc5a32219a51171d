"""Who subscribed to the newsletter."""

from datetime import datetime

from sqlalchemy import JSON, UniqueConstraint
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
    interests: list[str] = Field(default_factory=list, sa_type=JSON)
    """What they want to read about, as `rules.Interest` names it; none given: everything."""
    consented_at: datetime | None = Field(default=None)
    """When they last ticked the consent box of the newsletter page; the one-field forms have none."""
    created_at: datetime = Field(default_factory=lambda: now())
