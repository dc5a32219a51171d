"""The screens of course runs, learners and enrolments as staff use them."""

import pytest
from sqlmodel import select

from agency_site.auth.rules import Role, Staff
from agency_site.backoffice.lists.definition import ListQuery
from agency_site.backoffice.lists.export import lines_of_export
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy.admin.enrolments.list import ENROLMENT_LIST_DEFINITION
from agency_site.features.academy.admin.labels import history_lines
from agency_site.features.academy.admin.learners.detail import LearnerDetail
from agency_site.features.academy.admin.learners.list import LEARNER_LIST_DEFINITION
from agency_site.features.academy.admin.runs.detail import RunPage
from agency_site.features.academy.admin.runs.list import RUN_LIST_DEFINITION
from agency_site.features.academy.admin.waiting_list.list import WAITING_LIST_DEFINITION
from agency_site.features.academy.learners.usecases import find_learner
from agency_site.features.academy.planning import usecases as runs
from agency_site.features.academy.runs import records
from agency_site.features.academy.runs.history import list_history
from agency_site.features.academy.runs.tables import CourseRun
from agency_site.features.checkout.admin.orders.detail import OrderDetailState
from agency_site.features.checkout.orders.request import Enrollee
from agency_site.form_input import read_form
from agency_site.places import Sale, places
from tests.example_records import FREE_COURSE
from tests.integration.backoffice.conftest import hire, newest_detail, open_tab
from tests.integration.features.academy.learners import (
    BUYER,
    EMAIL,
    buy,
    end_enrolment,
    find_link,
    list_learners,
    list_mails,
)
from tests.integration.features.academy.runs import ACTOR, FORM, open_run, run_request
from tests.integration.features.academy.waiting import fill_run, join
from tests.integration.features.checkout.orders import enrol_free

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


async def test_changes_of_two_members_of_staff_are_merged() -> None:
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
    assert await newest_detail("run.edited") == "Places"


async def test_the_history_of_a_run_has_old_and_new_values_and_hides_the_price_from_trainers() -> None:
    run = await open_run()
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    await tab.run("edit")
    await tab.run(
        "save", form={**FORM, "capacity": "12", "price": "9,000", "enrol_until": "2027-01-11T12:00"}
    )
    assert (tab.state.lines[0].what, tab.state.lines[0].words.splitlines()) == (
        "Edited",
        [
            "Places: 4 → 12",
            "Price per place: empty → 9000",
            "Enrolment until: empty → Mon 11 Jan 2027, 12:00",
        ],
    )
    async with read_scope() as session:
        events = await list_history(session, run.id)
    trainer = Staff(2, "otieno@mwanga.example", "Otieno", Role.TRAINER, 2, "")
    assert "9000" not in str(history_lines(events, trainer))


async def test_one_session_is_changed_and_one_removed() -> None:
    run = await open_run()
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    first, *others = tab.state.sessions
    await tab.run("edit_session", session_id=first.id)
    await tab.run("save_session", form={"starts_at": "2027-01-11T09:00", "minutes": "60", "topic": "Start"})
    assert tab.state.sessions[0].starts == "Mon 11 Jan 2027, 09:00"
    await tab.run("ask_to_remove", session_id=first.id)
    await tab.run("remove_session", form={})
    assert [line.topic for line in tab.state.sessions] == [line.topic for line in others]
    await tab.run("edit_session", session_id="")
    await tab.run("save_session", form={"starts_at": "", "minutes": "many"})
    assert sorted(tab.state.errors) == ["minutes", "starts_at"]


