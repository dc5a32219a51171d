"""Registrations as the rest of the site reads them."""

from dataclasses import dataclass
from datetime import datetime

from agency_site.db.read_models import ReadModel
from agency_site.features.webinars.rules import RegistrationState


@dataclass(frozen=True)
class RegistrationRecord(ReadModel):
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
