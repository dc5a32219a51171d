"""The page of a course run as staff use it."""

import pytest
from sqlmodel import select

from agency_site.backoffice.lists.definition import ListQuery
from agency_site.backoffice.lists.export import lines_of_export
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy import records, runs
from agency_site.features.academy.admin.detail import RunPage
from agency_site.features.academy.admin.enrolment_list import ENROLMENT_LIST_DEFINITION
from agency_site.features.academy.admin.run_list import RUN_LIST_DEFINITION
from agency_site.features.academy.tables import CourseRun
from agency_site.features.checkout.admin.detail import OrderDetailState
from agency_site.features.checkout.request import Enrollee
from agency_site.features.checkout.usecases import enrol_free
from agency_site.form_input import read_form
from tests.integration.backoffice.conftest import hire, open_tab
from tests.integration.features.academy.runs import ACTOR, FORM, open_run, run_request

pytestmark = pytest.mark.usefixtures("database", "noon")

TICKED = {"first_day": "2027-01-12", "at": "18:30", "minutes": "120", "weekday-1": "on", "weekday-3": "on"}


async def test_a_run_is_planned_gets_its_sessions_and_is_opened() -> None:
    await hire()
    new = await open_tab(RunPage, "/admin/run")
    await new.run("save", form=FORM)
    async with read_scope() as session:
        (reference,) = await session.exec(select(CourseRun.reference))
    tab = await open_tab(RunPage, f"/admin/run?ref={reference}")
    await tab.run("set_status", status="open")
    assert "sessions first" in tab.state.problem
    await tab.run("generate", form=TICKED)
    assert len(tab.state.sessions) == 2 * 4
    await tab.run("set_status", status="open")
    assert (tab.state.done, tab.state.facts["state_name"]) == ("Enrolment is open.", "Open")


async def test_what_two_members_of_staff_change_is_merged() -> None:
    run = await open_run()
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    await tab.run("edit")
    async with session_scope() as session:
        await runs.save_run(session, run.reference, run.version, run_request(trainer="Achieng"), ACTOR)
    await tab.run("save", form={**FORM, "capacity": "12"})
    async with read_scope() as session:
        saved = await records.find_run(session, run.reference)
    assert (saved.trainer, saved.capacity, tab.state.done) == ("Achieng", 12, "Saved.")


async def test_one_session_is_changed_and_one_removed() -> None:
    run = await open_run()
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    first, *others = tab.state.sessions
    await tab.run("edit_session", session_id=first.id)
    await tab.run("save_session", form={"starts_at": "2027-01-11T09:00", "minutes": "60", "topic": "Start"})
    assert tab.state.sessions[0].starts == "Mon 11 Jan 2027, 09:00"
    await tab.run("remove_session", session_id=first.id)
    assert [one.topic for one in tab.state.sessions] == [one.topic for one in others]
    await tab.run("edit_session", session_id="")
    await tab.run("save_session", form={"starts_at": "", "minutes": "many"})
    assert sorted(tab.state.errors) == ["minutes", "starts_at"]


async def test_enrolments_are_shown_with_their_run() -> None:
    run, other = await open_run(course_slug="digital-skills"), await open_run(course_slug="digital-skills")
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    assert tab.state.enrolments == []
    for name, chosen in (("Zawadi", run), ("Amina", run), ("Baraka", other)):
        form = {
            "firstName": name, "lastName": "Odhiambo", "email": f"{name}@example.com", "phone": "0712 345 678",
            "courseName": run.course_name, "run": chosen.reference,
        }  # fmt: skip
        await enrol_free(session_scope, read_form(Enrollee, form))
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    assert [(one.buyer, one.places, one.phone) for one in tab.state.enrolments] == [
        ("Amina Odhiambo", 1, "0712 345 678"),
        ("Zawadi Odhiambo", 1, "0712 345 678"),
    ]
    order = await open_tab(OrderDetailState, f"/admin/order?ref={tab.state.enrolments[0].reference}")
    facts = order.state.facts
    assert (facts["run"], facts["run_starts"]) == (run.reference, "Tue 12 Jan 2027, 18:30")
    listed = b"".join([chunk async for chunk in lines_of_export(ENROLMENT_LIST_DEFINITION, ListQuery())])
    assert (listed.decode().count(run.reference), listed.decode().count(other.reference)) == (2, 1)


async def test_runs_can_be_exported() -> None:
    run = await open_run()
    whole = b"".join([chunk async for chunk in lines_of_export(RUN_LIST_DEFINITION, ListQuery())]).decode()
    assert run.reference in whole
