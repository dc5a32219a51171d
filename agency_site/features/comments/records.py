"""Comments as staff, authors and readers see them: frozen, independent of their rows."""

from dataclasses import dataclass
from datetime import datetime

from agency_site.db.read_models import ReadModel
from agency_site.features.comments.rules import CommentState


@dataclass(frozen=True)
class ReceivedComment:
    """A comment that was just stored. `token` opens its author's private page."""

    reference: str
    token: str
    acknowledged: bool = True
    """False: enough mail was sent to its author, so none follows."""


@dataclass(frozen=True)
class PublishedComment(ReadModel):
    """What everybody may read under an article: never the address."""

    reference: str
    fullname: str
    website: str
    text: str
    created_at: datetime


@dataclass(frozen=True)
class CommentRecord(ReadModel):
    """One comment when it was read."""

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
