"""The job that writes to attendees of webinars. Several processes may run it at once."""

from agency_site.backoffice.status.usecases import is_one_build
from agency_site.content.published import is_settled
from agency_site.db.due_work import handle_due, handle_each
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.webinars.tables import WebinarRegistration
from agency_site.features.webinars.usecases import (
    REGISTERED,
    enqueue_reminder,
    find_outdated,
    notify_attendee,
)


async def remind_attendees() -> int:
    """Enqueue the mails about changed webinars, then the reminders that are due. Return their number.

    If a worker dies, another one continues.
    """
    async with read_scope() as session:
        # Processes with other content would take the change back, and write to everyone again.
        is_agreed = is_settled() and await is_one_build(session)
        outdated = await find_outdated(session) if is_agreed else []
    notices = await handle_each(outdated, _notify, lambda reference: f"registration {reference}")
    return notices + await handle_due(session_scope, WebinarRegistration, _remind, REGISTERED, limit=20)


async def _notify(reference: str) -> int:
    async with session_scope() as session:
        return await notify_attendee(session, reference)


async def _remind(registration: WebinarRegistration) -> int:
    async with session_scope() as session:
        return await enqueue_reminder(session, registration.reference)
