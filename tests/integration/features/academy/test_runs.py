"""Planning of course runs and their sessions by staff, on both databases."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select

from agency_site.clock import now
from agency_site.content.courses import course_by_slug
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected, StaleRecord
from agency_site.features.academy.admin.runs.list import has_state
from agency_site.features.academy.planning import usecases as runs
from agency_site.features.academy.planning.staff_request import PatternRequest, SessionRequest
from agency_site.features.academy.runs import records
from agency_site.features.academy.runs.history import list_history
from agency_site.features.academy.runs.rules import RunState, RunStatus
from agency_site.features.academy.runs.tables import CourseRun
from tests.example_records import THIRD_COURSE
from tests.integration.features.academy.runs import (
    ACTOR,
    COURSE,
    PATTERN,
    open_run,
    plan_run,
    run_request,
)

pytestmark = pytest.mark.usefixtures("database", "noon")


async def test_a_weekly_pattern_makes_a_session_for_each_week_of_the_course() -> None:
    run = await open_run()
    course = course_by_slug(COURSE)
    assert course is not None
    async with read_scope() as session:
        sessions = await records.list_sessions(session, run.id)
        history = await list_history(session, run.id)
    assert [session_record.topic for session_record in sessions] == [
        week.title for week in course.detail.weeks
    ]
    assert run.starts_at == sessions[0].starts_at == datetime(2027, 1, 12, 15, 30, tzinfo=UTC)
    assert run.ends_at == sessions[-1].starts_at + timedelta(hours=2)
    assert [(session_record.what, session_record.actor) for session_record in history] == [
        ("created", ACTOR), ("generated", ACTOR), ("status", ACTOR)
    ]  # fmt: skip


async def test_start_and_end_of_a_run_follow_changed_added_and_removed_sessions() -> None:
    run = await open_run()
    async with session_scope() as session:
        (first, *_, last) = await records.list_sessions(session, run.id)
        earlier = SessionRequest.model_validate(
            {"starts_at": "2027-01-11T09:00", "minutes": "60", "topic": "Start"}
        )
        await runs.save_session(session, run.reference, run.version, first.id, earlier, ACTOR)
        changed = await records.find_run(session, run.reference)
        assert changed.starts_at == datetime(2027, 1, 11, 6, 0, tzinfo=UTC)
        later = SessionRequest.model_validate({"starts_at": "2027-12-01T18:30", "minutes": "90"})
        await runs.save_session(session, run.reference, changed.version, None, later, ACTOR)
        added = await records.find_run(session, run.reference)
        assert added.ends_at == datetime(2027, 12, 1, 17, 0, tzinfo=UTC)
        extra = (await records.list_sessions(session, run.id))[-1]
        await runs.remove_session(session, run.reference, added.version, extra.id, ACTOR)
        removed = await records.find_run(session, run.reference)
        assert removed.ends_at == run.ends_at
        with pytest.raises(InputRejected, match="begins at this time"):
            await runs.save_session(session, run.reference, removed.version, last.id, earlier, ACTOR)


async def test_an_editor_with_an_older_version_of_a_run_changes_nothing() -> None:
    run = await open_run()
    request = PatternRequest.model_validate(PATTERN)
    verbs: tuple[tuple[Any, tuple[object, ...]], ...] = (
        (runs.save_run, (run_request(trainer="Achieng"),)),
        (runs.generate_sessions, (request,)),
        (runs.change_status, (RunStatus.CANCELLED,)),
    )
    for verb, arguments in verbs:
        with pytest.raises(StaleRecord):
            async with session_scope() as session:
                await verb(session, run.reference, run.version - 1, *arguments, ACTOR)
    async with read_scope() as session:
        assert await records.find_run(session, run.reference) == run
        assert len(await list_history(session, run.id)) == 3


async def test_enrolment_opens_only_with_sessions_and_a_cancelled_run_stays_cancelled() -> None:
    planned = await plan_run()
    async with session_scope() as session:
        with pytest.raises(Conflict, match="sessions first"):
            await runs.change_status(session, planned.reference, planned.version, RunStatus.OPEN, ACTOR)
        await runs.change_status(session, planned.reference, planned.version, RunStatus.CANCELLED, ACTOR)
        cancelled = await records.find_run(session, planned.reference)
        with pytest.raises(Conflict, match="is cancelled"):
            await runs.change_status(session, cancelled.reference, cancelled.version, RunStatus.OPEN, ACTOR)


@pytest.mark.each_database
async def test_the_database_refuses_more_places_than_a_run_has() -> None:
    run = await open_run(capacity="2")
    with pytest.raises(IntegrityError):
        async with session_scope() as session:
            await session.exec(update(CourseRun).where(col(CourseRun.id) == run.id).values(taken=3))
    async with session_scope() as session:
        await session.exec(update(CourseRun).where(col(CourseRun.id) == run.id).values(taken=2))
        with pytest.raises(InputRejected, match="already taken"):
            await runs.save_run(session, run.reference, run.version, run_request(capacity="1"), ACTOR)


async def test_only_open_runs_with_open_enrolment_are_on_offer_the_next_first() -> None:
    await plan_run()
    later = await open_run(enrol_until="2027-01-13T18:30")
    await open_run(enrol_from="2027-01-01T08:00")
    other = await open_run(course_slug=THIRD_COURSE.slug)
    async with read_scope() as session:
        assert [run.reference for run in await records.list_runs_on_offer(session, COURSE)] == [
            later.reference
        ]
        assert {run.reference for run in await records.list_runs_on_offer(session)} == {
            later.reference, other.reference
        }  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {}, {"status": RunStatus.CANCELLED}, {"status": RunStatus.PLANNED}, {"taken": 4}, {"capacity": None, "taken": 9},
        {"starts_at": datetime(2026, 11, 1, tzinfo=UTC)},
        {"starts_at": datetime(2026, 11, 1, tzinfo=UTC), "ends_at": datetime(2026, 11, 2, tzinfo=UTC)},
    ],
)  # fmt: skip
async def test_the_filter_of_the_list_agrees_with_the_state_of_the_rules(change: dict[str, Any]) -> None:
    run = await open_run()
    async with session_scope() as session:
        if change:
            await session.exec(update(CourseRun).where(col(CourseRun.id) == run.id).values(**change))
    async with read_scope() as session:
        state = (await records.find_run(session, run.reference)).state
        matching = [
            run_state
            for run_state in RunState
            if (await session.exec(select(CourseRun.id).where(has_state(run_state.value)))).first()
        ]
    assert matching == [state]
    assert now() < run.starts_at
