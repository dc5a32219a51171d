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
        searched_index("subscribers"),
        Index("ix_subscribers_source_created", "source", "created_at", "id"),
        Index("ix_subscribers_state_id", "state", "id"),
        address_index("subscribers"),
    )

    id: int | None = Field(default=None, primary_key=True)
    reference: str = Field(max_length=16, unique=True)
    """Names it where the address must not appear, such as `NL-7F3K9Q`."""
    email: str
    """In lower case, so that one mailbox cannot subscribe twice; empty once erased."""
    source: str
    """Where on the site it came from: `footer`, `newsletter` …"""
    state: SubscriberState = choice(SubscriberState, "state", default=SubscriberState.PENDING)
    interests: list[str] = Field(default_factory=list, sa_type=JSON)
    """What they want to read about, as `rules.Interest` names it; none given: everything."""
    consented_at: datetime | None = Field(default=None)
    """When they last agreed: ticked the box of the newsletter page, or confirmed what a one-field form asked for."""
    confirmed_at: datetime | None = None
    """When the mailbox last confirmed; none for whoever was on the list before that was asked for."""
    unsubscribed_at: datetime | None = None
    bounced_at: datetime | None = None
    """When the mail server said that the mailbox does not exist; none once it is confirmed again."""
    token_seed: str = Field(max_length=64)
    """What the token of the private link is made from, together with the secret key."""
    token_hash: str | None = Field(default=None, max_length=64, unique=True)
    """Of the token that mails carry; none before the first of them."""
    search: str = Field(default="", sa_type=Text)
    """Reference and address, folded."""
    created_at: datetime = Field(default_factory=lambda: now())


class SubscriberEvent(EventRow, table=True):
    """One line of a subscriber's history: never deleted, and only erasing changes its words."""

    __tablename__ = "subscriber_events"
    record_column: ClassVar[str] = "subscriber_id"

    subscriber_id: int = Field(foreign_key="subscribers.id", index=True)
    what: SubscriberChange = choice(SubscriberChange, "what")
    note: str = Field(default="", sa_type=Text)
    """Why, or which interests."""


class OptIn(SQLModel, table=True):
    """What somebody asked for through a form, and whether the mailbox has confirmed it: the proof of consent."""

    __tablename__ = "newsletter_opt_ins"

    id: int | None = Field(default=None, primary_key=True)
    subscriber_id: int = Field(foreign_key="subscribers.id", index=True)
    token_hash: str = Field(max_length=64, unique=True)
    """Of the token in the one mail that asks for the confirmation."""
    interests: list[str] | None = Field(default=None, sa_type=JSON)
    """What was ticked; none: the form has no such boxes."""
    consent_text: str = Field(sa_type=Text)
    """What was agreed to, word for word: it is shown at the form's box and at the button that confirms."""
    ticked_at: datetime | None = None
    """When the form's box was ticked; none: the form has none."""
    address: str = Field(default="", max_length=64)
    """Where the form was sent from."""
    source: str
    created_at: datetime = Field(default_factory=lambda: now())
    confirmed_at: datetime | None = None
    confirmed_from: str = Field(default="", max_length=64)
    void_at: datetime | None = None
    """From when on it cannot be confirmed any more."""


class Suppression(SQLModel, table=True):
    """Somebody who wants no newsletter, without saying who: it outlives their data."""

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
    """Counted when sending begins: drafts have none."""
    slug: str = Field(max_length=80, unique=True)
    title: str = Field(max_length=120)
    summary: str = Field(default="", max_length=300)
    text: str = Field(default="", sa_type=Text)
    """In Markdown."""
    interests: list[str] = Field(default_factory=list, sa_type=JSON)
    """What it is about; none: it is for everybody."""
    state: IssueState = choice(IssueState, "state", default=IssueState.DRAFT)
    scheduled_at: datetime | None = Field(default=None, index=True)
    started_at: datetime | None = None
    sent_at: datetime | None = Field(default=None, index=True)
    due_at: datetime | None = None
    """When the background job has something to do for it; none: never."""
    shared_body_id: int | None = Field(default=None, foreign_key="outbox_shared_bodies.id")
    """Its text as it is sent, stored once for all its messages."""
    last_subscriber_id: int = 0
    """Everybody up to this id is processed."""
    audience: int = 0
    """Subscribers when sending began."""
    processed: int = 0
    mails_created: int = 0
    mails_refused: int = 0
    author: str = Field(max_length=254)
    editor: str = Field(max_length=254)
    """Who changed it last."""
    search: str = Field(default="", sa_type=Text)
    created_at: datetime = Field(default_factory=lambda: now())
    updated_at: datetime = Field(default_factory=lambda: now())


class Delivery(SQLModel, table=True):
    """One issue for one subscriber, once."""

    __tablename__ = "newsletter_deliveries"
    __table_args__ = (UniqueConstraint("issue_id", "subscriber_id"),)

    id: int | None = Field(default=None, primary_key=True)
    issue_id: int = Field(foreign_key="newsletter_issues.id")
    subscriber_id: int = Field(foreign_key="subscribers.id", index=True)
    state: DeliveryState = choice(DeliveryState, "state")
    at: datetime
