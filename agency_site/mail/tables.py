"""The outbox: every message that the site sends, and its delivery state."""

from base64 import b64decode
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Index, Text, UniqueConstraint, literal_column, text
from sqlmodel import Field, Relationship, SQLModel

from agency_site.clock import now
from agency_site.db.columns import address_index, choice, searched_index
from agency_site.db.leases import Leased
from agency_site.db.sealed_columns import LOST_LINK, SealedFiles, SealedJson
from agency_site.mail.render import render_html, render_text
from agency_site.mail.rules import Attachment, MailFailure, MailState, Message, load_content

FAILED: ColumnElement[str] = literal_column(f"'{MailState.FAILED.value}'")
"""A literal for statements that use the partial index: PostgreSQL does not use it for a parameter of a prepared statement."""
_FAILED_SQL = text(f"state = {FAILED}")


class SharedBody(SQLModel, table=True):
    """A body that many messages share, rendered by `markdown_body`."""

    __tablename__ = "outbox_shared_bodies"

    id: int | None = Field(default=None, primary_key=True)
    html: str = Field(sa_type=Text)
    text: str = Field(sa_type=Text)
    created_at: datetime = Field(default_factory=lambda: now())


class ConfirmedAddress(SQLModel, table=True):
    """An e-mail address in lower case whose owner has confirmed it (`confirmed_addresses`)."""

    __tablename__ = "confirmed_addresses"
    __table_args__ = (UniqueConstraint("address"),)

    id: int | None = Field(default=None, primary_key=True)
    address: str
    confirmed_at: datetime = Field(default_factory=lambda: now(), index=True)


class OutboxMessage(Leased, table=True):
    """One message. `due_at` is the time of its next attempt; None if no attempt follows.

    Stores the content, not the bodies: they are rendered on delivery or preview, so that bookings and payments do not wait
    for rendering.
    """

    __tablename__ = "outbox_messages"
    longest_pause = timedelta(minutes=15)
    """The longest pause between two attempts."""
    __table_args__ = (
        UniqueConstraint("message_id"),
        UniqueConstraint("key"),
        Index("ix_outbox_messages_state_id", "state", "id"),
        searched_index("outbox_messages"),
        address_index("outbox_messages", "to"),
        Index("ix_outbox_messages_kind_id", "kind", "id"),
        # For the count in the navigation, which open pages poll.
        Index(
            "ix_outbox_messages_failed",
            "state",
            "created_at",
            "id",
            sqlite_where=_FAILED_SQL,
            postgresql_where=_FAILED_SQL,
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    kind: str
    to: str
    to_name: str = ""
    subject: str
    content: dict[str, Any] = Field(sa_type=SealedJson)
    """The content, as `rules.dump_content` wrote it."""
    shared_body_id: int | None = Field(default=None, foreign_key="outbox_shared_bodies.id", index=True)
    shared_body: SharedBody | None = Relationship(sa_relationship_kwargs={"lazy": "selectin"})
    """Loaded eagerly: bodies are rendered outside of sessions."""
    attachments: list[dict[str, str]] = Field(default_factory=list, sa_type=SealedFiles)
    """Each has `filename`, `mime` and `content` (base64)."""
    headers: list[list[str]] = Field(default_factory=list, sa_type=SealedJson)
    """Name and value of each further header, including `Reply-To`."""
    message_id: str
    """In angle brackets; equal at every attempt, so that mail programs recognise duplicates."""
    key: str | None = None
    """Idempotency key: a second message with the same key is not stored."""
    about: str = Field(default="", index=True)
    """The reference of the record that it is about, such as a booking's; empty without one."""
    original_id: int | None = Field(default=None, index=True)
    """The message that this one resends."""
    requested_by: str = ""
    """The member of staff who resent it; empty if it was not resent."""
    search: str = Field(default="", sa_type=Text)
    """Searched by lists: recipient, subject and reference, folded by `form_input.search_text`."""
    state: MailState = choice(MailState, "state", default=MailState.QUEUED)
    attempts: int = 0
    failure: MailFailure | None = choice(MailFailure, "failure", default=None)
    """Why a failed message failed."""
    last_error: str = ""
    created_at: datetime = Field(default_factory=lambda: now())
    sent_at: datetime | None = None

    @property
    def text(self) -> str:
        """The text body for the recipient, with private links; staff see `staff_usecases.preview_message`."""
        return render_text(self.to_message(), self.shared_body.text if self.shared_body else "")

    @property
    def html(self) -> str:
        """The HTML body for the recipient, with private links; staff see `staff_usecases.preview_message`."""
        return render_html(self.to_message(), self.shared_body.html if self.shared_body else "")

    @property
    def has_lost_links(self) -> bool:
        """Links were encrypted with a secret key that is no longer configured."""
        files = (b64decode(file["content"]) for file in self.attachments if file["mime"].startswith("text/"))
        return LOST_LINK in f"{self.content} {self.headers}" or LOST_LINK.encode() in files

    def to_message(self) -> Message:
        """Return the stored message, including private links."""
        headers = [(name, value) for name, value in self.headers if name != "Reply-To"]
        return Message(
            kind=self.kind,
            to=self.to,
            to_name=self.to_name,
            subject=self.subject,
            **load_content(self.content),
            shared_body_id=self.shared_body_id,
            attachments=tuple(
                Attachment(file["filename"], b64decode(file["content"]), file["mime"])
                for file in self.attachments
            ),
            reply_to=next((value for name, value in self.headers if name == "Reply-To"), ""),
            headers=tuple(headers),
            about=self.about,
        )
