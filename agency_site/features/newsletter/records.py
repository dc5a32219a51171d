"""Read-only copies of subscribers, independent of their rows."""

from dataclasses import dataclass
from datetime import datetime

from agency_site.db.read_models import ReadModel
from agency_site.features.newsletter.rules import SubscriberState


@dataclass(frozen=True)
class SubscriberRecord(ReadModel):
    """A subscriber as it was when it was read."""

    reference: str
    email: str
    source: str
    state: SubscriberState
    interests: tuple[str, ...]
    consented_at: datetime | None
    confirmed_at: datetime | None
    unsubscribed_at: datetime | None
    bounced_at: datetime | None
    version: int
    created_at: datetime
