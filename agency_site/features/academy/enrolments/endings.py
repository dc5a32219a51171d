"""Ending single places of an order by staff. A refund is recorded on the order's page."""

from dataclasses import replace

from sqlalchemy import update
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.event_log import append_event
from agency_site.errors import Conflict, StaleRecord
from agency_site.features.academy.enrolments.usecases import end_enrolment
from agency_site.features.academy.learners import emails
from agency_site.features.academy.learners.notices import list_other_buyers
from agency_site.features.academy.learners.tables import Enrolment, Learner
from agency_site.features.academy.learners.usecases import (
    PLACE_ENDED,
    EnrolledCourse,
    LearnerRecord,
    describe_course,
    find_learner_row,
)
from agency_site.features.academy.reservations.rules import WaitingState
from agency_site.features.academy.reservations.tables import WaitingEntry
from agency_site.features.academy.reservations.usecases import return_places
from agency_site.features.academy.runs.history import RunChange
from agency_site.features.academy.runs.records import lock_run
from agency_site.features.academy.runs.tables import CourseRun, RunEvent
from agency_site.mail.rules import Message
from agency_site.mail.usecases import enqueue
from agency_site.places import buyers


async def end_place(
    session: AsyncSession, reference: str, version: int, actor: str, *, notify: bool = True
) -> tuple[str, ...]:
    """End the place of a learner, which becomes free for the waiting list. Return the addresses that get an e-mail.

    The enrolment ends with its last place. Raises NotFound, StaleRecord, and Conflict for a place that has ended.
    """
    row = await find_learner_row(session, reference)
    enrolment = await session.get_one(Enrolment, row.enrolment_id)
    await buyers().lock_order(session, enrolment.order_id)
    if enrolment.run_id:
        await lock_run(session, col(CourseRun.id) == enrolment.run_id)
    await session.refresh(enrolment)
    await session.refresh(row)
    if enrolment.ended_at or row.ended_at:
        raise Conflict(PLACE_ENDED)
    if row.version != version:
        raise StaleRecord(reference, LearnerRecord.of(row))
    course, learner = await describe_course(session, enrolment), LearnerRecord.of(row)
    row.ended_at = row.updated_at = now()
    session.add(row)
    await _release_place(session, enrolment)
    if enrolment.run_id:
        await append_event(
            session, RunEvent, [enrolment.run_id], RunChange.PLACE_ENDED, actor, note=reference
        )
    if not notify:
        return ()
    messages = await _build_messages(session, course, enrolment, row, learner)
    for message in messages:
        await enqueue(session, message, key=f"place-ended:{reference}:{message.to.lower()}")
    return tuple(message.to for message in messages)


async def _release_place(session: AsyncSession, enrolment: Enrolment) -> None:
    if enrolment.places == 1:
        await end_enrolment(session, enrolment.order_id, now())
        return
    enrolment.places -= 1
    session.add(enrolment)
    await session.flush()
    if enrolment.run_id:
        await return_places(session, enrolment.run_id, 1)
    is_waiting = (col(WaitingEntry.order_id) == enrolment.order_id) & (
        col(WaitingEntry.state) == WaitingState.WAITING
    )
    statement = update(WaitingEntry).where(is_waiting)
    values = {"places": enrolment.places, "version": col(WaitingEntry.version) + 1, "updated_at": now()}
    await session.exec(statement.values(**values).execution_options(synchronize_session=False))


async def _build_messages(
    session: AsyncSession, course: EnrolledCourse, enrolment: Enrolment, row: Learner, learner: LearnerRecord
) -> list[Message]:
    """Build the mails to the learner, if there is one, and to the buyer, if that is another person."""
    upcoming = [
        replace(meeting, sequence=meeting.sequence + 1)
        for meeting in course.sessions
        if meeting.starts_at > now()
    ]
    messages = [emails.place_ended(learner, course, upcoming)] if learner.email else []
    left = 0 if enrolment.ended_at else enrolment.places
    others = await list_other_buyers(session, col(Enrolment.id) == enrolment.id, [row])
    return messages + [
        emails.place_ended_for_buyer(buyer, course, learner.fullname, left) for buyer in others
    ]
