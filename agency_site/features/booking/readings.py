"""What Prometheus shows of bookings: a few figures, each read through an index."""

from datetime import timedelta

from sqlmodel import col, func, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.features.booking.rules import BookingState
from agency_site.features.booking.tables import Booking
from agency_site.metrics import Reading

_RECENT = timedelta(hours=24)


async def read_bookings(session: AsyncSession) -> list[Reading]:
    """Bookings of the last day by state, and confirmed ones to come."""
    recent = (
        select(Booking.state, func.count())
        .where(col(Booking.created_at) > now() - _RECENT)
        .group_by(col(Booking.state))
    )
    counts = dict((await session.exec(recent)).all())
    to_come = select(func.count()).where(
        col(Booking.state) == BookingState.CONFIRMED, col(Booking.starts_at) >= now()
    )
    return [
        *(
            Reading(
                "agency_bookings_recent",
                "Bookings that were made in the last 24 hours, by state.",
                counts.get(state, 0),
                {"state": state.value},
            )
            for state in BookingState
        ),
        Reading(
            "agency_bookings_to_come",
            "Confirmed bookings that have not begun.",
            (await session.exec(to_come)).one(),
        ),
    ]
