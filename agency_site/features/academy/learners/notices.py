"""Notices to the people of a run about what staff change in it, and reminders.

Each function returns the number of people who are notified. The key of a notice has the change and the learner, so that a
repetition sends none. The caller has changed the run, so its row is locked: a learner who is named at the same time is stored
afterwards, and reads the new dates.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement
from sqlalchemy import select as rows_of
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import format_moment, now
from agency_site.db.due_work import handle_each
from agency_site.features.academy.learners import emails
from agency_site.features.academy.learners.tables import Enrolment, Learner
from agency_site.features.academy.learners.texts import LearnerText
from agency_site.features.academy.learners.usecases import (
    EnrolledCourse,
    LearnerRecord,
    describe_course,
    describe_run,
    find_or_renew_token,
    list_learner_rows,
    list_run_learners,
)
from agency_site.features.academy.runs.records import (
    MaterialRecord,
    MessageRecord,
    RunRecord,
    SessionRecord,
    list_sessions,
)
from agency_site.features.academy.runs.rules import RunStatus, find_next_reminder
from agency_site.features.academy.runs.tables import CourseRun, CourseSession
from agency_site.mail.rules import Message, validate_message
from agency_site.mail.usecases import enqueue, enqueue_all
from agency_site.notices.rules import NoticeKind
from agency_site.notices.usecases import Notice, notify, notify_all
from agency_site.places import buyers

Build = Callable[[LearnerRecord, EnrolledCourse, str], Message]
"""Builds the mail to a learner from the course and the token of the learner's link."""

BuildForBuyer = Callable[[emails.PlaceBuyer, EnrolledCourse], Message]
"""Builds the mail to a buyer who takes none of the places."""


async def announce_session(
    session: AsyncSession, run: RunRecord, changed: SessionRecord, before: datetime | None
) -> int:
    """Announce that a session has changed from the time `before`, or is new, unless it is over."""
    if max(changed.ends_at, before or changed.ends_at) <= now():
        return 0
    return await _write_to_all(
        session,
        run,
        _occasion_of_change(run),
        lambda learner, course, token: emails.session_notice(learner, course, token, changed, before),
        lambda buyer, course: emails.session_notice_for_buyer(buyer, course, changed, before),
        text=LearnerText(
            NoticeKind.SESSION_CHANGED,
            emails.find_change_words(changed.starts_at, before),
            {"start": format_moment(changed.starts_at)},
            useless_after=max(changed.ends_at, before or changed.ends_at),
            needed_by=_find_next_start((changed, replace(changed, starts_at=before or changed.starts_at))),
        ),
    )


async def announce_removal(session: AsyncSession, run: RunRecord, removed: SessionRecord) -> int:
    """Announce that a session was removed from a run, unless it is over."""
    cancelled = _raise_sequence(removed)
    if removed.ends_at <= now():
        return 0
    return await _write_to_all(
        session,
        run,
        _occasion_of_change(run),
        lambda learner, course, token: emails.removal_notice(learner, course, token, cancelled),
        lambda buyer, course: emails.removal_notice_for_buyer(buyer, course, cancelled),
        text=LearnerText(
            NoticeKind.SESSION_CHANGED,
            "session-cancelled",
            {"start": format_moment(removed.starts_at)},
            useless_after=removed.ends_at,
            needed_by=removed.starts_at,
        ),
    )


async def announce_schedule(session: AsyncSession, run: RunRecord, replaced: Sequence[SessionRecord]) -> int:
    """Announce the new sessions of a run, which have replaced others: each has the reference of the one that it replaces."""
    sessions = await list_sessions(session, run.id)
    references = {meeting.reference for meeting in sessions}
    cancelled = [_raise_sequence(meeting) for meeting in replaced if meeting.reference not in references]
    return await _write_to_all(
        session,
        run,
        _occasion_of_change(run),
        lambda learner, course, token: emails.schedule_notice(learner, course, token, cancelled),
        emails.schedule_notice_for_buyer,
        text=LearnerText(
            NoticeKind.SESSION_CHANGED,
            "course-rescheduled",
            needed_by=_find_next_start((*sessions, *replaced)),
        ),
    )


