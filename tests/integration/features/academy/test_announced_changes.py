"""Mails about changes of a run: staff see the dates and the number of people first, and can choose to send none."""

from datetime import timedelta

import pytest

from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected
from agency_site.features.academy.admin.learners.detail import LearnerDetail
from agency_site.features.academy.admin.runs.detail import RunPage
from agency_site.features.academy.learners.naming import name_learners
from agency_site.features.academy.planning import usecases as runs
from agency_site.features.academy.planning.staff_request import PatternRequest, SessionRequest
from agency_site.features.academy.runs import records
from agency_site.features.academy.runs.records import RunRecord
from tests.conftest import FRIDAY_NOON
from tests.example_records import THIRD_COURSE
from tests.integration.backoffice.conftest import Tab, hire, open_tab
from tests.integration.features.academy.learners import EMAIL, buy, list_learners, list_mails
from tests.integration.features.academy.runs import ACTOR, PATTERN, open_run, plan_run, run_request

pytestmark = pytest.mark.usefixtures("database", "noon")

LATER = {"first_day": "2027-02-02", "at": "17:30", "minutes": "90", "weekday-1": "on"}
OTIENO = "otieno@example.com"


async def sell_run() -> RunRecord:
    """Store a run with one learner and two places without a name, of a buyer who takes no place."""
    run = await open_run()
    token = await buy(3, run.reference)
    async with session_scope() as session:
        await name_learners(session, token, {"name-1": "Otieno Wafula", "email-1": OTIENO})
    return run


async def open_page(run: RunRecord) -> Tab:
    await hire()
    return await open_tab(RunPage, f"/admin/run?ref={run.reference}")


async def list_recipients() -> list[str]:
    return [mail.to for mail in await list_mails("session-changed", "run-cancelled")]


async def test_a_new_pattern_of_a_run_on_sale_is_shown_before_it_replaces_the_sessions() -> None:
    run = await sell_run()
    tab = await open_page(run)
    assert tab.state.facts["audience"] == "1 learner and 1 buyer who takes no place"
    await tab.run("open_pattern")
    await tab.run("generate", form=LATER)
    first, *_ = tab.state.plan
    assert (tab.state.panel, first.before, first.after) == (
        "plan", "Tue 12 Jan 2027, 18:30", "Tue 2 Feb 2027, 17:30",
    )  # fmt: skip
    assert (await list_recipients(), tab.state.sessions[0].starts) == ([], first.before)
    await tab.run("replace_sessions", form={"notify": "on"})
    assert await list_recipients() == [OTIENO, EMAIL]
    assert tab.state.done.endswith("2 people get an e-mail.")
    assert (tab.state.panel, tab.state.sessions[0].starts) == ("", first.after)


async def test_a_buyer_who_takes_no_place_gets_all_new_dates() -> None:
    run = await sell_run()
    request = PatternRequest.model_validate({**PATTERN, "first_day": "2027-02-02"})
    async with session_scope() as session:
        await runs.generate_sessions(session, run.reference, run.version, request, ACTOR)
    mail = next(message for message in await list_mails("session-changed") if message.to == EMAIL)
    assert ["Session 1", "Tuesday 2 February 2027, 18:30, Nairobi time"] in mail.content["facts"]


async def test_without_a_tick_no_e_mail_is_sent() -> None:
    run = await sell_run()
    tab = await open_page(run)
    first, second, *_ = tab.state.sessions
    await tab.run("edit_session", session_id=first.id)
    assert tab.state.session_draft["now"] == first.starts
    await tab.run("save_session", form={"starts_at": "2027-01-11T09:00", "minutes": "60", "topic": "Start"})
    assert tab.state.done == "Session saved. No e-mail is sent."
    await tab.run("ask_to_remove", session_id=second.id)
    assert (tab.state.target["starts"], len(tab.state.sessions)) == (second.starts, 4)
    await tab.run("remove_session", form={})
    await tab.run("generate", form=LATER)
    await tab.run("replace_sessions", form={})
    await tab.run("ask_to_cancel")
    await tab.run("cancel_run", form={})
    assert (await list_recipients(), tab.state.facts["state_name"]) == ([], "Cancelled")


async def test_buyers_without_a_place_get_mails_about_changed_and_removed_sessions_too() -> None:
    run = await sell_run()
    tab = await open_page(run)
    first, *_ = tab.state.sessions
    await tab.run("edit_session", session_id=first.id)
    form = {"starts_at": "2027-01-11T09:00", "minutes": "60", "topic": "Start", "notify": "on"}
    await tab.run("save_session", form=form)
    assert tab.state.done == "Session saved. 2 people get an e-mail."
    await tab.run("ask_to_remove", session_id=first.id)
    await tab.run("remove_session", form={"notify": "on"})
    assert tab.state.done == "Session removed. 2 people get an e-mail."
    await tab.run("ask_to_cancel")
    await tab.run("cancel_run", form={"notify": "on"})
    assert tab.state.done == "The run has been cancelled. 2 people get an e-mail."
    assert await list_recipients() == [OTIENO, EMAIL] * 3


async def test_one_click_neither_cancels_a_run_nor_removes_a_session() -> None:
    run = await sell_run()
    tab = await open_page(run)
    await tab.run("set_status", status="cancelled")
    await tab.run("remove_session", form={"notify": "on"})
    assert (await list_recipients(), tab.state.facts["state_name"], len(tab.state.sessions)) == (
        [],
        "Open",
        4,
    )


