"""Who subscribed to the newsletter, and who left."""

from datetime import datetime

from sqlalchemy import JSON, Index, Text, text
from sqlmodel import Field, SQLModel

from agency_site.clock import now
from agency_site.db.columns import choice
from agency_site.db.versions import Versioned
from agency_site.newsletter.rules import SubscriberChange, SubscriberState

REACHABLE = text("email <> ''")
"""Rows of people who were not erased, in the words of the index: SQLite uses it only for a query that repeats them."""


class Subscriber(Versioned, table=True):
    """One address, once."""

    __tablename__ = "subscribers"
    __table_args__ = (
        # Erased subscribers have no address left, and there may be several.
        Index(
            "uq_subscribers_address",
            "email",
            unique=True,
            sqlite_where=REACHABLE,
            postgresql_where=REACHABLE,
        ),
        Index("ix_subscribers_state_created", "state", "created_at", "id"),
        Index("ix_subscribers_created", "created_at", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    reference: str = Field(max_length=16, unique=True)
    """What staff call it where the address must not stand, such as `NL-7F3K9Q`."""
    email: str
    """In lower case, so that one mailbox cannot subscribe twice; empty once erased."""
    source: str
    """Where on the site it came from: `footer`, `newsletter` …"""
    state: SubscriberState = choice(SubscriberState, "state", default=SubscriberState.SUBSCRIBED)
    interests: list[str] = Field(default_factory=list, sa_type=JSON)
    """What they want to read about, as `rules.Interest` names it; none given: everything."""
    consented_at: datetime | None = Field(default=None)
    """When they last ticked the consent box of the newsletter page; the one-field forms have none."""
    unsubscribed_at: datetime | None = None
    search: str = Field(default="", sa_type=Text, index=True)
    """Reference and address, folded."""
    created_at: datetime = Field(default_factory=lambda: now())


class SubscriberEvent(SQLModel, table=True):
    """One line of a subscriber's history: never deleted, and only erasing changes its words."""

    __tablename__ = "subscriber_events"

    id: int | None = Field(default=None, primary_key=True)
    subscriber_id: int = Field(foreign_key="subscribers.id", index=True)
    at: datetime
    actor: str = Field(max_length=254)
    """`visitor` or the staff member's e-mail address."""
    what: SubscriberChange = choice(SubscriberChange, "what")
    note: str = Field(default="", sa_type=Text)
    """Why, or which interests."""
