"""When bookings are taken: blackouts, schedule exceptions and policy overrides. Existing bookings always stay.

Each change that removes slots returns the bookings that no longer fit, so that staff can move them or call the clients: also
those that were being made at the same moment.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Generic, TypeVar

from sqlalchemy import delete
from sqlalchemy import select as sql_select
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi, now, today
from agency_site.db.inserts import insert_new
from agency_site.db.read_models import ReadModel
from agency_site.db.record_versions import update_record
from agency_site.errors import FieldError, InputRejected, NotFound, StaleRecord
from agency_site.features.booking.bookings.records import BookingRecord
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.seats import lock_schedule, read_occupancy
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.business_hours.staff_request import (
    BlackoutRequest,
    PolicyOverridesRequest,
    ScheduleExceptionRequest,
)
from agency_site.features.booking.calendar.schedule import compute_staff_days
from agency_site.features.booking.schedule.exceptions import deserialize_times, excess_seats, serialize_times
from agency_site.features.booking.schedule.rules import format_day, slot_start
from agency_site.features.booking.schedule.slots import Occupancy, SlotState, booking_policy
from agency_site.features.booking.schedule.tables import Blackout, BookingPolicyOverrides, ScheduleException

LOOKAHEAD = timedelta(days=400)
"""The future in which a change of all days looks for bookings that no longer fit: past the longest horizon."""

MAX_MISPLACED = 500
"""Misplaced bookings that one call returns."""

Record = TypeVar("Record")


@dataclass(frozen=True)
class BlackoutRecord(ReadModel):
    """A blocked period."""

    id: int
    starts_at: datetime
    ends_at: datetime
    reason: str
    """For staff only."""
    author: str


@dataclass(frozen=True)
class ScheduleExceptionRecord(ReadModel):
    """A date with hours of its own."""

    date: date
    closed: bool
    times: tuple[time, ...]
    """None on an open day: those of its weekday."""
    capacity: int | None
    reason: str
    """Visitors read it where the day is closed."""
    version: int
    author: str


@dataclass(frozen=True)
class PolicyOverridesRecord(ReadModel):
    """What staff have set instead of the settings; None leaves the setting."""

    capacity: int | None
    closed_on_holidays: bool | None
    version: int
    """0 while nothing is overridden."""
    author: str


@dataclass(frozen=True)
class ScheduleChange(Generic[Record]):
    """What was stored, and the confirmed bookings to come that no longer fit the days concerned."""

    record: Record
    affected: tuple[BookingRecord, ...]


async def list_blackouts(session: AsyncSession, since: datetime | None = None) -> tuple[BlackoutRecord, ...]:
    """Blackouts that end after `since` (default: now), earliest first."""
    query = select(Blackout).where(col(Blackout.ends_at) > (since or now()))
    rows = await session.exec(query.order_by(col(Blackout.starts_at), col(Blackout.id)))
    return tuple(BlackoutRecord.of(row) for row in rows)


async def add_blackout(
    session: AsyncSession, request: BlackoutRequest, actor: str
) -> ScheduleChange[BlackoutRecord]:
    """Block a period. Raises InputRejected."""
    if request.ends_at <= request.starts_at:
        raise _reject("ends_at", "The end must come after the beginning.")
    if request.ends_at <= now():
        raise _reject("ends_at", "That time has passed.")
    await lock_schedule(session)
    row = Blackout(**request.model_dump(), author=actor)
    session.add(row)
    await session.flush()
    # A consultation that begins before the blackout may reach into it.
    begins = request.starts_at - booking_policy().length
    return ScheduleChange(
        BlackoutRecord.of(row), await find_misplaced_bookings(session, begins, request.ends_at)
    )


async def remove_blackout(session: AsyncSession, identity: int) -> None:
    """Take bookings again. Raises NotFound when it was removed already."""
    removed = await session.exec(delete(Blackout).where(col(Blackout.id) == identity))
    if removed.rowcount != 1:
        raise NotFound("This blackout has already been removed.")


async def list_schedule_exceptions(
    session: AsyncSession, first: date | None = None
) -> tuple[ScheduleExceptionRecord, ...]:
    """Schedule exceptions from `first` (default: today) on, earliest first."""
    query = select(ScheduleException).where(col(ScheduleException.date) >= (first or today()))
    rows = await session.exec(query.order_by(col(ScheduleException.date)))
    return tuple(ScheduleExceptionRecord.of(row, times=deserialize_times(row.times)) for row in rows)


async def save_schedule_exception(
    session: AsyncSession, request: ScheduleExceptionRequest, version: int, actor: str
) -> ScheduleChange[ScheduleExceptionRecord]:
    """Give the day hours of its own, be that a Sunday or a public holiday. `version` 0: it has none yet.

    Raises InputRejected with the fields `day` or `times`, and StaleRecord with the current record when `version` is old.
    """
    day = request.day
    if day < today():
        raise _reject("day", f"{format_day(day)} {day.year} has passed.")
    if not request.closed and not request.times and booking_policy().hours.week[day.weekday()] is None:
        raise _reject("times", f"A {day:%A} has no usual times. Please enter the times of this day.")
    await lock_schedule(session)
    values = {
        "closed": request.closed,
        "times": serialize_times(request.times),
        "capacity": request.capacity,
        "reason": request.reason,
        "author": actor,
        "updated_at": now(),
    }
    if version == 0:
        is_saved = await insert_new(session, ScheduleException, [{"date": day, **values}]) != []
    else:
        identity = (
            await session.exec(select(ScheduleException.id).where(ScheduleException.date == day))
        ).first()
        is_saved = await update_record(session, ScheduleException, identity, version, **values)
    current = await _read_schedule_exception(session, day)
    if current is None or not is_saved:
        raise _stale_exception(day, current)
    return ScheduleChange(current, await find_misplaced_bookings(session, *_bounds_of_day(day)))


async def remove_schedule_exception(
    session: AsyncSession, day: date, version: int
) -> ScheduleChange[ScheduleExceptionRecord | None]:
    """Give the day the hours of its weekday again. Raises StaleRecord when `version` is old."""
    await lock_schedule(session)
    this_version = (col(ScheduleException.date) == day, col(ScheduleException.version) == version)
    removed = await session.exec(delete(ScheduleException).where(*this_version))
    if removed.rowcount != 1:
        raise _stale_exception(day, await _read_schedule_exception(session, day))
    return ScheduleChange(None, await find_misplaced_bookings(session, *_bounds_of_day(day)))


async def read_overrides(session: AsyncSession) -> PolicyOverridesRecord:
    """The policy overrides; without any, a record of version 0."""
    query = select(BookingPolicyOverrides).execution_options(populate_existing=True)
    row = (await session.exec(query)).one_or_none()
    if row is None:
        return PolicyOverridesRecord(None, None, 0, "")
    return PolicyOverridesRecord.of(row)


async def save_overrides(
    session: AsyncSession, request: PolicyOverridesRequest, version: int, actor: str
) -> ScheduleChange[PolicyOverridesRecord]:
    """Override the settings, or with None go back to them.

    Raises StaleRecord with the current overrides when `version` is old.
    """
    await lock_schedule(session)
    values = {**request.model_dump(), "author": actor, "updated_at": now()}
    if version == 0:
        is_saved = await insert_new(session, BookingPolicyOverrides, [{"id": 1, **values}]) != []
    else:
        is_saved = await update_record(session, BookingPolicyOverrides, 1, version, **values)
    current = await read_overrides(session)
    if not is_saved:
        raise StaleRecord("these settings", current)
    return ScheduleChange(current, await find_misplaced_bookings(session, now(), now() + LOOKAHEAD))


async def find_misplaced_bookings(
    session: AsyncSession, begins: datetime, ends: datetime
) -> tuple[BookingRecord, ...]:
    """Confirmed bookings to come in that span that no longer fit, earliest first, at most `MAX_MISPLACED`.

    Their time is not offered, or lies in a blackout, or their seat is beyond the slot's capacity.
    """
    begins = max(begins, now())
    if ends <= begins:
        return ()
    confirmed = sql_select(col(Booking.id), col(Booking.starts_at), col(Booking.seat)).where(
        col(Booking.state) == BookingState.CONFIRMED,
        col(Booking.starts_at) >= begins,
        col(Booking.starts_at) < ends,
    )
    seated: dict[datetime, dict[int, int | None]] = {}
    for identity, starts_at, seat in await (await session.connection()).execute(confirmed):
        seated.setdefault(starts_at, {})[seat] = identity
    # The last of them may reach into a blackout beyond the span.
    hours = await read_occupancy(session, begins, ends + booking_policy().length, with_bookings=False)
    misplaced = _misplaced_ids(seated, hours, begins, ends)
    query = select(Booking).where(col(Booking.id).in_(misplaced[:MAX_MISPLACED]))
    rows = await session.exec(query.order_by(col(Booking.starts_at), col(Booking.seat)))
    return tuple(BookingRecord.of(row) for row in rows)


def _misplaced_ids(
    seated: Mapping[datetime, Mapping[int, int | None]], hours: Occupancy, begins: datetime, ends: datetime
) -> list[int | None]:
    """Of the ids of bookings by start and seat, those that no longer fit, earliest first."""
    first, last = in_nairobi(begins).date(), in_nairobi(ends).date()
    offered = {slot.starts_at: slot for day in compute_staff_days(first, last, hours) for slot in day.slots}
    misplaced: list[int | None] = []
    for start, id_by_seat in sorted(seated.items()):
        slot = offered.get(start)
        capacity = slot.capacity if slot and slot.state is not SlotState.BLACKED_OUT else 0
        misplaced += [id_by_seat[seat] for seat in sorted(excess_seats(id_by_seat, capacity))]
    return misplaced


async def _read_schedule_exception(session: AsyncSession, day: date) -> ScheduleExceptionRecord | None:
    query = select(ScheduleException).where(ScheduleException.date == day)
    row = (await session.exec(query.execution_options(populate_existing=True))).one_or_none()
    return ScheduleExceptionRecord.of(row, times=deserialize_times(row.times)) if row else None


def _stale_exception(day: date, current: ScheduleExceptionRecord | None) -> StaleRecord:
    return StaleRecord(f"the special day {format_day(day)}", current)


def _reject(name: str, message: str) -> InputRejected:
    return InputRejected(message, (FieldError(name, message),))


def _bounds_of_day(day: date) -> tuple[datetime, datetime]:
    return slot_start(day, time.min), slot_start(day + timedelta(days=1), time.min)
