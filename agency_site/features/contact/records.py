"""Enquiries as staff see them: frozen, apart from the rows they were read from."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from agency_site.features.contact.rules import EnquiryKind, EnquiryState
from agency_site.features.contact.tables import Enquiry


@dataclass(frozen=True)
class EnquiryRecord:
    """One enquiry when it was read."""

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

    @classmethod
    def of(cls, row: Enquiry) -> "EnquiryRecord":
        return cls(**{name: getattr(row, name) for name in cls.__dataclass_fields__})
