"""Seats: which are taken, and the statements by which a booking gets one and a race is decided."""

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
from agency_site.content.hours import HOURS
from agency_site.db.deduplication import wait_for_turn
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

_SCHEDULE = "booking schedule"

# The kinds of rows that the one statement returns.
_TAKEN_SEATS, _BLACKOUT, _EXCEPTION, _OVERRIDES = range(4)

_SEPARATOR = " "


def _select_part(kind: int, **given: Any) -> Any:
    """One part of the union; columns that it does not give are null, of the same type in every part."""
    types: dict[str, TypeEngine[Any]] = {
        "begins": UTCDateTime(), "ends": UTCDateTime(), "number": Integer(), "day": Date(), "flag": Boolean(),
        "times": String(), "reason": String(), "seats": String(), "minutes": Integer(),
    }  # fmt: skip
    columns = [given.get(name, cast(null(), of_type)) for name, of_type in types.items()]
    return select(literal_column(str(kind), Integer()), *columns)


# Built once: building the statement for each booking took as long as executing it.
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

# One row for all seats of one start and length: a year of a full calendar has some thousand bookings.
_TAKEN_SEATS_PART = (
    _select_part(
        _TAKEN_SEATS,
        begins=col(Booking.starts_at),
        seats=func.aggregate_strings(cast(col(Booking.seat), String), _SEPARATOR),
        minutes=col(Booking.minutes),
    )
    .where(
        # A consultation that began before `begins` may reach into the span.
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
    """What decides the slots that begin from `begins` up to, and without, `ends`: one statement.

    Seats taken (unless the caller reads the bookings anyway), blackouts, schedule exceptions and policy overrides.
    """
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


@lru_cache(maxsize=16)
def _build_occupancy(rows: tuple[tuple[Any, ...], ...]) -> Occupancy:
    taken: dict[datetime, dict[int, int]] = {}
    blackouts, exceptions, overrides = [], {}, NO_OVERRIDES
    for kind, begins, ends, number, day, flag, times, reason, seats, minutes in rows:
        if kind == _TAKEN_SEATS:
            lasting = dict.fromkeys(map(int, seats.split(_SEPARATOR)), minutes)
            taken.setdefault(begins, {}).update(lasting)
        elif kind == _BLACKOUT:
            blackouts.append(BlackoutSpan(begins, ends, number, reason))
        elif kind == _EXCEPTION:
            exceptions[day] = ExceptionHours(flag, deserialize_times(times), number, reason)
        else:
            overrides = PolicyOverrides(number, flag)
    return Occupancy(taken, tuple(blackouts), exceptions, overrides)


def shuffle_seats(free: Sequence[int]) -> Sequence[int]:
    """The same seats, beginning at a random one: concurrent visitors who tried the same seat would wait for each other."""
    first = secrets.randbelow(len(free)) if free else 0
    return (*free[first:], *free[:first])


async def insert_booking(session: AsyncSession, booking: Booking, free: Sequence[int]) -> None:
    """Store the new `booking` on the first of the `free` seats that the database still has, and set its id.

    Raises SlotTaken when none is left.
    """
    for seat in free:
        booking.seat = seat
        if await _try_insert(session, booking):
            return
    raise SlotTaken(booking.starts_at)


async def _try_insert(session: AsyncSession, booking: Booking) -> bool:
    """Store `booking`, under a new reference if its own exists already; False when its seat is taken."""
    while True:
        try:
            stored = await insert_new(session, Booking, [booking.model_dump(exclude={"id"})])
        except IntegrityError as error:
            # A trigger of SQLite, which takes back no more than the statement.
            if not _is_seat_conflict(error):
                raise
            return False
        if stored:
            (booking.id,) = stored
            return True
        same_reference = select(Booking.id).where(Booking.reference == booking.reference)
        if (await session.exec(same_reference)).first() is None:
            return False
        booking.reference = new_reference(REFERENCE)
        booking.search = search_of(booking)


async def reseat_booking(
    session: AsyncSession, booking: Booking, starts_at: datetime, free: Sequence[int]
) -> None:
    """Confirm the stored `booking` at `starts_at`, on the first of the `free` seats that the database still has.

    Raises SlotTaken when none is left.
    """
    for seat in free:
        # Not through the object: a rejected change would leave it expired.
        change = (
            update(Booking)
            .where(col(Booking.id) == booking.id)
            .values(
                starts_at=starts_at,
                minutes=HOURS.slot_minutes,
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
    # Two bookings that move to starts that overlap have both stored their rows before they look at each other's.
    if isinstance(error.orig, DeadlockDetected):
        return True
    # PostgreSQL names the constraint, SQLite the columns of its index or what its trigger says.
    message = str(error.orig)
    return any(
        name in message for name in (CONFIRMED_SEAT, SEAT_OVERLAP, "bookings.starts_at, bookings.seat")
    )


async def share_schedule(session: AsyncSession) -> None:
    """From here to the end of the transaction nobody changes blackouts, schedule exceptions or the booking policy.

    Call it before reading them for a booking: a booking and a change of the schedule then never miss each other.
    """
    await wait_for_turn(session, _SCHEDULE, shared=True)


async def lock_schedule(session: AsyncSession) -> None:
    """Wait for the bookings that are being made, so that a change of the schedule finds them; later ones find the change."""
    await wait_for_turn(session, _SCHEDULE)