async def announce_cancellation(session: AsyncSession, run: RunRecord) -> int:
    """Announce that a run was cancelled. The sequence of its sessions has already been raised."""

    def build(learner: LearnerRecord, course: EnrolledCourse, token: str) -> Message:
        return emails.run_cancelled(
            learner, course, token, [meeting for meeting in course.sessions if meeting.ends_at > now()]
        )

    occasion = f"run-cancelled:{run.reference}"
    text = LearnerText(
        NoticeKind.SESSION_CHANGED,
        emails.RUN_CANCELLED,
        {"start": format_moment(run.starts_at)},
        needed_by=_find_next_start(await list_sessions(session, run.id)),
    )
    return await _write_to_all(session, run, occasion, build, emails.run_cancelled_for_buyer, text=text)


async def announce_move(
    session: AsyncSession, enrolment: Enrolment, previous_sessions: Sequence[SessionRecord]
) -> int:
    """Announce that an enrolment is in another run, or in its first run. `previous_sessions` are those of its previous run."""
    course, moment = await describe_course(session, enrolment), now()
    removed = [_raise_sequence(meeting) for meeting in previous_sessions if meeting.ends_at > moment]
    learners = [row for row in await list_learner_rows(session, enrolment.id or 0) if row.email]
    text = LearnerText(
        NoticeKind.SESSION_CHANGED,
        "learner-moved" if removed else "learner-placed",
        needed_by=_find_next_start((*course.sessions, *removed)),
    )
    for row in learners:
        token, learner = await find_or_renew_token(session, row), LearnerRecord.of(row)
        message = emails.move_notice(learner, course, token, removed)
        key = f"learner-moved:{row.reference}:{moment.isoformat()}"
        await notify(session, Notice(text.kind, key, message, text.address(learner, course, token)))
    others = await list_other_buyers(session, col(Enrolment.id) == enrolment.id, learners)
    for buyer in others:
        message = emails.move_notice_for_buyer(buyer, course)
        await enqueue(session, message, key=f"learner-moved:{buyer.order}:{moment.isoformat()}")
    return _count_people(learners, others)


async def list_other_buyers(
    session: AsyncSession, which: ColumnElement[bool], learners: Sequence[Learner]
) -> list[emails.PlaceBuyer]:
    """Return the buyers of these enrolments who are not among the `learners`, one for each order."""
    learner_addresses = {row.email.lower() for row in learners}
    buyer = buyers().select_buyers().subquery()
    columns: Sequence[Any] = (Enrolment.reference, buyer.c.first_name, buyer.c.last_name, buyer.c.email)
    query = rows_of(*columns).join(buyer, buyer.c.order_id == col(Enrolment.order_id)).where(which)
    rows = (await (await session.connection()).execute(query.order_by(col(Enrolment.id)))).all()
    return [
        emails.PlaceBuyer(reference, f"{first} {last}".strip(), email)
        for reference, first, last, email in rows
        if email and email.lower() not in learner_addresses
    ]


async def list_payers(session: AsyncSession, run: str) -> list[emails.PlaceBuyer]:
    """Return the buyers with money in an order for the run that has no enrolment yet."""
    rows = await (await session.connection()).execute(buyers().select_payers(run))
    return [
        emails.PlaceBuyer(reference, f"{first} {last}".strip(), email, is_enrolled=False)
        for reference, first, last, email, _ in rows
        if email
    ]


def _count_people(learners: Sequence[Learner], others: Sequence[emails.PlaceBuyer]) -> int:
    return len({row.email.lower() for row in learners} | {buyer.email.lower() for buyer in others})


def _find_next_start(sessions: Iterable[SessionRecord]) -> datetime | None:
    """Return the start of the first session that is not over; None if all are."""
    return min((meeting.starts_at for meeting in sessions if meeting.ends_at > now()), default=None)


