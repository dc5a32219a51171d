"""Certificates: staff issue and revoke them, learners decide whether their name is public, and the public can check one.

The content of a certificate is stored when it is issued, so that its PDF always has the same bytes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import func, update
from sqlalchemy import select as rows_of
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.event_log import append_event
from agency_site.db.found_rows import find_one
from agency_site.db.inserts import insert_new
from agency_site.errors import Conflict, NotFound
from agency_site.features.academy.learners import emails
from agency_site.features.academy.learners.records import CertificateRecord, find_latest_certificate
from agency_site.features.academy.learners.rules import (
    CERTIFICATE_REFERENCE,
    has_attended_enough,
    shorten_serial,
)
from agency_site.features.academy.learners.tables import Attendance, Certificate, Enrolment, Learner
from agency_site.features.academy.learners.usecases import (
    LearnerRecord,
    describe_run,
    find_learner_row,
    find_learner_row_by_token,
    find_or_renew_token,
    list_run_learners,
)
from agency_site.features.academy.runs.history import RunChange
from agency_site.features.academy.runs.records import RunRecord, find_run, list_sessions, lock_run
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.features.academy.runs.tables import CourseRun, CourseSession, RunEvent
from agency_site.ids import clean_reference, new_code, new_reference
from agency_site.mail.usecases import enqueue
from agency_site.settings import settings

UNKNOWN = "There is no certificate with this number."

_NOT_OVER = "Certificates can be issued once the last session is over."

_NOT_ENOUGH = "This learner has not attended enough sessions for a certificate."

_NONE_DUE = "No learner of this run is due a certificate."


def select_due_certificates() -> Any:
    """Select the learners to whom `issue_to_run` would give a certificate now, with their `run_id`."""
    own_session = col(CourseSession.run_id) == col(Enrolment.run_id)
    sessions = rows_of(func.count()).select_from(CourseSession).where(own_session)
    attended = (
        rows_of(func.count())
        .select_from(Attendance)
        .join(CourseSession, col(CourseSession.id) == col(Attendance.session_id))
        .where(own_session, col(Attendance.learner_id) == col(Learner.id))
    )
    enough = attended.correlate(Enrolment, Learner).scalar_subquery() * 100 >= (
        sessions.correlate(Enrolment).scalar_subquery() * settings().certificate_attendance_percent
    )
    had = rows_of(col(Certificate.id)).where(col(Certificate.learner_id) == col(Learner.id)).exists()
    return (
        rows_of(col(Learner.id), col(Enrolment.run_id))
        .join(Enrolment, col(Enrolment.id) == col(Learner.enrolment_id))
        .join(CourseRun, col(CourseRun.id) == col(Enrolment.run_id))
        .where(
            col(CourseRun.status) != RunStatus.CANCELLED,
            col(CourseRun.ends_at) <= now(),
            col(Enrolment.ended_at).is_(None),
            col(Learner.ended_at).is_(None),
            col(Learner.email) != "",
            ~had,
            enough,
            rows_of(col(CourseSession.id)).where(own_session).exists(),
        )
    )


async def issue_to_run(session: AsyncSession, reference: str, actor: str) -> int:
    """Issue a certificate to each learner of a run who has earned one and never had one. Return their number.

    Raises NotFound, and Conflict before the end of the run or if no learner is due one.
    """
    run = await _find_finished(session, reference)
    minutes = await _list_attended_minutes(session, run)
    earning = await _list_learners_earning(session, run, minutes)
    await _issue_and_mail(session, run, earning, minutes, actor)
    return len(earning)


async def list_earning(session: AsyncSession, reference: str) -> tuple[LearnerRecord, ...]:
    """Return the learners to whom `issue_to_run` would give a certificate now. Raises the same errors."""
    run = await _find_finished(session, reference)
    minutes = await _list_attended_minutes(session, run)
    return tuple(map(LearnerRecord.of, await _list_learners_earning(session, run, minutes)))


async def _list_learners_earning(
    session: AsyncSession, run: RunRecord, minutes: Mapping[int, int]
) -> Sequence[Learner]:
    query = select(Certificate.learner_id).join(Learner).join(Enrolment).where(Enrolment.run_id == run.id)
    certified_ids = set((await session.exec(query)).all())
    earning = [
        row
        for row in await list_run_learners(session, run.id)
        if row.id in minutes and row.id not in certified_ids
    ]
    if not earning:
        raise Conflict(_NONE_DUE)
    return earning


async def issue_to_learner(session: AsyncSession, reference: str, actor: str) -> None:
    """Issue a certificate to one learner, even if an earlier one was revoked. Raises NotFound and Conflict."""
    row = await find_learner_row(session, reference)
    enrolment = await session.get_one(Enrolment, row.enrolment_id)
    if enrolment.run_id is None:
        raise Conflict(_NOT_OVER)
    run = await _find_finished(session, (await session.get_one(CourseRun, enrolment.run_id)).reference)
    minutes = await _list_attended_minutes(session, run)
    named_ids = {learner.id for learner in await list_run_learners(session, run.id)}
    if row.id not in minutes or row.id not in named_ids:
        raise Conflict(_NOT_ENOUGH)
    await _issue_and_mail(session, run, [row], minutes, actor)


async def _find_finished(session: AsyncSession, reference: str) -> RunRecord:
    """Lock the run, so that no learner is moved and no attendance is marked meanwhile, and return it."""
    await lock_run(session, col(CourseRun.reference) == reference)
    run = await find_run(session, reference)
    if run.status is RunStatus.CANCELLED or run.ends_at > now():
        raise Conflict(_NOT_OVER)
    return run


async def _list_attended_minutes(session: AsyncSession, run: RunRecord) -> dict[int, int]:
    """Return the minutes of the attended sessions, by learner id, of learners who have attended enough of them."""
    total, percent = len(await list_sessions(session, run.id)), settings().certificate_attendance_percent
    query = (
        select(Attendance.learner_id, func.count(), func.sum(col(CourseSession.minutes)))
        .join(CourseSession, col(CourseSession.id) == col(Attendance.session_id))
        .where(CourseSession.run_id == run.id)
        .group_by(col(Attendance.learner_id))
    )
    return {
        learner_id: minutes
        for learner_id, count, minutes in (await session.exec(query)).all()
        if has_attended_enough(count, total, percent)
    }


async def _issue_and_mail(
    session: AsyncSession, run: RunRecord, rows: Sequence[Learner], minutes: Mapping[int, int], actor: str
) -> None:
    course = await describe_run(session, run)
    for row in rows:
        serial = await _store_certificate(session, run, row, minutes[row.id or 0], actor)
        token = await find_or_renew_token(session, row)
        message = emails.certificate(LearnerRecord.of(row), course, token, serial)
        await enqueue(session, message, key=f"certificate-issued:{shorten_serial(serial)}")
    count = str(len(rows))
    await append_event(session, RunEvent, [run.id], RunChange.CERTIFICATES, actor, after=count)


async def _store_certificate(
    session: AsyncSession, run: RunRecord, row: Learner, minutes: int, actor: str
) -> str:
    serial = new_serial()
    columns = {
        "learner_id": row.id, "serial": serial, "fullname": row.fullname, "course_name": run.course_name, "minutes": minutes,
        "is_name_shown": True, "issued_at": now(), "issued_by": actor, "revoked_by": "", "revoke_reason": "",
    }  # fmt: skip
    if not await insert_new(session, Certificate, [columns]):
        raise Conflict(f"{row.reference} already has a certificate.")
    return serial


def new_serial() -> str:
    """Return a serial number with 142 random bits in five groups of six, which cannot be guessed; the log has the first."""
    return "-".join((new_reference(CERTIFICATE_REFERENCE), *(new_code() for _ in range(4))))


async def revoke_certificate(
    session: AsyncSession, reference: str, serial: str, reason: str, actor: str
) -> None:
    """Revoke a certificate of a learner. Raises NotFound, and Conflict if it has already been revoked."""
    row = await find_learner_row(session, reference)
    statement = update(Certificate).where(
        col(Certificate.learner_id) == row.id,
        col(Certificate.serial) == serial,
        col(Certificate.revoked_at).is_(None),
    )
    revoked = await session.exec(statement.values(revoked_at=now(), revoked_by=actor, revoke_reason=reason))
    if not revoked.rowcount:
        raise Conflict("This certificate is no longer valid: another member of staff has revoked it.")


async def set_name_shown(session: AsyncSession, token: str, *, is_shown: bool) -> None:
    """Show or hide the name of the learner of a private link on the public pages of their certificates. Raises NotFound."""
    row = await find_learner_row_by_token(session, token)
    statement = update(Certificate).where(col(Certificate.learner_id) == row.id)
    await session.exec(statement.values(is_name_shown=is_shown))


async def find_certificate(session: AsyncSession, serial: str) -> CertificateRecord:
    """Return the certificate of a serial number, in any case and spacing. Raises NotFound."""
    query = select(Certificate).where(Certificate.serial == clean_reference(serial))
    row = await find_one(session, query, UNKNOWN, fresh=True)
    return CertificateRecord.of(row)


async def find_valid_certificate(session: AsyncSession, token: str) -> CertificateRecord:
    """Return the valid certificate of the learner of a private link. Raises NotFound."""
    row = await find_learner_row_by_token(session, token)
    certificate = await find_latest_certificate(session, row.id or 0)
    if certificate is None or not certificate.is_valid:
        raise NotFound("There is no certificate yet.")
    return certificate
