"""Learners, who take the places of an enrolment. The buyer takes the first place, and names the others now or later."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import func
from sqlalchemy import select as rows_of
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.found_rows import find_one
from agency_site.db.inserts import insert_new
from agency_site.db.read_models import ReadModel
from agency_site.features.academy.learners.records import CertificateRecord, find_latest_certificate
from agency_site.features.academy.learners.request import LearnerRequest
from agency_site.features.academy.learners.rules import LEARNER_REFERENCE, LINK, has_attended_enough
from agency_site.features.academy.learners.tables import Attendance, Certificate, Enrolment, Learner
from agency_site.features.academy.runs.records import (
    MaterialRecord,
    MessageRecord,
    RunRecord,
    SessionRecord,
    list_materials,
    list_messages,
    list_sessions,
)
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.features.academy.runs.tables import CourseRun, CourseSession
from agency_site.form_input import search_text
from agency_site.ids import new_reference, token_hash
from agency_site.mail.confirmed_addresses import confirm_address, is_confirmed
from agency_site.places import buyers
from agency_site.settings import settings
from agency_site.signing import find_private_token, private_token

UNKNOWN_LINK = "There is no learner at this link."

PLACE_ENDED = "This place has already ended."


@dataclass(frozen=True)
class LearnerRecord(ReadModel):
    """A learner when they were read."""

    id: int
    reference: str
    number: int
    fullname: str
    """Empty until the learner is named."""
    email: str
    phone: str
    """In E.164; empty if the learner gets no text messages."""
    version: int
    created_at: datetime


@dataclass(frozen=True)
class EnrolledCourse:
    """The course that the learners of an enrolment take, with its run and sessions."""

    slug: str
    name: str
    run: RunRecord | None
    """None until the learners are placed in a run."""
    sessions: tuple[SessionRecord, ...]
    has_ended: bool
    """The payment was refunded, or staff ended the places."""

    @property
    def is_scheduled(self) -> bool:
        """Return whether the dates of the sessions are known."""
        return self.run is not None and self.run.status is not RunStatus.CANCELLED and bool(self.sessions)


@dataclass(frozen=True)
class LearnerView:
    """The content of a learner's private page."""

    learner: LearnerRecord
    course: EnrolledCourse
    messages: tuple[MessageRecord, ...]
    """Messages to all learners of the run, the newest first."""
    materials: tuple[MaterialRecord, ...]
    """Materials of the run in the order in which they were added."""
    attended: frozenset[int]
    """Ids of the sessions that the learner has attended."""
    certificate: CertificateRecord | None
    """The certificate that was issued last, even if it was revoked."""
    is_confirmed: bool
    """The learner has confirmed the e-mail address."""


@dataclass(frozen=True)
class StaffLearner:
    """A learner as staff see one."""

    learner: LearnerRecord
    course: EnrolledCourse
    order: str
    """Reference of the order."""
    places: int
    """Places that the order still has."""
    attended: frozenset[int]
    """Ids of the attended sessions of the present run."""
    certificate: CertificateRecord | None
    """As in `LearnerView`."""
    named: int
    """Places of the order that have a name."""

    @property
    def can_get_certificate(self) -> bool:
        """Return whether the learner has earned a certificate and has no valid one."""
        run, sessions = self.course.run, len(self.course.sessions)
        if run is None or self.course.has_ended or not self.learner.email:
            return False
        has_certificate = self.certificate is not None and self.certificate.is_valid
        is_over = run.status is not RunStatus.CANCELLED and run.ends_at <= now()
        percent = settings().certificate_attendance_percent
        return is_over and not has_certificate and has_attended_enough(len(self.attended), sessions, percent)


@dataclass(frozen=True)
class RunPlace:
    """One place in a run, with its learner and its buyer."""

    reference: str
    """Reference of the learner."""
    name: str
    """Name of the learner; empty if not named yet, or erased."""
    email: str
    order: str
    """Reference of the order."""
    buyer: str
    phone: str
    """Phone number of the buyer."""
    buyer_email: str
    attended: int
    """Sessions of the run that the learner has attended."""
    certificate: str
    """Serial number of the valid certificate; empty if there is none."""


async def add_learners(session: AsyncSession, enrolment: Enrolment) -> None:
    """Store one learner for each place of a new enrolment; the buyer has the first."""
    unfilled = set(range(1, enrolment.places + 1))
    buyer = await _find_buyer(session, enrolment.order_id)
    while unfilled:
        # Rows whose random reference already exists are not inserted: they get another reference in the next round.
        await insert_new(
            session,
            Learner,
            [_new_learner_row(enrolment, number, buyer if number == 1 else None) for number in unfilled],
        )
        stored = select(Learner.number).where(Learner.enrolment_id == enrolment.id)
        unfilled -= set((await session.exec(stored)).all())


