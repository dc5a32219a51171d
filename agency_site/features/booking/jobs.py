"""The job that sends reminders. Any number of processes may run it at once."""

from agency_site.db.engine import session_scope
from agency_site.features.booking.bookings.usecases import claim_reminders, remind


async def remind_due() -> int:
    """Enqueue the due reminders and return their number. If a worker dies, its leases end and another takes over."""
    async with session_scope() as session:
        booking_ids = await claim_reminders(session)
    reminders = 0
    for booking_id in booking_ids:
        async with session_scope() as session:
            reminders += await remind(session, booking_id)
    return reminders
