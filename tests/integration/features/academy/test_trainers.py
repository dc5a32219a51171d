"""Trainers see the runs that name them and their learners. No list, address or handler shows them anything else."""

from datetime import timedelta
from typing import Any

import pytest

from agency_site import clock
from agency_site.auth.rules import Permission, Role, Staff
from agency_site.backoffice.clients import ClientPage
from agency_site.backoffice.dashboard import Dashboard
from agency_site.backoffice.lists.definition import list_definitions, read_query
from agency_site.backoffice.lists.query import count_of, page_of
from agency_site.backoffice.lists.search import SearchState
from agency_site.backoffice.lists.state import ListState
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import InputRejected
from agency_site.features.academy.admin.dashboard import charts
from agency_site.features.academy.admin.learners.detail import LearnerDetail
from agency_site.features.academy.admin.learners.list import LEARNER_LIST_DEFINITION
from agency_site.features.academy.admin.runs.detail import RunPage
from agency_site.features.academy.admin.runs.list import RUN_LIST_DEFINITION
from agency_site.features.academy.learners.trainers import list_trainers
from agency_site.features.academy.planning import usecases as runs
from agency_site.features.academy.runs.records import RunRecord, find_run, list_sessions
from tests.integration.backoffice.conftest import Tab, enter, hire, on_duty
from tests.integration.features.academy.learners import BUYER, EMAIL, buy, list_learners, list_mails
from tests.integration.features.academy.runs import ACTOR, open_run, run_request

pytestmark = pytest.mark.usefixtures("database", "noon")

TRAINER, OTHER = "otieno@mwanga.example", "baraka@example.com"
"""The trainer's address, and that of a learner in a run without a trainer account."""


async def two_runs() -> tuple[RunRecord, RunRecord]:
    """Store a run of the trainer and a run without a trainer account, each with one learner."""
    await hire(TRAINER, Role.TRAINER)
    own_run, foreign = await open_run(trainer_email=TRAINER), await open_run()
    await buy(1, own_run.reference)
    await buy(1, foreign.reference, OTHER)
    return own_run, foreign


async def tab(page: type[StaffState], path: str) -> Tab:
    """Return a page that the trainer has open."""
    return Tab(page, (await enter(TRAINER)).token, path)


async def opened(page: type[StaffState], path: str) -> Tab:
    page_tab = await tab(page, path)
    await page_tab.run("open_record")
    return page_tab


async def unlink(run: RunRecord) -> None:
    async with session_scope() as session:
        await runs.save_run(session, run.reference, run.version, run_request(), ACTOR)


@pytest.mark.parametrize("path", ["/admin/runs", "/admin/learners"])
async def test_lists_show_the_own_runs_and_their_learners_without_prices_and_orders(path: str) -> None:
    own_run, _ = await two_runs()
    (learner, _) = await list_learners()
    page = await tab(ListState, path + "?columns=reference,price,order&sort=price")
    await page.run("open_list")
    own = own_run.reference if path == "/admin/runs" else learner.reference
    assert ([line.reference for line in page.state.lines], page.state.total) == ([own], 1)
    assert [heading.label for heading in page.state.headings] == ["Reference"]
    await page.run("refresh")
    assert page.state.total == 1


async def test_no_other_list_is_open_to_trainers() -> None:
    await two_runs()
    who = await on_duty("second@mwanga.example", Role.TRAINER)
    open_lists = [
        definition.name for definition in list_definitions() if who.has_permission(definition.permission)
    ]
    assert sorted(open_lists) == ["learners", "runs"]
    for path in ("/admin/orders", "/admin/bookings", "/admin/enrolments", "/admin/messages", "/admin/mail"):
        page = await tab(ListState, path)
        await page.run("open_list")
        assert (page.state.lines, page.state.refusal[:20]) == ([], "You don't have acces")