async def _find_buyer(session: AsyncSession, order_id: int) -> LearnerRequest | None:
    """Return the buyer of an order, or None if their data are erased."""
    buyer = buyers().select_buyers().subquery()
    columns: Sequence[Any] = (buyer.c.first_name, buyer.c.last_name, buyer.c.email, buyer.c.phone)
    query = rows_of(*columns).where(buyer.c.order_id == order_id)
    first, last, email, phone = (await (await session.connection()).execute(query)).one()
    name = f"{first} {last}".strip()
    return LearnerRequest.model_construct(fullname=name, email=email, phone=phone) if name and email else None


def _new_learner_row(enrolment: Enrolment, number: int, person: LearnerRequest | None) -> dict[str, Any]:
    reference, moment = new_reference(LEARNER_REFERENCE), now()
    return {
        "enrolment_id": enrolment.id,
        "number": number,
        "reference": reference,
        "version": 1,
        "created_at": moment,
        "updated_at": moment,
        **_new_link(),
        **_person_columns(reference, person),
    }


def _person_columns(reference: str, person: LearnerRequest | None) -> dict[str, Any]:
    name, email, phone = (person.fullname, person.email, person.phone) if person else ("", "", "")
    search = search_text(reference, email, name, phone)
    return {"fullname": name, "email": email, "phone": phone, "search": search}


def _new_link() -> dict[str, Any]:
    seed = secrets.token_urlsafe(24)
    return {"token_seed": seed, "token_hash": token_hash(private_token(LINK, seed))}


async def list_learners(session: AsyncSession, enrolment_id: int) -> tuple[LearnerRecord, ...]:
    """Return the learners of an enrolment by place."""
    return tuple(map(LearnerRecord.of, await list_learner_rows(session, enrolment_id)))


async def list_learner_rows(session: AsyncSession, enrolment_id: int) -> Sequence[Learner]:
    """Return the rows of an enrolment's learners by place, without ended places."""
    query = (
        select(Learner)
        .where(Learner.enrolment_id == enrolment_id, col(Learner.ended_at).is_(None))
        .order_by(col(Learner.number))
    )
    return (await session.exec(query.execution_options(populate_existing=True))).all()


async def find_learner(session: AsyncSession, token: str) -> LearnerView:
    """Return the learner of a private link. Raises NotFound."""
    row = await find_learner_row_by_token(session, token)
    enrolment = await session.get_one(Enrolment, row.enrolment_id, populate_existing=True)
    messages = await list_messages(session, enrolment.run_id) if enrolment.run_id else ()
    return LearnerView(
        LearnerRecord.of(row),
        await _describe_course_of(session, enrolment, row),
        messages,
        await list_materials(session, enrolment.run_id) if enrolment.run_id else (),
        await _list_attended(session, row),
        await find_latest_certificate(session, row.id or 0),
        await is_confirmed(session, row.email),
    )


async def _list_attended(session: AsyncSession, row: Learner) -> frozenset[int]:
    query = select(Attendance.session_id).where(Attendance.learner_id == row.id)
    return frozenset((await session.exec(query)).all())


async def find_learner_for_staff(session: AsyncSession, reference: str) -> StaffLearner:
    """Return the learner of that reference. Raises NotFound."""
    row = await find_learner_row(session, reference)
    enrolment = await session.get_one(Enrolment, row.enrolment_id, populate_existing=True)
    course = await _describe_course_of(session, enrolment, row)
    rows = await list_learner_rows(session, enrolment.id or 0)
    session_ids = frozenset(meeting.id for meeting in course.sessions)
    return StaffLearner(
        LearnerRecord.of(row),
        course,
        enrolment.reference,
        enrolment.places,
        # After a move the sessions of the previous run do not count.
        await _list_attended(session, row) & session_ids,
        await find_latest_certificate(session, row.id or 0),
        sum(bool(learner.email) for learner in rows),
    )


async def find_learner_row(session: AsyncSession, reference: str) -> Learner:
    """Return the row of that reference. Raises NotFound."""
    query = select(Learner).where(Learner.reference == reference)
    return await find_one(session, query, f"There is no learner {reference}.", fresh=True)


async def find_learner_row_by_token(session: AsyncSession, token: str) -> Learner:
    """Return the row of a private link. Raises NotFound, also for a place without a learner."""
    query = select(Learner).where(Learner.token_hash == token_hash(token), col(Learner.email) != "")
    return await find_one(session, query, UNKNOWN_LINK, fresh=True)


async def confirm_learner(session: AsyncSession, token: str) -> None:
    """Record that the learner reads this mailbox, because they say so at the link in a mail to it. Raises NotFound."""
    await confirm_address(session, (await find_learner_row_by_token(session, token)).email)


