"""Enrolments: the places that orders have bought, and the run that they are in."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, case, func
from sqlalchemy import select as rows_of
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.features.academy.learners.naming import confirm_first_learner
from agency_site.features.academy.learners.tables import Enrolment, Learner
from agency_site.features.academy.learners.usecases import add_learners
from agency_site.features.academy.reservations.usecases import return_places, take_reserved
from agency_site.features.academy.runs.tables import CourseRun
from agency_site.places import EnrolmentRecord, OrderPlace, Sale, buyers


async def create_enrolment(session: AsyncSession, sale: Sale, at: datetime) -> None:
    """Store the enrolment of an order with one place for each learner, in the run whose places it has reserved."""
    run_id = await take_reserved(session, sale.order_id)
    enrolment = Enrolment(
        order_id=sale.order_id,
        reference=sale.reference,
        course_slug=sale.course_slug,
        course_name=sale.course_name,
        run_id=run_id,
        places=sale.quantity,
        created_at=at,
    )
    session.add(enrolment)
    await session.flush()
    await add_learners(session, enrolment)
    if run_id:
        await confirm_first_learner(session, enrolment)


async def correct_enrolment_date(
    session: AsyncSession, order_id: int, before: datetime, at: datetime
) -> None:
    """Move the enrolment to the day `at`, unless its day is not `before`."""
    enrolment = await _find_enrolment_row(session, order_id)
    if enrolment and enrolment.created_at == before:
        enrolment.created_at = at
        session.add(enrolment)


async def end_enrolment(session: AsyncSession, order_id: int, at: datetime) -> None:
    """End the enrolment once, and return its places to the run."""
    enrolment = await _find_enrolment_row(session, order_id)
    if enrolment is None or enrolment.ended_at:
        return
    enrolment.ended_at = at
    session.add(enrolment)
    await session.flush()
    if enrolment.run_id:
        await return_places(session, enrolment.run_id, enrolment.places)


async def find_enrolment(session: AsyncSession, order_id: int) -> EnrolmentRecord | None:
    """Return the order's enrolment with its run, or None."""
    row = await _find_enrolment_row(session, order_id)
    if row is None:
        return None
    run = await session.get(CourseRun, row.run_id, populate_existing=True) if row.run_id else None
    return EnrolmentRecord.of(row, run=run.reference if run else "", starts_at=run.starts_at if run else None)


async def list_order_places(session: AsyncSession, order_id: int) -> tuple[OrderPlace, ...]:
    """Return the places of the order's enrolment by number."""
    query = select(Learner.reference, Learner.fullname, Learner.ended_at, Enrolment.ended_at).join(Enrolment)
    rows = await session.exec(query.where(Enrolment.order_id == order_id).order_by(col(Learner.number)))
    return tuple(
        OrderPlace(reference, name, place_ended is not None or enrolment_ended is not None)
        for reference, name, place_ended, enrolment_ended in rows.all()
    )


async def _find_enrolment_row(session: AsyncSession, order_id: int) -> Enrolment | None:
    query = select(Enrolment).where(Enrolment.order_id == order_id)
    return (await session.exec(query.execution_options(populate_existing=True))).one_or_none()


def select_enrolments() -> Select[Any]:
    """Select all enrolments with reference and trainer of their run."""
    is_run = col(CourseRun.id) == col(Enrolment.run_id)
    columns: Sequence[Any] = (
        Enrolment.id,
        Enrolment.order_id,
        Enrolment.course_slug,
        Enrolment.course_name,
        Enrolment.created_at,
        rows_of(col(CourseRun.reference)).where(is_run).scalar_subquery().label("run"),
        rows_of(col(CourseRun.trainer)).where(is_run).scalar_subquery().label("trainer"),
    )
    return rows_of(*columns)


@dataclass(frozen=True)
class CourseEnrolments:
    """The numbers of enrolments and places of a course."""

    course_slug: str
    course_name: str
    enrolments: int
    """Enrolments that have not ended, paid and free."""
    places: int
    """Places of those enrolments."""
    free: int
    """Those of the enrolments that cost nothing."""
    ended: int
    """Enrolments that have ended."""


async def count_enrolments(session: AsyncSession) -> tuple[CourseEnrolments, ...]:
    """Count the enrolments of each course, sorted by the course's name."""
    is_present, buyer = col(Enrolment.ended_at).is_(None), buyers().select_buyers().subquery()
    statement = (
        rows_of(
            col(Enrolment.course_slug),
            func.max(Enrolment.course_name),
            func.count(case((is_present, Enrolment.id))),
            func.sum(case((is_present, Enrolment.places), else_=0)),
            func.count(case((is_present & buyer.c.is_free, Enrolment.id))),
            func.count(col(Enrolment.ended_at)),
        )
        .join(buyer, buyer.c.order_id == col(Enrolment.order_id))
        .group_by(col(Enrolment.course_slug))
        .order_by(func.max(Enrolment.course_name))
    )
    rows = (await (await session.connection()).execute(statement)).all()
    return tuple(CourseEnrolments(*row) for row in rows)
