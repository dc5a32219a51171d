"""Tiles and charts of course runs on the dashboard."""

from datetime import timedelta

import pytest

from agency_site.auth.rules import Role, Staff
from agency_site.backoffice.lists.definition import read_query
from agency_site.backoffice.lists.query import page_of
from agency_site.clock import frozen, in_nairobi, now
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.academy.admin.dashboard import charts, tiles
from agency_site.features.academy.admin.runs.list import RUN_LIST_DEFINITION
from agency_site.features.academy.certificates.usecases import issue_to_run
from agency_site.features.academy.learners.attendance import mark_attendance
from agency_site.features.academy.planning import usecases as runs
from agency_site.features.academy.runs.records import RunRecord, list_sessions
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.places import Sale, places
from tests.example_records import PAID_COURSE
from tests.integration.features.academy.learners import buy, list_learners
from tests.integration.features.academy.runs import ACTOR, COURSE, open_run, plan_run
from tests.integration.staff_sessions import OWNER

pytestmark = pytest.mark.usefixtures("database", "noon")


async def plan_in(days: int) -> str:
    starts = in_nairobi(now()) + timedelta(days=days)
    return (await plan_run(starts_at=f"{starts:%Y-%m-%dT%H:%M}")).reference


async def test_runs_of_the_next_two_weeks_are_counted_and_listed() -> None:
    soon, cancelled = await plan_in(3), await plan_in(5)
    await plan_in(15)
    async with session_scope() as session:
        await runs.change_status(session, cancelled, 1, RunStatus.CANCELLED, ACTOR)
    async with read_scope() as session:
        number, places = await tiles(session, OWNER)
        (chart,) = await charts(session, OWNER)
        query = dict(pair.split("=") for pair in number.href.partition("?")[2].split("&"))
        listed = await page_of(session, RUN_LIST_DEFINITION, read_query(RUN_LIST_DEFINITION, query))
    assert (number.value, places.value) == ("1", "0")
    assert [run.reference for run in listed] == [soon]
    assert [bar.text for bar in chart.bars] == ["0 of 4"]


async def test_certificates_to_issue_are_counted_until_they_are_issued() -> None:
    run = await open_run()
    for number in range(3):
        await buy(1, run.reference, f"learner{number}@example.com")
    first, second, _ = await list_learners()
    async with read_scope() as session:
        sessions = await list_sessions(session, run.id)
    with frozen(run.ends_at):
        async with session_scope() as session:
            for learner, attended_sessions in ((first, sessions), (second, sessions[:1])):
                for meeting in attended_sessions:
                    await mark_attendance(
                        session, run.reference, meeting.id, learner.reference, ACTOR, attended=True
                    )
        async with read_scope() as session:
            *_, due = await tiles(session, OWNER)
            query = dict(pair.split("=") for pair in due.href.partition("?")[2].split("&"))
            listed = await page_of(session, RUN_LIST_DEFINITION, read_query(RUN_LIST_DEFINITION, query))
            trainer = Staff(2, "otieno@mwanga.example", "Otieno", Role.TRAINER, 2, "")
            assert len(await tiles(session, trainer)) == 2
        assert (due.label, due.value, due.hot) == ("Certificates to issue", "1", True)
        assert [meeting.reference for meeting in listed] == [run.reference]
        async with session_scope() as session:
            assert await issue_to_run(session, run.reference, ACTOR) == 1
        async with read_scope() as session:
            assert len(await tiles(session, OWNER)) == 2


async def keep_unpaid(run: RunRecord, order: int, quantity: int) -> None:
    """Keep places for an order whose payment is open."""
    async with session_scope() as session:
        sale = Sale(order, f"EN-{order}", COURSE, PAID_COURSE.payment_name, quantity, run.reference)
        assert await places().reserve_places(session, sale)


async def test_staff_are_alerted_when_several_unpaid_orders_keep_many_places() -> None:
    run, other = await open_run(capacity="12"), await open_run(capacity="12")
    await buy(1, run.reference, "one@example.com")
    await buy(1, run.reference, "two@example.com")
    await buy(1, other.reference, "three@example.com")
    for order, (of, quantity) in enumerate(((run, 3), (other, 4)), 1):
        await keep_unpaid(of, order, quantity)
    async with read_scope() as session:
        assert len(await tiles(session, OWNER)) == 2, "a single unpaid order raises no alert"
    await keep_unpaid(run, 3, 1)
    async with read_scope() as session:
        *_, tile = await tiles(session, OWNER)
        query = dict(pair.split("=") for pair in tile.href.partition("?")[2].split("&"))
        listed = await page_of(session, RUN_LIST_DEFINITION, read_query(RUN_LIST_DEFINITION, query))
    assert (tile.label, tile.value, tile.hot) == (
        "Course runs with many places kept for unpaid orders",
        "1",
        True,
    )
    assert [listed_run.reference for listed_run in listed] == [run.reference]
    with frozen(run.starts_at):
        async with read_scope() as session:
            assert all("unpaid" not in shown_tile.label for shown_tile in await tiles(session, OWNER))


async def test_without_runs_there_is_no_chart() -> None:
    async with read_scope() as session:
        assert [tile.value for tile in await tiles(session, OWNER)] == ["0", "0"]
        assert await charts(session, OWNER) == []
