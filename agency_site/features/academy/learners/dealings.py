"""The places of a phone number in courses and on waiting lists, for notices."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func
from sqlalchemy import select as rows_of
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import format_moment, now
from agency_site.features.academy.learners.tables import Enrolment, Learner
from agency_site.features.academy.reservations.rules import WaitingState
from agency_site.features.academy.reservations.tables import WaitingEntry
from agency_site.features.academy.runs.tables import CourseRun, CourseSession
from agency_site.notices.dealings import MOST_DEALINGS, Dealing


async def find_learner_dealings(session: AsyncSession, number: str) -> list[Dealing]:
    """Return the places of a number in E.164 with sessions ahead, and its waiting list entries that are open."""
    connection = await session.connection()
    next_session = func.min(CourseSession.starts_at).label("next_session")
    columns: Sequence[Any] = (Learner.reference, Enrolment.course_name, next_session)
    placed = (
        rows_of(*columns)
        .join(Enrolment, col(Enrolment.id) == col(Learner.enrolment_id))
        .join(CourseSession, col(CourseSession.run_id) == col(Enrolment.run_id))
        .where(
            col(Learner.phone) == number, col(Learner.ended_at).is_(None), col(Enrolment.ended_at).is_(None)
        )
        .where(col(CourseSession.starts_at) > now())
        .group_by(col(Learner.reference), col(Enrolment.course_name))
    )
    waiting_columns: Sequence[Any] = (WaitingEntry.reference, CourseRun.course_name)
    waiting = (
        rows_of(*waiting_columns)
        .join(CourseRun, col(CourseRun.id) == col(WaitingEntry.run_id))
        .where(col(WaitingEntry.phone) == number)
        .where(col(WaitingEntry.state).in_((WaitingState.WAITING, WaitingState.OFFERED)))
    )
    return [
        *(
            Dealing(reference, f"{course}, next session {format_moment(starts_at)}", is_upcoming=True)
            for reference, course, starts_at in await connection.execute(placed.limit(MOST_DEALINGS))
        ),
        *(
            Dealing(reference, f"Waiting list of {course}", is_upcoming=True)
            for reference, course in await connection.execute(waiting.limit(MOST_DEALINGS))
        ),
    ]
