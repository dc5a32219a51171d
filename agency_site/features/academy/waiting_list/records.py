"""Waiting list entries as staff and visitors read them."""

from dataclasses import dataclass
from datetime import datetime

from agency_site.db.read_models import ReadModel
from agency_site.features.academy.reservations.rules import WaitingState


@dataclass(frozen=True)
class WaitingRecord(ReadModel):
    """A waiting list entry when it was read."""

    id: int
    reference: str
    run_id: int
    order_id: int | None
    state: WaitingState
    places: int
    fullname: str
    email: str
    phone: str
    """In E.164; empty if the person gets no text messages."""
    confirmed_at: datetime | None
    """None until the address is confirmed. No place is offered before."""
    reserved_until: datetime | None
    version: int
    created_at: datetime
