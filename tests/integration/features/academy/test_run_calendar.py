"""The calendar of course runs: the sessions of a month with their numbers. Trainers see only their own."""

import pytest

from agency_site.auth.rules import Role
from agency_site.db.engine import session_scope
from agency_site.features.academy.admin.runs.calendar import RunCalendar
from agency_site.features.academy.planning import usecases as runs
from agency_site.features.academy.runs.rules import RunStatus
from tests.integration.backoffice.conftest import Tab, enter, hire
from tests.integration.features.academy.runs import ACTOR, open_run

pytestmark = pytest.mark.usefixtures("database", "noon")

PATH, TRAINER = "/admin/runs/calendar", "otieno@mwanga.example"


async def opened(query: str, email: str = "amina@mwanga.example") -> RunCalendar:
    page = Tab(RunCalendar, (await enter(email)).token, PATH + query)
    await page.run("open_calendar")
    return page.state  # type: ignore[no-any-return]


async def test_a_month_shows_the_sessions_of_all_runs_but_cancelled_ones() -> None:
    await hire()
    run, cancelled = await open_run(), await open_run()
    async with session_scope() as session:
        await runs.change_status(session, cancelled.reference, cancelled.version, RunStatus.CANCELLED, ACTOR)
    month = await opened("?day=2027-01-05")
    assert (month.title, month.summary) == ("January 2027", "3 sessions")
    cards = {day.date: [(card.time, card.detail) for card in day.cards] for day in month.days if day.cards}
    assert cards == {
        "2027-01-12": [("18:30", "1 of 4 · Open")],
        "2027-01-19": [("18:30", "2 of 4 · Open")],
        "2027-01-26": [("18:30", "3 of 4 · Open")],
    }
    assert {card.href for day in month.days for card in day.cards} == {f"/admin/run?ref={run.reference}"}
    assert (month.days[0].date, month.days[0].is_beyond, month.days[-1].date) == (
        "2026-12-28",
        True,
        "2027-01-31",
    )
    following = await opened(month.links.following.partition("/calendar")[2])
    assert (following.title, following.summary) == ("February 2027", "1 session")


@pytest.mark.parametrize("query", ["", "?day=", "?day=never", "?day=0001-01-01", "?day=2026-02-30&view=week"])
async def test_an_address_without_a_day_shows_this_month(query: str) -> None:
    await hire()
    month = await opened(query)
    assert (month.title, month.summary) == ("November 2026", "0 sessions")


async def test_trainers_see_their_own_sessions() -> None:
    await hire(TRAINER, Role.TRAINER)
    own_run = await open_run(trainer_email=TRAINER)
    await open_run()
    month = await opened("?day=2027-01-05", TRAINER)
    assert {card.href for day in month.days for card in day.cards} == {f"/admin/run?ref={own_run.reference}"}
    assert month.summary == "3 sessions"
