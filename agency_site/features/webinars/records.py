"""Registrations as the rest of the site reads them: frozen, independent of their rows."""

from dataclasses import dataclass
from datetime import datetime

from agency_site.features.webinars.rules import RegistrationState
from agency_site.features.webinars.tables import WebinarRegistration


@dataclass(frozen=True)
class RegistrationRecord:
    """One registration when it was read."""

    reference: str
    webinar: str
    fullname: str
    email: str
    phone: str
    state: RegistrationState
    version: int
    created_at: datetime
    updated_at: datetime
    cancelled_at: datetime | None
    cancelled_by: str

    @classmethod
    def of(cls, row: WebinarRegistration) -> "RegistrationRecord":
        return cls(**{name: getattr(row, name) for name in cls.__dataclass_fields__})
