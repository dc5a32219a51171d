"""The job that writes to attendees of webinars. Several processes may run it at once."""

from agency_site.backoffice.status.usecases import is_one_build
from agency_site.content.published import is_settled
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
        # Processes with other content would take the change back, and write to everyone again.
        is_agreed = is_settled() and await is_one_build(session)
        changed_webinars = await find_changed_webinars(session) if is_agreed else ()
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
