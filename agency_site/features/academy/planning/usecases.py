"""Course runs: what staff do with them, and which are on offer.

`actor` is the e-mail address of the member of staff. A verb that takes a `version` changes the run, or its sessions, only
as its editor saw it, and raises StaleRecord otherwise.
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
from agency_site.errors import Conflict, FieldError, InputRejected, NotFound, StaleRecord
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
from agency_site.public_holidays import public_holidays


async def create_run(session: AsyncSession, request: RunRequest, actor: str) -> RunRecord:
    """Store a planned run without sessions.

    Raises InputRejected for an account that cannot be its trainer's, and for a start or an end of enrolment in the past.
    """
    await _require_trainer(session, request.trainer_email)
    moment = now()
    if request.starts_at <= moment:
        raise _reject("starts_at", "This time has passed. Please plan a start in the future.")
    if request.enrol_until and request.enrol_until <= moment:
        raise _reject("enrol_until", "This time has passed: learners could not enrol.")
    row = _columns(request) | {
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

    Rejected are a capacity below the places that are taken, and an account that cannot be its trainer's.
    """
    row = await find_run_row(session, reference)
    await _require_trainer(session, request.trainer_email, row.trainer_email)
    if row.taken and request.course_slug != row.course_slug:
        raise _reject("course_slug", "Places of this run are taken, so its course cannot change.")
    values = _columns(request) | {
        "search": search_text(reference, request.course.payment_name, request.trainer)
    }
    if not await list_sessions(session, row.id or 0):
        # The form shows minutes.
        if request.starts_at <= now() and moment_field_value(request.starts_at) != moment_field_value(
            row.starts_at
        ):
            raise _reject("starts_at", "This time has passed. Please plan a start in the future.")
        values |= {"starts_at": request.starts_at, "ends_at": request.starts_at}
    edit = describe_edit(row.model_dump(), values)
    try:
        async with session.begin_nested():
            await _update(session, row, version, **values)
    except IntegrityError:
        raise _reject("capacity", "More places than that are already taken.") from None
    await append_event(session, RunEvent, [row.id], RunChange.EDITED, actor, note=edit)
    return await find_run(session, reference)


async def _require_trainer(session: AsyncSession, email: str | None, present: str | None = None) -> None:
    if email and email not in dict(await list_trainers(session, present)):
        raise _reject("trainer_email", "Please choose an account of a trainer who can sign in, or none.")


async def change_status(
    session: AsyncSession, reference: str, version: int, to: RunStatus, actor: str, *, notify: bool = True
) -> int:
    """Open enrolment, end it again, or cancel the run. Return how many people get an e-mail: none unless it is cancelled.

    Raises NotFound, Conflict, StaleRecord.
    """
    row = await find_run_row(session, reference)
    if row.version == version and to not in STATUS_CHANGES[row.status]:
        raise Conflict(f"This run is {row.status}, so this cannot be done.")
    if to is RunStatus.OPEN and not await list_sessions(session, row.id or 0):
        raise Conflict("Please add the sessions first: visitors see when the run starts.")
    before = row.status
    await _update(session, row, version, status=to)
    if to is RunStatus.CANCELLED:
        # What is paid for nevertheless goes to review.
        await release_all(session, row.id or 0)
        await _cancel_sessions(session, row)
    await append_event(session, RunEvent, [row.id], RunChange.STATUS, actor, before, to)
    if not notify or to is not RunStatus.CANCELLED:
        return 0
    return await announce_cancellation(session, await find_run(session, reference))


async def _cancel_sessions(session: AsyncSession, run: CourseRun) -> None:
    """Their entries in calendars change, and no reminder is due."""
    mine = update(CourseSession).where(col(CourseSession.run_id) == run.id)
    changed = mine.values(
        sequence=col(CourseSession.sequence) + 1, updated_at=now(), due_at=None, leased_until=None
    )
    await session.exec(changed.execution_options(synchronize_session=False))


@dataclass(frozen=True)
class Schedule:
    """What a weekly pattern would make of the sessions of a run."""

    run: RunRecord
    replaced: tuple[SessionRecord, ...]
    planned: tuple[PlannedSession, ...]
    warning: str
    """Says that the trainer teaches elsewhere at the same time; may be empty."""


async def plan_schedule(session: AsyncSession, reference: str, request: PatternRequest) -> Schedule:
    """The sessions that `generate_sessions` would store, and those that they would replace.

    Raises NotFound, InputRejected for a `first_day` in the past, and Conflict once the run has begun or was attended.
    """
    row = await _find_changeable(session, reference)
    replaced, planned = await _plan(session, row, request)
    run = RunRecord.of(row)
    return Schedule(run, replaced, planned, await describe_clashes(session, run, planned))


