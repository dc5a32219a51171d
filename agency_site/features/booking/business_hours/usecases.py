"""Use cases of staff for business hours: blackouts, schedule exceptions and policy overrides.

Existing bookings always stay. Each change that removes slots returns the bookings that no longer fit, even those that are
made at the same moment, so that staff can move them or call the clients.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Generic, TypeVar

from sqlalchemy import delete
from sqlalchemy import select as sql_select
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi, now, today
from agency_site.content.hours import hours
from agency_site.content.schema import Hours
from agency_site.db.inserts import insert_new
from agency_site.db.read_models import ReadModel
from agency_site.db.record_versions import update_record
from agency_site.errors import NotFound, StaleRecord, reject
from agency_site.features.booking.bookings.records import BookingRecord
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.seats import read_occupancy
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.business_hours.staff_request import (
    BlackoutRequest,
    PolicyOverridesRequest,
    ScheduleExceptionRequest,
)
from agency_site.features.booking.calendar.schedule import compute_staff_days
from agency_site.features.booking.schedule.exceptions import deserialize_times, serialize_times
from agency_site.features.booking.schedule.locks import lock_schedule
from agency_site.features.booking.schedule.rules import format_day, slot_start
from agency_site.features.booking.schedule.slots import Day, Policy, SlotState, booking_policy
from agency_site.features.booking.schedule.tables import Blackout, BookingPolicyOverrides, ScheduleException

LOOKAHEAD = timedelta(days=400)
"""The period in which a change of all days looks for bookings that no longer fit. It exceeds the longest horizon."""

MAX_MISPLACED = 500
"""The most misplaced bookings that one call returns."""

Record = TypeVar("Record")


@dataclass(frozen=True)
class BlackoutRecord(ReadModel):
    """A blocked period."""

    id: int
    starts_at: datetime
    ends_at: datetime
    reason: str
    """Only staff read it."""
    author: str


@dataclass(frozen=True)
class ScheduleExceptionRecord(ReadModel):
    """A date with its own hours."""

    date: date
    closed: bool
    times: tuple[time, ...]
    """Empty if an open day has the times of its weekday."""
    capacity: int | None
    reason: str
    """Visitors read it if the day is closed."""
    version: int
    author: str


@dataclass(frozen=True)
class PolicyOverridesRecord(ReadModel):
    """The values that override the settings. None leaves the setting."""

    capacity: int | None
    closed_on_holidays: bool | None
    version: int
    """Zero if nothing is overridden."""
    author: str
    notice_hours: int | None = None
    """Only visitors need it."""
    buffer_minutes: int | None = None
    daily_limit: int | None = None
    """Per person."""


@dataclass(frozen=True)
class ScheduleChange(Generic[Record]):
    """The stored record, and the confirmed upcoming bookings that no longer fit."""

    record: Record
    affected: tuple[BookingRecord, ...]


async def list_blackouts(session: AsyncSession, since: datetime | None = None) -> tuple[BlackoutRecord, ...]:
    """Return the blackouts that end after `since` (default: now), earliest first."""
    query = select(Blackout).where(col(Blackout.ends_at) > (since or now()))
    rows = await session.exec(query.order_by(col(Blackout.starts_at), col(Blackout.id)))
    return tuple(BlackoutRecord.of(row) for row in rows)


async def add_blackout(
    session: AsyncSession, request: BlackoutRequest, actor: str
) -> ScheduleChange[BlackoutRecord]:
    """Block a period. Raises InputRejected."""
    if request.ends_at <= request.starts_at:
        raise reject("ends_at", "The end must be after the start.")
    if request.ends_at <= now():
        raise reject("ends_at", "That time has passed.")
    await lock_schedule(session)
    row = Blackout(**request.model_dump(), author=actor)
    session.add(row)
    await session.flush()
    # A consultation that begins before the blackout may last into it.
    begins = request.starts_at - booking_policy().length
    return ScheduleChange(
        BlackoutRecord.of(row), await find_misplaced_bookings(session, begins, request.ends_at)
    )


async def remove_blackout(session: AsyncSession, identity: int) -> None:
    """Remove a blackout, so that its period can be booked again. Raises NotFound if it was removed already."""
    result = await session.exec(delete(Blackout).where(col(Blackout.id) == identity))
    if result.rowcount != 1:
        raise NotFound("This blackout has already been removed.")


async def list_schedule_exceptions(
    session: AsyncSession, first: date | None = None
) -> tuple[ScheduleExceptionRecord, ...]:
    """Return the schedule exceptions from `first` (default: today) on, earliest first."""
    query = select(ScheduleException).where(col(ScheduleException.date) >= (first or today()))
    rows = await session.exec(query.order_by(col(ScheduleException.date)))
    return tuple(ScheduleExceptionRecord.of(row, times=deserialize_times(row.times)) for row in rows)


async def save_schedule_exception(
    session: AsyncSession, request: ScheduleExceptionRequest, version: int, actor: str
) -> ScheduleChange[ScheduleExceptionRecord]:
    """Store the own hours of a day, which may be a Sunday or a public holiday. `version` is zero for a new exception.

    Raises InputRejected for the fields `day` and `times`, and StaleRecord with the current record if `version` is old.
    """
    day = request.day
    if day < today():
        raise reject("day", f"{format_day(day)} {day.year} has passed.")
    if not request.closed and not request.times and booking_policy().hours.week[day.weekday()] is None:
        raise reject("times", f"A {day:%A} has no usual times. Please enter the times of this day.")
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
    return ScheduleChange(current, await find_misplaced_bookings(session, *bounds_of_day(day)))


async def remove_schedule_exception(
    session: AsyncSession, day: date, version: int
) -> ScheduleChange[ScheduleExceptionRecord | None]:
    """Return the day to the hours of its weekday. Raises StaleRecord if `version` is old."""
    await lock_schedule(session)
    conditions = (col(ScheduleException.date) == day, col(ScheduleException.version) == version)
    result = await session.exec(delete(ScheduleException).where(*conditions))
    if result.rowcount != 1:
        raise _stale_exception(day, await _read_schedule_exception(session, day))
    return ScheduleChange(None, await find_misplaced_bookings(session, *bounds_of_day(day)))


async def read_overrides(session: AsyncSession) -> PolicyOverridesRecord:
    """Return the policy overrides, or a record of version zero if there are none."""
    query = select(BookingPolicyOverrides).execution_options(populate_existing=True)
    row = (await session.exec(query)).one_or_none()
    if row is None:
        return PolicyOverridesRecord(None, None, 0, "")
    return PolicyOverridesRecord.of(row)


async def save_overrides(
    session: AsyncSession, request: PolicyOverridesRequest, version: int, actor: str
) -> ScheduleChange[PolicyOverridesRecord]:
    """Override the settings, or return to them with None.

    Raises StaleRecord with the current overrides if `version` is old.
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
    return ScheduleChange(current, await list_misfits(session, hours()))


