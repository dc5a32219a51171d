"""Metrics of bookings for Prometheus, each read through an index."""

from sqlmodel import col, func, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.recent_counts import read_recent
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.busy_calendars.usecases import read_longest_failure
from agency_site.metrics import Reading


async def read_bookings(session: AsyncSession) -> list[Reading]:
    """Read the bookings of the last day by state, the confirmed upcoming ones, and failures of busy calendars."""
    recent = await read_recent(
        session,
        "agency_bookings_recent",
        "Bookings that were made in the last 24 hours, by state.",
        BookingState,
        state=col(Booking.state),
        made_at=col(Booking.created_at),
    )
    to_come = select(func.count()).where(
        col(Booking.state) == BookingState.CONFIRMED, col(Booking.starts_at) >= now()
    )
    return [
        *recent,
        Reading(
            "agency_bookings_to_come",
            "Confirmed bookings that have not begun.",
            (await session.exec(to_come)).one(),
        ),
        Reading(
            "agency_calendar_failing_seconds",
            "Time for which the busy calendar that fails for longest could not be read; 0 if all could.",
            await read_longest_failure(session),
        ),
    ]
