"""Seats: reading which are taken, and the statements that give a booking one and decide races."""

import json
import secrets
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
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

from agency_site.clock import in_nairobi, now
from agency_site.content.hours import hours
from agency_site.content.published import require_published
from agency_site.db.inserts import insert_new
from agency_site.features.booking.bookings.records import search_of
from agency_site.features.booking.bookings.rules import REFERENCE, BookingState
from agency_site.features.booking.bookings.tables import CONFIRMED_SEAT, SEAT_OVERLAP, Booking
from agency_site.features.booking.busy_calendars.tables import BusyCalendar, BusyTime
from agency_site.features.booking.consultants.tables import Consultant
from agency_site.features.booking.schedule.exceptions import (
    NO_OVERRIDES,
    ExceptionHours,
    PolicyOverrides,
    deserialize_times,
)
from agency_site.features.booking.schedule.locks import lock_days, share_schedule
from agency_site.features.booking.schedule.persons import Person, read_week
from agency_site.features.booking.schedule.rules import LONGEST_BOOKING, LONGEST_BUFFER, SlotTaken, slot_start
from agency_site.features.booking.schedule.slots import BlackoutSpan, BusySpan, Occupancy, Policy, Slot
from agency_site.features.booking.schedule.tables import Blackout, BookingPolicyOverrides, ScheduleException
from agency_site.ids import new_reference

# The kinds of rows that the statement returns.
_TAKEN_SEATS, _BLACKOUT, _EXCEPTION, _OVERRIDES, _CONSULTANT, _BUSY_TIMES = range(6)

_SEPARATOR = " "

_FAIR_PERIOD = timedelta(weeks=4)
"""The past consultations that decide who takes the next one."""


def _select_part(kind: int, **values: Any) -> Any:
    """Build one part of the union. Other columns are null, of the same type in every part."""
    types: dict[str, TypeEngine[Any]] = {
        "begins": UTCDateTime(), "ends": UTCDateTime(), "number": Integer(), "day": Date(), "flag": Boolean(),
        "times": String(), "reason": String(), "seats": String(), "minutes": Integer(),
        "notice": Integer(), "limit": Integer(), "reference": String(),
    }  # fmt: skip
    columns = [values.get(name, cast(null(), of_type)) for name, of_type in types.items()]
    return select(literal_column(str(kind), Integer()), *columns)


# Built once, because building the statement took as long as executing it.
_BEGINS, _ENDS = bindparam("begins", type_=UTCDateTime()), bindparam("ends", type_=UTCDateTime())

_BUSY_BEGINS, _BUSY_ENDS = (
    bindparam("busy_begins", type_=UTCDateTime()),
    bindparam("busy_ends", type_=UTCDateTime()),
)

_NEAR, _FAR = bindparam("near", type_=UTCDateTime()), bindparam("far", type_=UTCDateTime())

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
        minutes=col(BookingPolicyOverrides.buffer_minutes),
        notice=col(BookingPolicyOverrides.notice_hours),
        limit=col(BookingPolicyOverrides.daily_limit),
    ),
    _select_part(
        _CONSULTANT,
        number=col(Consultant.id),
        flag=col(Consultant.is_active),
        times=cast(col(Consultant.hours), String),
        reason=col(Consultant.name),
        seats=col(Consultant.ways),
        minutes=col(Consultant.seat),
        reference=col(Consultant.reference),
    ),
    # One row holds all busy times of a calendar, because a person has hundreds of them, and most readings find no change.
    _select_part(
        _BUSY_TIMES,
        number=col(BusyCalendar.consultant_id),
        reason=col(BusyCalendar.name),
        times=func.aggregate_strings(
            cast(col(BusyTime.starts_at), String).concat("/").concat(cast(col(BusyTime.ends_at), String)), ","
        ),
    )
    .join(BusyCalendar, col(BusyCalendar.id) == col(BusyTime.calendar_id))
    .where(col(BusyTime.starts_at) < _BUSY_ENDS, col(BusyTime.ends_at) > _BUSY_BEGINS)
    .group_by(col(BusyCalendar.id), col(BusyCalendar.consultant_id), col(BusyCalendar.name)),
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
        # A consultation that began before `begins` may still last into the period, or into the pause before it.
        col(Booking.state) == BookingState.CONFIRMED,
        col(Booking.starts_at) > _NEAR,
        col(Booking.starts_at) < _FAR,
    )
    .group_by(col(Booking.starts_at), col(Booking.minutes))
)

_OCCUPANCY = union_all(_TAKEN_SEATS_PART, *_BUSINESS_HOURS_PARTS)

_BUSINESS_HOURS = union_all(*_BUSINESS_HOURS_PARTS)


