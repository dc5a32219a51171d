"""Attendance of sessions, as staff mark it."""

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
    """A learner of a run with their attendance of one session."""

    reference: str
    name: str
    attended: bool


async def list_attendance(
    session: AsyncSession, run: str, session_id: int
) -> tuple[SessionRecord, tuple[Attendee, ...]]:
    """Return a session of the run, with the attendance of all learners who are named in it. Raises NotFound."""
    meeting = await _find_session(session, run, session_id)
    present = set(
        (await session.exec(select(Attendance.learner_id).where(Attendance.session_id == session_id))).all()
    )
    learners = await list_run_learners(session, meeting.run_id)
    return SessionRecord.of(meeting), tuple(
        Attendee(learner.reference, learner.fullname, learner.id in present) for learner in learners
    )


async def mark_attendance(
    session: AsyncSession, run: str, session_id: int, learner: str, actor: str, *, attended: bool
) -> None:
    """Store whether a learner has attended a session. A repetition changes nothing.

    Raises NotFound, also for a learner of another run, and Conflict before the session.
    """
    # The same lock is held while sessions are removed and learners moved.
    await lock_run(session, col(CourseRun.reference) == run)
    meeting = await _find_session(session, run, session_id)
    if not can_mark_attendance(meeting.starts_at, now()):
        raise Conflict("This session has not begun.")
    row = await find_learner_row(session, learner)
    if row.id not in {named.id for named in await list_run_learners(session, meeting.run_id)}:
        raise NotFound(f"The learner {learner} is not in this run.")
    if attended:
        columns = {"session_id": session_id, "learner_id": row.id, "at": now(), "author": actor}
        await insert_new(session, Attendance, [columns])
        return
    statement = delete(Attendance).where(
        col(Attendance.session_id) == session_id, col(Attendance.learner_id) == row.id
    )
    await session.exec(statement)


async def delete_attendance(session: AsyncSession, learner: Learner) -> None:
    """Delete the attendance of a learner whose place goes to another person."""
    await session.exec(delete(Attendance).where(col(Attendance.learner_id) == learner.id))


async def _find_session(session: AsyncSession, run: str, session_id: int) -> CourseSession:
    meeting = await session.get(CourseSession, session_id)
    if meeting is None or meeting.run_id != (await find_run(session, run)).id:
        raise NotFound("This session no longer exists.")
    return meeting
