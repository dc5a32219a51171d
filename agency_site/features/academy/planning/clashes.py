"""Sessions that one trainer would have at the same time. Staff are only warned: they may teach two runs together on purpose."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, or_
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import format_moment
from agency_site.features.academy.runs.records import RunRecord
from agency_site.features.academy.runs.rules import LONGEST_SESSION, PlannedSession, RunStatus
from agency_site.features.academy.runs.tables import CourseRun, CourseSession

_MOST_SHOWN = 3


async def describe_clashes(session: AsyncSession, run: RunRecord, planned: Sequence[PlannedSession]) -> str:
    """Describe the sessions of other runs that the trainer of `run` has at the planned times. Empty if there are none."""
    trainer = _has_trainer_of(run)
    if trainer is None or not planned:
        return ""
    earliest = min(meeting.starts_at for meeting in planned) - timedelta(minutes=LONGEST_SESSION)
    others = (
        select(CourseRun.reference, CourseSession.starts_at, CourseSession.minutes)
        .join(CourseSession, col(CourseSession.run_id) == col(CourseRun.id))
        .where(
            trainer,
            CourseRun.id != run.id,
            col(CourseRun.status) != RunStatus.CANCELLED,
            col(CourseSession.starts_at).between(earliest, max(meeting.ends_at for meeting in planned)),
        )
        .order_by(col(CourseSession.starts_at), col(CourseRun.id))
    )
    clashes = [
        f"{format_moment(starts_at)} in {reference}"
        for reference, starts_at, minutes in (await session.exec(others)).all()
        if _overlaps(starts_at, starts_at + timedelta(minutes=minutes), planned)
    ]
    if not clashes:
        return ""
    more = f" and {len(clashes) - _MOST_SHOWN} more" if len(clashes) > _MOST_SHOWN else ""
    name = run.trainer or run.trainer_email
    return f"{name} also teaches at this time: {'; '.join(clashes[:_MOST_SHOWN])}{more}."


def _has_trainer_of(run: RunRecord) -> ColumnElement[bool] | None:
    """Return the condition of runs with the trainer of `run`, by account or name; None if it has no trainer."""
    conditions = []
    if run.trainer_email:
        conditions.append(col(CourseRun.trainer_email) == run.trainer_email)
    if run.trainer:
        conditions.append(func.lower(col(CourseRun.trainer)) == run.trainer.lower())
    return or_(*conditions) if conditions else None


def _overlaps(starts_at: datetime, ends_at: datetime, planned: Sequence[PlannedSession]) -> bool:
    return any(starts_at < meeting.ends_at and meeting.starts_at < ends_at for meeting in planned)
