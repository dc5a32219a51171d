"""Confirmed bookings at times at which a calendar says that their person is busy.

They stay confirmed: an event that was entered later may be a mistake, and only staff can ask the client.
"""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, exists, or_
from sqlmodel import col, func, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.sql_dates import moment_after
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.busy_calendars.tables import BusyCalendar, BusyTime
from agency_site.features.booking.busy_calendars.usecases import list_busy_times
from agency_site.features.booking.schedule.slots import Span

MAX_COLLISIONS = 100
"""The most bookings that one call returns."""


@dataclass(frozen=True)
class Collision:
    """A booking, and a calendar that is busy during it."""

    reference: str
    fullname: str
    phone: str
    starts_at: datetime
    minutes: int
    calendar: str

    @property
    def ends_at(self) -> datetime:
        return self.starts_at + timedelta(minutes=self.minutes)


_DAY = 24 * 60
"""In minutes. No stored busy time is longer, so that an index finds those near a booking."""


def _overlaps() -> ColumnElement[bool]:
    """Return the condition of a busy time that overlaps a booking."""
    return and_(
        col(BusyTime.starts_at) > moment_after(col(Booking.starts_at), -_DAY),
        col(BusyTime.starts_at) < moment_after(col(Booking.starts_at), col(Booking.minutes)),
        col(BusyTime.ends_at) > col(Booking.starts_at),
    )


def _closes() -> ColumnElement[bool]:
    """Return the condition of a calendar that closes the time of a booking's person."""
    return or_(
        col(BusyCalendar.consultant_id).is_(None),
        col(BusyCalendar.consultant_id) == col(Booking.consultant_id),
    )


def _is_upcoming() -> ColumnElement[bool]:
    return and_(col(Booking.state) == BookingState.CONFIRMED, col(Booking.starts_at) > now())


def collides() -> ColumnElement[bool]:
    """Return the condition of an upcoming booking at a busy time, for the list of bookings."""
    closing = select(BusyCalendar.id).where(BusyCalendar.id == BusyTime.calendar_id, _closes())
    busy = select(BusyTime.id).where(_overlaps(), exists(closing.correlate(Booking, BusyTime)))
    return and_(_is_upcoming(), exists(busy.correlate(Booking)))


async def list_consultation_times(session: AsyncSession) -> Mapping[str, Span]:
    """Return the times of upcoming consultations by reference: a copy in a calendar must not collide with its original."""
    query = select(Booking.reference, Booking.starts_at, Booking.minutes).where(_is_upcoming())
    return {
        reference: Span(starts_at, starts_at + timedelta(minutes=minutes))
        for reference, starts_at, minutes in await session.exec(query)
    }


async def count_collisions(session: AsyncSession) -> int:
    """Count the upcoming bookings at a busy time."""
    return (await session.exec(select(func.count()).select_from(Booking).where(collides()))).one()


async def list_collisions(session: AsyncSession) -> tuple[Collision, ...]:
    """Return the upcoming bookings at a busy time, earliest first; a booking occurs once for each calendar."""
    first = select(Booking).where(collides()).order_by(col(Booking.starts_at), col(Booking.id))
    bookings = (await session.exec(first.limit(MAX_COLLISIONS))).all()
    if not bookings:
        return ()
    # Matched here: databases join the two by reading all busy times for each booking.
    last = max(booking.ends_at for booking in bookings)
    times = await list_busy_times(session, bookings[0].starts_at, last)
    starts = [time.starts_at for time in times]

    def calendars_of(booking: Booking) -> set[str]:
        first = bisect_left(starts, booking.starts_at - timedelta(minutes=_DAY))
        return {
            time.calendar
            for time in times[first : bisect_left(starts, booking.ends_at)]
            if time.ends_at > booking.starts_at and time.consultant_id in (None, booking.consultant_id)
        }

    return tuple(
        Collision(
            booking.reference, booking.fullname, booking.phone, booking.starts_at, booking.minutes, name
        )
        for booking in bookings
        for name in sorted(calendars_of(booking))
    )
