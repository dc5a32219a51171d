"""What staff and visitors see of an entry in a waiting list."""

from dataclasses import dataclass
from datetime import datetime

from agency_site.db.read_models import ReadModel
from agency_site.features.academy.reservations.rules import WaitingState


@dataclass(frozen=True)
class WaitingRecord(ReadModel):
    """An entry of a waiting list."""

    id: int
    reference: str
    run_id: int
    order_id: int | None
    state: WaitingState
    places: int
    fullname: str
    email: str
    confirmed_at: datetime | None
    """None until the address is confirmed: no place is offered before."""
    reserved_until: datetime | None
    version: int
    created_at: datetime
