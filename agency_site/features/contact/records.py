"""Read-only copies of enquiries, independent of their rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from agency_site.db.read_models import ReadModel
from agency_site.features.contact.rules import EnquiryKind, EnquiryState
from agency_site.visits.rules import NO_ORIGIN, Origin


@dataclass(frozen=True)
class EnquiryRecord(ReadModel):
    """An enquiry as it was when it was read."""

    reference: str
    kind: EnquiryKind
    state: EnquiryState
    fullname: str
    email: str
    phone: str
    subject: str
    message: str
    details: Mapping[str, str]
    """`plan`, `domain_type` and `domain_name` of a plan sign-up."""
    version: int
    created_at: datetime
    updated_at: datetime
    origin: Origin = NO_ORIGIN
