"""Reminders of webinars; any number of processes may run this at once."""

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.webinars.usecases import (
    claim_reminders,
    enqueue_reminder,
    find_moved_webinars,
    move_reminders,
)


async def remind_attendees() -> int:
    """Enqueue the reminders that are due now; returns how many. After a killed round another worker continues."""
    async with read_scope() as session:
        moved = await find_moved_webinars(session)
    async with session_scope() as session:
        await move_reminders(session, moved)
        claimed = await claim_reminders(session)
    sent = 0
    for reference in claimed:
        async with session_scope() as session:
            sent += await enqueue_reminder(session, reference)
    return sent
