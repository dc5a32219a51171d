"""The job that sends reminders; any number of processes may run it at once."""

from agency_site.db.engine import session_scope
from agency_site.features.booking.bookings.usecases import claim_reminders, remind


async def remind_due() -> int:
    """Enqueue the reminders that are due; returns how many. When a worker dies, its leases end and another takes the rows."""
    async with session_scope() as session:
        claimed = await claim_reminders(session)
    sent = 0
    for booking_id in claimed:
        async with session_scope() as session:
            sent += await remind(session, booking_id)
    return sent