async def test_a_plan_of_an_older_version_replaces_nothing() -> None:
    run = await sell_run()
    tab = await open_page(run)
    await tab.run("generate", form=LATER)
    async with session_scope() as session:
        await runs.save_run(session, run.reference, run.version, run_request(trainer="Achieng"), ACTOR)
    await tab.run("replace_sessions", form={"notify": "on"})
    assert (await list_recipients(), tab.state.panel) == ([], "")
    assert "meantime" in tab.state.problem


async def test_the_first_sessions_of_a_run_without_learners_are_generated_without_a_question() -> None:
    planned = await plan_run()
    tab = await open_page(planned)
    await tab.run("generate", form=LATER)
    assert (tab.state.panel, len(tab.state.sessions)) == ("", 4)


async def test_a_recording_and_a_message_report_the_number_of_recipients() -> None:
    run = await sell_run()
    tab = await open_page(run)
    assert tab.state.facts["audience_learners"] == "1 learner"
    assert tab.state.facts["unnamed"] == "2 places without a name get none."
    recording = {"kind": "recording", "title": "First evening", "address": "https://video.example.com/1"}
    await tab.run("add_material", form=recording)
    assert (tab.state.done, await list_mails("recording-added")) == (
        "Added: the pages of all learners show it. No e-mail is sent.",
        [],
    )
    await tab.run(
        "add_material", form={**recording, "address": "https://video.example.com/2", "notify": "on"}
    )
    assert tab.state.done.endswith("1 person gets an e-mail.")
    await tab.run("send_message", form={"subject": "Laptops", "text": "Please bring one."})
    assert tab.state.done.endswith("1 person gets an e-mail.")


async def test_starts_and_ends_of_enrolment_in_the_past_are_rejected() -> None:
    with pytest.raises(InputRejected) as rejected:
        await plan_run(starts_at="2025-01-14T18:30")
    assert set(rejected.value.by_field()) == {"starts_at"}
    with pytest.raises(InputRejected) as rejected:
        await plan_run(enrol_until="2026-01-14T18:30")
    assert set(rejected.value.by_field()) == {"enrol_until"}
    run = await plan_run()
    past = (FRIDAY_NOON - timedelta(days=3)).strftime("%Y-%m-%d")
    async with session_scope() as session:
        with pytest.raises(InputRejected) as rejected:
            await runs.save_run(
                session, run.reference, run.version, run_request(starts_at=f"{past}T18:30"), ACTOR
            )
        assert set(rejected.value.by_field()) == {"starts_at"}
        pattern = PatternRequest.model_validate(
            {**PATTERN, "first_day": past, "weekdays": frozenset(range(7))}
        )
        with pytest.raises(InputRejected) as rejected:
            await runs.generate_sessions(session, run.reference, run.version, pattern, ACTOR)
        assert set(rejected.value.by_field()) == {"first_day"}
        request = SessionRequest.model_validate({"starts_at": f"{past}T18:30", "minutes": "60"})
        with pytest.raises(InputRejected) as rejected:
            await runs.save_session(session, run.reference, run.version, None, request, ACTOR)
        assert set(rejected.value.by_field()) == {"starts_at"}


async def test_staff_are_warned_when_a_trainer_teaches_two_runs_at_one_time() -> None:
    other = await open_run(trainer="Otieno Wafula")
    run = await open_run(trainer="otieno wafula", course_slug=THIRD_COURSE.slug)
    tab = await open_page(run)
    await tab.run("generate", form={**LATER, "first_day": "2027-01-12", "at": "19:00"})
    assert f"Tuesday 12 January 2027, 18:30 in {other.reference}" in tab.state.warning
    await tab.run("close_panel")
    first, *_ = tab.state.sessions
    await tab.run("edit_session", session_id=first.id)
    await tab.run("save_session", form={"starts_at": "2027-01-12T20:00", "minutes": "60", "topic": ""})
    assert "also teaches at this time" in tab.state.done
    async with read_scope() as session:
        assert (await records.find_run(session, run.reference)).starts_at.hour == 17
    await tab.run("edit")
    fields = {**tab.state.draft, "trainer": "Achieng"}
    await tab.run("save", form=fields)
    assert tab.state.done == "Saved."


async def test_the_learners_of_a_run_are_shown_with_attendance_and_certificate() -> None:
    run = await sell_run()
    tab = await open_page(run)
    assert [(line.attended, line.certificate) for line in tab.state.learners] == [
        ("0 of 4", ""), ("", ""), ("", "")
    ]  # fmt: skip


async def test_a_move_reports_the_number_of_mails_or_sends_none() -> None:
    run, other = await sell_run(), await open_run()
    await hire()
    reference = (await list_learners())[0].reference
    tab = await open_tab(LearnerDetail, f"/admin/learner?ref={reference}")
    await tab.run("begin_move")
    await tab.run("move", form={"run": other.reference})
    assert tab.state.done == "Moved. No e-mail is sent."
    await tab.run("begin_move")
    await tab.run("move", form={"run": run.reference, "notify": "on"})
    assert tab.state.done == "Moved. 2 people get an e-mail."