async def test_learners_are_shown_with_their_run() -> None:
    run, other = await open_run(course_slug=FREE_COURSE.slug), await open_run(course_slug=FREE_COURSE.slug)
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    assert tab.state.learners == []
    for name, chosen in (("Zawadi", run), ("Amina", run), ("Baraka", other)):
        form = {
            "firstName": name, "lastName": "Odhiambo", "email": f"{name}@example.com", "phone": "0712 345 678",
            "courseName": run.course_name, "run": chosen.reference,
        }  # fmt: skip
        await enrol_free(session_scope, read_form(Enrollee, form))
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    assert [(line.name, line.buyer, line.phone) for line in tab.state.learners] == [
        ("Zawadi Odhiambo", "Zawadi Odhiambo", "0712 345 678"),
        ("Amina Odhiambo", "Amina Odhiambo", "0712 345 678"),
    ]
    order = await open_tab(OrderDetailState, f"/admin/order?ref={tab.state.learners[0].order}")
    facts = order.state.facts
    assert (facts["run"], facts["run_starts"]) == (run.reference, "Tue 12 Jan 2027, 18:30")
    listed = b"".join([chunk async for chunk in lines_of_export(ENROLMENT_LIST_DEFINITION, ListQuery())])
    assert (listed.decode().count(run.reference), listed.decode().count(other.reference)) == (2, 1)


async def test_runs_can_be_exported() -> None:
    run = await open_run()
    exported = b"".join([chunk async for chunk in lines_of_export(RUN_LIST_DEFINITION, ListQuery())]).decode()
    assert run.reference in exported


async def test_places_without_a_name_are_listed_too() -> None:
    run = await open_run()
    await buy(2, run.reference)
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    assert [(line.name, line.email) for line in tab.state.learners] == [(BUYER, EMAIL), ("Not named yet", "")]
    exported = b"".join(
        [chunk async for chunk in lines_of_export(LEARNER_LIST_DEFINITION, ListQuery())]
    ).decode()
    assert (exported.count(run.reference), exported.count("Not named yet")) == (2, 1)
    for state, expected in (("named", 1), ("unnamed", 1), ("ended", 0)):
        listed = [
            chunk
            async for chunk in lines_of_export(LEARNER_LIST_DEFINITION, ListQuery(filters={"state": state}))
        ]
        assert b"".join(listed).count(b"LN-") == expected


async def test_a_message_to_all_learners_is_mailed_once_and_shown_on_their_pages() -> None:
    run = await open_run()
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    form = {"subject": "Please bring your laptop", "text": "Good evening.\n\nWe begin with the set-up."}
    await tab.run("begin_message")
    await tab.run("send_message", form=form)
    assert "no recipients" in tab.state.problem
    await buy(2, run.reference)
    await tab.run("send_message", form={"subject": "", "text": ""})
    assert sorted(tab.state.errors) == ["subject", "text"]
    await tab.run("send_message", form=form)
    (mail,) = await list_mails("run-message")
    assert (mail.to, mail.subject) == (EMAIL, "Please bring your laptop")
    assert mail.content["paragraphs"][1:] == ["Good evening.", "We begin with the set-up."]
    async with read_scope() as session:
        view = await find_learner(session, await find_link())
    assert [message.subject for message in view.messages] == ["Please bring your laptop"]
    assert tab.state.lines[0].words == "Please bring your laptop"


async def test_a_learner_is_moved_and_gets_the_link_again() -> None:
    run, other = await open_run(), await open_run(capacity="1")
    await buy(1, run.reference)
    await hire()
    reference = (await list_learners())[0].reference
    tab = await open_tab(LearnerDetail, f"/admin/learner?ref={reference}")
    assert (tab.state.facts["run"], tab.state.facts["name"]) == (run.reference, BUYER)
    assert [option.value for option in tab.state.runs] == [other.reference]
    await tab.run("begin_move")
    junk: object
    for junk in ({}, {"run": ""}, {"run": "CR-NOBODY"}, {"run": run.reference}, {"run": 7}, None, []):
        await tab.run("move", form=junk)
        assert "run" in tab.state.errors
    await tab.run("move", form={"run": other.reference})
    assert (tab.state.facts["run"], tab.state.panel) == (other.reference, "")
    await tab.run("send_link")
    assert [mail.to for mail in await list_mails("learner-link")] == [EMAIL]
    missing = await open_tab(LearnerDetail, "/admin/learner?ref=LN-NOBODY")
    assert "no learner LN-NOBODY" in missing.state.problem


