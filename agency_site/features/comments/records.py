"""Read-only copies of comments for staff, authors and readers, independent of their rows."""

from dataclasses import dataclass
from datetime import datetime

from agency_site.db.read_models import ReadModel
from agency_site.features.comments.rules import CommentState


@dataclass(frozen=True)
class ReceivedComment:
    """The result of storing a comment. `token` opens its author's private page."""

    reference: str
    token: str
    acknowledged: bool = True
    """False if the limit of mails to this address is reached, so no acknowledgement is sent."""


@dataclass(frozen=True)
class PublishedComment(ReadModel):
    """The public part of a comment, without the e-mail address."""

    reference: str
    fullname: str
    website: str
    text: str
    created_at: datetime


@dataclass(frozen=True)
class CommentRecord(ReadModel):
    """A comment as it was when it was read."""

    reference: str
    article: str
    fullname: str
    email: str
    website: str
    text: str
    state: CommentState
    version: int
    created_at: datetime
    decided_at: datetime | None
    decided_by: str
