"""Places that are reserved, and people who wait for one."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, Text, text
from sqlmodel import Field, SQLModel

from agency_site.db.columns import address_index, choice
from agency_site.db.record_versions import Versioned
from agency_site.features.academy.reservations.rules import WaitingState

_OPEN_ENTRY = text("state IN ('waiting', 'offered') AND order_id IS NULL AND email <> ''")

_WAITING_ORDER = text("state = 'waiting' AND order_id IS NOT NULL")


class WaitingEntry(Versioned, table=True):
    """A person or a paid order that waits for places in a full run, or has waited."""

    __tablename__ = "waiting_list_entries"
    __table_args__ = (
        CheckConstraint("places >= 1", name="places_positive"),
        CheckConstraint("state <> 'offered' OR reserved_until IS NOT NULL", name="offered_for_a_time"),
        Index(
            "uq_waiting_list_entries_open_email",
            "run_id",
            "email",
            unique=True,
            sqlite_where=_OPEN_ENTRY,
            postgresql_where=_OPEN_ENTRY,
        ),
        Index(
            "uq_waiting_list_entries_waiting_order",
            "order_id",
            unique=True,
            sqlite_where=_WAITING_ORDER,
            postgresql_where=_WAITING_ORDER,
        ),
        Index("ix_waiting_list_entries_run_id_state", "run_id", "state"),
        address_index("waiting_list_entries"),
        Index("ix_waiting_list_entries_created_at_id", "created_at", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    reference: str = Field(max_length=12, unique=True)
    """The reference that people read, such as WL-7F3K9Q."""
    run_id: int = Field(foreign_key="course_runs.id")
    order_id: int | None = Field(default=None, foreign_key="orders.id")
    """The paid order that waits for its places; None if the person still has to buy."""
    state: WaitingState = choice(WaitingState, "waiting_state", default=WaitingState.WAITING)
    places: int = 1
    """Places that the person wants together."""
    fullname: str = Field(default="", max_length=161)
    email: str = Field(default="", max_length=254)
    """In lower case; empty once erased."""
    phone: str = Field(default="", max_length=16, index=True)
    """In E.164; empty if the person has given none."""
    confirmed_at: datetime | None = None
    """Time of the confirmation through the mailed link. No place is offered while it is None."""
    reserved_until: datetime | None = None
    """End of the time for which a place is, or was, kept for the person; None if it never was."""
    token_seed: str = Field(max_length=64)
    """Random; the private token derives from it and the secret key."""
    token_hash: str = Field(max_length=64, unique=True)
    search: str = Field(default="", sa_type=Text)
    created_at: datetime
    updated_at: datetime


class PlaceReservation(SQLModel, table=True):
    """Places of a run that are kept for an order until its payment is final, for a waiting list entry, or for both.

    It has both if a person of the waiting list has ordered. The unique columns keep an order from having places twice.
    """

    __tablename__ = "place_reservations"
    __table_args__ = (
        CheckConstraint("places >= 1", name="places_positive"),
        CheckConstraint("order_id IS NOT NULL OR entry_id IS NOT NULL", name="kept_for_order_or_entry"),
    )

    id: int | None = Field(default=None, primary_key=True)
    order_id: int | None = Field(default=None, foreign_key="orders.id", unique=True)
    entry_id: int | None = Field(default=None, foreign_key="waiting_list_entries.id", unique=True)
    run_id: int = Field(foreign_key="course_runs.id", index=True)
    places: int
    kept_until: datetime | None = Field(default=None, index=True)
    """The places are released then; None while a payment is open."""
