"""Course runs and their sessions when they were read."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, true
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.found_rows import find_one
from agency_site.db.read_models import ReadModel
from agency_site.features.academy.runs.rules import (
    MaterialKind,
    RunFacts,
    RunState,
    RunStatus,
    count_free,
    find_state,
    is_enrolling,
)
from agency_site.features.academy.runs.tables import CourseRun, CourseSession, RunMaterial, RunMessage


@dataclass(frozen=True)
class RunRecord(ReadModel, RunFacts):
    """A course run when it was read."""

    id: int
    reference: str
    course_slug: str
    course_name: str
    trainer: str
    trainer_email: str | None
    room: str
    price: int | None
    version: int
    created_at: datetime
    updated_at: datetime

    @property
    def state(self) -> RunState:
        """The state of the run now."""
        return find_state(self, now())

    @property
    def free(self) -> int | None:
        """The places that are left; None if there is no limit."""
        return count_free(self)


@dataclass(frozen=True)
class SessionRecord(ReadModel):
    """A session when it was read."""

    id: int
    reference: str
    sequence: int
    starts_at: datetime
    minutes: int
    topic: str
    created_at: datetime
    updated_at: datetime

    @property
    def ends_at(self) -> datetime:
        return self.starts_at + timedelta(minutes=self.minutes)


@dataclass(frozen=True)
class MessageRecord(ReadModel):
    """A message to all learners of a run."""

    id: int
    at: datetime
    author: str
    subject: str
    text: str


@dataclass(frozen=True)
class MaterialRecord(ReadModel):
    """A handout or a recording that all learners of a run can open."""

    id: int
    kind: MaterialKind
    title: str
    address: str
    added_at: datetime


async def find_run(session: AsyncSession, reference: str) -> RunRecord:
    """Return the run of that reference. Raises NotFound."""
    return RunRecord.of(await find_run_row(session, reference))


async def find_run_row(session: AsyncSession, reference: str) -> CourseRun:
    """Return the row of that reference. Raises NotFound."""
    query = select(CourseRun).where(CourseRun.reference == reference)
    return await find_one(session, query, f"There is no course run {reference}.", fresh=True)


async def list_sessions(session: AsyncSession, run_id: int) -> tuple[SessionRecord, ...]:
    """Return the sessions of a run by time."""
    query = select(CourseSession).where(CourseSession.run_id == run_id).order_by(col(CourseSession.starts_at))
    rows = await session.exec(query.execution_options(populate_existing=True))
    return tuple(SessionRecord.of(row) for row in rows)


async def list_runs_on_offer(session: AsyncSession, course_slug: str = "") -> tuple[RunRecord, ...]:
    """Return the runs of a course, or of all courses, with open enrolment, the next first. Full runs are among them."""
    of_course: ColumnElement[bool] = col(CourseRun.course_slug) == course_slug if course_slug else true()
    query = select(CourseRun).where(
        of_course, col(CourseRun.status) == RunStatus.OPEN, col(CourseRun.ends_at) > now()
    )
    rows = await session.exec(query.order_by(col(CourseRun.starts_at), col(CourseRun.id)))
    return tuple(run for run in map(RunRecord.of, rows) if is_enrolling(run, now()))


async def list_unfinished_runs(session: AsyncSession) -> tuple[RunRecord, ...]:
    """Return the open and planned runs of all courses that have not ended, the next first."""
    query = select(CourseRun).where(
        col(CourseRun.status).in_((RunStatus.OPEN, RunStatus.PLANNED)), col(CourseRun.ends_at) > now()
    )
    rows = await session.exec(query.order_by(col(CourseRun.starts_at), col(CourseRun.id)))
    return tuple(map(RunRecord.of, rows))


async def list_messages(session: AsyncSession, run_id: int) -> tuple[MessageRecord, ...]:
    """Return the messages to all learners of a run, the newest first."""
    query = select(RunMessage).where(RunMessage.run_id == run_id).order_by(col(RunMessage.id).desc())
    return tuple(map(MessageRecord.of, (await session.exec(query)).all()))


async def list_materials(session: AsyncSession, run_id: int) -> tuple[MaterialRecord, ...]:
    """Return the materials and recordings of a run in the order in which they were added."""
    query = select(RunMaterial).where(RunMaterial.run_id == run_id).order_by(col(RunMaterial.id))
    return tuple(map(MaterialRecord.of, (await session.exec(query)).all()))


async def lock_run(session: AsyncSession, which: ColumnElement[bool]) -> RunRecord | None:
    """Lock the run until the transaction ends. Return it as it is now, or None if there is no such run."""
    query = select(CourseRun).where(which).with_for_update()
    row = (await session.exec(query.execution_options(populate_existing=True))).one_or_none()
    return RunRecord.of(row) if row else None