async def test_exports_and_counts_have_only_the_visible_rows_too() -> None:
    await two_runs()
    who = Staff(1, TRAINER, "Otieno", Role.TRAINER, 1, "")
    owner = Staff(2, ACTOR, "Wanjiku", Role.OWNER, 2, "")
    async with read_scope() as session:
        for definition in (RUN_LIST_DEFINITION, LEARNER_LIST_DEFINITION):
            everything = read_query(definition, {})
            assert await count_of(session, definition.seen_by(who), everything) == 1
            assert await count_of(session, definition.seen_by(owner), everything) == 2
            assert len(await page_of(session, definition.seen_by(who), everything)) == 1
    assert not who.has_permission(Permission.EXPORT)


async def test_a_run_shows_its_learners_but_neither_money_nor_who_paid() -> None:
    own_run, _ = await two_runs()
    page = await opened(RunPage, f"/admin/run?ref={own_run.reference}")
    (line,) = page.state.learners
    assert (line.name, line.email, line.order, line.buyer, line.phone) == (BUYER, EMAIL, "", "", "")
    assert (page.state.facts["price"], page.state.facts["room"]) == ("", own_run.room)
    await page.run("begin_message")
    await page.run("send_message", form={"subject": "Karibuni", "text": "See you on Tuesday."})
    assert [mail.to for mail in await list_mails("run-message")] == [EMAIL]


@pytest.mark.parametrize(("page", "parameter"), [(RunPage, "run"), (LearnerDetail, "learner")])
async def test_the_page_of_a_foreign_record_says_that_it_does_not_exist(
    page: type[StaffState], parameter: str
) -> None:
    _, foreign = await two_runs()
    reference = foreign.reference if parameter == "run" else (await list_learners())[1].reference
    foreign_page = await opened(page, f"/admin/{parameter}?ref={reference}")
    missing_page = await opened(page, f"/admin/{parameter}?ref=XX-222222")
    assert foreign_page.state.problem == missing_page.state.problem.replace("XX-222222", reference)
    assert (foreign_page.state.reference, foreign_page.state.facts, foreign_page.state.lines) == ("", {}, [])


async def test_a_learner_is_shown_without_the_order_and_other_runs() -> None:
    await two_runs()
    page = await opened(LearnerDetail, f"/admin/learner?ref={(await list_learners())[0].reference}")
    assert (page.state.facts["name"], page.state.facts["order"], page.state.runs) == (BUYER, "", [])
    await page.run("send_link")
    assert [mail.to for mail in await list_mails("learner-link")] == [EMAIL]
    arguments: dict[str, Any]
    for handler, arguments in (
        ("begin_move", {}),
        ("move", {"form": {}}),
        ("revoke_certificate", {"form": {}}),
    ):
        await page.run(handler, **arguments)
        assert "have access" in page.back_office.refusal


async def test_attendance_is_marked_in_the_own_run_only() -> None:
    own_run, foreign = await two_runs()
    async with read_scope() as session:
        first, *_ = await list_sessions(session, own_run.id)
        theirs, *_ = await list_sessions(session, foreign.id)
    own, other = await list_learners()
    with clock.frozen(first.starts_at):
        page = await opened(RunPage, f"/admin/run?ref={own_run.reference}")
        await page.run("open_attendance", session_id=str(first.id))
        await page.run("set_attendance", learner=own.reference, attended=True)
        assert [attendee.attended for attendee in page.state.attendance] == [True]
        await page.run("set_attendance", learner=other.reference, attended=True)
        assert "not in this run" in page.state.problem
        await page.run("open_attendance", session_id=str(theirs.id))
        assert "no longer exists" in page.state.problem
        assert [attendee.reference for attendee in page.state.attendance] == [own.reference]


FORM: dict[str, Any] = {"subject": "Karibuni", "text": "See you on Tuesday."}


