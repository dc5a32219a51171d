"""Who has attended which session, as staff mark it."""

from dataclasses import dataclass

from sqlalchemy import delete
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.errors import Conflict, NotFound
from agency_site.features.academy.learners.rules import can_mark_attendance
from agency_site.features.academy.learners.tables import Attendance, Learner
from agency_site.features.academy.learners.usecases import find_learner_row, list_run_learners
from agency_site.features.academy.runs.records import SessionRecord, find_run, lock_run
from agency_site.features.academy.runs.tables import CourseRun, CourseSession


@dataclass(frozen=True)
class Attendee:
    """A learner of a run, and whether they have attended a session."""

    reference: str
    name: str
    attended: bool


async def list_attendance(
    session: AsyncSession, run: str, session_id: int
) -> tuple[SessionRecord, tuple[Attendee, ...]]:
    """A session of the run of that reference, with everybody who is named in the run. Raises NotFound."""
    meeting = await _find_session(session, run, session_id)
    present = set(
        (await session.exec(select(Attendance.learner_id).where(Attendance.session_id == session_id))).all()
    )
    learners = await list_run_learners(session, meeting.run_id)
    return SessionRecord.of(meeting), tuple(
        Attendee(one.reference, one.fullname, one.id in present) for one in learners
    )


async def mark_attendance(
    session: AsyncSession, run: str, session_id: int, learner: str, actor: str, *, attended: bool
) -> None:
    """Store that a learner has attended a session, or has not; a repetition changes nothing.

    Raises NotFound, also for a learner of another run, and Conflict before the session.
    """
    # Sessions are removed, and learners moved, under the same lock.
    await lock_run(session, col(CourseRun.reference) == run)
    meeting = await _find_session(session, run, session_id)
    if not can_mark_attendance(meeting.starts_at, now()):
        raise Conflict("This session has not begun.")
    row = await find_learner_row(session, learner)
    if row.id not in {one.id for one in await list_run_learners(session, meeting.run_id)}:
        raise NotFound(f"The learner {learner} is not in this run.")
    if attended:
        mine = {"session_id": session_id, "learner_id": row.id, "at": now(), "author": actor}
        await insert_new(session, Attendance, [mine])
        return
    gone = delete(Attendance).where(
        col(Attendance.session_id) == session_id, col(Attendance.learner_id) == row.id
    )
    await session.exec(gone)


async def delete_attendance(session: AsyncSession, learner: Learner) -> None:
    """Whoever gets the place of this learner has attended nothing."""
    await session.exec(delete(Attendance).where(col(Attendance.learner_id) == learner.id))


async def _find_session(session: AsyncSession, run: str, session_id: int) -> CourseSession:
    found = await session.get(CourseSession, session_id)
    if found is None or found.run_id != (await find_run(session, run)).id:
        raise NotFound("This session no longer exists.")
    return found
