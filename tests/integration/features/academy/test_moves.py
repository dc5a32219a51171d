"""Moving an enrolment to another run: its places move along, and learners and buyers get mails."""

import json
import subprocess
import sys
from collections import Counter

import pytest
from sqlalchemy import text

from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected, NotFound, StaleRecord
from agency_site.features.academy.enrolments.moves import move_enrolment
from agency_site.features.academy.learners.naming import name_learners
from agency_site.features.academy.runs import records
from agency_site.features.academy.runs.records import RunRecord
from agency_site.features.checkout.buying.order_status import find_order
from tests.api_servers import ROOT
from tests.example_records import THIRD_COURSE
from tests.integration.features.academy.learners import EMAIL, buy, end_enrolment, list_learners, list_mails
from tests.integration.features.academy.runs import ACTOR, open_run
from tests.integration.features.academy.test_learners import calendar_of
from tests.integration.features.checkout.conftest import enrolments
from tests.servers import bare_environment

PROCESSES, CAPACITY = 3, 6


async def move(origin: str, to: str) -> None:
    reference = (await enrolments())[0].reference
    async with session_scope() as session:
        await move_enrolment(session, reference, origin, to, ACTOR)


async def count_taken(*runs: RunRecord) -> list[int]:
    async with read_scope() as session:
        return [(await records.find_run(session, run.reference)).taken for run in runs]


@pytest.mark.usefixtures("database", "noon")
async def test_a_move_takes_the_places_along_and_replaces_the_dates_in_calendars() -> None:
    run, other = await open_run(), await open_run(capacity="3")
    token = await buy(3, run.reference)
    async with session_scope() as session:
        await name_learners(session, token, {"name-2": "Otieno", "email-2": "otieno@example.com"})
    await move(run.reference, other.reference)
    assert await count_taken(run, other) == [0, 3]
    moved_mails = await list_mails("learner-moved")
    assert [mail.to for mail in moved_mails] == [EMAIL, "otieno@example.com"]
    new, *removed = [calendar_of(moved_mails[0], number) for number in range(5)]
    assert (new["METHOD"], {calendar["METHOD"] for calendar in removed}) == ("PUBLISH", {"CANCEL"})
    before = {
        event["UID"] for event in calendar_of((await list_mails("learner-confirmed"))[0]).walk("VEVENT")
    }
    assert {calendar.walk("VEVENT")[0]["UID"] for calendar in removed} == before
    assert before.isdisjoint(event["UID"] for event in new.walk("VEVENT"))
    async with read_scope() as session:
        view = await find_order(session, token)
    assert view.run is not None
    assert view.run.reference == other.reference


@pytest.mark.usefixtures("database", "noon")
async def test_learners_without_a_run_are_placed_and_a_buyer_without_a_place_gets_a_mail() -> None:
    run = await open_run()
    token = await buy(1)
    async with session_scope() as session:
        await name_learners(session, token, {"name-1": "Otieno", "email-1": "otieno@example.com"})
    await move("", run.reference)
    assert await count_taken(run) == [1]
    assert [mail.to for mail in await list_mails("learner-moved")] == ["otieno@example.com", EMAIL]


@pytest.mark.usefixtures("database", "noon")
async def test_a_move_into_a_full_cancelled_or_foreign_run_or_the_same_run_is_rejected() -> None:
    run, full = await open_run(), await open_run(capacity="1")
    foreign = await open_run(course_slug=THIRD_COURSE.slug)
    await buy(2, run.reference)
    for wrong in (full.reference, foreign.reference, run.reference, "CR-NOBODY", ""):
        with pytest.raises(InputRejected) as rejected:
            await move(run.reference, wrong)
        assert set(rejected.value.by_field()) == {"run"}
    assert (await count_taken(run, full, foreign), await list_mails("learner-moved")) == ([2, 0, 0], [])
    await end_enrolment()
    with pytest.raises(Conflict, match="have ended"):
        await move(run.reference, full.reference)
    with pytest.raises(NotFound):
        async with session_scope() as session:
            await move_enrolment(session, "EN-NOBODY", "", run.reference, ACTOR)
    assert len(await list_learners()) == 2


@pytest.mark.usefixtures("database", "noon")
async def test_places_that_another_member_of_staff_has_moved_stay_there() -> None:
    run, other, third = await open_run(), await open_run(), await open_run()
    await buy(1, run.reference)
    await move(run.reference, other.reference)
    with pytest.raises(StaleRecord, match="Another member of staff has moved"):
        await move(run.reference, third.reference)
    assert await count_taken(run, other, third) == [0, 1, 0]


def move_at_once(database_url: str, runs: list[str]) -> Counter[str]:
    """Run all processes at the same time. Return the numbers of what they did."""
    own = {"AGENCY_DATABASE_URL": database_url, "AGENCY_LOG_LEVEL": "error"}
    command = [sys.executable, "-m", "tests.integration.features.academy.moving"]
    running = [
        subprocess.Popen(
            [*command, str(seed), *runs], cwd=ROOT, env=bare_environment() | own, stdout=subprocess.PIPE
        )
        for seed in range(PROCESSES)
    ]
    printed = [process.communicate(timeout=240)[0] for process in running]
    assert [process.returncode for process in running] == [0] * PROCESSES
    return sum((Counter(json.loads(output)) for output in printed), Counter[str]())


async def test_processes_that_move_at_once_never_fill_a_run_beyond_its_places(database: str) -> None:
    times = {"starts_at": "2030-01-08T18:30"}
    runs = [await open_run(capacity=str(CAPACITY), **times) for _ in range(3)]
    for number in range(7):
        await buy(2, runs[number % 3].reference, f"buyer{number}@example.com")
    done = move_at_once(database, [run.reference for run in runs])
    assert done["move"] > 0
    assert done["name"] > 0
    async with read_scope() as session:
        connection = await session.connection()
        held = (
            await connection.execute(
                text(
                    "select r.reference, r.taken, coalesce(sum(e.places), 0) from course_runs r left join enrolments e "
                    "on e.run_id = r.id and e.ended_at is null group by r.id, r.reference, r.taken"
                )
            )
        ).all()
        places = (await connection.execute(text("select count(*) from learners"))).scalar_one()
    assert [(reference, count) for reference, count, _ in held] == [
        (reference, count) for reference, _, count in held
    ]
    assert all(count <= CAPACITY for _, count, _ in held)
    assert places == 14
