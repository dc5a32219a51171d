"""Sending issues that are due; any number of processes may run this at once."""

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.newsletter.campaign_sends import is_issue_due, send_batch


async def send_due_issues() -> int:
    """One batch of the issue that is due; returns how many subscribers were processed."""
    # Most rounds find nothing: they take no turn from those who write.
    async with read_scope() as session:
        if not await is_issue_due(session):
            return 0
    async with session_scope() as session:
        return await send_batch(session)
