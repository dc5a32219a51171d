"""Comments on articles, with their history."""

from datetime import datetime
from typing import ClassVar

from sqlalchemy import Index, Text
from sqlmodel import Field

from agency_site.db.columns import address_index, choice, searched_index
from agency_site.db.deduplication import Deduplicated
from agency_site.db.event_log import EventRow
from agency_site.db.record_versions import Versioned
from agency_site.features.comments.rules import CommentChange, CommentState


class Comment(Deduplicated, Versioned, table=True):
    """One comment of a visitor on an article."""

    __tablename__ = "comments"
    __table_args__ = (
        Index("ix_comments_article_state_created", "article", "state", "created_at", "id"),
        Index("ix_comments_state_created", "state", "created_at", "id"),
        searched_index("comments"),
        address_index("comments"),
    )

    id: int | None = Field(default=None, primary_key=True)
    reference: str = Field(max_length=16, unique=True)
    """The number that staff use, such as `CM-7F3K9Q`."""
    article: str = Field(max_length=80)
    """Slug of the article."""
    fullname: str = Field(max_length=120)
    email: str = Field(max_length=254)
    """Never published; empty once the author's data was erased."""
    search: str = Field(default="", sa_type=Text)
    """Reference, e-mail address, name and article, folded."""
    website: str = Field(default="", sa_type=Text)
    text: str = Field(sa_type=Text)
    state: CommentState = choice(CommentState, "state", default=CommentState.PENDING)
    token_seed: str = Field(max_length=64)
    """Random; the author's private token is made of it and the secret key, which is not in the database."""
    token_hash: str = Field(max_length=64, unique=True)
    """SHA-256 of the private link's token; the token itself is not stored."""
    decided_at: datetime | None = None
    decided_by: str = Field(default="", max_length=254)
    """The editor's e-mail address."""


class CommentEvent(EventRow, table=True):
    """One entry of a comment's history. It is never deleted; only erasure blanks its texts."""

    __tablename__ = "comment_events"
    record_column: ClassVar[str] = "comment_id"

    comment_id: int = Field(foreign_key="comments.id", index=True)
    what: CommentChange = choice(CommentChange, "what")
    before: str = Field(default="", max_length=24)
    after: str = Field(default="", max_length=24)
    note: str = Field(default="", sa_type=Text)
    """The editor's reason."""
