"""The outbox: every message the site sends, with what became of it."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index, Text, UniqueConstraint
from sqlmodel import Field, Relationship, SQLModel

from agency_site.clock import now
from agency_site.db.columns import choice
from agency_site.db.leases import Leased
from agency_site.mail.render import html_body, text_body
from agency_site.mail.rules import MailFailure, MailState, Message, as_said


class StoredLetter(SQLModel, table=True):
    """A text that many messages share, stored once: both its forms, as `letters` rendered them."""

    __tablename__ = "outbox_letters"

    id: int | None = Field(default=None, primary_key=True)
    html: str = Field(sa_type=Text)
    text: str = Field(sa_type=Text)
    created_at: datetime = Field(default_factory=lambda: now())


class OutboxMessage(Leased, table=True):
    """One message on its way, or kept. `due_at` is its next attempt; none once it is settled.

    What it says is stored, not its bodies: those are rendered when it is sent or looked at, so that whoever books
    or pays does not wait for them.
    """

    __tablename__ = "outbox_messages"
    __table_args__ = (
        UniqueConstraint("message_id"),
        UniqueConstraint("key"),
        Index("ix_outbox_messages_state_id", "state", "id"),
        Index("ix_outbox_messages_created_at_id", "created_at", "id"),
        Index("ix_outbox_messages_kind_id", "kind", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    kind: str
    to: str
    to_name: str = ""
    subject: str
    words: dict[str, Any] = Field(sa_type=JSON)
    """What `rules.words_of` took from the message."""
    letter_id: int | None = Field(default=None, foreign_key="outbox_letters.id", index=True)
    letter: StoredLetter | None = Relationship(sa_relationship_kwargs={"lazy": "selectin"})
    """Loaded with the message: bodies are rendered where no query can run."""
    attachments: list[dict[str, str]] = Field(default_factory=list, sa_type=JSON)
    """Each with `filename`, `mime` and its bytes in base64 as `content`."""
    headers: list[list[str]] = Field(default_factory=list, sa_type=JSON)
    """Name and value of each further header, `Reply-To` among them."""
    message_id: str
    """With its angle brackets; the same at every attempt, so that a repeat can be recognised."""
    key: str | None = None
    """What makes the message happen once: a second one with the same key is not stored."""
    about: str = Field(default="", index=True)
    """The reference of the record that it is about, such as a booking's; empty: none."""
    repeats: int | None = Field(default=None, index=True)
    """The message that staff sent once more with this one."""
    requested_by: str = ""
    """The member of staff who sent it; empty: the site itself."""
    search: str = Field(default="", sa_type=Text)
    """What lists are searched in: recipient, subject and reference, folded by `inputs.search_text`."""
    state: MailState = choice(MailState, "state", default=MailState.QUEUED)
    attempts: int = 0
    failure: MailFailure | None = choice(MailFailure, "failure", default=None)
    """Why a failed message failed."""
    last_error: str = ""
    created_at: datetime = Field(default_factory=lambda: now())
    sent_at: datetime | None = None

    @property
    def text(self) -> str:
        """The text body for the recipient, with private links; staff see `desk.preview`."""
        return text_body(self.message(), self.letter.text if self.letter else "")

    @property
    def html(self) -> str:
        """The HTML body for the recipient, with private links; staff see `desk.preview`."""
        return html_body(self.message(), self.letter.html if self.letter else "")

    def message(self) -> Message:
        """What the bodies are rendered from, private links included."""
        return Message(kind=self.kind, to=self.to, subject=self.subject, **as_said(self.words))
