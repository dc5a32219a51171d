"""Reports about consultations: no-shows, use of the slots; bookings as an outcome of visits and of clients."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import Select, and_, select
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.backoffice.periods import list_months
from agency_site.backoffice.reports.definition import Report, ReportColumn, ReportRows, Row, Unit, percent
from agency_site.backoffice.visits.outcomes import Channel, Outcome, count_records
from agency_site.db.sql_dates import span
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.seats import read_occupancy
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.calendar.schedule import DayCount, count_bookings
from agency_site.features.booking.schedule.slots import Day, SlotState, booking_policy, compute_day

_BEFORE_ALL_SLOTS = datetime.min.replace(tzinfo=UTC)


async def _read_no_shows(session: AsyncSession, first: date, last: date) -> ReportRows:
    days = (await count_bookings(session, first, last)).days
    if not any(day.total for day in days):
        return ReportRows(())
    rows = [
        _no_show_row(month, [day for day in days if start <= day.date <= end])
        for month, start, end in list_months(first, last)
    ]
    return ReportRows(rows, _no_show_row("Total", days))


def _no_show_row(label: str, days: Sequence[DayCount]) -> Row:
    completed, no_shows, cancelled = (
        sum(day.states[state] for day in days)
        for state in (BookingState.COMPLETED, BookingState.NO_SHOW, BookingState.CANCELLED)
    )
    return label, completed, no_shows, percent(no_shows, completed + no_shows), cancelled


async def _read_utilisation(session: AsyncSession, first: date, last: date) -> ReportRows:
    counts = (await count_bookings(session, first, last)).days
    occupancy = await read_occupancy(session, *span(first, last), with_bookings=False)
    policy = booking_policy()
    offered = [compute_day(count.date, _BEFORE_ALL_SLOTS, policy, occupancy) for count in counts]
    days = list(zip(offered, counts, strict=True))
    rows = [
        _utilisation_row(month, [pair for pair in days if start <= pair[0].date <= end])
        for month, start, end in list_months(first, last)
    ]
    return ReportRows(rows, _utilisation_row("Total", days))


def _utilisation_row(label: str, days: Sequence[tuple[Day, DayCount]]) -> Row:
    seats = sum(
        slot.capacity for day, _ in days for slot in day.slots if slot.state is not SlotState.BLACKED_OUT
    )
    booked = sum(count.total - count.states[BookingState.CANCELLED] for _, count in days)
    return label, seats, booked, percent(booked, seats)


REPORTS = (
    Report(
        key="no-shows",
        title="No-show rate",
        explanation="No-shows of all consultations with an outcome, by the month of the consultation.",
        columns=(
            ReportColumn("Month", Unit.TEXT), ReportColumn("Completed"), ReportColumn("No-shows"),
            ReportColumn("No-show rate", Unit.PERCENT), ReportColumn("Cancelled"),
        ),
        charted=(3,),
        upright=True,
        read_rows=_read_no_shows,
    ),
    Report(
        key="slot-utilisation",
        title="Utilisation of slots",
        explanation="Bookings that were not cancelled, of the places on offer by the business hours, schedule exceptions and "
        "blackouts that are stored now. A change of the weekly hours changes the places of past months as well.",
        columns=(
            ReportColumn("Month", Unit.TEXT), ReportColumn("Places"), ReportColumn("Booked"),
            ReportColumn("Utilisation", Unit.PERCENT),
        ),
        charted=(3,),
        upright=True,
        read_rows=_read_utilisation,
    ),
)  # fmt: skip


async def _count_booked(session: AsyncSession, first: date, last: date) -> dict[Channel, int]:
    start, end = span(first, last)
    created = col(Booking.created_at)
    # All states, because the index on the time of creation begins with the state.
    is_created = and_(col(Booking.state).in_(BookingState), created >= start, created < end)
    return await count_records(session, Booking, is_created)


BOOKED = Outcome(ReportColumn("Bookings"), _count_booked)


def select_clients() -> Select[Any]:
    """Select address, number and moment of the consultations that make people clients: not those that did not take place."""
    missed = col(Booking.state).in_((BookingState.CANCELLED, BookingState.NO_SHOW))
    columns: Sequence[Any] = (col(Booking.email), col(Booking.phone), col(Booking.starts_at))
    return select(*columns).where(~missed)
