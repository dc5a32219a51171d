"""Jobs that release unpaid places, offer free places to waiting lists, and remind learners. Several processes may run them."""

from agency_site.db.due_work import handle_due, handle_each
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy.learners.notices import enqueue_reminders
from agency_site.features.academy.reservations.usecases import find_due_runs, release_due
from agency_site.features.academy.runs.tables import CourseSession
from agency_site.features.academy.waiting_list.handover import find_runs_to_hand_over, offer_next


async def release_given_up() -> int:
    """Release the places that are due. Return the number of orders and waiting people that they were kept for."""
    async with read_scope() as session:
        due_runs = await find_due_runs(session)
    return await handle_each(due_runs, _release, _name_run)


async def _release(run_id: int) -> int:
    async with session_scope() as session:
        return await release_due(session, run_id)


def _name_run(run_id: int) -> str:
    return f"course run {run_id}"


async def offer_freed_places() -> int:
    """Offer free places to the people who wait for them. Return their number."""
    async with read_scope() as session:
        runs = await find_runs_to_hand_over(session)
    return await handle_each(runs, _offer_places, _name_run)


async def _offer_places(run_id: int) -> int:
    offered = 0
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
    return await handle_due(session_scope, CourseSession, _remind, limit=20)


async def _remind(due: CourseSession) -> int:
    async with session_scope() as session:
        return await enqueue_reminders(session, due.id or 0)
