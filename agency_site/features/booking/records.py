"""A booking as staff see it, and how they name one."""

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from agency_site.errors import Conflict, NotFound
from agency_site.features.booking.rules import BookingState, EditedMeanwhile
from agency_site.features.booking.tables import Booking
from agency_site.form_input import search_text


@dataclass(frozen=True)
class BookingRecord:
    """One booking as it stood when it was read."""

    id: int
    reference: str
    state: BookingState
    fullname: str
    email: str
    """Empty: a caller without one."""
    phone: str
    message: str
    starts_at: datetime
    seat: int
    version: int
    created_at: datetime
    updated_at: datetime

    @property
    def is_erased(self) -> bool:
        """Whether the client's data was erased; every other booking has a name."""
        return not self.fullname


def require_person(booking: Booking) -> None:
    """Raise Conflict when the client's data was erased: nobody is left to hold a place for."""
    if not booking.fullname:
        raise Conflict(
            f"The client's data of booking {booking.reference} was erased, so it only stays in the books."
        )


def as_record(booking: Booking) -> BookingRecord:
    """The stored `booking`, frozen."""
    assert booking.id is not None
    return BookingRecord(
        id=booking.id,
        reference=booking.reference,
        state=booking.state,
        fullname=booking.fullname,
        email=booking.email,
        phone=booking.phone,
        message=booking.message,
        starts_at=booking.starts_at,
        seat=booking.seat,
        version=booking.version,
        created_at=booking.created_at,
        updated_at=booking.updated_at,
    )


SEARCH_LENGTH = 600
"""Characters: PostgreSQL takes 2,704 bytes into an index, and folding makes eighteen letters of some single ones."""


def search_of(booking: Booking) -> str:
    """What lists search `booking` in: to be stored whenever one of its parts changes."""
    searched = search_text(booking.reference, booking.fullname, booking.email, booking.phone)
    return searched[:SEARCH_LENGTH]


async def stored(session: AsyncSession, reference: str) -> Booking:
    """The booking of that reference. Raises NotFound."""
    return _known((await session.exec(_named(reference))).one_or_none(), reference)


async def locked(session: AsyncSession, reference: str, version: int | None = None) -> Booking:
    """The same as it stands now, held until the transaction ends.

    With a `version` also raises EditedMeanwhile when that is no longer the one that stands.
    """
    query = _named(reference).with_for_update().execution_options(populate_existing=True)
    booking = _known((await session.exec(query)).one_or_none(), reference)
    if version not in (None, booking.version):
        raise EditedMeanwhile(f"Booking {booking.reference}", as_record(booking))
    return booking


def _named(reference: str) -> SelectOfScalar[Booking]:
    # Anybody can send half a character, which no database takes.
    known = reference.encode(errors="replace").decode().strip().upper()
    return select(Booking).where(Booking.reference == known)


def _known(booking: Booking | None, reference: str) -> Booking:
    if booking is None:
        raise NotFound(f"There is no booking {reference.strip()[:20]}.")
    return booking
