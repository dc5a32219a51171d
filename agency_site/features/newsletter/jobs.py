"""The job that sends due issues. Any number of processes may run it at once."""

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.newsletter.campaign_sends import is_issue_due, send_batch


async def send_due_issues() -> int:
    """Send one batch of the due issue and return the number of processed subscribers."""
    # Most rounds find nothing, so a reading session checks first, which blocks no writer.
    async with read_scope() as session:
        if not await is_issue_due(session):
            return 0
    async with session_scope() as session:
        return await send_batch(session)