async def read_occupancy(
    session: AsyncSession, begins: datetime, ends: datetime, *, with_bookings: bool = True
) -> Occupancy:
    """Return the stored facts that decide the slots from `begins` until before `ends`.

    They are the taken seats (unless `with_bookings` is False), blackouts, schedule exceptions, policy overrides, consultants
    and the times at which staff calendars are busy.
    """
    # One statement, because each statement reads its own snapshot (READ COMMITTED). With four of them, a page could
    # combine the seats read before a change of the schedule with the hours read after it. The bookings themselves are
    # safe without this: they hold the schedule's lock (`share_schedule`), and the seat index decides races.
    parameters: dict[str, datetime | date] = {
        "begins": begins,
        "ends": ends,
        # A private event closes the pause before and after it, too.
        "busy_begins": begins - LONGEST_BUFFER,
        "busy_ends": ends + LONGEST_BUFFER,
        "near": begins - LONGEST_BOOKING - LONGEST_BUFFER,
        "far": ends + LONGEST_BUFFER,
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
    persons, inactive_seats = [], set()
    busy: list[BusySpan] = []
    for kind, begins, ends, number, day, flag, times, reason, seats, minutes, *others in rows:
        if kind == _TAKEN_SEATS:
            seat_minutes = dict.fromkeys(map(int, seats.split(_SEPARATOR)), minutes)
            minutes_by_seat.setdefault(begins, {}).update(seat_minutes)
        elif kind == _BLACKOUT:
            blackouts.append(BlackoutSpan(begins, ends, number, reason))
        elif kind == _EXCEPTION:
            exceptions[day] = ExceptionHours(flag, deserialize_times(times), number, reason)
        elif kind == _OVERRIDES:
            notice, limit, _ = others
            overrides = PolicyOverrides(number, flag, notice, minutes, limit)
        elif kind == _BUSY_TIMES:
            busy += _parse_busy_times(times, number, reason)
        elif flag:
            reference, week = others[-1], read_week(json.loads(times))
            persons.append(Person(number, reference, reason, minutes, frozenset(seats.split()), week))
        else:
            inactive_seats.add(minutes)
    by_name = tuple(sorted(persons, key=lambda person: (person.name, person.id)))
    return Occupancy(
        minutes_by_seat, tuple(blackouts), exceptions, overrides, by_name, inactive_seats, tuple(busy)
    )


# Cached apart from the occupancy, which changes with every booking.
@lru_cache(maxsize=256)
def _parse_busy_times(times: str, consultant_id: int | None, calendar: str) -> tuple[BusySpan, ...]:
    periods = (period.split("/") for period in times.split(","))
    return tuple(
        BusySpan(_parse_utc(start), _parse_utc(end), consultant_id, calendar) for start, end in periods
    )


def _parse_utc(text: str) -> datetime:
    """Parse a moment as a database writes it: in UTC without offset, or with one."""
    moment = datetime.fromisoformat(text)
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


async def read_occupancy_to_book(
    session: AsyncSession, start: datetime, policy: Policy, moving: Booking | None = None
) -> Occupancy:
    """Return the facts that decide whether a consultation can begin at `start`, with the seat of `moving` counted as free.

    Until the transaction ends, no other booking changes them, except that it may take a seat of the same slot. Raises Unavailable
    while this process does not know the hours that staff have published.
    """
    require_published()
    await share_schedule(session)
    occupancy = await read_occupancy(session, start, start + policy.length)
    if occupancy.is_interdependent(policy):
        # The index of seats decides between bookings of one seat and time. It knows nothing of pauses, daily limits, or which
        # person has the fewest consultations, so bookings that depend on these take turns.
        pause = occupancy.apply_overrides(policy).buffer
        day = in_nairobi(start).date()
        near = (start - pause, start + policy.length + pause)
        await lock_days(session, {day, *(in_nairobi(moment).date() for moment in near)})
        begins = slot_start(day, time.min)
        occupancy = await read_occupancy(
            session, begins, max(begins + timedelta(days=1), start + policy.length)
        )
    return occupancy.without_seat(moving.starts_at, moving.seat) if moving else occupancy


async def rank_seats(session: AsyncSession, slot: Slot, present: int | None = None) -> Sequence[int]:
    """Return the free seats of the slot in the order in which a booking takes them.

    The person who takes the booking at `present` stays. Otherwise the person with the fewest consultations comes first; of
    equal ones, and of seats without a person, a random one.
    """
    seats = shuffle_seats(slot.free_seats)
    if not slot.persons or len(seats) < 2 or present in seats:
        return sorted(seats, key=lambda seat: seat != present)
    numbers = await _count_recent(session, [person.id for person in slot.persons])
    persons = {person.seat: person.id for person in slot.persons}
    return sorted(seats, key=lambda seat: numbers.get(persons[seat], 0))


async def _count_recent(session: AsyncSession, consultant_ids: Sequence[int]) -> dict[int | None, int]:
    """Count the consultations of each person from four weeks ago on, without the cancelled ones."""
    query = (
        select(col(Booking.consultant_id), func.count())
        .where(
            col(Booking.consultant_id).in_(consultant_ids),
            col(Booking.starts_at) >= now() - _FAIR_PERIOD,
            col(Booking.state) != BookingState.CANCELLED,
        )
        .group_by(col(Booking.consultant_id))
    )
    return dict((await session.exec(query)).all())


def shuffle_seats(free: Sequence[int]) -> Sequence[int]:
    """Rotate the seats to begin at a random one, because visitors who try the same seat wait for each other."""
    first = secrets.randbelow(len(free)) if free else 0
    return (*free[first:], *free[:first])


async def insert_booking(
    session: AsyncSession, booking: Booking, free: Sequence[int], persons: Sequence[Person] = ()
) -> None:
    """Store the new `booking` on the first of the `free` seats that is still free, and set its id and its person.

    Raises SlotTaken if none is left.
    """
    for seat in free:
        booking.seat, booking.consultant_id = seat, _find_consultant_id(persons, seat)
        if await _try_insert(session, booking):
            if booking.consultant_id is not None:
                booking.consultant = await session.get(Consultant, booking.consultant_id)
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


def _find_consultant_id(persons: Sequence[Person], seat: int) -> int | None:
    return next((person.id for person in persons if person.seat == seat), None)


async def reseat_booking(
    session: AsyncSession,
    booking: Booking,
    starts_at: datetime,
    free: Sequence[int],
    persons: Sequence[Person] = (),
) -> None:
    """Confirm the stored `booking` at `starts_at`, on the first of the `free` seats that is still free, with its person.

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
                consultant_id=_find_consultant_id(persons, seat),
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
