"""Entries and their history."""

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, CheckConstraint, Index, Text, UniqueConstraint
from sqlmodel import Field

from agency_site.content.entries import Kind
from agency_site.db.columns import choice, searched_index
from agency_site.db.event_log import EventRow
from agency_site.db.record_versions import Versioned
from agency_site.features.editing.entries.rules import SLUG_LENGTH, EntryState


class ContentEntry(Versioned, table=True):
    """A record of content that staff have changed or added. Rows are never deleted, so the sum of versions only rises."""

    __tablename__ = "content_entries"
    __table_args__ = (
        UniqueConstraint("kind", "slug"),
        CheckConstraint("(state = 'scheduled') = (publish_at IS NOT NULL)", name="scheduled_at"),
        Index("ix_content_entries_kind_updated", "kind", "updated_at", "id"),
        searched_index("content_entries", "kind"),
    )

    id: int | None = Field(default=None, primary_key=True)
    kind: Kind = choice(Kind, "kind")
    slug: str = Field(max_length=SLUG_LENGTH)
    """Identifies the record among those of its kind, and the delivered record that the entry changes."""
    title: str = Field(max_length=200)
    """The name of the record in lists."""
    state: EntryState = choice(EntryState, "state", default=EntryState.DRAFT)
    document: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """The fields that editors work on."""
    published_document: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    """The fields that visitors see, unless the entry is hidden; None if it adds nothing to the delivered content."""
    is_hidden: bool = Field(default=False)
    """Visitors see neither the entry nor the delivered record."""
    addresses: dict[str, str] = Field(default_factory=dict, sa_type=JSON)
    """Every address that the page has had, with the moment of its last publication there. It belongs to the entry, not to its
    document: old versions come back without taking an address away."""
    preview_number: int = Field(default=0)
    """Part of the private link to the preview. It rises when the entry is hidden and when an editor asks for a new link."""
    problem: str = Field(default="", sa_type=Text)
    """Why the entry was not published at its moment; empty once an editor has changed it."""
    publish_at: datetime | None = Field(default=None, index=True)
    editor: str = Field(max_length=254)
    """E-mail address of the staff account that changed it last."""
    search: str = Field(default="", sa_type=Text)
    created_at: datetime
    updated_at: datetime
    published_at: datetime | None = None
    """The moment of the last publication."""


class ContentEvent(EventRow, table=True):
    """An event in the history of an entry, with the fields as they were then."""

    __tablename__ = "content_events"
    record_column: ClassVar[str] = "entry_id"

    entry_id: int = Field(foreign_key="content_entries.id", index=True)
    what: str = Field(max_length=24)
    note: str = Field(default="", max_length=500)
    document: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
