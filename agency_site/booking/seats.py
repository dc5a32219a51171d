"""Which seats are taken, and taking one: the questions to the database in which a race is decided."""

from collections.abc import Awaitable, Callable
from datetime import date, datetime, time, timedelta

from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.booking.rules import BookingState, SlotTaken, slot_start
from agency_site.booking.slots import Occupancy, Span, free_seats, policy
from agency_site.booking.tables import CONFIRMED_SEAT, Blackout, Booking


async def occupancy_of(session: AsyncSession, first: date, last: date) -> Occupancy:
    """Seats taken and blackouts from the first to the last day in Nairobi."""
    midnight = time.min
    begins, ends = slot_start(first, midnight), slot_start(last + timedelta(days=1), midnight)
    rows = await session.exec(
        select(Booking.starts_at, Booking.seat).where(
            col(Booking.state) == BookingState.CONFIRMED,
            col(Booking.starts_at) >= begins,
            col(Booking.starts_at) < ends,
        )
    )
    taken: dict[datetime, set[int]] = {}
    for starts_at, seat in rows:
        taken.setdefault(starts_at, set()).add(seat)
    overlapping = (col(Blackout.starts_at) < ends, col(Blackout.ends_at) > begins)
    closed = await session.exec(select(Blackout).where(*overlapping))
    return Occupancy(taken, tuple(Span(row.starts_at, row.ends_at) for row in closed))


async def take_a_seat(
    session: AsyncSession, starts_at: datetime, store: Callable[[int], Awaitable[None]]
) -> None:
    """Call `store` with the lowest seat that the database lets us have. Raises SlotTaken if it lets none."""
    held = select(Booking.seat).where(
        col(Booking.state) == BookingState.CONFIRMED, col(Booking.starts_at) == starts_at
    )
    taken = set(await session.exec(held))
    for seat in free_seats(taken, policy().capacity):
        try:
            async with session.begin_nested():
                await store(seat)
        except IntegrityError as refused:
            if not _seat_refused(refused):
                raise
        else:
            return
    raise SlotTaken(starts_at)


def _seat_refused(error: IntegrityError) -> bool:
    """Whether somebody else got the seat first: PostgreSQL names the index, SQLite its columns."""
    complaint = str(error.orig)
    return CONFIRMED_SEAT in complaint or "bookings.starts_at, bookings.seat" in complaint