async def describe_course(session: AsyncSession, enrolment: Enrolment) -> EnrolledCourse:
    """Return the course of an enrolment with its run and sessions."""
    run = await session.get(CourseRun, enrolment.run_id, populate_existing=True) if enrolment.run_id else None
    return EnrolledCourse(
        enrolment.course_slug,
        enrolment.course_name,
        RunRecord.of(run) if run else None,
        await list_sessions(session, run.id or 0) if run else (),
        enrolment.ended_at is not None,
    )


async def _describe_course_of(session: AsyncSession, enrolment: Enrolment, row: Learner) -> EnrolledCourse:
    """Return the course of one learner, whose place may have ended before the others of its enrolment."""
    course = await describe_course(session, enrolment)
    return replace(course, has_ended=course.has_ended or row.ended_at is not None)


async def find_or_renew_token(session: AsyncSession, learner: Learner) -> str:
    """Return the token of a learner's link. Make a new one if its secret key is no longer configured."""
    token = find_private_token(LINK, learner.token_seed, learner.token_hash)
    if token is None:
        learner.sqlmodel_update(_new_link())
        session.add(learner)
        await session.flush()
        token = private_token(LINK, learner.token_seed)
    return token


async def assign_place(session: AsyncSession, learner: Learner, person: LearnerRequest | None) -> None:
    """Give a place to a person, or leave it without a learner. A new address gets a new link, and the old link stops working."""
    keeps_address = person is not None and person.email.lower() == learner.email.lower()
    learner.sqlmodel_update(
        _person_columns(learner.reference, person) | ({} if keeps_address else _new_link())
    )
    learner.updated_at = now()
    session.add(learner)
    await session.flush()


async def list_learners_of_order(
    session: AsyncSession, order_id: int
) -> tuple[Enrolment | None, Sequence[Learner]]:
    """Return the order's enrolment, or None, and its learners by place."""
    query = select(Enrolment).where(Enrolment.order_id == order_id)
    enrolment = (await session.exec(query.execution_options(populate_existing=True))).one_or_none()
    return enrolment, await list_learner_rows(session, enrolment.id or 0) if enrolment else ()


async def list_run_learners(session: AsyncSession, run_id: int) -> list[Learner]:
    """Return the learners who are named in the present enrolments of a run."""
    query = (
        select(Learner)
        .join(Enrolment, col(Enrolment.id) == col(Learner.enrolment_id))
        .where(
            Enrolment.run_id == run_id,
            col(Enrolment.ended_at).is_(None),
            col(Learner.ended_at).is_(None),
            col(Learner.email) != "",
        )
        .order_by(col(Learner.id))
    )
    return list((await session.exec(query.execution_options(populate_existing=True))).all())


async def describe_run(session: AsyncSession, run: RunRecord) -> EnrolledCourse:
    """Return the course of a run with its sessions."""
    return EnrolledCourse(
        run.course_slug, run.course_name, run, await list_sessions(session, run.id), has_ended=False
    )


async def list_run_places(session: AsyncSession, run_id: int) -> tuple[RunPlace, ...]:
    """Return the places of all present enrolments of a run, by order and place."""
    buyer = buyers().select_buyers().subquery()
    is_own = col(Attendance.learner_id) == col(Learner.id)
    attended_count = (
        rows_of(func.count())
        .select_from(Attendance)
        .join(CourseSession, col(CourseSession.id) == col(Attendance.session_id))
        .where(is_own, col(CourseSession.run_id) == run_id)
    )
    is_valid = (col(Certificate.learner_id) == col(Learner.id)) & col(Certificate.revoked_at).is_(None)
    serial = rows_of(col(Certificate.serial)).where(is_valid)
    columns: Sequence[Any] = (
        Learner.reference, Learner.fullname, Learner.email, Enrolment.reference, buyer.c.first_name, buyer.c.last_name,
        buyer.c.phone, buyer.c.email, attended_count.scalar_subquery(), serial.scalar_subquery(),
    )  # fmt: skip
    statement = (
        rows_of(*columns)
        .join(Enrolment, col(Enrolment.id) == col(Learner.enrolment_id))
        .join(buyer, buyer.c.order_id == col(Enrolment.order_id))
        .where(
            col(Enrolment.run_id) == run_id,
            col(Enrolment.ended_at).is_(None),
            col(Learner.ended_at).is_(None),
        )
        .order_by(col(Enrolment.id), col(Learner.number))
    )
    rows = (await (await session.connection()).execute(statement)).all()
    return tuple(
        RunPlace(
            reference,
            name,
            email,
            order,
            f"{first} {last}".strip(),
            phone,
            bought_by,
            attended_count,
            serial or "",
        )
        for reference, name, email, order, first, last, phone, bought_by, attended_count, serial in rows
    )
