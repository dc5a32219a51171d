"""Moving an enrolment to another run of its course."""

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.event_log import append_event
from agency_site.db.found_rows import find_one
from agency_site.errors import Conflict, FieldError, InputRejected, StaleRecord
from agency_site.features.academy.learners.notices import announce_move
from agency_site.features.academy.learners.tables import Enrolment
from agency_site.features.academy.reservations.usecases import release_due, return_places, take_places
from agency_site.features.academy.runs.history import RunChange
from agency_site.features.academy.runs.records import RunRecord, list_sessions, lock_run
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.features.academy.runs.tables import CourseRun, RunEvent
from agency_site.places import buyers

_UNKNOWN = "Please choose one of the runs."

_MOVED = "Another member of staff has moved these places. The page now shows their run."

_FULL = "This run has too few places left. Increase its places first, or choose another."


async def list_targets(session: AsyncSession, course_slug: str, without: str) -> tuple[RunRecord, ...]:
    """Return the runs of a course that have not ended, except `without`, the next first."""
    query = select(CourseRun).where(
        CourseRun.course_slug == course_slug,
        CourseRun.reference != without,
        col(CourseRun.status) != RunStatus.CANCELLED,
        col(CourseRun.ends_at) > now(),
    )
    rows = (await session.exec(query.order_by(col(CourseRun.starts_at), col(CourseRun.id)))).all()
    return tuple(map(RunRecord.of, rows))


async def move_enrolment(
    session: AsyncSession, order: str, origin: str, to: str, actor: str, *, notify: bool = True
) -> int:
    """Move the enrolment of an order, with all its learners, from the run `origin` to the run `to`. Empty `origin` means no run.

    Return the number of people who get an e-mail. Raises NotFound, InputRejected for `run`, Conflict for an enrolment that has
    ended, and StaleRecord for one that is no longer in `origin`.
    """
    await buyers().lock_order(session, (await _find_enrolment(session, order)).order_id)
    enrolment = await _find_enrolment(session, order)
    if enrolment.ended_at:
        raise Conflict("The places of this order have ended, so they cannot be moved.")
    if await _find_origin(session, enrolment) != origin:
        raise StaleRecord(order, enrolment, _MOVED)
    targets = await list_targets(session, enrolment.course_slug, "")
    target = next((run for run in targets if run.reference == to), None)
    if target is None or target.id == enrolment.run_id:
        raise _reject_run(_UNKNOWN)
    # Runs are locked in the order of their ids: two moves in opposite directions would deadlock otherwise.
    ids = sorted({target.id, enrolment.run_id or target.id})
    locked = {run_id: await lock_run(session, col(CourseRun.id) == run_id) for run_id in ids}
    current = locked[target.id]
    if current is None or current.status is RunStatus.CANCELLED:
        raise _reject_run(_UNKNOWN)
    await release_due(session, target.id)
    if not await take_places(session, target.id, enrolment.places):
        raise _reject_run(_FULL)
    previous_sessions = await list_sessions(session, enrolment.run_id) if enrolment.run_id else ()
    if enrolment.run_id:
        await return_places(session, enrolment.run_id, enrolment.places)
        await append_event(session, RunEvent, [enrolment.run_id], RunChange.MOVED_OUT, actor, note=order)
    enrolment.run_id = target.id
    session.add(enrolment)
    await session.flush()
    await append_event(session, RunEvent, [target.id], RunChange.MOVED_IN, actor, note=order)
    return await announce_move(session, enrolment, previous_sessions) if notify else 0


async def _find_enrolment(session: AsyncSession, order: str) -> Enrolment:
    query = select(Enrolment).where(Enrolment.reference == order)
    return await find_one(session, query, f"The order {order} has no places.", fresh=True)


async def _find_origin(session: AsyncSession, enrolment: Enrolment) -> str:
    run = await session.get(CourseRun, enrolment.run_id) if enrolment.run_id else None
    return run.reference if run else ""


def _reject_run(message: str) -> InputRejected:
    return InputRejected(message, (FieldError("run", message),))
