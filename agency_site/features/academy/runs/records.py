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
        """Its state now."""
        return find_state(self, now())

    @property
    def free(self) -> int | None:
        """Places that are left; none: there is no limit."""
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
    """Something that all learners of a run can open."""

    id: int
    kind: MaterialKind
    title: str
    address: str
    added_at: datetime


async def find_run(session: AsyncSession, reference: str) -> RunRecord:
    """The run of that reference. Raises NotFound."""
    return RunRecord.of(await find_row(session, reference))


async def find_row(session: AsyncSession, reference: str) -> CourseRun:
    """The row of that reference. Raises NotFound."""
    found = select(CourseRun).where(CourseRun.reference == reference)
    return await find_one(session, found, f"There is no course run {reference}.", fresh=True)


async def list_sessions(session: AsyncSession, run_id: int) -> tuple[SessionRecord, ...]:
    """The sessions of a run, in the order in which they take place."""
    wanted = (
        select(CourseSession).where(CourseSession.run_id == run_id).order_by(col(CourseSession.starts_at))
    )
    found = await session.exec(wanted.execution_options(populate_existing=True))
    return tuple(SessionRecord.of(row) for row in found)


async def list_runs_on_offer(session: AsyncSession, course_slug: str = "") -> tuple[RunRecord, ...]:
    """The runs of a course, or of all, in which places are on offer or were until they were taken; the next first."""
    of_course: ColumnElement[bool] = col(CourseRun.course_slug) == course_slug if course_slug else true()
    wanted = select(CourseRun).where(
        of_course, col(CourseRun.status) == RunStatus.OPEN, col(CourseRun.ends_at) > now()
    )
    found = await session.exec(wanted.order_by(col(CourseRun.starts_at), col(CourseRun.id)))
    return tuple(run for run in map(RunRecord.of, found) if is_enrolling(run, now()))


async def list_coming(session: AsyncSession) -> tuple[RunRecord, ...]:
    """The open and planned runs of all courses that have not ended, the next first."""
    wanted = select(CourseRun).where(
        col(CourseRun.status).in_((RunStatus.OPEN, RunStatus.PLANNED)), col(CourseRun.ends_at) > now()
    )
    found = await session.exec(wanted.order_by(col(CourseRun.starts_at), col(CourseRun.id)))
    return tuple(map(RunRecord.of, found))


async def list_messages(session: AsyncSession, run_id: int) -> tuple[MessageRecord, ...]:
    """What was written to all learners of a run, the newest first."""
    wanted = select(RunMessage).where(RunMessage.run_id == run_id).order_by(col(RunMessage.id).desc())
    return tuple(map(MessageRecord.of, (await session.exec(wanted)).all()))


async def list_materials(session: AsyncSession, run_id: int) -> tuple[MaterialRecord, ...]:
    """The materials and recordings of a run, in the order in which they were added."""
    wanted = select(RunMaterial).where(RunMaterial.run_id == run_id).order_by(col(RunMaterial.id))
    return tuple(map(MaterialRecord.of, (await session.exec(wanted)).all()))


async def lock_run(session: AsyncSession, which: ColumnElement[bool]) -> RunRecord | None:
    """The run as it is now, locked until the transaction ends."""
    locked = select(CourseRun).where(which).with_for_update()
    row = (await session.exec(locked.execution_options(populate_existing=True))).one_or_none()
    return RunRecord.of(row) if row else None
