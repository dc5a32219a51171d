"""The job that reminds attendees of webinars. Several processes may run it at once."""

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.webinars.usecases import (
    claim_reminders,
    enqueue_reminder,
    find_moved_webinars,
    move_reminders,
)


async def remind_attendees() -> int:
    """Enqueue the reminders that are due. Return their number. If a worker dies, another one continues."""
    async with read_scope() as session:
        moved_webinars = await find_moved_webinars(session)
    async with session_scope() as session:
        await move_reminders(session, moved_webinars)
        references = await claim_reminders(session)
    reminders = 0
    for reference in references:
        async with session_scope() as session:
            reminders += await enqueue_reminder(session, reference)
    return reminders