async def _plan(
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
        raise _reject(
            "first_day", f"The first session, on {format_moment(planned[0].starts_at)}, would be in the past."
        )
    await _reject_attended(session, *(one.id for one in replaced))
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
    """Replace all sessions by those of a weekly pattern without public holidays. Return how many people get an e-mail.

    Raises as `plan_schedule`, and StaleRecord.
    """
    row = await _find_changeable(session, reference)
    replaced, planned = await _plan(session, row, request)
    await session.exec(delete(CourseSession).where(col(CourseSession.run_id) == row.id))
    rows = [
        _session_columns(row, one, old)
        for one, old in zip(planned, chain(replaced, repeat(None)), strict=False)
    ]
    await insert_new(session, CourseSession, rows)
    await _follow_sessions(session, row, version)
    await append_event(session, RunEvent, [row.id], RunChange.GENERATED, actor, after=str(len(rows)))
    if not notify:
        return 0
    return await announce_schedule(session, await find_run(session, reference), replaced[len(rows) :])


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
    """Change one session, or add one. Return how many people get an e-mail.

    Raises NotFound, StaleRecord, and InputRejected where another begins then, or for a time before the run that has passed.
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
        raise _reject("starts_at", "Another session of this run begins at this time.") from None
    await _follow_sessions(session, row, version)
    steps = {"before": _moment(before), "after": _moment(request.starts_at)}
    await append_event(session, RunEvent, [row.id], RunChange.SESSION_SAVED, actor, **steps)
    if not notify:
        return 0
    run = await find_run(session, reference)
    return await announce_session(session, run, SessionRecord.of(meeting), before)


def _reject_past(run: CourseRun, starts_at: datetime, before: datetime | None = None) -> None:
    """Raise InputRejected for a session that is put into the past. A run that has begun may get one that took place."""
    if starts_at > now() or starts_at == before or run.starts_at <= starts_at:
        return
    raise _reject("starts_at", "This time has passed. Please choose a time in the future.")


async def warn_of_clashes(session: AsyncSession, reference: str) -> str:
    """Warn if the trainer of a run teaches elsewhere during one of its coming sessions; empty if not."""
    run = await find_run(session, reference)
    coming = [one for one in await list_sessions(session, run.id) if one.ends_at > now()]
    planned = [PlannedSession(one.starts_at, one.minutes, one.topic) for one in coming]
    return await describe_clashes(session, run, planned)


async def _require_version(session: AsyncSession, row: CourseRun, version: int) -> None:
    run = await find_run(session, row.reference)
    if run.version != version:
        raise StaleRecord(run.reference, run)


async def remove_session(
    session: AsyncSession, reference: str, version: int, session_id: int, actor: str, *, notify: bool = True
) -> int:
    """Remove one session. Return how many people get an e-mail.

    Raises NotFound, StaleRecord, and Conflict for the last one of an open run, or an attended one.
    """
    row = await _find_changeable(session, reference)
    meeting = await _find_session(session, row, session_id)
    if row.status is RunStatus.OPEN and len(await list_sessions(session, row.id or 0)) == 1:
        raise Conflict("An open run needs a session. Please change this one, or end enrolment first.")
    removed = SessionRecord.of(meeting)
    await _reject_attended(session, removed.id)
    await session.delete(meeting)
    await session.flush()
    await _follow_sessions(session, row, version)
    gone = _moment(removed.starts_at)
    await append_event(session, RunEvent, [row.id], RunChange.SESSION_REMOVED, actor, before=gone)
    if not notify:
        return 0
    return await announce_removal(session, await find_run(session, reference), removed)


async def _reject_attended(session: AsyncSession, *session_ids: int) -> None:
    marked = select(Attendance.id).where(col(Attendance.session_id).in_(session_ids)).limit(1)
    if (await session.exec(marked)).first() is not None:
        raise Conflict("Attendance has been marked. Please clear it first, or change the session instead.")


async def write_message(session: AsyncSession, reference: str, request: RunMessageRequest, actor: str) -> int:
    """Write to all learners of a run, by mail and on their pages; how many they are. Raises NotFound, and Conflict for none."""
    row = await _lock(session, reference)
    message = RunMessage(
        run_id=row.id or 0, at=now(), author=actor, subject=request.subject, text=request.text
    )
    session.add(message)
    await session.flush()
    reached = await announce_message(session, RunRecord.of(row), MessageRecord.of(message))
    if not reached:
        raise Conflict("No learner of this run is named yet, so there are no recipients.")
    await append_event(session, RunEvent, [row.id], RunChange.MESSAGE, actor, note=request.subject)
    return reached


async def _find_changeable(session: AsyncSession, reference: str) -> CourseRun:
    row = await _lock(session, reference)
    if row.status is RunStatus.CANCELLED:
        raise Conflict("This run is cancelled, so its sessions can no longer change.")
    return row


async def _lock(session: AsyncSession, reference: str) -> CourseRun:
    await lock_run(session, col(CourseRun.reference) == reference)
    return await find_run_row(session, reference)


async def _find_session(session: AsyncSession, run: CourseRun, session_id: int) -> CourseSession:
    found = await session.get(CourseSession, session_id)
    if found is None or found.run_id != run.id:
        raise NotFound("This session no longer exists.")
    return found


async def _update(session: AsyncSession, run: CourseRun, version: int, **values: Any) -> None:
    if not await update_record(session, CourseRun, run.id, version, updated_at=now(), **values):
        raise StaleRecord(run.reference, await find_run(session, run.reference))


async def _follow_sessions(session: AsyncSession, run: CourseRun, version: int) -> None:
    """Store when the run begins and ends by its sessions."""
    sessions = await list_sessions(session, run.id or 0)
    planned = [PlannedSession(one.starts_at, one.minutes, one.topic) for one in sessions]
    starts_at = min((one.starts_at for one in planned), default=run.starts_at)
    ends_at = max((one.ends_at for one in planned), default=starts_at)
    await _update(session, run, version, starts_at=starts_at, ends_at=ends_at)


def _columns(request: RunRequest) -> dict[str, Any]:
    typed = request.model_dump(exclude={"starts_at"})
    return typed | {"course_name": request.course.payment_name}


def _session_columns(
    run: CourseRun, planned: PlannedSession, replaced: SessionRecord | None
) -> dict[str, Any]:
    """A session that is generated, in the calendar entry of the one that it replaces."""
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


def _moment(moment: datetime | None) -> str:
    return moment.isoformat(timespec="minutes") if moment else ""


def _reject(field: str, message: str) -> InputRejected:
    return InputRejected(message, (FieldError(field, message),))
