"""Mails to everybody in a run about what staff change in it, and reminders.

Each is keyed by what it is about and the learner, so that a repetition writes to nobody. The caller has changed the run,
which keeps its row locked: whoever is named meanwhile waits, and reads what is new.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import select as rows_of
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.leases import claim
from agency_site.features.academy import emails
from agency_site.features.academy.learners import (
    EnrolledCourse,
    LearnerRecord,
    describe_run,
    find_or_renew_token,
    list_run_learners,
)
from agency_site.features.academy.records import RunRecord, SessionRecord
from agency_site.features.academy.rules import RunStatus, find_next_reminder
from agency_site.features.academy.tables import CourseRun, CourseSession, Enrolment
from agency_site.mail.rules import Message
from agency_site.mail.usecases import enqueue_all
from agency_site.places import buyers

Build = Callable[[LearnerRecord, EnrolledCourse, str], Message]
"""The mail to a learner, from the course and the token of the learner's link."""


async def announce_session(
    session: AsyncSession, run: RunRecord, changed: SessionRecord, before: datetime | None
) -> None:
    """A session has changed from the time `before`, or is new. What is over concerns nobody any more."""
    if max(changed.ends_at, before or changed.ends_at) > now():
        await _write_to_all(
            session,
            run,
            "session-changed",
            lambda one, course, token: emails.session_notice(one, course, token, changed, before),
        )


async def announce_removal(session: AsyncSession, run: RunRecord, removed: SessionRecord) -> None:
    """A session was removed from a run."""
    gone = _raise_sequence(removed)
    if removed.ends_at > now():
        await _write_to_all(
            session,
            run,
            "session-changed",
            lambda one, course, token: emails.removal_notice(one, course, token, gone),
        )


async def announce_schedule(session: AsyncSession, run: RunRecord, removed: Sequence[SessionRecord]) -> None:
    """All sessions of a run were generated anew; those `removed` have no successor."""
    gone = [_raise_sequence(one) for one in removed]
    await _write_to_all(
        session,
        run,
        "session-changed",
        lambda one, course, token: emails.schedule_notice(one, course, token, gone),
    )


async def announce_cancellation(session: AsyncSession, run: RunRecord) -> None:
    """A run was cancelled, and the sequence of its sessions raised: its learners and those who bought places get a mail."""

    def build(learner: LearnerRecord, course: EnrolledCourse, token: str) -> Message:
        return emails.run_cancelled(
            learner, course, token, [one for one in course.sessions if one.ends_at > now()]
        )

    told = await _write_to_all(session, run, "run-cancelled", build)
    buyer, mine = (
        buyers().select().subquery(),
        (col(Enrolment.run_id) == run.id, col(Enrolment.ended_at).is_(None)),
    )
    columns = (Enrolment.reference, buyer.c.first_name, buyer.c.last_name, buyer.c.email)
    bought = rows_of(*columns).join(buyer, buyer.c.order_id == col(Enrolment.order_id)).where(*mine)  # type: ignore[call-overload]
    course, keyed = await describe_run(session, run), dict[str, Message]()
    for reference, first, last, email in (await (await session.connection()).execute(bought)).all():
        if email and email.lower() not in told:
            message = emails.run_cancelled_for_buyer(f"{first} {last}".strip(), email, reference, course)
            keyed[f"run-cancelled:{reference}:{run.reference}"] = message
    if keyed:
        await enqueue_all(session, keyed)


def _raise_sequence(session: SessionRecord) -> SessionRecord:
    return replace(session, sequence=session.sequence + 1, updated_at=now())


async def _write_to_all(session: AsyncSession, run: RunRecord, occasion: str, build: Build) -> set[str]:
    """Mail every learner of the run, once for this version of it; their addresses, in lower case."""
    learners, course = await list_run_learners(session, run.id), await describe_run(session, run)
    keyed = {
        f"{occasion}:{row.reference}:{run.reference}:{run.version}": build(
            LearnerRecord.of(row), course, await find_or_renew_token(session, row)
        )
        for row in learners
    }
    if keyed:
        await enqueue_all(session, keyed)
    return {row.email.lower() for row in learners}


async def claim_reminders(session: AsyncSession, limit: int = 20) -> list[int]:
    """Ids of sessions whose next reminder is due, leased to this worker. Call it in a session of its own."""
    rows = await claim(session, CourseSession, now(), limit=limit)
    return [row.id for row in rows if row.id is not None]


async def remind(session: AsyncSession, session_id: int) -> int:
    """Enqueue the reminder of a claimed session to all its learners; how many. None where it was removed or moved, or is over."""
    moment = now()
    wanted = select(CourseSession).where(CourseSession.id == session_id).with_for_update()
    row = (await session.exec(wanted.execution_options(populate_existing=True))).one_or_none()
    if row is None or row.due_at is None or row.due_at > moment:
        return 0
    due, row.due_at, row.leased_until = row.due_at, find_next_reminder(row.starts_at, moment), None
    session.add(row)
    await session.flush()
    run, meeting = RunRecord.of(await session.get_one(CourseRun, row.run_id)), SessionRecord.of(row)
    if run.status is RunStatus.CANCELLED or row.starts_at <= moment:
        return 0
    course, keyed = await describe_run(session, run), dict[str, Message]()
    for learner in await list_run_learners(session, run.id):
        token = await find_or_renew_token(session, learner)
        key = f"session-reminder:{learner.reference}:{row.reference}:{row.sequence}:{due.isoformat()}"
        keyed[key] = emails.session_reminder(LearnerRecord.of(learner), course, token, meeting)
    if keyed:
        await enqueue_all(session, keyed)
    return len(keyed)
