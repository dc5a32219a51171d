"""Seats: reading which are taken, and the statements that give a booking one and decide races."""

import secrets
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any

from psycopg.errors import DeadlockDetected
from sqlalchemy import (
    Boolean,
    Date,
    Integer,
    String,
    bindparam,
    cast,
    func,
    literal_column,
    null,
    union_all,
    update,
)
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.types import TypeEngine
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.sqltypes import UTCDateTime

from agency_site.clock import in_nairobi
from agency_site.content.hours import hours
from agency_site.db.inserts import insert_new
from agency_site.features.booking.bookings.records import search_of
from agency_site.features.booking.bookings.rules import REFERENCE, BookingState
from agency_site.features.booking.bookings.tables import CONFIRMED_SEAT, SEAT_OVERLAP, Booking
from agency_site.features.booking.schedule.exceptions import (
    NO_OVERRIDES,
    ExceptionHours,
    PolicyOverrides,
    deserialize_times,
)
from agency_site.features.booking.schedule.rules import LONGEST_BOOKING, SlotTaken
from agency_site.features.booking.schedule.slots import BlackoutSpan, Occupancy
from agency_site.features.booking.schedule.tables import Blackout, BookingPolicyOverrides, ScheduleException
from agency_site.ids import new_reference

# The kinds of rows that the statement returns.
_TAKEN_SEATS, _BLACKOUT, _EXCEPTION, _OVERRIDES = range(4)

_SEPARATOR = " "


def _select_part(kind: int, **values: Any) -> Any:
    """Build one part of the union. Other columns are null, of the same type in every part."""
    types: dict[str, TypeEngine[Any]] = {
        "begins": UTCDateTime(), "ends": UTCDateTime(), "number": Integer(), "day": Date(), "flag": Boolean(),
        "times": String(), "reason": String(), "seats": String(), "minutes": Integer(),
    }  # fmt: skip
    columns = [values.get(name, cast(null(), of_type)) for name, of_type in types.items()]
    return select(literal_column(str(kind), Integer()), *columns)


# Built once, because building the statement took as long as executing it.
_BEGINS, _ENDS = bindparam("begins", type_=UTCDateTime()), bindparam("ends", type_=UTCDateTime())

_NEAR = bindparam("near", type_=UTCDateTime())

_FIRST_DAY, _LAST_DAY = bindparam("first_day", type_=Date()), bindparam("last_day", type_=Date())

_BUSINESS_HOURS_PARTS = (
    _select_part(
        _BLACKOUT,
        begins=col(Blackout.starts_at),
        ends=col(Blackout.ends_at),
        number=col(Blackout.id),
        reason=col(Blackout.reason),
    ).where(col(Blackout.starts_at) < _ENDS, col(Blackout.ends_at) > _BEGINS),
    _select_part(
        _EXCEPTION,
        number=col(ScheduleException.capacity),
        day=col(ScheduleException.date),
        flag=col(ScheduleException.closed),
        times=col(ScheduleException.times),
        reason=col(ScheduleException.reason),
    ).where(col(ScheduleException.date) >= _FIRST_DAY, col(ScheduleException.date) <= _LAST_DAY),
    _select_part(
        _OVERRIDES,
        number=col(BookingPolicyOverrides.capacity),
        flag=col(BookingPolicyOverrides.closed_on_holidays),
    ),
)

# One row holds all seats of one start and length, because a full year has thousands of bookings.
_TAKEN_SEATS_PART = (
    _select_part(
        _TAKEN_SEATS,
        begins=col(Booking.starts_at),
        seats=func.aggregate_strings(cast(col(Booking.seat), String), _SEPARATOR),
        minutes=col(Booking.minutes),
    )
    .where(
        # A consultation that began before `begins` may still last into the period.
        col(Booking.state) == BookingState.CONFIRMED,
        col(Booking.starts_at) > _NEAR,
        col(Booking.starts_at) < _ENDS,
    )
    .group_by(col(Booking.starts_at), col(Booking.minutes))
)

_OCCUPANCY = union_all(_TAKEN_SEATS_PART, *_BUSINESS_HOURS_PARTS)

_BUSINESS_HOURS = union_all(*_BUSINESS_HOURS_PARTS)


