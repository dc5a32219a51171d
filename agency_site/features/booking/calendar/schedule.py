"""The calendar of staff: days, slots and bookings of a span, in two statements; and counts for the dashboard."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.seats import read_occupancy
from agency_site.features.booking.bookings.staff_usecases import end_of_yesterday
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.schedule.rules import LONGEST_BOOKING, slot_start
from agency_site.features.booking.schedule.slots import (
    BlackoutSpan,
    Day,
    DayKind,
    Occupancy,
    SlotState,
    booking_policy,
    compute_day,
)
from agency_site.public_holidays import public_holidays

MAX_SCHEDULE_DAYS = 62
"""Days that one call returns: two months."""


@dataclass(frozen=True)
class ScheduleSlot:
    """One offered slot."""

    starts_at: datetime
    time: str
    """Such as `09:00`, in Nairobi."""
    capacity: int
    taken: int
    """Its confirmed bookings; more than the capacity after that was lowered."""
    state: SlotState
    """`begun`: before today. A slot that began today can still be booked for a client who walks in."""


@dataclass(frozen=True)
class ScheduleBooking:
    """One booking on the calendar, in any state."""

    reference: str
    fullname: str
    phone: str
    message: str
    starts_at: datetime
    state: BookingState
    seat: int
    version: int
    is_offered: bool
    """Whether its time is a slot of its day; false after the hours were changed."""


@dataclass(frozen=True)
class ScheduleDay:
    """One day with its slots and bookings."""

    date: date
    kind: DayKind
    holiday: str
    """The public holiday's name, also on a holiday that is open."""
    is_exception: bool
    """Whether it has hours of its own."""
    note: str
    """The reason for them."""
    slots: tuple[ScheduleSlot, ...]
    bookings: tuple[ScheduleBooking, ...]
    """By start, then seat."""


@dataclass(frozen=True)
class Schedule:
    """A span of days as staff see it."""

    days: tuple[ScheduleDay, ...]
    blackouts: tuple[BlackoutSpan, ...]
    """Those that touch the span, earliest first."""


@dataclass(frozen=True)
class DayCount:
    """Bookings of a day by state; 0 for states without one."""

    date: date
    states: Mapping[BookingState, int]

    @property
    def total(self) -> int:
        return sum(self.states.values())


@dataclass(frozen=True)
class BookingCounts:
    """Bookings of a span of days, every day included."""

    days: tuple[DayCount, ...]

    @property
    def states(self) -> Mapping[BookingState, int]:
        return {state: sum(day.states[state] for day in self.days) for state in BookingState}


async def read_schedule(session: AsyncSession, first_day: date, last_day: date) -> Schedule:
    """The schedule of these days, both included; at most `MAX_SCHEDULE_DAYS` of them. Two statements."""
    last_day = min(last_day, first_day + timedelta(days=MAX_SCHEDULE_DAYS - 1))
    begins, ends = _bounds(first_day, last_day)
    rows = await _select_bookings(session, begins, ends)
    hours = await read_occupancy(session, begins, ends, with_bookings=False)
    occupancy = replace(hours, taken=_taken_seats(rows))
    days = compute_staff_days(first_day, last_day, occupancy)
    offered = {slot.starts_at for day in days for slot in day.slots}
    bookings: dict[date, list[ScheduleBooking]] = {day.date: [] for day in days}
    for row in rows:
        # One that began before the span is not shown, but may hold its seat into it.
        if row.starts_at >= begins:
            bookings[in_nairobi(row.starts_at).date()].append(_schedule_booking(row, offered))
    blackouts = [span for span in occupancy.blackouts if isinstance(span, BlackoutSpan)]
    return Schedule(
        tuple(_schedule_day(day, occupancy, tuple(bookings[day.date])) for day in days),
        tuple(sorted(blackouts, key=lambda span: span.starts_at)),
    )


async def _select_bookings(session: AsyncSession, begins: datetime, ends: datetime) -> Sequence[Any]:
    query = (
        select(
            col(Booking.reference), col(Booking.fullname), col(Booking.phone), col(Booking.message),
            col(Booking.starts_at), col(Booking.state), col(Booking.seat), col(Booking.version), col(Booking.minutes),
        )
        .where(col(Booking.starts_at) > begins - LONGEST_BOOKING, col(Booking.starts_at) < ends)
        .order_by(col(Booking.starts_at), col(Booking.seat), col(Booking.id))
    )  # fmt: skip
    return (await (await session.connection()).execute(query)).all()


def _schedule_booking(row: Any, offered: Container[datetime]) -> ScheduleBooking:
    return ScheduleBooking(
        reference=row.reference,
        fullname=row.fullname,
        phone=row.phone,
        message=row.message,
        starts_at=row.starts_at,
        state=row.state,
        seat=row.seat,
        version=row.version,
        is_offered=row.starts_at in offered,
    )


def _taken_seats(rows: Iterable[Any]) -> Mapping[datetime, Mapping[int, int]]:
    taken: dict[datetime, dict[int, int]] = {}
    for row in rows:
        if row.state is BookingState.CONFIRMED:
            taken.setdefault(row.starts_at, {})[row.seat] = row.minutes
    return taken


async def count_bookings(session: AsyncSession, first_day: date, last_day: date) -> BookingCounts:
    """The bookings of each of these days by state, both days included. One statement."""
    begins, ends = _bounds(first_day, last_day)
    rows = (
        select(col(Booking.starts_at), col(Booking.state), func.count())
        .where(col(Booking.starts_at) >= begins, col(Booking.starts_at) < ends)
        .group_by(col(Booking.starts_at), col(Booking.state))
    )
    days = {day: dict.fromkeys(BookingState, 0) for day in _days(first_day, last_day)}
    for starts_at, state, number in await (await session.connection()).execute(rows):
        days[in_nairobi(starts_at).date()][state] += number
    return BookingCounts(tuple(DayCount(day, states) for day, states in days.items()))


def compute_staff_days(first_day: date, last_day: date, occupancy: Occupancy) -> tuple[Day, ...]:
    """The days as staff see them, whatever visitors may book."""
    policy, over_by = booking_policy(), end_of_yesterday()
    return tuple(compute_day(day, over_by, policy, occupancy) for day in _days(first_day, last_day))


def _schedule_day(day: Day, occupancy: Occupancy, bookings: tuple[ScheduleBooking, ...]) -> ScheduleDay:
    exception = occupancy.exceptions.get(day.date)
    slots = tuple(
        ScheduleSlot(
            slot.starts_at, slot.time, slot.capacity, len(occupancy.taken.get(slot.starts_at, ())), slot.state
        )
        for slot in day.slots
    )
    return ScheduleDay(
        date=day.date,
        kind=day.kind,
        holiday=public_holidays(day.date.year).get(day.date, ""),
        is_exception=exception is not None,
        note=exception.reason if exception else "",
        slots=slots,
        bookings=bookings,
    )


def _days(first_day: date, last_day: date) -> list[date]:
    return [first_day + timedelta(days=n) for n in range((last_day - first_day).days + 1)]


def _bounds(first_day: date, last_day: date) -> tuple[datetime, datetime]:
    return slot_start(first_day, time.min), slot_start(last_day + timedelta(days=1), time.min)
