"""The bookings of a phone number, for notices."""

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.schedule.rules import format_slot_time
from agency_site.notices.dealings import MOST_DEALINGS, Dealing


async def find_booking_dealings(session: AsyncSession, number: str) -> list[Dealing]:
    """Return the newest bookings of a number in E.164."""
    query = select(Booking).where(Booking.phone == number).order_by(col(Booking.starts_at).desc())
    return [
        Dealing(
            row.reference,
            f"Consultation at {format_slot_time(row.starts_at)}",
            row.state is BookingState.CONFIRMED and row.starts_at > now(),
        )
        for row in await session.exec(query.limit(MOST_DEALINGS))
    ]