async def test_staff_offer_places_to_the_waiting_list_and_remove_entries() -> None:
    run = await fill_run()
    await join(run)
    await join(run, "Akinyi")
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    first, second = tab.state.waiting
    assert [(line.name, line.state, line.can_get_place) for line in (first, second)] == [
        ("Otieno Wafula", "Waiting", True),
        ("Akinyi Wafula", "Waiting", True),
    ]
    await tab.run("ask_about_waiting", panel="offer", entry=second.reference)
    await tab.run("offer_place")
    assert "too few free places" in tab.state.problem
    await end_enrolment()
    await tab.run("offer_place")
    assert "akinyi@example.com gets an e-mail" in tab.state.done
    assert [(line.name, line.state) for line in tab.state.waiting] == [
        ("Otieno Wafula", "Waiting"),
        ("Akinyi Wafula", "Place kept"),
    ]
    await tab.run("ask_about_waiting", panel="leaving", entry=first.reference)
    await tab.run("remove_waiting")
    assert {line.name: line.state for line in tab.state.waiting}["Otieno Wafula"] == "Left"
    assert tab.state.unpaid == []
    for junk in ("", "WL-NOBODY", "\0", None, 7):
        await tab.run("ask_to_release", reservation_id=junk)
        await tab.run("release_unpaid")
        assert "no longer kept" in tab.state.problem
        await tab.run("ask_about_waiting", panel="offer", entry=junk)
        await tab.run("remove_waiting")
        await tab.run("offer_place")
    exported = b"".join(
        [chunk async for chunk in lines_of_export(WAITING_LIST_DEFINITION, ListQuery())]
    ).decode()
    assert (exported.count(run.reference), exported.count("Place kept")) == (2, 1)


async def test_places_of_an_unpaid_order_are_released_after_staff_confirm() -> None:
    run = await open_run()
    await buy(1, run.reference)
    async with session_scope() as session:
        sale = Sale(1, "EN-1", run.course_slug, run.course_name, 2, run.reference)
        assert await places().reserve_places(session, sale)
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    (unpaid_line,) = tab.state.unpaid
    await tab.run("ask_to_release", reservation_id=unpaid_line.id)
    assert (tab.state.panel, tab.state.target["name"], tab.state.target["places"]) == (
        "release",
        BUYER,
        "2 places",
    )
    assert tab.state.unpaid == [unpaid_line]
    await tab.run("release_unpaid")
    assert (tab.state.panel, tab.state.unpaid) == ("", [])
    assert tab.state.done.startswith("Released.")


async def test_raising_the_places_reports_the_people_who_wait() -> None:
    run = await fill_run()
    await join(run)
    await join(run, "Akinyi")
    await hire()
    tab = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    assert tab.state.facts["waiting"] == "2 people are waiting: free places are offered to them by e-mail."
    await tab.run("edit")
    await tab.run("save", form={**tab.state.draft, "trainer": "Achieng"})
    assert tab.state.done == "Saved."
    await tab.run("edit")
    await tab.run("save", form={**tab.state.draft, "capacity": "2"})
    assert tab.state.done == "Saved. 2 people are waiting: free places are offered to them by e-mail."


async def test_a_paid_order_without_a_run_is_put_on_a_waiting_list() -> None:
    run = await fill_run()
    await buy(1, "", "paid@example.com")
    await hire()
    reference = (await list_learners())[1].reference
    tab = await open_tab(LearnerDetail, f"/admin/learner?ref={reference}")
    await tab.run("begin_waiting")
    junk: object
    for junk in ({}, {"run": ""}, {"run": "CR-NOBODY"}, {"run": "\0"}, {"run": 7}, None, []):
        await tab.run("wait", form=junk)
        assert "run" in tab.state.errors
    await tab.run("wait", form={"run": run.reference})
    assert tab.state.done.startswith("Put on the waiting list")
    page = await open_tab(RunPage, f"/admin/run?ref={run.reference}")
    assert [(line.email, line.note, line.can_get_place) for line in page.state.waiting] == [
        ("paid@example.com", "Paid: 1 place", False)
    ]
