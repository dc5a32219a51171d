"""Which seats are taken, and taking one: the questions to the database in which a race is decided."""

import secrets
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import (
    Boolean,
    Date,
    Integer,
    String,
    bindparam,
    cast,
    literal_column,
    null,
    union_all,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.types import TypeEngine
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.sqltypes import UTCDateTime

from agency_site.clock import in_nairobi
from agency_site.db.inserts import insert_new
from agency_site.features.booking.records import search_of
from agency_site.features.booking.rules import REFERENCE, BookingState, SlotTaken
from agency_site.features.booking.schedule import NOTHING_CHOSEN, Choices, SpecialHours, read
from agency_site.features.booking.slots import Blocked, Occupancy, policy
from agency_site.features.booking.tables import CONFIRMED_SEAT, Blackout, Booking, BookingChoices, SpecialDay
from agency_site.ids import new_reference

# What the rows of the one look are.
_BOOKED, _BLOCKED, _SPECIAL, _CHOSEN = range(4)


def _branch(kind: int, **given: Any) -> Any:
    """One part of the look; what it does not give is null, of the same type in every part."""
    types: dict[str, TypeEngine[Any]] = {
        "begins": UTCDateTime(), "ends": UTCDateTime(), "number": Integer(), "day": Date(), "flag": Boolean(),
        "times": String(), "reason": String(),
    }  # fmt: skip
    columns = [given.get(name, cast(null(), kept)) for name, kept in types.items()]
    return select(literal_column(str(kind), Integer()), *columns)


# Built once: on the way to a booking, building the question took as long as asking it.
_BEGINS, _ENDS = bindparam("begins", type_=UTCDateTime()), bindparam("ends", type_=UTCDateTime())
_NEAR = bindparam("near", type_=UTCDateTime())
_FIRST_DAY, _LAST_DAY = bindparam("first_day", type_=Date()), bindparam("last_day", type_=Date())
_ARRANGED = (
    _branch(
        _BLOCKED,
        begins=col(Blackout.starts_at),
        ends=col(Blackout.ends_at),
        number=col(Blackout.id),
        reason=col(Blackout.reason),
    ).where(col(Blackout.starts_at) < _ENDS, col(Blackout.ends_at) > _BEGINS),
    _branch(
        _SPECIAL,
        number=col(SpecialDay.capacity),
        day=col(SpecialDay.date),
        flag=col(SpecialDay.closed),
        times=col(SpecialDay.times),
        reason=col(SpecialDay.reason),
    ).where(col(SpecialDay.date) >= _FIRST_DAY, col(SpecialDay.date) <= _LAST_DAY),
    _branch(_CHOSEN, number=col(BookingChoices.capacity), flag=col(BookingChoices.closed_on_holidays)),
)
_TAKEN = _branch(_BOOKED, begins=col(Booking.starts_at), number=col(Booking.seat)).where(
    # Not only those that begin in time: one that began before may still be held.
    col(Booking.state) == BookingState.CONFIRMED,
    col(Booking.starts_at) > _NEAR,
    col(Booking.starts_at) < _ENDS,
)
_ALL, _WITHOUT_BOOKINGS = union_all(_TAKEN, *_ARRANGED), union_all(*_ARRANGED)


async def occupancy_of(session: AsyncSession, begins: datetime, ends: datetime) -> Occupancy:
    """All that decides the slots that begin from `begins` up to, and without, `ends`: one statement.

    Seats taken, blackouts that touch them, special days, and what the owners chose over the settings.
    """
    connection = await session.connection()
    return _gathered(await connection.execute(_ALL, _asked(begins, ends)))


async def arrangements_of(session: AsyncSession, begins: datetime, ends: datetime) -> Occupancy:
    """The same without the bookings, for whoever reads those anyway."""
    connection = await session.connection()
    return _gathered(await connection.execute(_WITHOUT_BOOKINGS, _asked(begins, ends)))


def _asked(begins: datetime, ends: datetime) -> dict[str, datetime | date]:
    return {
        "begins": begins,
        "ends": ends,
        "near": begins - policy().length,
        "first_day": in_nairobi(begins).date(),
        "last_day": in_nairobi(ends - timedelta.resolution).date(),
    }


def _gathered(rows: Iterable[Any]) -> Occupancy:
    taken: dict[datetime, set[int]] = {}
    blackouts, special, choices = [], {}, NOTHING_CHOSEN
    for kind, begins, ends, number, day, flag, times, reason in rows:
        if kind == _BOOKED:
            taken.setdefault(begins, set()).add(number)
        elif kind == _BLOCKED:
            blackouts.append(Blocked(begins, ends, number, reason))
        elif kind == _SPECIAL:
            special[day] = SpecialHours(flag, read(times), number, reason)
        else:
            choices = Choices(number, flag)
    return Occupancy(taken, tuple(blackouts), special, choices)


def spread(free: Sequence[int]) -> Sequence[int]:
    """The same seats from any one on: visitors at the same instant begin at different ones.

    At the same one each would wait for all before it.
    """
    first = secrets.randbelow(len(free)) if free else 0
    return (*free[first:], *free[:first])


async def take_a_seat(
    starts_at: datetime, free: Sequence[int], store: Callable[[int], Awaitable[bool]]
) -> None:
    """Call `store` with one after the other of the seats that looked `free`, until the database lets us have it.

    `store` tells whether it did. Raises SlotTaken if no seat is left.
    """
    for seat in free:
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
        booking.reference = new_reference(REFERENCE)
        booking.search = search_of(booking)


async def move_to(session: AsyncSession, booking: Booking, starts_at: datetime, seat: int) -> bool:
    """Let the stored `booking` stand confirmed at that start and seat; False when that seat is taken."""
    # Not through the object: a refused change would leave it expired.
    change = (
        update(Booking)
        .where(col(Booking.id) == booking.id)
        .values(starts_at=starts_at, seat=seat, state=BookingState.CONFIRMED)
    )
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
