"""Planning of course runs and their sessions by staff.

`actor` is the e-mail address of the member of staff. A function with a `version` changes the run or its sessions only if the
run still has that version, and raises StaleRecord otherwise.
"""

from dataclasses import dataclass
from datetime import date, datetime
from itertools import chain, repeat
from typing import Any

from sqlalchemy import delete, false, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import format_moment, now
from agency_site.content.courses import course_by_slug
from agency_site.db.deduplication import insert_or_find
from agency_site.db.event_log import append_event, describe_edit
from agency_site.db.inserts import insert_new
from agency_site.db.record_versions import update_record
from agency_site.errors import Conflict, NotFound, StaleRecord, reject
from agency_site.features.academy.learners.notices import (
    announce_cancellation,
    announce_message,
    announce_removal,
    announce_schedule,
    announce_session,
)
from agency_site.features.academy.learners.tables import Attendance
from agency_site.features.academy.learners.trainers import list_trainers
from agency_site.features.academy.planning.clashes import describe_clashes
from agency_site.features.academy.planning.staff_request import (
    PatternRequest,
    RunMessageRequest,
    RunRequest,
    SessionRequest,
)
from agency_site.features.academy.reservations.usecases import release_all
from agency_site.features.academy.runs.history import RunChange
from agency_site.features.academy.runs.records import (
    MessageRecord,
    RunRecord,
    SessionRecord,
    find_run,
    find_run_row,
    list_sessions,
    lock_run,
)
from agency_site.features.academy.runs.rules import (
    REFERENCE,
    SESSION_REFERENCE,
    STATUS_CHANGES,
    PlannedSession,
    RunStatus,
    find_next_reminder,
    plan_sessions,
)
from agency_site.features.academy.runs.tables import CourseRun, CourseSession, RunEvent, RunMessage
from agency_site.form_input import moment_field_value, search_text
from agency_site.ids import new_reference
from agency_site.places import buyers
from agency_site.public_holidays import public_holidays


async def create_run(session: AsyncSession, request: RunRequest, actor: str) -> RunRecord:
    """Store a planned run without sessions.

    Raises InputRejected for an account that cannot be a trainer's, and for a start or an end of enrolment in the past.
    """
    await _require_trainer(session, request.trainer_email)
    moment = now()
    if request.starts_at <= moment:
        raise reject("starts_at", "This time has passed. Please plan a start in the future.")
    if request.enrol_until and request.enrol_until <= moment:
        raise reject("enrol_until", "This time has passed: learners could not enrol.")
    row = _run_columns(request) | {
        "status": RunStatus.PLANNED, "starts_at": request.starts_at, "ends_at": request.starts_at, "taken": 0,
        "version": 1, "created_at": moment, "updated_at": moment,
    }  # fmt: skip
    stored = await insert_or_find(
        session, CourseRun, row, REFERENCE, (request.course.payment_name, request.trainer), false()
    )
    await append_event(session, RunEvent, [stored.identity], RunChange.CREATED, actor)
    return await find_run(session, stored.reference)


async def save_run(
    session: AsyncSession, reference: str, version: int, request: RunRequest, actor: str
) -> RunRecord:
    """Change a run. Raises NotFound, StaleRecord, and InputRejected.

    It rejects fewer places than are taken, another course once places are taken, and an account that cannot be a trainer's.
    """
    row = await find_run_row(session, reference)
    await _require_trainer(session, request.trainer_email, row.trainer_email)
    if row.taken and request.course_slug != row.course_slug:
        raise reject("course_slug", "Places of this run are taken, so its course cannot change.")
    values = _run_columns(request) | {
        "search": search_text(reference, request.course.payment_name, request.trainer)
    }
    if not await list_sessions(session, row.id or 0):
        # The form has no seconds: compare without them.
        if request.starts_at <= now() and moment_field_value(request.starts_at) != moment_field_value(
            row.starts_at
        ):
            raise reject("starts_at", "This time has passed. Please plan a start in the future.")
        values |= {"starts_at": request.starts_at, "ends_at": request.starts_at}
    edit = describe_edit(row.model_dump(), values)
    try:
        async with session.begin_nested():
            await _update_run(session, row, version, **values)
    except IntegrityError:
        raise reject("capacity", "More places than that are already taken.") from None
    await append_event(session, RunEvent, [row.id], RunChange.EDITED, actor, note=edit)
    return await find_run(session, reference)


