"""The channels that owners have chosen, and the mails that wait for their text messages."""

from datetime import datetime
from typing import Any

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from agency_site.clock import now
from agency_site.db.columns import address_index, choice
from agency_site.db.record_versions import Versioned
from agency_site.db.sealed_columns import SealedFiles, SealedJson
from agency_site.notices.rules import Channel, NoticeKind


class NoticeChannel(Versioned, table=True):
    """The channel of one kind. A kind without a row goes out by both."""

    __tablename__ = "notice_channels"

    kind: NoticeKind = choice(NoticeKind, "kind", primary_key=True)
    channel: Channel = choice(Channel, "channel")
    author: str = Field(max_length=254)
    """The e-mail address of the owner who chose it."""
    updated_at: datetime


class HeldMail(SQLModel, table=True):
    """The mail of a notice that went out as a text message. It is sent if that does not arrive, else deleted."""

    __tablename__ = "held_mails"
    __table_args__ = (UniqueConstraint("key"), address_index("held_mails", "to"))

    id: int | None = Field(default=None, primary_key=True)
    key: str = Field(max_length=120)
    """The idempotency key of the notice, which its text message has too."""
    to: str
    about: str = Field(default="", index=True)
    """The reference of the record that it is about; empty without one."""
    message: dict[str, Any] = Field(sa_type=SealedJson)
    """The other fields of the mail, with the site's own links encrypted."""
    attachments: list[dict[str, str]] = Field(default_factory=list, sa_type=SealedFiles)
    useless_after: datetime | None = None
    """It is not sent after this moment; None if it is always useful."""
    created_at: datetime = Field(default_factory=lambda: now())
