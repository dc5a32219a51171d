"""Attendance of sessions: marked by staff with one click, seen by the learner."""

from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, NotFound
from agency_site.features.academy.admin.runs.detail import RunPage
from agency_site.features.academy.learners.attendance import list_attendance, mark_attendance
from agency_site.features.academy.learners.naming import name_learners
from agency_site.features.academy.learners.usecases import find_learner
from agency_site.features.academy.personal_data import LEARNERS
from agency_site.features.academy.planning import usecases as runs
from agency_site.features.academy.planning.staff_request import SessionRequest
from agency_site.features.academy.runs import records
from agency_site.features.academy.runs.records import RunRecord, SessionRecord
from tests.integration.backoffice.conftest import hire, open_tab
from tests.integration.features.academy.learners import EMAIL, buy, end_enrolment, find_link, list_learners
from tests.integration.features.academy.runs import ACTOR, open_run

pytestmark = pytest.mark.usefixtures("database", "noon")


async def first_session(run: RunRecord) -> SessionRecord:
    async with read_scope() as session:
        return (await records.list_sessions(session, run.id))[0]


async def set_attendance(run: RunRecord, session_id: int, learner: str, *, attended: bool = True) -> None:
    async with session_scope() as session:
        await mark_attendance(session, run.reference, session_id, learner, ACTOR, attended=attended)


async def attended(run: RunRecord, session_id: int) -> list[bool]:
    async with read_scope() as session:
        return [
            attendee.attended for attendee in (await list_attendance(session, run.reference, session_id))[1]
        ]


async def test_attendance_is_marked_and_cleared_any_number_of_times() -> None:
    run = await open_run()
    await buy(2, run.reference)
    first, learner = await first_session(run), (await list_learners())[0]
    with clock.frozen(first.starts_at):
        for value in (True, True, False, False, True):
            await set_attendance(run, first.id, learner.reference, attended=value)
            # The second place has no learner, so it is not in the list.
            assert await attended(run, first.id) == [value]
    async with read_scope() as session:
        assert (await find_learner(session, await find_link())).attended == {first.id}
        (record,) = await LEARNERS.export(session, EMAIL, "")
    assert record["attended"] == [first.starts_at.isoformat()]


async def test_only_learners_of_the_run_can_be_marked_and_only_after_the_session_begins() -> None:
    run, other = await open_run(), await open_run()
    await buy(1, other.reference)
    first, stranger = await first_session(run), (await list_learners())[0]
    with pytest.raises(Conflict):
        await set_attendance(run, first.id, stranger.reference)
    with clock.frozen(first.starts_at):
        for reference, session_id in (
            (stranger.reference, first.id),
            ("LN-NOBODY", first.id),
            (stranger.reference, 0),
        ):
            with pytest.raises(NotFound):
                await set_attendance(run, session_id, reference)
        with pytest.raises(NotFound):
            await attended(other, first.id)


async def test_an_attended_session_cannot_be_removed() -> None:
    run = await open_run()
    await buy(1, run.reference)
    first, learner = await first_session(run), (await list_learners())[0].reference
    with clock.frozen(first.starts_at + timedelta(hours=3)):
        await set_attendance(run, first.id, learner)
        with pytest.raises(Conflict, match="has been marked"):
            await remove(run, first)
        await set_attendance(run, first.id, learner, attended=False)
        await remove(run, first)


async def remove(run: RunRecord, meeting: SessionRecord) -> None:
    async with session_scope() as session:
        await runs.remove_session(session, run.reference, run.version, meeting.id, ACTOR)


async def test_a_person_who_takes_over_a_place_has_attended_nothing() -> None:
    run = await open_run()
    token = await buy(1, run.reference)
    first, learner = await first_session(run), (await list_learners())[0].reference
    with clock.frozen(first.starts_at):
        await set_attendance(run, first.id, learner)
    async with session_scope() as session:
        await name_learners(session, token, {"name-1": "Otieno", "email-1": "otieno@example.com"})
    assert await attended(run, first.id) == [False]


async def test_attendance_of_an_ended_place_cannot_be_marked() -> None:
    run = await open_run()
    await buy(1, run.reference)
    first, learner = await first_session(run), (await list_learners())[0].reference
    await end_enrolment()
    with clock.frozen(first.starts_at), pytest.raises(NotFound):
        await set_attendance(run, first.id, learner)


async def test_staff_mark_attendance_with_one_click() -> None:
    run = await open_run()
    await buy(1, run.reference)
    first, reference = await first_session(run), (await list_learners())[0].reference
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    junk: object
    for junk in ("", "x", "0", None, 7, []):
        await tab.run("open_attendance", session_id=junk)
        assert tab.state.panel == ""
    await tab.run("open_attendance", session_id=str(first.id))
    assert [attendee.attended for attendee in tab.state.attendance] == [False]
    await tab.run("set_attendance", learner=reference, attended=True)
    assert "not begun" in tab.state.problem
    async with session_scope() as session:
        soon = SessionRequest.model_validate({"starts_at": "2026-11-20T12:10", "minutes": "60", "topic": ""})
        await runs.save_session(session, run.reference, run.version, first.id, soon, ACTOR)
    for learner, wanted in ((reference, "yes"), (None, True), ([], True)):
        await tab.run("set_attendance", learner=learner, attended=wanted)
    assert [attendee.attended for attendee in tab.state.attendance] == [False]
    await tab.run("set_attendance", learner=reference, attended=True)
    assert [attendee.attended for attendee in tab.state.attendance] == [True]
