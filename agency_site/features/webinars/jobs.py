"""The job that writes to attendees of webinars. Several processes may run it at once."""

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.webinars.usecases import (
    claim_reminders,
    enqueue_reminder,
    find_changed_webinars,
    notify_attendees,
)


async def remind_attendees() -> int:
    """Enqueue the mails about changed webinars, then the reminders that are due. Return their number.

    If a worker dies, another one continues.
    """
    async with read_scope() as session:
        changed_webinars = await find_changed_webinars(session)
    reminders = 0
    for webinar in changed_webinars:
        async with session_scope() as session:
            reminders += await notify_attendees(session, webinar)
    async with session_scope() as session:
        references = await claim_reminders(session)
    for reference in references:
        async with session_scope() as session:
            reminders += await enqueue_reminder(session, reference)
    return reminders
