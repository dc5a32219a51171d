"""Text messages, what is known about phone numbers, and short links."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Index, Text, UniqueConstraint, literal_column, text
from sqlmodel import Field, SQLModel

from agency_site.clock import now
from agency_site.db.columns import choice, searched_index
from agency_site.db.leases import Leased
from agency_site.db.sealed_columns import SealedJson
from agency_site.sms.rules import Reply, TextPurpose, TextState

FAILED: ColumnElement[str] = literal_column(f"'{TextState.FAILED.value}'")
"""A literal for statements that use the partial index: PostgreSQL does not use it for a parameter of a prepared statement."""
_FAILED_SQL = text(f"state = {FAILED}")


class SmsMessage(Leased, table=True):
    """One text message. `due_at` is the time of its next attempt; None if no attempt follows."""

    __tablename__ = "sms_messages"
    longest_pause = timedelta(days=1)
    """Quiet hours are the longest."""
    __table_args__ = (
        UniqueConstraint("key"),
        UniqueConstraint("provider_id"),
        Index("ix_sms_messages_state_id", "state", "id"),
        searched_index("sms_messages"),
        Index("ix_sms_messages_kind_id", "kind", "id"),
        Index(
            "ix_sms_messages_failed",
            "state",
            "created_at",
            "id",
            sqlite_where=_FAILED_SQL,
            postgresql_where=_FAILED_SQL,
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    kind: str = Field(max_length=40)
    to: str = Field(max_length=16, index=True)
    """The number in E.164; empty once erased."""
    text: str = Field(sa_type=SealedJson)
    """With the site's own links encrypted."""
    parts: int = 1
    """The number of messages that the network charges."""
    purpose: TextPurpose = choice(TextPurpose, "purpose")
    key: str | None = Field(default=None, max_length=120)
    """Idempotency key: a second message with the same key is not stored."""
    about: str = Field(default="", max_length=16, index=True)
    """The reference of the record that it is about; empty without one."""
    requested_by: str = Field(default="", max_length=254)
    """The member of staff who wrote or resent it."""
    expires_at: datetime | None = None
    """It is useless after this moment, and then not sent; None if it never is."""
    search: str = Field(default="", sa_type=Text)
    """Searched by lists: number, reference and kind, folded by `form_input.search_text`."""
    state: TextState = choice(TextState, "state", default=TextState.QUEUED)
    attempts: int = 0
    last_error: str = Field(default="", max_length=300)
    provider_id: str | None = Field(default=None, max_length=80)
    """The provider's id of the message, which its delivery reports name."""
    cost: int = 0
    """What the provider charged, in ten-thousandths of the currency: KES 0.8000 is 8,000."""
    currency: str = Field(default="", max_length=3)
    created_at: datetime = Field(default_factory=lambda: now())
    sent_at: datetime | None = None
    reported_at: datetime | None = None
    """When the provider reported the final state."""


class SmsNumber(SQLModel, table=True):
    """What is known about one phone number."""

    __tablename__ = "sms_numbers"
    __table_args__ = (UniqueConstraint("number"),)

    id: int | None = Field(default=None, primary_key=True)
    number: str = Field(max_length=16)
    """In E.164."""
    consented_at: datetime | None = None
    """When its holder agreed to reminders."""
    stopped_at: datetime | None = None
    """When its holder replied STOP or was blocked by the provider. A later consent clears it."""
    failed_at: datetime | None = None
    """When the network reported that messages can never arrive."""
    failure: str = Field(default="", max_length=80)
    """The network's reason."""
    updated_at: datetime = Field(default_factory=lambda: now(), index=True)


class EarlyReport(SQLModel, table=True):
    """A final delivery report of a message whose provider's id is not stored yet: the provider's own answer is still under way,
    or never came."""

    __tablename__ = "sms_early_reports"
    __table_args__ = (UniqueConstraint("provider_id"),)

    id: int | None = Field(default=None, primary_key=True)
    provider_id: str = Field(max_length=80)
    number: str = Field(max_length=16, index=True)
    """The recipient in E.164, as the provider states it."""
    state: TextState = choice(TextState, "state")
    reason: str = Field(max_length=80)
    """The provider's reason for a failure; empty without one."""
    created_at: datetime = Field(default_factory=lambda: now(), index=True)


class SmsReply(SQLModel, table=True):
    """A text message from a phone, without its words: a repeated delivery is recognised by its key, a late one by its time."""

    __tablename__ = "sms_replies"
    __table_args__ = (UniqueConstraint("key"),)

    id: int | None = Field(default=None, primary_key=True)
    key: str = Field(max_length=64)
    """The same for each delivery of the message."""
    number: str = Field(max_length=16, index=True)
    """The sender in E.164; empty if the provider states none."""
    meaning: Reply = choice(Reply, "meaning")
    sent_at: datetime
    """When the phone sent it, by the provider; its arrival if the provider states no time."""
    created_at: datetime = Field(default_factory=lambda: now(), index=True)


class ShortLink(SQLModel, table=True):
    """A short address `/s/<code>` of a private page, for text messages."""

    __tablename__ = "short_links"
    __table_args__ = (UniqueConstraint("code_hash"),)

    id: int | None = Field(default=None, primary_key=True)
    code_hash: str = Field(max_length=64)
    """A keyed hash of the code, which is too short for a plain one. The code itself is not stored."""
    target: Any = Field(sa_type=SealedJson)
    """The address on this site, encrypted."""
    created_at: datetime = Field(default_factory=lambda: now())
    expires_at: datetime = Field(index=True)
