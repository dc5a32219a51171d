"""Subscribers of the newsletter and their opt-ins; issues and their deliveries."""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import JSON, Index, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from agency_site.clock import now
from agency_site.db.columns import address_index, choice, searched_index
from agency_site.db.event_log import EventRow
from agency_site.db.record_versions import Versioned
from agency_site.features.newsletter.rules import DeliveryState, IssueState, SubscriberChange, SubscriberState
from agency_site.visits.tables import WithOrigin, origin_indexes

REACHABLE = text("email <> ''")
"""The condition for rows that were not erased. SQLite uses the index only for queries that repeat its condition exactly."""


class Subscriber(Versioned, WithOrigin, table=True):
    """One address. It has one row only."""

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
        searched_index("subscribers"),
        Index("ix_subscribers_source_created", "source", "created_at", "id"),
        Index("ix_subscribers_state_id", "state", "id"),
        address_index("subscribers"),
        *origin_indexes("subscribers"),
    )

    id: int | None = Field(default=None, primary_key=True)
    reference: str = Field(max_length=16, unique=True)
    """A name for places where the address must not appear, such as `NL-7F3K9Q`."""
    email: str
    """In lower case, so that one mailbox cannot subscribe twice. Empty after erasure."""
    source: str
    """The form on the site that it came from: `footer`, `newsletter` …"""
    state: SubscriberState = choice(SubscriberState, "state", default=SubscriberState.PENDING)
    interests: list[str] = Field(default_factory=list, sa_type=JSON)
    """The topics that they want to read about (`rules.Interest`). Empty for all topics."""
    consented_at: datetime | None = Field(default=None)
    """The moment of the last consent: by the checkbox of the newsletter page, or by confirming a one-field form."""
    confirmed_at: datetime | None = None
    """The moment of the last confirmation. None for subscribers from before confirmations existed."""
    unsubscribed_at: datetime | None = None
    bounced_at: datetime | None = None
    """The moment at which the mail server reported a missing mailbox. None after a new confirmation."""
    token_seed: str = Field(max_length=64)
    """Random. The token of the private link is derived from it and the secret key."""
    token_hash: str | None = Field(default=None, max_length=64, unique=True)
    """SHA-256 of the token in the mails. None before the first mail."""
    search: str = Field(default="", sa_type=Text)
    """Reference and address, folded."""
    created_at: datetime = Field(default_factory=lambda: now())


class SubscriberEvent(EventRow, table=True):
    """One entry of a subscriber's history. It is never deleted; only erasure blanks its text."""

    __tablename__ = "subscriber_events"
    record_column: ClassVar[str] = "subscriber_id"

    subscriber_id: int = Field(foreign_key="subscribers.id", index=True)
    what: SubscriberChange = choice(SubscriberChange, "what")
    note: str = Field(default="", sa_type=Text)
    """The reason, or the chosen interests."""


class OptIn(SQLModel, table=True):
    """A request by form, with its confirmation from the mailbox: the proof of consent."""

    __tablename__ = "newsletter_opt_ins"

    id: int | None = Field(default=None, primary_key=True)
    subscriber_id: int = Field(foreign_key="subscribers.id", index=True)
    token_hash: str = Field(max_length=64, unique=True)
    """SHA-256 of the token in the mail that asks for the confirmation."""
    interests: list[str] | None = Field(default=None, sa_type=JSON)
    """The ticked interests. None if the form has no checkboxes."""
    consent_text: str = Field(sa_type=Text)
    """The exact text of the consent, which is shown beside the checkbox of the form and the button that confirms."""
    ticked_at: datetime | None = None
    """The moment of the consent in the form. None if the form has no checkbox for it."""
    address: str = Field(default="", max_length=64)
    """The client address from which the form was sent."""
    source: str
    created_at: datetime = Field(default_factory=lambda: now())
    confirmed_at: datetime | None = None
    confirmed_from: str = Field(default="", max_length=64)
    void_at: datetime | None = None
    """The moment after which it cannot be confirmed."""


class Suppression(SQLModel, table=True):
    """An address that must get no newsletter, as a hash. It stays after the personal data was erased."""

    __tablename__ = "newsletter_suppressions"

    id: int | None = Field(default=None, primary_key=True)
    address_key: str = Field(max_length=64, unique=True)
    """A keyed hash of the address (`suppression`), which does not disclose the address."""
    since: datetime


class NewsletterIssue(Versioned, table=True):
    """One newsletter issue."""

    __tablename__ = "newsletter_issues"
    __table_args__ = (
        Index("ix_newsletter_issues_state_due", "state", "due_at"),
        Index("ix_newsletter_issues_updated", "updated_at", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    reference: str = Field(max_length=16, unique=True)
    number: int | None = Field(default=None, unique=True)
    """Assigned when sending begins. Drafts have none."""
    slug: str = Field(max_length=80, unique=True)
    title: str = Field(max_length=120)
    summary: str = Field(default="", max_length=300)
    text: str = Field(default="", sa_type=Text)
    """The text in Markdown."""
    interests: list[str] = Field(default_factory=list, sa_type=JSON)
    """The topics of the issue. Empty if it is for all subscribers."""
    state: IssueState = choice(IssueState, "state", default=IssueState.DRAFT)
    scheduled_at: datetime | None = Field(default=None, index=True)
    started_at: datetime | None = None
    sent_at: datetime | None = Field(default=None, index=True)
    due_at: datetime | None = None
    """The moment from which the background job works on it. None if it has no work."""
    shared_body_id: int | None = Field(default=None, foreign_key="outbox_shared_bodies.id")
    """Its text as it is sent, stored once for all its messages."""
    last_subscriber_id: int = 0
    """All subscribers up to this id are processed."""
    audience: int = 0
    """The number of subscribers when sending began."""
    processed: int = 0
    mails_created: int = 0
    mails_refused: int = 0
    author: str = Field(max_length=254)
    editor: str = Field(max_length=254)
    """The member of staff who changed it last."""
    search: str = Field(default="", sa_type=Text)
    created_at: datetime = Field(default_factory=lambda: now())
    updated_at: datetime = Field(default_factory=lambda: now())


class Delivery(SQLModel, table=True):
    """One issue for one subscriber. Each pair has one row only."""

    __tablename__ = "newsletter_deliveries"
    __table_args__ = (UniqueConstraint("issue_id", "subscriber_id"),)

    id: int | None = Field(default=None, primary_key=True)
    issue_id: int = Field(foreign_key="newsletter_issues.id")
    subscriber_id: int = Field(foreign_key="subscribers.id", index=True)
    state: DeliveryState = choice(DeliveryState, "state")
    at: datetime
