"""The calendar of staff: days, slots and bookings of a period; and counts for the dashboard."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi, today
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.seats import read_occupancy
from agency_site.features.booking.bookings.staff_usecases import end_of_yesterday
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.consultants.rules import Way
from agency_site.features.booking.consultants.tables import Consultant
from agency_site.features.booking.schedule.persons import NO_WISH, Person, Wish
from agency_site.features.booking.schedule.rules import LONGEST_BOOKING, slot_start
from agency_site.features.booking.schedule.slots import (
    BlackoutSpan,
    Day,
    DayKind,
    Occupancy,
    Policy,
    Slot,
    SlotState,
    booking_policy,
    compute_day,
)
from agency_site.public_holidays import public_holidays

MAX_SCHEDULE_DAYS = 62
"""The most days that one call returns: two months."""


@dataclass(frozen=True)
class ScheduleSlot:
    """One offered slot."""

    starts_at: datetime
    time: str
    """The start in Nairobi, such as `09:00`."""
    capacity: int
    bookings: int
    """The number of confirmed bookings. It exceeds a capacity that was lowered later."""
    state: SlotState
    """BEGUN only for slots before today, because staff may book a slot of today for a client who walks in."""
    seats_left: int = 0
    """The number of seats that a new booking may take."""
    busy: tuple[str, ...] = ()
    """The names of the staff calendars that are busy then."""


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
    """True if its time is a slot of its day; the hours may have changed after it was booked."""
    ends_at: datetime
    way: Way = Way.KAREN
    consultant: str = ""
    """The name of the person who takes it. Empty if there is none."""


@dataclass(frozen=True)
class ScheduleDay:
    """One day with its slots and bookings."""

    date: date
    kind: DayKind
    holiday: str
    """The name of the public holiday, even if the day is open."""
    is_exception: bool
    """True if the day has its own hours."""
    note: str
    """The reason of the schedule exception."""
    slots: tuple[ScheduleSlot, ...]
    bookings: tuple[ScheduleBooking, ...]
    """Sorted by start, then seat."""


@dataclass(frozen=True)
class Schedule:
    """A period of days with its bookings and blackouts."""

    days: tuple[ScheduleDay, ...]
    blackouts: tuple[BlackoutSpan, ...]
    """The blackouts that overlap the period, earliest first."""
    persons: tuple[Person, ...] = ()
    """The active consultants."""


@dataclass(frozen=True)
class DayCount:
    """The number of bookings of a day in each state."""

    date: date
    states: Mapping[BookingState, int]

    @property
    def total(self) -> int:
        return sum(self.states.values())


@dataclass(frozen=True)
class BookingCounts:
    """The numbers of bookings of a period, for every day."""

    days: tuple[DayCount, ...]

    @property
    def states(self) -> Mapping[BookingState, int]:
        return {state: sum(day.states[state] for day in self.days) for state in BookingState}


async def read_schedule(
    session: AsyncSession, first_day: date, last_day: date, wish: Wish = NO_WISH
) -> Schedule:
    """Return the schedule of these days, both included, at most `MAX_SCHEDULE_DAYS`. It takes two statements.

    Slots are free if a person of `wish` is. With an active person in `wish` only that person's slots and bookings are returned.
    """
    last_day = min(last_day, first_day + timedelta(days=MAX_SCHEDULE_DAYS - 1))
    begins, ends = _period_bounds(first_day, last_day)
    rows = await _select_bookings(session, begins, ends)
    hours = await read_occupancy(session, begins, ends, with_bookings=False)
    occupancy = replace(hours, minutes_by_seat=_minutes_by_seat(rows))
    policy = occupancy.apply_wish(booking_policy(), wish)
    chosen = next((person for person in occupancy.persons if person.reference == policy.wish.person), None)
    days = compute_staff_days(first_day, last_day, occupancy, policy)
    if chosen:
        rows = [row for row in rows if row.consultant_id == chosen.id]
        days = tuple(_keep_slots_of(chosen, day) for day in days)
    offered = {slot.starts_at for day in days for slot in day.slots}
    bookings: dict[date, list[ScheduleBooking]] = {day.date: [] for day in days}
    for row in rows:
        # A booking that began before the period is not shown, but its seat may be taken into the period.
        if row.starts_at >= begins:
            bookings[in_nairobi(row.starts_at).date()].append(_schedule_booking(row, offered))
    blackouts = [span for span in occupancy.blackouts if isinstance(span, BlackoutSpan)]
    return Schedule(
        tuple(_schedule_day(day, occupancy, tuple(bookings[day.date]), chosen) for day in days),
        tuple(sorted(blackouts, key=lambda span: span.starts_at)),
        occupancy.persons,
    )


async def find_opening_day(session: AsyncSession, wish: Wish = NO_WISH) -> date:
    """Return the day on which the calendar opens: today, or the next day that has slots or bookings if today has neither."""
    first = today()
    # Most days are open, and two months take many times longer.
    for begins, ends in (
        (first, first),
        (first + timedelta(days=1), first + timedelta(days=MAX_SCHEDULE_DAYS)),
    ):
        schedule = await read_schedule(session, begins, ends, wish)
        for day in schedule.days:
            if day.slots or _has_confirmed(day):
                return day.date
    return first


def _has_confirmed(day: ScheduleDay) -> bool:
    return any(booking.state is BookingState.CONFIRMED for booking in day.bookings)


async def _select_bookings(session: AsyncSession, begins: datetime, ends: datetime) -> Sequence[Any]:
    query = (
        select(
            col(Booking.reference), col(Booking.fullname), col(Booking.phone), col(Booking.message),
            col(Booking.starts_at), col(Booking.state), col(Booking.seat), col(Booking.version), col(Booking.minutes),
            col(Booking.way), col(Booking.consultant_id), col(Consultant.name).label("consultant"),
        )
        .outerjoin(Consultant, col(Consultant.id) == col(Booking.consultant_id))
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
        ends_at=row.starts_at + timedelta(minutes=row.minutes),
        way=row.way,
        consultant=row.consultant or "",
    )


def _minutes_by_seat(rows: Iterable[Any]) -> Mapping[datetime, Mapping[int, int]]:
    minutes_by_seat: dict[datetime, dict[int, int]] = {}
    for row in rows:
        if row.state is BookingState.CONFIRMED:
            minutes_by_seat.setdefault(row.starts_at, {})[row.seat] = row.minutes
    return minutes_by_seat


async def count_bookings(session: AsyncSession, first_day: date, last_day: date) -> BookingCounts:
    """Count the bookings of each of these days by state, both days included."""
    begins, ends = _period_bounds(first_day, last_day)
    query = (
        select(col(Booking.starts_at), col(Booking.state), func.count())
        .where(col(Booking.starts_at) >= begins, col(Booking.starts_at) < ends)
        .group_by(col(Booking.starts_at), col(Booking.state))
    )
    days = {day: dict.fromkeys(BookingState, 0) for day in _list_days(first_day, last_day)}
    for starts_at, state, number in await (await session.connection()).execute(query):
        days[in_nairobi(starts_at).date()][state] += number
    return BookingCounts(tuple(DayCount(day, states) for day, states in days.items()))


def compute_staff_days(
    first_day: date, last_day: date, occupancy: Occupancy, policy: Policy
) -> tuple[Day, ...]:
    """Return the days with all slots that staff can book, even those that visitors cannot."""
    begun_by = end_of_yesterday()
    return tuple(compute_day(day, begun_by, policy, occupancy) for day in _list_days(first_day, last_day))


def _keep_slots_of(person: Person, day: Day) -> Day:
    return replace(day, slots=tuple(slot for slot in day.slots if person in slot.persons))


def _schedule_day(
    day: Day, occupancy: Occupancy, bookings: tuple[ScheduleBooking, ...], chosen: Person | None
) -> ScheduleDay:
    exception = occupancy.exceptions.get(day.date)
    slots = tuple(_schedule_slot(slot, occupancy, chosen) for slot in day.slots)
    return ScheduleDay(
        date=day.date,
        kind=day.kind,
        holiday=public_holidays(day.date.year).get(day.date, ""),
        is_exception=exception is not None,
        note=exception.reason if exception else "",
        slots=slots,
        bookings=bookings,
    )


def _schedule_slot(slot: Slot, occupancy: Occupancy, chosen: Person | None) -> ScheduleSlot:
    seats = occupancy.minutes_by_seat.get(slot.starts_at, {})
    persons = (chosen,) if chosen else slot.persons
    return ScheduleSlot(
        slot.starts_at,
        slot.time,
        1 if chosen else slot.capacity,
        sum(seat == chosen.seat for seat in seats) if chosen else len(seats),
        slot.state,
        len(slot.free_seats),
        _busy_calendars(slot, occupancy, persons),
    )


def _busy_calendars(slot: Slot, occupancy: Occupancy, persons: Iterable[Person]) -> tuple[str, ...]:
    """Return the names of the calendars of these persons, and of those of all, that are busy in the slot."""
    span = occupancy.apply_overrides(booking_policy()).with_pauses(slot.starts_at)
    owners = {None, *(person.id for person in persons)}
    names = (busy.calendar for busy in occupancy.busy if busy.consultant_id in owners and busy.overlaps(span))
    return tuple(dict.fromkeys(names))


def _list_days(first_day: date, last_day: date) -> list[date]:
    return [first_day + timedelta(days=n) for n in range((last_day - first_day).days + 1)]


def _period_bounds(first_day: date, last_day: date) -> tuple[datetime, datetime]:
    return slot_start(first_day, time.min), slot_start(last_day + timedelta(days=1), time.min)
