"""The jobs of booking: reminders, and reading busy calendars. Any number of processes may run them at once."""

from sqlmodel import col

from agency_site.clock import now
from agency_site.db.due_work import handle_due, handle_together, push_back
from agency_site.db.engine import session_scope
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.bookings.usecases import remind
from agency_site.features.booking.busy_calendars import usecases as busy_calendars
from agency_site.features.booking.busy_calendars.reader import CalendarSource, read_calendar
from agency_site.features.booking.busy_calendars.rules import CalendarUnreadable
from agency_site.features.booking.busy_calendars.tables import BusyCalendar
from agency_site.features.booking.calendar.collisions import list_consultation_times


async def remind_due() -> int:
    """Enqueue the due reminders and return their number. If a worker dies, its leases end and another takes over."""
    upcoming = col(Booking.state) == BookingState.CONFIRMED, col(Booking.starts_at) > now()
    return await handle_due(session_scope, Booking, _remind, *upcoming, limit=20)


async def _remind(booking: Booking) -> int:
    async with session_scope() as session:
        return await remind(session, booking.id or 0)


async def read_busy_calendars() -> int:
    """Read the calendars that are due, and return their number."""
    async with session_scope() as session:
        sources = await busy_calendars.claim_due_calendars(session)
        times = await list_consultation_times(session) if sources else {}
    complete_sources = [source.with_consultations(times) for source in sources]
    return await handle_together(complete_sources, _read_and_store, _name, _push_back)


def _name(source: CalendarSource) -> str:
    return f"busy calendar {source.id}"


async def _push_back(source: CalendarSource) -> None:
    await push_back(session_scope, BusyCalendar, source.id)


async def _read_and_store(source: CalendarSource) -> None:
    try:
        content = await read_calendar(source)
    except CalendarUnreadable as error:
        async with session_scope() as session:
            await busy_calendars.store_failure(session, source.id, str(error))
        return
    async with session_scope() as session:
        await busy_calendars.store_content(session, source.id, content)
