"""Trainers: staff who see only the course runs that name them as trainer."""

from sqlalchemy import ColumnElement, or_, true
from sqlalchemy import select as rows_of
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import PERMISSIONS, Permission, Staff
from agency_site.auth.tables import StaffAccount
from agency_site.errors import NotFound
from agency_site.features.academy.learners.tables import Enrolment, Learner
from agency_site.features.academy.runs.tables import CourseRun

_ROLES = [role for role, permitted in PERMISSIONS.items() if Permission.WORK_LEARNERS in permitted]


def visible_runs(who: Staff) -> ColumnElement[bool]:
    """The condition of runs that `who` may see."""
    if who.has_permission(Permission.SEE_ENROLMENTS):
        return true()
    return col(CourseRun.trainer_email) == who.email


def visible_learners(who: Staff) -> ColumnElement[bool]:
    """The condition of learners that `who` may see: all learners, or those in visible runs."""
    if who.has_permission(Permission.SEE_ENROLMENTS):
        return true()
    placed = rows_of(col(Enrolment.id)).join(CourseRun, col(CourseRun.id) == col(Enrolment.run_id))
    return col(Learner.enrolment_id).in_(placed.where(visible_runs(who)))


async def require_run(session: AsyncSession, who: Staff, reference: str) -> None:
    """Raise NotFound for a run that `who` may not see, so that its existence stays hidden."""
    query = select(CourseRun.id).where(col(CourseRun.reference) == reference, visible_runs(who))
    if (await session.exec(query)).first() is None:
        raise NotFound(f"There is no course run {reference}.")


async def require_learner(session: AsyncSession, who: Staff, reference: str) -> None:
    """Raise NotFound for a learner that `who` may not see."""
    query = select(Learner.id).where(col(Learner.reference) == reference, visible_learners(who))
    if (await session.exec(query)).first() is None:
        raise NotFound(f"There is no learner {reference}.")


async def list_trainers(session: AsyncSession, present: str | None = None) -> list[tuple[str, str]]:
    """Return address and name of the accounts that can be a run's trainer, and of the run's `present` trainer account."""
    account = StaffAccount
    can_teach = col(account.role).in_(_ROLES) & col(account.disabled_at).is_(None)
    query = select(account.email, account.name).where(or_(can_teach, col(account.email) == (present or "")))
    return list((await session.exec(query.order_by(col(account.name), col(account.email)))).all())
