"""The jobs of booking: reminders, and reading busy calendars. Any number of processes may run them at once."""

import asyncio

from agency_site.db.engine import session_scope
from agency_site.features.booking.bookings.usecases import claim_reminders, remind
from agency_site.features.booking.busy_calendars import usecases as busy_calendars
from agency_site.features.booking.busy_calendars.reader import CalendarSource, read_calendar
from agency_site.features.booking.busy_calendars.rules import CalendarUnreadable
from agency_site.features.booking.calendar.collisions import list_consultation_times


async def remind_due() -> int:
    """Enqueue the due reminders and return their number. If a worker dies, its leases end and another takes over."""
    async with session_scope() as session:
        booking_ids = await claim_reminders(session)
    reminders = 0
    for booking_id in booking_ids:
        async with session_scope() as session:
            reminders += await remind(session, booking_id)
    return reminders


async def read_busy_calendars() -> int:
    """Read the calendars that are due, and return their number."""
    async with session_scope() as session:
        sources = await busy_calendars.claim_due_calendars(session)
        times = await list_consultation_times(session) if sources else {}
    await asyncio.gather(*(_read_and_store(source.with_consultations(times)) for source in sources))
    return len(sources)


async def _read_and_store(source: CalendarSource) -> None:
    try:
        content = await read_calendar(source)
    except CalendarUnreadable as error:
        async with session_scope() as session:
            await busy_calendars.store_failure(session, source.id, str(error))
        return
    async with session_scope() as session:
        await busy_calendars.store_content(session, source.id, content)
