"""Enquiries and their event log."""

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, Index, Text
from sqlmodel import Field

from agency_site.db.columns import address_index, choice, searched_index
from agency_site.db.deduplication import Deduplicated
from agency_site.db.event_log import EventRow
from agency_site.db.record_versions import Versioned
from agency_site.features.contact.rules import EnquiryChange, EnquiryKind, EnquiryState
from agency_site.visits.tables import WithOrigin, origin_indexes


class Enquiry(Deduplicated, Versioned, WithOrigin, table=True):
    """One message or plan sign-up."""

    __tablename__ = "enquiries"
    __table_args__ = (
        Index("ix_enquiries_kind_state_created", "kind", "state", "created_at", "id"),
        searched_index("enquiries", "kind"),
        Index("ix_enquiries_created", "created_at", "id"),
        Index("ix_enquiries_kind_reference", "kind", "reference", "id"),
        address_index("enquiries"),
        *origin_indexes("enquiries"),
    )

    id: int | None = Field(default=None, primary_key=True)
    reference: str = Field(max_length=16, unique=True)
    """The number that people read out, such as `EQ-7F3K9Q`."""
    kind: EnquiryKind = choice(EnquiryKind, "kind")
    state: EnquiryState = choice(EnquiryState, "state", default=EnquiryState.NEW)
    fullname: str = Field(default="", max_length=120)
    email: str = Field(max_length=254)
    """Empty once the person's data was erased."""
    phone: str = Field(default="", max_length=16, index=True)
    """In E.164; messages have none."""
    subject: str = Field(default="", max_length=160)
    search: str = Field(default="", sa_type=Text)
    """Reference, e-mail address, phone, name, subject, plan and domain, folded."""
    message: str = Field(default="", sa_type=Text)
    details: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    """The fields of a plan sign-up: `plan`, `domain_type`, `domain_name`."""
    thread: str = Field(default="", max_length=255)
    """Message-ID of the acknowledgement, to which replies refer. Empty if none was sent."""
    updated_at: datetime


class EnquiryEvent(EventRow, table=True):
    """One entry of an enquiry's history. It is never deleted; only erasure blanks its texts."""

    __tablename__ = "enquiry_events"
    record_column: ClassVar[str] = "enquiry_id"

    enquiry_id: int = Field(foreign_key="enquiries.id", index=True)
    what: EnquiryChange = choice(EnquiryChange, "what")
    before: str = Field(default="", max_length=24)
    after: str = Field(default="", max_length=24)
    note: str = Field(default="", sa_type=Text)
    """A reason, or a note for other staff."""
    reply: str = Field(default="", sa_type=Text)
    """The text of a reply by e-mail."""
    message_id: str = Field(default="", max_length=255)
    """Message-ID of that e-mail."""
