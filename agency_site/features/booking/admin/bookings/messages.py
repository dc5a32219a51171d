"""Text messages to the client of a booking, and the booking's private link."""

from typing import ClassVar

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.state import StaffState
from agency_site.backoffice.texts.dialog import MessageDialog, TextTarget
from agency_site.content.staff_texts import BOOKING_TEXTS
from agency_site.features.booking.bookings.records import find_booking
from agency_site.features.booking.bookings.usecases import recover_token
from agency_site.features.booking.consultants.rules import WAY_PHRASES
from agency_site.features.booking.schedule.rules import format_slot_time
from agency_site.settings import settings


class BookingMessages(MessageDialog, StaffState):
    """The dialog that is open for a booking."""

    WORK: ClassVar = Permission.WORK_BOOKINGS
    TEXTS: ClassVar = BOOKING_TEXTS

    async def _find_target(self, session: AsyncSession, _who: Staff, reference: str) -> TextTarget:
        booking = await find_booking(session, reference)
        token = recover_token(booking) if booking.fullname else None
        return TextTarget(
            "booking",
            booking.reference,
            booking.fullname,
            booking.phone,
            f"{settings().site_url}/booking/{token}" if token else "",
            booking.reference,
            {
                "time": format_slot_time(booking.starts_at),
                "person": booking.person,
                "way": WAY_PHRASES[booking.way],
            },
        )
