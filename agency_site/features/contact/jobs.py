"""Reminders of webinars; any number of processes may run this at once."""

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.contact.reminders import claim_reminders, follow, moved, remind


async def remind_attendees() -> int:
    """Enqueue the reminders that are due now; returns how many. Another worker takes up a killed round."""
    async with read_scope() as session:
        elsewhere = await moved(session)
    async with session_scope() as session:
        await follow(session, elsewhere)
        claimed = await claim_reminders(session)
    sent = 0
    for reference in claimed:
        async with session_scope() as session:
            sent += await remind(session, reference)
    return sent