async def _require_trainer(session: AsyncSession, email: str | None, present: str | None = None) -> None:
    if email and email not in dict(await list_trainers(session, present)):
        raise reject("trainer_email", "Please choose an account of a trainer who can sign in, or none.")


async def change_status(
    session: AsyncSession, reference: str, version: int, to: RunStatus, actor: str, *, notify: bool = True
) -> int:
    """Open enrolment, end it again, or cancel the run. Return the number of people who get an e-mail: 0 unless it is cancelled.

    Raises NotFound, Conflict, StaleRecord.
    """
    row = await find_run_row(session, reference)
    if row.version == version and to not in STATUS_CHANGES[row.status]:
        raise Conflict(f"This run is {row.status}, so this cannot be done.")
    if to is RunStatus.OPEN and not await list_sessions(session, row.id or 0):
        raise Conflict("Please add the sessions first: visitors see when the run starts.")
    before = row.status
    if to is RunStatus.CANCELLED:
        await buyers().report_cancelled_run(session, reference)
    await _update_run(session, row, version, status=to)
    if to is RunStatus.CANCELLED:
        # Payments that still arrive for released places go to review.
        await release_all(session, row.id or 0)
        await _cancel_sessions(session, row)
    await append_event(session, RunEvent, [row.id], RunChange.STATUS, actor, before, to)
    if not notify or to is not RunStatus.CANCELLED:
        return 0
    return await announce_cancellation(session, await find_run(session, reference))


async def _cancel_sessions(session: AsyncSession, run: CourseRun) -> None:
    """Raise the sequence of the run's sessions, so that calendars take their cancellation, and stop their reminders."""
    statement = update(CourseSession).where(col(CourseSession.run_id) == run.id)
    changed = statement.values(
        sequence=col(CourseSession.sequence) + 1, updated_at=now(), due_at=None, leased_until=None
    )
    await session.exec(changed.execution_options(synchronize_session=False))


@dataclass(frozen=True)
class Schedule:
    """The sessions of a run before and after a weekly pattern is applied."""

    run: RunRecord
    replaced: tuple[SessionRecord, ...]
    planned: tuple[PlannedSession, ...]
    warning: str
    """Describes other sessions of the trainer at the same time; may be empty."""


async def plan_schedule(session: AsyncSession, reference: str, request: PatternRequest) -> Schedule:
    """Return the sessions that `generate_sessions` would store, and those that they would replace.

    Raises NotFound, InputRejected for a `first_day` in the past, and Conflict once the run has begun or was attended.
    """
    row = await _find_changeable(session, reference)
    replaced, planned = await _plan_sessions(session, row, request)
    run = RunRecord.of(row)
    return Schedule(run, replaced, planned, await describe_clashes(session, run, planned))


async def _plan_sessions(
    session: AsyncSession, row: CourseRun, request: PatternRequest
) -> tuple[tuple[SessionRecord, ...], tuple[PlannedSession, ...]]:
    replaced = await list_sessions(session, row.id or 0)
    if replaced and row.starts_at <= now():
        raise Conflict("This run has begun: its sessions can only be changed one by one.")
    course = course_by_slug(row.course_slug)
    if course is None:
        raise Conflict("The site no longer offers this course.")
    planned = plan_sessions(request.pattern, [week.title for week in course.detail.weeks], _is_holiday)
    if planned[0].starts_at <= now():
        raise reject(
            "first_day", f"The first session, on {format_moment(planned[0].starts_at)}, would be in the past."
        )
    await _reject_attended(session, *(meeting.id for meeting in replaced))
    return replaced, planned


