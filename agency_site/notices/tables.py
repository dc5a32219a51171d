"""The channels that owners have chosen."""

from datetime import datetime

from sqlmodel import Field

from agency_site.db.columns import choice
from agency_site.db.record_versions import Versioned
from agency_site.notices.rules import Channel, NoticeKind


class NoticeChannel(Versioned, table=True):
    """The channel of one kind. A kind without a row goes out by both."""

    __tablename__ = "notice_channels"

    kind: NoticeKind = choice(NoticeKind, "kind", primary_key=True)
    channel: Channel = choice(Channel, "channel")
    author: str = Field(max_length=254)
    """The e-mail address of the owner who chose it."""
    updated_at: datetime
