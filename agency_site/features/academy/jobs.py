"""Places whose payment was given up; any number of processes may run this at once."""

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy.reservations import find_due_runs, release_due


async def release_given_up() -> int:
    """Release the places whose time is over; how many orders they were kept for."""
    async with read_scope() as session:
        due = await find_due_runs(session)
    released = 0
    for run_id in due:
        async with session_scope() as session:
            released += await release_due(session, run_id)
    return released
