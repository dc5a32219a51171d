"""The job that sends due issues. Any number of processes may run it at once."""

from agency_site.db.due_work import handle_each
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.newsletter.campaign_sends import list_due_issues, send_batch


async def send_due_issues() -> int:
    """Send one batch of the due issue and return the number of processed subscribers."""
    # Most rounds find nothing, so a reading session checks first, which blocks no writer.
    async with read_scope() as session:
        due_issues = await list_due_issues(session)
    is_done = False

    async def send(issue_id: int) -> int:
        nonlocal is_done
        # Issues wait for the one that has been due longest, unless it fails.
        if is_done:
            return 0
        async with session_scope() as session:
            processed = await send_batch(session, issue_id)
        is_done = True
        return processed

    return await handle_each(due_issues, send, lambda issue_id: f"newsletter issue {issue_id}")
