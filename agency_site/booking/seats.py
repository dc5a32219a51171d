"""Which seats are taken, and taking one: the questions to the database in which a race is decided."""

import secrets
from collections.abc import Awaitable, Callable, Collection
from datetime import datetime

from sqlalchemy import Integer, bindparam, null, type_coerce, union_all, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.sqltypes import UTCDateTime

from agency_site.booking.rules import BookingState, SlotTaken, new_reference
from agency_site.booking.slots import Occupancy, Span, free_seats, policy
from agency_site.booking.tables import CONFIRMED_SEAT, Blackout, Booking
from agency_site.db.inserting import insert_new

# Built once: on the way to a booking, building the question took as long as asking it.
_BEGINS, _ENDS = bindparam("begins", type_=UTCDateTime()), bindparam("ends", type_=UTCDateTime())
_IN_THE_WAY = union_all(
    select(col(Booking.starts_at), type_coerce(null(), UTCDateTime()), col(Booking.seat)).where(
        col(Booking.state) == BookingState.CONFIRMED,
        col(Booking.starts_at) >= _BEGINS,
        col(Booking.starts_at) < _ENDS,
    ),
    select(col(Blackout.starts_at), col(Blackout.ends_at), type_coerce(null(), Integer())).where(
        col(Blackout.starts_at) < _ENDS, col(Blackout.ends_at) > _BEGINS
    ),
)


async def occupancy_of(session: AsyncSession, begins: datetime, ends: datetime) -> Occupancy:
    """Seats taken of the slots that begin from `begins` up to, and without, `ends`; blackouts that touch them."""
    connection = await session.connection()
    taken: dict[datetime, set[int]] = {}
    blackouts = []
    for starts_at, ends_at, seat in await connection.execute(_IN_THE_WAY, {"begins": begins, "ends": ends}):
        if ends_at:
            blackouts.append(Span(starts_at, ends_at))
        else:
            taken.setdefault(starts_at, set()).add(seat)
    return Occupancy(taken, tuple(blackouts))


async def take_a_seat(
    starts_at: datetime, taken: Collection[int], store: Callable[[int], Awaitable[bool]]
) -> None:
    """Call `store` with one seat after the other, without those known as `taken`, until the database lets us have it.

    `store` tells whether it did. Raises SlotTaken if no seat is left.
    """
    free = free_seats(taken, policy().capacity)
    # Visitors at the same instant begin at different seats; at the same one each would wait for all before it.
    first = secrets.randbelow(len(free)) if free else 0
    for seat in free[first:] + free[:first]:
        if await store(seat):
            return
    raise SlotTaken(starts_at)


async def store_new(session: AsyncSession, booking: Booking) -> bool:
    """Store `booking`, under another reference if somebody has its own; False when its seat is taken."""
    while True:
        if stored := await insert_new(session, Booking, [booking.model_dump(exclude={"id"})]):
            (booking.id,) = stored
            return True
        known = select(Booking.id).where(Booking.reference == booking.reference)
        if (await session.exec(known)).first() is None:
            return False
        booking.reference = new_reference()


async def move_to(session: AsyncSession, booking: Booking, starts_at: datetime, seat: int) -> bool:
    """Give the stored `booking` another start and seat; False when that seat is taken."""
    # Not through the object: a refused change would leave it expired.
    change = update(Booking).where(col(Booking.id) == booking.id).values(starts_at=starts_at, seat=seat)
    try:
        async with session.begin_nested():
            await session.exec(change)
    except IntegrityError as refused:
        if not _seat_refused(refused):
            raise
        return False
    return True


def _seat_refused(error: IntegrityError) -> bool:
    """Whether somebody else got the seat first: PostgreSQL names the index, SQLite its columns."""
    complaint = str(error.orig)
    return CONFIRMED_SEAT in complaint or "bookings.starts_at, bookings.seat" in complaint
