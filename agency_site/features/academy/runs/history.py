"""The history of a course run."""

from enum import StrEnum

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db.event_log import LoggedEvent, list_events
from agency_site.features.academy.runs.tables import RunEvent


class RunChange(StrEnum):
    """The changes that the history of a run records."""

    CREATED = "created"
    EDITED = "edited"
    STATUS = "status"
    GENERATED = "generated"
    SESSION_SAVED = "session_saved"
    SESSION_REMOVED = "session_removed"
    MESSAGE = "message"
    """Staff sent a message to all learners."""
    MOVED_IN = "moved_in"
    """An enrolment came from another run, or from none."""
    MOVED_OUT = "moved_out"
    PLACE_ENDED = "place_ended"
    """Staff ended a single place of an order; `note` names the learner."""
    CERTIFICATES = "certificates"
    """Certificates were issued; `after` is their number."""
    MATERIAL_ADDED = "material_added"
    MATERIAL_REMOVED = "material_removed"
    WAITING_ADDED = "waiting_added"
    """Staff put a paid order on the waiting list."""
    WAITING_OFFERED = "waiting_offered"
    """Staff offered a place to a person on the waiting list."""
    WAITING_REMOVED = "waiting_removed"


async def list_history(session: AsyncSession, run_id: int) -> list[LoggedEvent]:
    """Return the events of a run, the oldest first."""
    return await list_events(session, RunEvent, run_id)
