"""The calendar of staff: days, slots and bookings of a span, in two statements; and counts for the dashboard."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi
from agency_site.features.booking.rules import BookingState, slot_start
from agency_site.features.booking.seats import arrangements_of
from agency_site.features.booking.slots import (
    Blocked,
    Day,
    DayKind,
    Occupancy,
    SlotState,
    holidays_of,
    planned_day,
    policy,
)
from agency_site.features.booking.staff_usecases import before_today
from agency_site.features.booking.tables import Booking

MOST_BOARD_DAYS = 62
"""Days that one look shows: two months."""


@dataclass(frozen=True)
class BoardSlot:
    """One offered slot."""

    starts_at: datetime
    time: str
    """Such as `09:00`, in Nairobi."""
    capacity: int
    taken: int
    """Its confirmed bookings; more than the capacity after that was lowered."""
    state: SlotState
    """`begun`: before today. What began today can still be given to somebody who walks in."""


@dataclass(frozen=True)
class BoardBooking:
    """One booking on the calendar, in whatever state."""

    reference: str
    fullname: str
    starts_at: datetime
    state: BookingState
    seat: int
    version: int
    offered: bool
    """Whether its time is a slot of its day; one that stayed after hours were changed is not."""


@dataclass(frozen=True)
class BoardDay:
    """One day with all that happens on it."""

    date: date
    kind: DayKind
    holiday: str
    """The public holiday's name, on a day that is open all the same too."""
    special: bool
    """Whether staff let it differ from its weekday."""
    note: str
    """Their reason."""
    slots: tuple[BoardSlot, ...]
    bookings: tuple[BoardBooking, ...]
    """By start, then seat."""


@dataclass(frozen=True)
class BoardView:
    """A span of days as staff see it."""

    days: tuple[BoardDay, ...]
    blackouts: tuple[Blocked, ...]
    """Those that touch the span, by their beginning."""


@dataclass(frozen=True)
class DayCount:
    """How many bookings a day has in each state; states without one are 0."""

    date: date
    states: Mapping[BookingState, int]

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.states.values())


@dataclass(frozen=True)
class Counts:
    """Bookings of a span of days, every day included."""

    days: tuple[DayCount, ...]

    @property
    def states(self) -> Mapping[BookingState, int]:
        """How many in each state over all days."""
        return {state: sum(day.states[state] for day in self.days) for state in BookingState}


async def board(session: AsyncSession, first_day: date, last_day: date) -> BoardView:
    """All that a calendar of these days needs, both included; at most `MOST_BOARD_DAYS` of them. Two statements."""
    last_day = min(last_day, first_day + timedelta(days=MOST_BOARD_DAYS - 1))
    begins, ends = _span(first_day, last_day)
    rows = await _rows(session, begins, ends)
    occupancy = replace(await arrangements_of(session, begins, ends), taken=_seated(rows))
    days = slot_days(first_day, last_day, occupancy)
    offered = {slot.starts_at for day in days for slot in day.slots}
    shown: dict[date, list[BoardBooking]] = {day.date: [] for day in days}
    for row in rows:
        # One that began before the span is not shown, but may hold its seat into it.
        if row.starts_at >= begins:
            shown[in_nairobi(row.starts_at).date()].append(_board_booking(row, offered))
    return BoardView(
        tuple(_board_day(day, occupancy, tuple(shown[day.date])) for day in days),
        tuple(sorted((one for one in occupancy.blackouts if isinstance(one, Blocked)), key=_beginning)),
    )


async def _rows(session: AsyncSession, begins: datetime, ends: datetime) -> Sequence[Any]:
    found = (
        select(
            col(Booking.reference), col(Booking.fullname), col(Booking.starts_at), col(Booking.state),
            col(Booking.seat), col(Booking.version),
        )
        .where(col(Booking.starts_at) > begins - policy().length, col(Booking.starts_at) < ends)
        .order_by(col(Booking.starts_at), col(Booking.seat), col(Booking.id))
    )  # fmt: skip
    return (await (await session.connection()).execute(found)).all()


def _board_booking(row: Any, offered: Container[datetime]) -> BoardBooking:
    return BoardBooking(
        reference=row.reference,
        fullname=row.fullname,
        starts_at=row.starts_at,
        state=row.state,
        seat=row.seat,
        version=row.version,
        offered=row.starts_at in offered,
    )


def _seated(rows: Iterable[Any]) -> Mapping[datetime, set[int]]:
    taken: dict[datetime, set[int]] = {}
    for row in rows:
        if row.state is BookingState.CONFIRMED:
            taken.setdefault(row.starts_at, set()).add(row.seat)
    return taken


async def counts(session: AsyncSession, first_day: date, last_day: date) -> Counts:
    """How many bookings each of these days has in each state, both days included. One statement."""
    begins, ends = _span(first_day, last_day)
    rows = (
        select(col(Booking.starts_at), col(Booking.state), func.count())
        .where(col(Booking.starts_at) >= begins, col(Booking.starts_at) < ends)
        .group_by(col(Booking.starts_at), col(Booking.state))
    )
    days = {day: dict.fromkeys(BookingState, 0) for day in _days(first_day, last_day)}
    for starts_at, state, number in await (await session.connection()).execute(rows):
        days[in_nairobi(starts_at).date()][state] += number
    return Counts(tuple(DayCount(day, states) for day, states in days.items()))


def slot_days(first_day: date, last_day: date, occupancy: Occupancy) -> tuple[Day, ...]:
    """The days as staff see them, whatever visitors may book."""
    rules, over = policy(), before_today()
    return tuple(planned_day(day, over, rules, occupancy) for day in _days(first_day, last_day))


def _board_day(day: Day, occupancy: Occupancy, bookings: tuple[BoardBooking, ...]) -> BoardDay:
    special = occupancy.special.get(day.date)
    slots = tuple(
        BoardSlot(
            slot.starts_at, slot.time, slot.capacity, len(occupancy.taken.get(slot.starts_at, ())), slot.state
        )
        for slot in day.slots
    )
    return BoardDay(
        date=day.date,
        kind=day.kind,
        holiday=holidays_of(day.date.year).get(day.date, ""),
        special=special is not None,
        note=special.reason if special else "",
        slots=slots,
        bookings=bookings,
    )


def _beginning(span: Blocked) -> datetime:
    return span.starts_at


def _days(first_day: date, last_day: date) -> list[date]:
    return [first_day + timedelta(days=n) for n in range((last_day - first_day).days + 1)]


def _span(first_day: date, last_day: date) -> tuple[datetime, datetime]:
    return slot_start(first_day, time.min), slot_start(last_day + timedelta(days=1), time.min)
