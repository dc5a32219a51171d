"""The outbox: every message the site sends, rendered, with what became of it."""

from datetime import datetime

from sqlalchemy import JSON, Text, UniqueConstraint
from sqlmodel import Field

from agency_site.clock import now
from agency_site.db.columns import choice
from agency_site.db.leases import Leased
from agency_site.mail.rules import MailState


class OutboxMessage(Leased, table=True):
    """One rendered message on its way, or kept. `due_at` is its next attempt; none once it is settled."""

    __tablename__ = "outbox_messages"
    __table_args__ = (UniqueConstraint("message_id"), UniqueConstraint("key"))

    id: int | None = Field(default=None, primary_key=True)
    kind: str
    to: str
    to_name: str = ""
    subject: str
    text: str = Field(sa_type=Text)
    html: str = Field(sa_type=Text)
    attachments: list[dict[str, str]] = Field(default_factory=list, sa_type=JSON)
    """Each with `filename`, `mime` and its bytes in base64 as `content`."""
    headers: list[list[str]] = Field(default_factory=list, sa_type=JSON)
    """Name and value of each further header, `Reply-To` among them."""
    message_id: str
    """With its angle brackets; the same at every attempt, so that a repeat can be recognised."""
    key: str | None = None
    """What makes the message happen once: a second one with the same key is not stored."""
    state: MailState = choice(MailState, "state", default=MailState.QUEUED)
    attempts: int = 0
    last_error: str = ""
    created_at: datetime = Field(default_factory=lambda: now())
    sent_at: datetime | None = None
