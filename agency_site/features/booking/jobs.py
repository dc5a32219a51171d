"""Reminders, sent from rows whose time has come; any number of processes may run this at once."""

from agency_site.db.engine import session_scope
from agency_site.features.booking.usecases import claim_reminders, remind


async def remind_due() -> int:
    """Enqueue the reminders that are due now; returns how many. Another worker takes up a killed round."""
    async with session_scope() as session:
        claimed = await claim_reminders(session)
    sent = 0
    for booking_id in claimed:
        async with session_scope() as session:
            sent += await remind(session, booking_id)
    return sent
