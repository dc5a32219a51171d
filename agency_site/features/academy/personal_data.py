"""Personal data of learners and of people on waiting lists: what is exported and erased, and when it expires.

Enrolments are exported with their orders, which name the buyer.
"""

import secrets
from datetime import datetime
from typing import Any

from sqlalchemy import or_, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.event_log import RETENTION
from agency_site.db.personal_data import ClassifiedColumns, PersonalData
from agency_site.features.academy.learners.tables import Attendance, Certificate, Enrolment, Learner
from agency_site.features.academy.reservations.rules import WaitingState
from agency_site.features.academy.reservations.tables import PlaceReservation, WaitingEntry
from agency_site.features.academy.runs.tables import CourseRun, CourseSession
from agency_site.features.academy.waiting_list.usecases import OPEN_STATES
from agency_site.form_input import search_text
from agency_site.ids import token_hash
from agency_site.notices.personal_data import erase_notices_about

_EXPORTED_OF_CERTIFICATES = {
    "serial", "fullname", "course_name", "minutes", "is_name_shown", "issued_at", "revoked_at",
}  # fmt: skip

CLASSIFIED = (
    ClassifiedColumns(
        table=Enrolment,
        retained=("id", "reference", "course_slug", "course_name", "places", "created_at", "ended_at"),
        internal=("order_id", "run_id"),
    ),
    ClassifiedColumns(table=Attendance, internal=("id", "session_id", "learner_id", "at", "author")),
    ClassifiedColumns(
        table=Certificate,
        personal=("fullname",),
        retained=("serial", "course_name", "minutes", "is_name_shown", "issued_at", "revoked_at"),
        internal=("id", "learner_id", "issued_by", "revoked_by", "revoke_reason"),
    ),
    ClassifiedColumns(
        table=PlaceReservation, internal=("id", "order_id", "entry_id", "run_id", "places", "kept_until")
    ),
)


def _replace(row: Learner | WaitingEntry) -> dict[str, Any]:
    """The columns of an erased row. The new token hash makes the private link invalid."""
    return {
        "token_seed": "",
        "token_hash": token_hash(secrets.token_urlsafe(32)),
        "search": search_text(row.reference),
        "updated_at": now(),
    }


async def _export_course(session: AsyncSession, learner: Learner) -> dict[str, object]:
    enrolment = await session.get_one(Enrolment, learner.enrolment_id)
    run = await session.get(CourseRun, enrolment.run_id) if enrolment.run_id else None
    query = (
        select(CourseSession.starts_at)
        .join(Attendance, col(Attendance.session_id) == col(CourseSession.id))
        .where(Attendance.learner_id == learner.id)
        .order_by(col(CourseSession.starts_at))
    )
    moments = [moment.isoformat() for moment in (await session.exec(query)).all()]
    certificate_query = (
        select(Certificate).where(Certificate.learner_id == learner.id).order_by(col(Certificate.id))
    )
    certificates = [
        certificate.model_dump(mode="json", include=_EXPORTED_OF_CERTIFICATES)
        for certificate in (await session.exec(certificate_query)).all()
    ]
    return {
        "course": enrolment.course_name,
        "run": run.reference if run else "",
        "attended": moments,
        "certificates": certificates,
    }


async def _erase_related(session: AsyncSession, reference: str) -> None:
    """Erase the mails about a learner, and the name on their certificates, which stay valid."""
    await erase_notices_about(session, reference)
    learner_ids = select(Learner.id).where(Learner.reference == reference)
    blanked = update(Certificate).where(col(Certificate.learner_id).in_(learner_ids)).values(fullname="")
    await session.exec(blanked.execution_options(synchronize_session=False))


LEARNERS = PersonalData[Learner](
    table=Learner,
    record="learner",
    personal=("fullname", "email", "phone"),
    retained=("reference", "number", "created_at", "updated_at", "ended_at"),
    secret=("token_seed", "token_hash", "search"),
    internal=("id", "enrolment_id", "version"),
    replace=_replace,
    related=_erase_related,
    export_more=_export_course,
)


async def _leave_list(session: AsyncSession, entry: WaitingEntry, actor: str) -> dict[str, Any]:
    """Close the entry of a person who is erased on request. The job returns a kept place, so that erasure locks no run."""
    if actor == RETENTION or entry.state not in OPEN_STATES:
        return {}
    statement = update(PlaceReservation).where(
        col(PlaceReservation.entry_id) == entry.id, col(PlaceReservation.kept_until).is_not(None)
    )
    await session.exec(statement.values(kept_until=now()).execution_options(synchronize_session=False))
    return {"state": WaitingState.CLOSED, "reserved_until": None}


async def _export_run(session: AsyncSession, entry: WaitingEntry) -> dict[str, object]:
    run = await session.get_one(CourseRun, entry.run_id)
    return {"course": run.course_name, "run": run.reference}


WAITING = PersonalData[WaitingEntry](
    table=WaitingEntry,
    record="waiting list entry",
    personal=("fullname", "email", "phone"),
    retained=("reference", "state", "places", "confirmed_at", "reserved_until", "created_at", "updated_at"),
    secret=("token_seed", "token_hash", "search"),
    internal=("id", "run_id", "order_id", "version"),
    replace=_replace,
    related=erase_notices_about,
    end=_leave_list,
    export_more=_export_run,
)


async def expire_waiting(session: AsyncSession, before: datetime, limit: int) -> int:
    """Blank up to `limit` waiting list entries of runs that began before `before`. Return their number."""
    past_runs = select(CourseRun.id).where(col(CourseRun.starts_at) < before)
    query = select(WaitingEntry).where(col(WaitingEntry.run_id).in_(past_runs))
    return await WAITING.expire(session, query.order_by(col(WaitingEntry.id)), limit)


async def erase_learner(session: AsyncSession, order_id: int, email: str, actor: str) -> None:
    """Erase the learner of that address in the order's enrolment."""
    enrolment_ids = select(Enrolment.id).where(Enrolment.order_id == order_id)
    await LEARNERS.erase(session, email, "", actor, col(Learner.enrolment_id).in_(enrolment_ids))


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Blank up to `limit` learners whose run ended before `before`, or who enrolled before it and have no run."""
    has_old_run = (col(Enrolment.run_id).is_not(None)) & (col(CourseRun.ends_at) < before)
    has_no_run = col(Enrolment.run_id).is_(None) & (col(Enrolment.created_at) < before)
    query = (
        select(Learner)
        .join(Enrolment, col(Enrolment.id) == col(Learner.enrolment_id))
        .outerjoin(CourseRun, col(CourseRun.id) == col(Enrolment.run_id))
        .where(or_(has_old_run, has_no_run))
    )
    return await LEARNERS.expire(session, query.order_by(col(Learner.id)), limit)