@pytest.mark.parametrize(
    ("handler", "arguments"),
    [
        ("refresh", {}),
        ("open_attendance", {"session_id": "1"}),
        ("set_attendance", {"learner": "1", "attended": True}),
        ("send_message", {"form": FORM}),
        ("issue_certificates", {}),
    ],
)
async def test_an_open_page_loses_access_when_the_run_gets_another_trainer(
    handler: str, arguments: dict[str, Any]
) -> None:
    own_run, _ = await two_runs()
    page = await opened(RunPage, f"/admin/run?ref={own_run.reference}")
    await unlink(own_run)
    before = len(await list_mails())
    await page.run(handler, **arguments)
    assert page.state.problem == f"There is no course run {own_run.reference}."
    assert len(await list_mails()) == before
    await page.run("refresh")
    assert (page.state.reference, page.state.learners, page.state.facts) == ("", [], {})


@pytest.mark.parametrize("words", ["example.com", "Otieno Wafula", "Amina", "+254712345111", "Google Ads"])
async def test_the_search_finds_the_own_runs_and_learners_only(words: str) -> None:
    own_run, foreign = await two_runs()
    own, other = await list_learners()
    page = await tab(SearchState, f"/admin/search?q={words.replace('+', '%2B').replace(' ', '+')}")
    await page.run("open_search")
    lines = [line.reference for group in page.state.results for line in group.lines]
    assert set(lines) <= {own_run.reference, own.reference}
    assert {foreign.reference, other.reference}.isdisjoint(str(page.state.clients).split("ref="))
    assert OTHER not in str(page.state.clients)


async def test_the_page_of_a_client_shows_the_learner_only() -> None:
    await two_runs()
    own, other = await list_learners()
    page = await tab(ClientPage, f"/admin/client?list=learners&ref={own.reference}")
    await page.run("open_client")
    assert ([group.title for group in page.state.results], page.state.email) == (["Learners"], EMAIL)
    for query in (
        f"list=learners&ref={other.reference}",
        f"list=orders&ref={own.reference}",
        "list=enrolments",
    ):
        page.go_to(f"/admin/client?{query}")
        await page.run("open_client")
        assert (page.state.record, page.state.results, page.state.email) == ("", [], "")


async def test_the_dashboard_counts_the_own_runs_and_no_money() -> None:
    own_run, _ = await two_runs()
    page = await tab(Dashboard, "/admin")
    who = Staff(1, TRAINER, "Otieno", Role.TRAINER, 1, "")
    with clock.frozen(own_run.starts_at - timedelta(days=7)):
        async with read_scope() as session:
            (chart,) = await charts(session, who)
    await page.run("open_dashboard")
    assert len(chart.bars) == 1
    assert "KES" not in str(page.state.tiles) + str(page.state.charts)


async def test_only_accounts_that_can_teach_are_offered_besides_the_present_one() -> None:
    own_run, _ = await two_runs()
    await hire("editor@mwanga.example", Role.EDITOR)
    async with read_scope() as session:
        assert [email for email, _ in await list_trainers(session)] == [TRAINER]
        assert len(await list_trainers(session, "editor@mwanga.example")) == 2
    for email in ("editor@mwanga.example", "nobody@mwanga.example"):
        async with session_scope() as session:
            with pytest.raises(InputRejected, match="choose an account"):
                await runs.create_run(session, run_request(trainer_email=email), ACTOR)
    async with read_scope() as session:
        assert (await find_run(session, own_run.reference)).trainer_email == TRAINER


async def test_staff_choose_the_trainers_account_of_a_run() -> None:
    await hire(TRAINER, Role.TRAINER)
    await hire()
    run = await open_run()
    page = Tab(RunPage, (await enter()).token, f"/admin/run?ref={run.reference}")
    await page.run("open_record")
    await page.run("edit")
    assert [option.value for option in page.state.trainers] == ["amina@mwanga.example", TRAINER]
    await page.run("save", form={**page.state.draft, "trainer_email": TRAINER})
    assert (page.state.done, page.state.facts["trainer_email"]) == ("Saved.", TRAINER)
