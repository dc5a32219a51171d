"""Places whose payment was given up, waiting lists, and reminders of sessions; any number of processes may run these."""

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy.learners.notices import claim_reminders, remind
from agency_site.features.academy.reservations.usecases import find_due_runs, release_due
from agency_site.features.academy.waiting_list.handover import find_runs_to_hand_over, offer_next


async def release_given_up() -> int:
    """Release the places whose time is over; how many orders they were kept for."""
    async with read_scope() as session:
        due = await find_due_runs(session)
    released = 0
    for run_id in due:
        async with session_scope() as session:
            released += await release_due(session, run_id)
    return released


async def offer_freed_places() -> int:
    """Give free places to those who wait for them; how many people."""
    async with read_scope() as session:
        runs = await find_runs_to_hand_over(session)
    offered = 0
    for run_id in runs:
        while await _offer_next(run_id):
            offered += 1
    return offered


async def _offer_next(run_id: int) -> bool:
    async with session_scope() as session:
        return await offer_next(session, run_id)


async def remind_learners() -> int:
    """Enqueue the reminders that are due; how many. When a worker dies, its leases end and another takes the sessions."""
    async with session_scope() as session:
        claimed = await claim_reminders(session)
    sent = 0
    for session_id in claimed:
        async with session_scope() as session:
            sent += await remind(session, session_id)
    return sent
