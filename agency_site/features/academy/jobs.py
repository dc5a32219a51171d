"""Jobs that release unpaid places, offer free places to waiting lists, and remind learners. Several processes may run them."""

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy.learners.notices import claim_reminders, enqueue_reminders
from agency_site.features.academy.reservations.usecases import find_due_runs, release_due
from agency_site.features.academy.waiting_list.handover import find_runs_to_hand_over, offer_next


async def release_given_up() -> int:
    """Release the places that are due. Return the number of orders and waiting people that they were kept for."""
    async with read_scope() as session:
        due_runs = await find_due_runs(session)
    released = 0
    for run_id in due_runs:
        async with session_scope() as session:
            released += await release_due(session, run_id)
    return released


async def offer_freed_places() -> int:
    """Offer free places to the people who wait for them. Return their number."""
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
    """Enqueue the reminders that are due. Return their number.

    If a worker dies, its leases end and another worker takes the sessions.
    """
    async with session_scope() as session:
        session_ids = await claim_reminders(session)
    reminders = 0
    for session_id in session_ids:
        async with session_scope() as session:
            reminders += await enqueue_reminders(session, session_id)
    return reminders