async def list_misfits(session: AsyncSession, week: Hours) -> tuple[BookingRecord, ...]:
    """Return the confirmed upcoming bookings that do not fit these weekly hours, earliest first, at most `MAX_MISPLACED`."""
    policy = replace(booking_policy(), hours=week)
    return await find_misplaced_bookings(session, now(), now() + LOOKAHEAD, policy)


async def find_misplaced_bookings(
    session: AsyncSession, begins: datetime, ends: datetime, policy: Policy | None = None
) -> tuple[BookingRecord, ...]:
    """Return the confirmed upcoming bookings of a period that no longer fit, earliest first, at most `MAX_MISPLACED`.

    Their time is not offered or is in a blackout, or their seat exceeds the slot's capacity. The `policy` in effect decides,
    unless another one is given.
    """
    policy = policy or booking_policy()
    begins = max(begins, now())
    if ends <= begins:
        return ()
    confirmed = sql_select(col(Booking.id), col(Booking.starts_at), col(Booking.seat)).where(
        col(Booking.state) == BookingState.CONFIRMED,
        col(Booking.starts_at) >= begins,
        col(Booking.starts_at) < ends,
    )
    ids_by_start: dict[datetime, dict[int, int | None]] = {}
    for identity, starts_at, seat in await (await session.connection()).execute(confirmed):
        ids_by_start.setdefault(starts_at, {})[seat] = identity
    # The last booking may last into a blackout after the period.
    occupancy = await read_occupancy(session, begins, ends + policy.length, with_bookings=False)
    first, last = in_nairobi(begins).date(), in_nairobi(ends).date()
    misplaced = _misplaced_ids(ids_by_start, compute_staff_days(first, last, occupancy, policy))
    query = select(Booking).where(col(Booking.id).in_(misplaced[:MAX_MISPLACED]))
    rows = await session.exec(query.order_by(col(Booking.starts_at), col(Booking.seat)))
    return tuple(BookingRecord.of(row) for row in rows)


def _misplaced_ids(
    ids_by_start: Mapping[datetime, Mapping[int, int | None]], days: Iterable[Day]
) -> list[int | None]:
    """Return the ids of the bookings that no longer fit, earliest first."""
    slots_by_start = {slot.starts_at: slot for day in days for slot in day.slots}
    misplaced: list[int | None] = []
    for start, id_by_seat in sorted(ids_by_start.items()):
        slot = slots_by_start.get(start)
        is_offered = slot is not None and slot.state is not SlotState.BLACKED_OUT
        seats = slot.misplaced_seats(id_by_seat) if slot and is_offered else id_by_seat
        misplaced += [id_by_seat[seat] for seat in sorted(seats)]
    return misplaced


async def _read_schedule_exception(session: AsyncSession, day: date) -> ScheduleExceptionRecord | None:
    query = select(ScheduleException).where(ScheduleException.date == day)
    row = (await session.exec(query.execution_options(populate_existing=True))).one_or_none()
    return ScheduleExceptionRecord.of(row, times=deserialize_times(row.times)) if row else None


def _stale_exception(day: date, current: ScheduleExceptionRecord | None) -> StaleRecord:
    return StaleRecord(f"the schedule exception on {format_day(day)}", current)


def bounds_of_day(day: date) -> tuple[datetime, datetime]:
    """Return the start of a day in Nairobi and that of the next."""
    return slot_start(day, time.min), slot_start(day + timedelta(days=1), time.min)
