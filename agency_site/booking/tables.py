"""Bookings, their history, and the times that staff keep free.

The partial unique index is what refuses a second confirmed booking of one seat: no code path, replica or
hand-written statement gets past it. Capacity above 1 is a number of seats, each as exclusive as the only one.
"""

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, text
from sqlmodel import Field, SQLModel

from agency_site.booking.rules import BookingChange, BookingState
from agency_site.db.columns import choice
from agency_site.db.leases import Leased

CONFIRMED_SEAT = "uq_bookings_confirmed_seat"
"""The index that refuses two confirmed bookings of one seat in one slot."""

_CONFIRMED = text("state = 'confirmed'")


class Booking(Leased, table=True):
    """One consultation booked by a visitor; `due_at` is when its reminder is due, none: no reminder."""

    __tablename__ = "bookings"
    __table_args__ = (
        Index(
            CONFIRMED_SEAT,
            "starts_at",
            "seat",
            unique=True,
            sqlite_where=_CONFIRMED,
            postgresql_where=_CONFIRMED,
        ),
        CheckConstraint("seat >= 0", name="seat_not_negative"),
        CheckConstraint("sequence >= 0", name="sequence_not_negative"),
    )

    id: int | None = Field(default=None, primary_key=True)
    reference: str = Field(max_length=16, unique=True)
    """What people read out, such as `BK-7F3K9Q`."""
    state: BookingState = choice(BookingState, "state", default=BookingState.CONFIRMED)
    fullname: str = Field(max_length=120)
    email: str = Field(max_length=254, index=True)
    phone: str = Field(max_length=16)
    """In E.164, such as `+254712345678`."""
    message: str = Field(default="", max_length=2000)
    starts_at: datetime
    """When the slot begins, in UTC."""
    seat: int = Field(default=0)
    """Which of the slot's seats it holds, from 0 to the capacity less 1."""
    token_seed: str = Field(max_length=64)
    """Random; the private token is made of it and the secret key, which is not in the database."""
    token_hash: str = Field(max_length=64, unique=True)
    """SHA-256 of the private link's token; the token itself is not kept."""
    sequence: int = Field(default=0)
    """Revision of the calendar invitation (RFC 5545 SEQUENCE): rises with a move or cancellation."""
    created_at: datetime
    updated_at: datetime


class BookingEvent(SQLModel, table=True):
    """One line of a booking's history: never changed, never deleted."""

    __tablename__ = "booking_events"

    id: int | None = Field(default=None, primary_key=True)
    booking_id: int = Field(foreign_key="bookings.id", index=True)
    at: datetime
    actor: str = Field(max_length=120)
    """`visitor`, `system`, or the staff member's e-mail address."""
    what: BookingChange = choice(BookingChange, "what")
    before: str = Field(default="", max_length=64)
    """State or start (ISO 8601, UTC) that it left; empty for the first entry."""
    after: str = Field(default="", max_length=64)
    """State or start (ISO 8601, UTC) that it reached."""
    note: str = Field(default="", max_length=500)


class Blackout(SQLModel, table=True):
    """A stretch of time in which staff take no bookings; existing bookings stay."""

    __tablename__ = "blackouts"
    __table_args__ = (CheckConstraint("ends_at > starts_at", name="ends_after_start"),)

    id: int | None = Field(default=None, primary_key=True)
    starts_at: datetime = Field(index=True)
    ends_at: datetime = Field(index=True)
    reason: str = Field(default="", max_length=200)