async def generate_sessions(
    session: AsyncSession,
    reference: str,
    version: int,
    request: PatternRequest,
    actor: str,
    *,
    notify: bool = True,
) -> int:
    """Replace all sessions by those of a weekly pattern without public holidays. Return the number of people who get an e-mail.

    Raises the errors of `plan_schedule`, and StaleRecord.
    """
    row = await _find_changeable(session, reference)
    replaced, planned = await _plan_sessions(session, row, request)
    await session.exec(delete(CourseSession).where(col(CourseSession.run_id) == row.id))
    rows = [
        _session_columns(row, new, old)
        for new, old in zip(planned, chain(replaced, repeat(None)), strict=False)
    ]
    await insert_new(session, CourseSession, rows)
    await _update_run_times(session, row, version)
    await append_event(session, RunEvent, [row.id], RunChange.GENERATED, actor, after=str(len(rows)))
    if not notify:
        return 0
    return await announce_schedule(session, await find_run(session, reference), replaced)


async def save_session(
    session: AsyncSession,
    reference: str,
    version: int,
    session_id: int | None,
    request: SessionRequest,
    actor: str,
    *,
    notify: bool = True,
) -> int:
    """Change one session, or add one. Return the number of people who get an e-mail.

    Raises NotFound, StaleRecord, and InputRejected if another session begins then, or for a past time before the run began.
    """
    row = await _find_changeable(session, reference)
    values: dict[str, Any] = request.model_dump()
    before = None
    if session_id:
        meeting = await _find_session(session, row, session_id)
        if all(getattr(meeting, name) == value for name, value in values.items()):
            await _require_version(session, row, version)
            return 0
        before = meeting.starts_at
        _reject_past(row, request.starts_at, before)
        meeting.sqlmodel_update(values | {"sequence": meeting.sequence + 1, "leased_until": None})
    else:
        _reject_past(row, request.starts_at)
        meeting = CourseSession(run_id=row.id or 0, **_new_session_columns(), **values)
    meeting.updated_at = now()
    meeting.due_at = find_next_reminder(meeting.starts_at, now())
    try:
        async with session.begin_nested():
            session.add(meeting)
            await session.flush()
    except IntegrityError:
        raise reject("starts_at", "Another session of this run begins at this time.") from None
    await _update_run_times(session, row, version)
    times = {"before": _format_minute(before), "after": _format_minute(request.starts_at)}
    await append_event(session, RunEvent, [row.id], RunChange.SESSION_SAVED, actor, **times)
    if not notify:
        return 0
    run = await find_run(session, reference)
    return await announce_session(session, run, SessionRecord.of(meeting), before)


def _reject_past(run: CourseRun, starts_at: datetime, before: datetime | None = None) -> None:
    """Raise InputRejected for a session in the past, unless the run had begun by then: staff may record it afterwards."""
    if starts_at > now() or starts_at == before or run.starts_at <= starts_at:
        return
    raise reject("starts_at", "This time has passed. Please choose a time in the future.")


async def warn_of_clashes(session: AsyncSession, reference: str) -> str:
    """Describe other sessions of the trainer during the coming sessions of a run. Empty if there are none."""
    run = await find_run(session, reference)
    planned = [
        PlannedSession(meeting.starts_at, meeting.minutes, meeting.topic)
        for meeting in await list_sessions(session, run.id)
        if meeting.ends_at > now()
    ]
    return await describe_clashes(session, run, planned)


async def _require_version(session: AsyncSession, row: CourseRun, version: int) -> None:
    run = await find_run(session, row.reference)
    if run.version != version:
        raise StaleRecord(run.reference, run)


async def remove_session(
    session: AsyncSession, reference: str, version: int, session_id: int, actor: str, *, notify: bool = True
) -> int:
    """Remove one session. Return the number of people who get an e-mail.

    Raises NotFound, StaleRecord, and Conflict for the last session of an open run, or an attended one.
    """
    row = await _find_changeable(session, reference)
    meeting = await _find_session(session, row, session_id)
    if row.status is RunStatus.OPEN and len(await list_sessions(session, row.id or 0)) == 1:
        raise Conflict("An open run needs a session. Please change this one, or end enrolment first.")
    removed = SessionRecord.of(meeting)
    await _reject_attended(session, removed.id)
    await session.delete(meeting)
    await session.flush()
    await _update_run_times(session, row, version)
    before = _format_minute(removed.starts_at)
    await append_event(session, RunEvent, [row.id], RunChange.SESSION_REMOVED, actor, before=before)
    if not notify:
        return 0
    return await announce_removal(session, await find_run(session, reference), removed)