def _raise_sequence(session: SessionRecord) -> SessionRecord:
    return replace(session, sequence=session.sequence + 1, updated_at=now())


def _occasion_of_change(run: RunRecord) -> str:
    return f"session-changed:{run.reference}:{run.version}"


async def _write_to_all(
    session: AsyncSession,
    run: RunRecord,
    occasion: str,
    build: Build,
    build_for_buyer: BuildForBuyer | None = None,
    *,
    text: LearnerText | None = None,
) -> int:
    """Write to all learners of the run, and mail other buyers if `build_for_buyer` is given, once for each `occasion`.

    Without a `text` learners get a mail only. A learner to whom nothing can be written does not keep the others from it.
    """
    learners, course = await list_run_learners(session, run.id), await describe_run(session, run)
    keyed: dict[str, Message] = {}
    notices: list[Notice] = []

    async def write(row: Learner) -> None:
        learner, token = LearnerRecord.of(row), await find_or_renew_token(session, row)
        key, mail = f"{occasion}:{row.reference}", validate_message(build(learner, course, token))
        if text:
            notices.append(Notice(text.kind, key, mail, text.address(learner, course, token)))
        else:
            keyed[key] = mail

    await handle_each(learners, write, lambda row: f"the notice to learner {row.reference}")
    others: list[emails.PlaceBuyer] = []
    if build_for_buyer:
        in_run = (col(Enrolment.run_id) == run.id) & col(Enrolment.ended_at).is_(None)
        others = await list_other_buyers(session, in_run, learners)
        others += await list_payers(session, run.reference)
        keyed |= {f"{occasion}:{buyer.order}": build_for_buyer(buyer, course) for buyer in others}
    await notify_all(session, notices)
    await enqueue_all(session, keyed)
    return _count_people(learners, others)


async def announce_message(session: AsyncSession, run: RunRecord, message: MessageRecord) -> int:
    """Mail a message of staff to every learner of the run."""
    return await _write_to_all(
        session,
        run,
        f"run-message:{message.id}",
        lambda learner, course, token: emails.run_message(learner, course, token, message),
    )


async def announce_recording(session: AsyncSession, run: RunRecord, recording: MaterialRecord) -> int:
    """Announce a recording. It is not announced again if it is removed and added once more."""
    digest = hashlib.sha256(recording.address.encode()).hexdigest()[:16]
    return await _write_to_all(
        session,
        run,
        f"recording-added:{run.reference}:{digest}",
        lambda learner, course, token: emails.recording_notice(learner, course, token, recording),
    )


async def enqueue_reminders(session: AsyncSession, session_id: int) -> int:
    """Enqueue the reminder of a claimed session to all its learners. Return their number.

    The last one, which is due shortly before the session, is also a text message.

    Return 0 if the session was removed or moved since the claim, has begun, or its run is cancelled.
    """
    moment = now()
    query = select(CourseSession).where(CourseSession.id == session_id).with_for_update()
    row = (await session.exec(query.execution_options(populate_existing=True))).one_or_none()
    if row is None or row.due_at is None or row.due_at > moment:
        return 0
    due, row.due_at, row.leased_until = row.due_at, find_next_reminder(row.starts_at, moment), None
    session.add(row)
    await session.flush()
    run, meeting = RunRecord.of(await session.get_one(CourseRun, row.run_id)), SessionRecord.of(row)
    if run.status is RunStatus.CANCELLED or row.starts_at <= moment:
        return 0
    text = LearnerText(
        NoticeKind.SESSION_SOON,
        emails.REMINDER,
        {"start": format_moment(row.starts_at)},
        useless_after=row.starts_at,
    )
    return await _write_to_all(
        session,
        run,
        f"session-reminder:{row.reference}:{row.sequence}:{due.isoformat()}",
        lambda learner, course, token: emails.session_reminder(learner, course, token, meeting),
        text=text if row.due_at is None else None,
    )