async def read_occupancy(
    session: AsyncSession, begins: datetime, ends: datetime, *, with_bookings: bool = True
) -> Occupancy:
    """Return the stored facts that decide the slots from `begins` until before `ends`.

    They are the taken seats (unless `with_bookings` is False), blackouts, schedule exceptions and policy overrides.
    """
    # One statement, because each statement reads its own snapshot (READ COMMITTED). With four of them, a page could
    # combine the seats read before a change of the schedule with the hours read after it. The bookings themselves are
    # safe without this: they hold the schedule's lock (`share_schedule`), and the seat index decides races.
    parameters: dict[str, datetime | date] = {
        "begins": begins,
        "ends": ends,
        "near": begins - LONGEST_BOOKING,
        "first_day": in_nairobi(begins).date(),
        "last_day": in_nairobi(ends - timedelta.resolution).date(),
    }
    connection = await session.connection()
    statement = _OCCUPANCY if with_bookings else _BUSINESS_HOURS
    rows = await connection.execute(statement, parameters)
    return _build_occupancy(tuple(tuple(row) for row in rows))


# Cached by the rows: the same rows return the same object, which is the key of the cached calendars and pages.
@lru_cache(maxsize=16)
def _build_occupancy(rows: tuple[tuple[Any, ...], ...]) -> Occupancy:
    minutes_by_seat: dict[datetime, dict[int, int]] = {}
    blackouts, exceptions, overrides = [], {}, NO_OVERRIDES
    for kind, begins, ends, number, day, flag, times, reason, seats, minutes in rows:
        if kind == _TAKEN_SEATS:
            seat_minutes = dict.fromkeys(map(int, seats.split(_SEPARATOR)), minutes)
            minutes_by_seat.setdefault(begins, {}).update(seat_minutes)
        elif kind == _BLACKOUT:
            blackouts.append(BlackoutSpan(begins, ends, number, reason))
        elif kind == _EXCEPTION:
            exceptions[day] = ExceptionHours(flag, deserialize_times(times), number, reason)
        else:
            overrides = PolicyOverrides(number, flag)
    return Occupancy(minutes_by_seat, tuple(blackouts), exceptions, overrides)


def shuffle_seats(free: Sequence[int]) -> Sequence[int]:
    """Rotate the seats to begin at a random one, because visitors who try the same seat wait for each other."""
    first = secrets.randbelow(len(free)) if free else 0
    return (*free[first:], *free[:first])


async def insert_booking(session: AsyncSession, booking: Booking, free: Sequence[int]) -> None:
    """Store the new `booking` on the first of the `free` seats that is still free, and set its id.

    Raises SlotTaken if none is left.
    """
    for seat in free:
        booking.seat = seat
        if await _try_insert(session, booking):
            return
    raise SlotTaken(booking.starts_at)


async def _try_insert(session: AsyncSession, booking: Booking) -> bool:
    """Store `booking`, with a new reference if its own exists already. Return False if its seat is taken."""
    while True:
        try:
            ids = await insert_new(session, Booking, [booking.model_dump(exclude={"id"})])
        except IntegrityError as error:
            # Only a trigger of SQLite raises here; it rolls back no more than the statement.
            if not _is_seat_conflict(error):
                raise
            return False
        if ids:
            (booking.id,) = ids
            return True
        same_reference = select(Booking.id).where(Booking.reference == booking.reference)
        if (await session.exec(same_reference)).first() is None:
            return False
        booking.reference = new_reference(REFERENCE)
        booking.search = search_of(booking)


async def reseat_booking(
    session: AsyncSession, booking: Booking, starts_at: datetime, free: Sequence[int]
) -> None:
    """Confirm the stored `booking` at `starts_at`, on the first of the `free` seats that is still free.

    Raises SlotTaken if none is left.
    """
    for seat in free:
        # A statement, not a change of the object, which a rejected change would leave expired.
        change = (
            update(Booking)
            .where(col(Booking.id) == booking.id)
            .values(
                starts_at=starts_at,
                minutes=hours().slot_minutes,
                seat=seat,
                state=BookingState.CONFIRMED,
            )
        )
        try:
            async with session.begin_nested():
                await session.exec(change)
        except DBAPIError as error:
            if not _is_seat_conflict(error):
                raise
        else:
            await session.refresh(booking)
            return
    raise SlotTaken(starts_at)


def _is_seat_conflict(error: DBAPIError) -> bool:
    # Two bookings that move to overlapping starts each store their row before checking the other's: a deadlock.
    if isinstance(error.orig, DeadlockDetected):
        return True
    # PostgreSQL names the constraint, SQLite the columns of its index or the trigger's message.
    message = str(error.orig)
    return any(
        name in message for name in (CONFIRMED_SEAT, SEAT_OVERLAP, "bookings.starts_at, bookings.seat")
    )
