"""Trainers see the runs that name them, with their learners, and nothing else: by no list, address or handler."""

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
from tests.integration.features.academy.learners import BUYER, EMAIL, buy, learners, mails
from tests.integration.features.academy.runs import ACTOR, open_run, run_request

pytestmark = pytest.mark.usefixtures("database", "noon")

TRAINER, OTHER = "otieno@mwanga.example", "baraka@example.com"
"""The trainer's address, and that of a learner of somebody else."""


async def two_runs() -> tuple[RunRecord, RunRecord]:
    """A run of the trainer with one learner, and one of nobody with another."""
    await hire(TRAINER, Role.TRAINER)
    mine, foreign = await open_run(trainer_email=TRAINER), await open_run()
    await buy(1, mine.reference)
    await buy(1, foreign.reference, OTHER)
    return mine, foreign


async def tab(page: type[StaffState], path: str) -> Tab:
    """A page that the trainer has open."""
    return Tab(page, (await enter(TRAINER)).token, path)


async def opened(page: type[StaffState], path: str) -> Tab:
    found = await tab(page, path)
    await found.run("open_record")
    return found


async def unlink(run: RunRecord) -> None:
    async with session_scope() as session:
        await runs.save_run(session, run.reference, run.version, run_request(), ACTOR)


@pytest.mark.parametrize("path", ["/admin/runs", "/admin/learners"])
async def test_lists_show_the_own_runs_and_their_learners_without_prices_and_orders(path: str) -> None:
    mine, _ = await two_runs()
    (learner, _) = await learners()
    page = await tab(ListState, path + "?columns=reference,price,order&sort=price")
    await page.run("open_list")
    own = mine.reference if path == "/admin/runs" else learner.reference
    assert ([line.reference for line in page.state.lines], page.state.total) == ([own], 1)
    assert [heading.label for heading in page.state.headings] == ["Reference"]
    await page.run("refresh")
    assert page.state.total == 1


async def test_no_other_list_is_open_to_trainers() -> None:
    await two_runs()
    who = await on_duty("second@mwanga.example", Role.TRAINER)
    open_lists = [one.name for one in list_definitions() if who.has_permission(one.permission)]
    assert sorted(open_lists) == ["learners", "runs"]
    for path in ("/admin/orders", "/admin/bookings", "/admin/enrolments", "/admin/messages", "/admin/mail"):
        page = await tab(ListState, path)
        await page.run("open_list")
        assert (page.state.lines, page.state.refusal[:20]) == ([], "You don't have acces")


async def test_the_definition_narrows_exports_and_counts_too() -> None:
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
    mine, _ = await two_runs()
    page = await opened(RunPage, f"/admin/run?ref={mine.reference}")
    (line,) = page.state.learners
    assert (line.name, line.email, line.order, line.buyer, line.phone) == (BUYER, EMAIL, "", "", "")
    assert (page.state.facts["price"], page.state.facts["room"]) == ("", mine.room)
    await page.run("begin_message")
    await page.run("send_message", form={"subject": "Karibuni", "text": "See you on Tuesday."})
    assert [mail.to for mail in await mails("run-message")] == [EMAIL]


@pytest.mark.parametrize(("page", "parameter"), [(RunPage, "run"), (LearnerDetail, "learner")])
async def test_the_page_of_anything_else_says_that_it_does_not_exist(
    page: type[StaffState], parameter: str
) -> None:
    _, foreign = await two_runs()
    reference = foreign.reference if parameter == "run" else (await learners())[1].reference
    shown = await opened(page, f"/admin/{parameter}?ref={reference}")
    missing = await opened(page, f"/admin/{parameter}?ref=XX-222222")
    assert shown.state.problem == missing.state.problem.replace("XX-222222", reference)
    assert (shown.state.reference, shown.state.facts, shown.state.lines) == ("", {}, [])


async def test_a_learner_is_shown_without_the_order_and_other_runs() -> None:
    await two_runs()
    page = await opened(LearnerDetail, f"/admin/learner?ref={(await learners())[0].reference}")
    assert (page.state.facts["name"], page.state.facts["order"], page.state.runs) == (BUYER, "", [])
    await page.run("send_link")
    assert [mail.to for mail in await mails("learner-link")] == [EMAIL]
    given: dict[str, Any]
    for handler, given in (("begin_move", {}), ("move", {"form": {}}), ("revoke_certificate", {"form": {}})):
        await page.run(handler, **given)
        assert "have access" in page.back_office.refusal


