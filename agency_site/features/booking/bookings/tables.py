"""Bookings, their events and their notes.

The partial unique index rejects a second confirmed booking of a seat, from any code path, replica or hand-written
statement. A capacity above 1 is a number of seats, each as exclusive as a single one. Different starts that overlap,
as after a change of the slots, are rejected by an exclusion constraint of PostgreSQL and by triggers of SQLite,
both in migration 0001: a migration that changes a constraint keeps the triggers by `alter_table`.
"""

from datetime import datetime, timedelta
from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, Text, text
from sqlmodel import Field, Relationship, SQLModel

from agency_site.content.hours import hours
from agency_site.db.columns import address_index, choice, searched_index
from agency_site.db.event_log import EventRow
from agency_site.db.leases import Leased
from agency_site.db.record_versions import Versioned
from agency_site.features.booking.bookings.rules import BookingChange, BookingState
from agency_site.features.booking.consultants.rules import Way
from agency_site.features.booking.consultants.tables import Consultant
from agency_site.visits.tables import WithOrigin, origin_indexes

CONFIRMED_SEAT = "uq_bookings_confirmed_seat"
"""The index that rejects two confirmed bookings of one seat in one slot."""

SEAT_OVERLAP = "ex_bookings_seat_overlap"
"""The constraint, or trigger, that rejects two overlapping confirmed bookings of one seat."""

_CONFIRMED = text("state = 'confirmed'")


class Booking(Leased, Versioned, WithOrigin, table=True):
    """One consultation. `due_at` is the moment of its reminder, None if it gets no reminder."""

    __tablename__ = "bookings"
    longest_pause = None
    __table_args__ = (
        Index(
            CONFIRMED_SEAT,
            "starts_at",
            "seat",
            unique=True,
            sqlite_where=_CONFIRMED,
            postgresql_where=_CONFIRMED,
        ),
        Index("ix_bookings_listed", "starts_at", "id"),
        Index("ix_bookings_state_listed", "state", "starts_at", "id"),
        searched_index("bookings"),
        Index("ix_bookings_state_created_listed", "state", "created_at", "id"),
        address_index("bookings"),
        *origin_indexes("bookings"),
        CheckConstraint("seat >= 0", name="seat_not_negative"),
        CheckConstraint("sequence >= 0", name="sequence_not_negative"),
        CheckConstraint("minutes BETWEEN 1 AND 1440", name="minutes_within_a_day"),
    )

    id: int | None = Field(default=None, primary_key=True)
    reference: str = Field(max_length=16, unique=True)
    """The number that clients and staff use, such as `BK-7F3K9Q`."""
    state: BookingState = choice(BookingState, "state", default=BookingState.CONFIRMED)
    fullname: str = Field(max_length=120)
    email: str = Field(max_length=254)
    """Empty if staff booked for a client without one, who gets no mail."""
    phone: str = Field(max_length=16, index=True)
    """In E.164, such as `+254712345678`."""
    message: str = Field(default="", max_length=2000)
    starts_at: datetime
    minutes: int = Field(default_factory=lambda: hours().slot_minutes)
    """The time for which it holds its seat: the length of a slot when it was booked or moved."""
    seat: int = Field(default=0)
    """The number of its seat, from 0 to the capacity less 1."""
    service: str = Field(default="", max_length=80)
    """The slug of the service that the client wants to discuss; empty for none."""
    way: Way = choice(Way, "way", default=Way.KAREN)
    consultant_id: int | None = Field(default=None, foreign_key="consultants.id", index=True)
    """The person who takes it; None while the agency has named no persons."""
    # Read with the booking, because mails and pages name the person; without one it costs no statement.
    consultant: Consultant | None = Relationship(sa_relationship_kwargs={"lazy": "selectin"})
    token_seed: str = Field(max_length=64)
    """Random. The private token is derived from it and the secret key, which is not in the database."""
    token_hash: str = Field(max_length=64, unique=True)
    """SHA-256 of the private link's token. The token itself is not stored."""
    sequence: int = Field(default=0)
    """Revision of the calendar invitation (RFC 5545 SEQUENCE). A move, a cancellation and a reinstatement raise it."""
    search: str = Field(default="", sa_type=Text)
    """The text that lists search (`records.search_of`)."""
    created_at: datetime
    updated_at: datetime

    @property
    def ends_at(self) -> datetime:
        return self.starts_at + timedelta(minutes=self.minutes)

    @property
    def person(self) -> str:
        """The name of the person who takes it; empty if none is named."""
        return self.consultant.name if self.consultant else ""

    @property
    def person_reference(self) -> str:
        return self.consultant.reference if self.consultant else ""


class BookingEvent(EventRow, table=True):
    """One event in a booking's log. It is never changed or deleted; only erasure blanks its note."""

    __tablename__ = "booking_events"
    record_column: ClassVar[str] = "booking_id"

    booking_id: int = Field(foreign_key="bookings.id", index=True)
    what: BookingChange = choice(BookingChange, "what")
    before: str = Field(default="", max_length=64)
    """The old state or start (ISO 8601, UTC); empty for the first event."""
    after: str = Field(default="", max_length=64)
    """The new state or start (ISO 8601, UTC)."""
    note: str = Field(default="", max_length=500)


class BookingNote(SQLModel, table=True):
    """A note of staff about a booking, for staff only."""

    __tablename__ = "booking_notes"

    id: int | None = Field(default=None, primary_key=True)
    booking_id: int = Field(foreign_key="bookings.id", index=True)
    at: datetime
    author: str = Field(max_length=254)
    """The staff member's e-mail address."""
    text: str = Field(max_length=2000)
