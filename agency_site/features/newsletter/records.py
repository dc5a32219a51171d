"""Subscribers as staff see them: frozen, apart from the rows they were read from."""

from dataclasses import dataclass
from datetime import datetime

from agency_site.features.newsletter.rules import SubscriberState
from agency_site.features.newsletter.tables import Subscriber


@dataclass(frozen=True)
class SubscriberRecord:
    """One subscriber when it was read."""

    reference: str
    email: str
    source: str
    state: SubscriberState
    interests: tuple[str, ...]
    consented_at: datetime | None
    confirmed_at: datetime | None
    unsubscribed_at: datetime | None
    version: int
    created_at: datetime

    @classmethod
    def of(cls, row: Subscriber) -> "SubscriberRecord":
        values = {name: getattr(row, name) for name in cls.__dataclass_fields__}
        return cls(**values | {"interests": tuple(row.interests)})