async def _reject_attended(session: AsyncSession, *session_ids: int) -> None:
    query = select(Attendance.id).where(col(Attendance.session_id).in_(session_ids)).limit(1)
    if (await session.exec(query)).first() is not None:
        raise Conflict("Attendance has been marked. Please clear it first, or change the session instead.")


async def write_message(session: AsyncSession, reference: str, request: RunMessageRequest, actor: str) -> int:
    """Send a message to all learners of a run, by e-mail and on their pages. Return their number.

    Raises NotFound, and Conflict if no learner is named.
    """
    row = await _lock_run_row(session, reference)
    message = RunMessage(
        run_id=row.id or 0, at=now(), author=actor, subject=request.subject, text=request.text
    )
    session.add(message)
    await session.flush()
    recipients = await announce_message(session, RunRecord.of(row), MessageRecord.of(message))
    if not recipients:
        raise Conflict("No learner of this run is named yet, so there are no recipients.")
    await append_event(session, RunEvent, [row.id], RunChange.MESSAGE, actor, note=request.subject)
    return recipients


async def _find_changeable(session: AsyncSession, reference: str) -> CourseRun:
    row = await _lock_run_row(session, reference)
    if row.status is RunStatus.CANCELLED:
        raise Conflict("This run is cancelled, so its sessions can no longer change.")
    return row


async def _lock_run_row(session: AsyncSession, reference: str) -> CourseRun:
    await lock_run(session, col(CourseRun.reference) == reference)
    return await find_run_row(session, reference)


async def _find_session(session: AsyncSession, run: CourseRun, session_id: int) -> CourseSession:
    meeting = await session.get(CourseSession, session_id)
    if meeting is None or meeting.run_id != run.id:
        raise NotFound("This session no longer exists.")
    return meeting


async def _update_run(session: AsyncSession, run: CourseRun, version: int, **values: Any) -> None:
    if not await update_record(session, CourseRun, run.id, version, updated_at=now(), **values):
        raise StaleRecord(run.reference, await find_run(session, run.reference))


async def _update_run_times(session: AsyncSession, run: CourseRun, version: int) -> None:
    """Set start and end of the run to those of its sessions."""
    sessions = await list_sessions(session, run.id or 0)
    starts_at = min((meeting.starts_at for meeting in sessions), default=run.starts_at)
    ends_at = max((meeting.ends_at for meeting in sessions), default=starts_at)
    await _update_run(session, run, version, starts_at=starts_at, ends_at=ends_at)


def _run_columns(request: RunRequest) -> dict[str, Any]:
    return request.model_dump(exclude={"starts_at"}) | {"course_name": request.course.payment_name}


def _session_columns(
    run: CourseRun, planned: PlannedSession, replaced: SessionRecord | None
) -> dict[str, Any]:
    """The columns of a generated session. It keeps the reference of the session that it replaces, and so its calendar entry."""
    entry = _new_session_columns()
    if replaced:
        entry |= {
            "reference": replaced.reference,
            "sequence": replaced.sequence + 1,
            "created_at": replaced.created_at,
        }
    return entry | {
        "run_id": run.id,
        "starts_at": planned.starts_at,
        "minutes": planned.minutes,
        "topic": planned.topic,
        "due_at": find_next_reminder(planned.starts_at, now()),
    }


def _new_session_columns() -> dict[str, Any]:
    moment = now()
    return {
        "reference": new_reference(SESSION_REFERENCE), "sequence": 0, "created_at": moment, "updated_at": moment,
    }  # fmt: skip


def _is_holiday(day: date) -> bool:
    return day in public_holidays(day.year)


def _format_minute(moment: datetime | None) -> str:
    return moment.isoformat(timespec="minutes") if moment else ""