async def test_attendance_is_marked_in_the_own_run_only() -> None:
    mine, foreign = await two_runs()
    async with read_scope() as session:
        first, *_ = await list_sessions(session, mine.id)
        theirs, *_ = await list_sessions(session, foreign.id)
    own, other = await learners()
    with clock.frozen(first.starts_at):
        page = await opened(RunPage, f"/admin/run?ref={mine.reference}")
        await page.run("open_attendance", session_id=str(first.id))
        await page.run("set_attendance", learner=own.reference, attended=True)
        assert [one.attended for one in page.state.attendance] == [True]
        await page.run("set_attendance", learner=other.reference, attended=True)
        assert "not in this run" in page.state.problem
        await page.run("open_attendance", session_id=str(theirs.id))
        assert "no longer exists" in page.state.problem
        assert [one.reference for one in page.state.attendance] == [own.reference]


FORM: dict[str, Any] = {"subject": "Karibuni", "text": "See you on Tuesday."}


@pytest.mark.parametrize(
    ("handler", "given"),
    [
        ("refresh", {}),
        ("open_attendance", {"session_id": "1"}),
        ("set_attendance", {"learner": "1", "attended": True}),
        ("send_message", {"form": FORM}),
        ("issue_certificates", {}),
    ],
)
async def test_a_page_that_is_open_ends_with_the_run_being_somebody_elses(
    handler: str, given: dict[str, Any]
) -> None:
    mine, _ = await two_runs()
    page = await opened(RunPage, f"/admin/run?ref={mine.reference}")
    await unlink(mine)
    before = len(await mails())
    await page.run(handler, **given)
    assert page.state.problem == f"There is no course run {mine.reference}."
    assert len(await mails()) == before
    await page.run("refresh")
    assert (page.state.reference, page.state.learners, page.state.facts) == ("", [], {})


@pytest.mark.parametrize("words", ["example.com", "Otieno Wafula", "Amina", "+254712345111", "Google Ads"])
async def test_the_search_finds_the_own_runs_and_learners_only(words: str) -> None:
    mine, foreign = await two_runs()
    own, other = await learners()
    page = await tab(SearchState, f"/admin/search?q={words.replace('+', '%2B').replace(' ', '+')}")
    await page.run("open_search")
    lines = [line.reference for found in page.state.results for line in found.lines]
    assert set(lines) <= {mine.reference, own.reference}
    assert {foreign.reference, other.reference}.isdisjoint(str(page.state.clients).split("ref="))
    assert OTHER not in str(page.state.clients)


async def test_a_clients_page_shows_the_learner_only() -> None:
    await two_runs()
    own, other = await learners()
    page = await tab(ClientPage, f"/admin/client?list=learners&ref={own.reference}")
    await page.run("open_client")
    assert ([found.title for found in page.state.results], page.state.email) == (["Learners"], EMAIL)
    for query in (
        f"list=learners&ref={other.reference}",
        f"list=orders&ref={own.reference}",
        "list=enrolments",
    ):
        page.go_to(f"/admin/client?{query}")
        await page.run("open_client")
        assert (page.state.record, page.state.results, page.state.email) == ("", [], "")


async def test_the_dashboard_counts_the_own_runs_and_no_money() -> None:
    mine, _ = await two_runs()
    page = await tab(Dashboard, "/admin")
    who = Staff(1, TRAINER, "Otieno", Role.TRAINER, 1, "")
    with clock.frozen(mine.starts_at - timedelta(days=7)):
        async with read_scope() as session:
            (chart,) = await charts(session, who)
    await page.run("open_dashboard")
    assert len(chart.bars) == 1
    assert "KES" not in str(page.state.tiles) + str(page.state.charts)


async def test_only_accounts_that_can_teach_are_named_and_the_present_one_stays() -> None:
    mine, _ = await two_runs()
    await hire("editor@mwanga.example", Role.EDITOR)
    async with read_scope() as session:
        assert [email for email, _ in await list_trainers(session)] == [TRAINER]
        assert len(await list_trainers(session, "editor@mwanga.example")) == 2
    for email in ("editor@mwanga.example", "nobody@mwanga.example"):
        async with session_scope() as session:
            with pytest.raises(InputRejected, match="choose an account"):
                await runs.create_run(session, run_request(trainer_email=email), ACTOR)
    async with read_scope() as session:
        assert (await find_run(session, mine.reference)).trainer_email == TRAINER


async def test_staff_who_plan_name_the_trainer() -> None:
    await hire(TRAINER, Role.TRAINER)
    await hire()
    run = await open_run()
    page = Tab(RunPage, (await enter()).token, f"/admin/run?ref={run.reference}")
    await page.run("open_record")
    await page.run("edit")
    assert [one.value for one in page.state.trainers] == ["amina@mwanga.example", TRAINER]
    await page.run("save", form={**page.state.draft, "trainer_email": TRAINER})
    assert (page.state.done, page.state.facts["trainer_email"]) == ("Saved.", TRAINER)
