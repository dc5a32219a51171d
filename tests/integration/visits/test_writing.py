"""Counted views are added to the stored figures: by several processes, after failures, at the end of a process."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable
from datetime import date, timedelta

import httpx
import pytest
from sqlalchemy import text

from agency_site.clock import frozen, now, today
from agency_site.db.engine import session_scope
from agency_site.settings import ROOT, Settings, variable
from agency_site.visits import usecases
from agency_site.visits.counter import VIEWS, Tally, ViewKey
from agency_site.visits.jobs import write_views
from agency_site.visits.rules import NO_ORIGIN, Origin
from agency_site.web.serving.jobs import JOBS
from agency_site.web.serving.retention import expire_old
from tests.api_servers import api_servers
from tests.http_clients import NAVIGATION
from tests.integration.visits.views import stored_figures

Configure = Callable[..., Settings]
GOOGLE = Origin("google.com", "", "", "/book")
SMALL_SITE = "tests.integration.web.small_site_server:create"
PAGES = [f"/page-{number}" for number in range(40)]

pytestmark = [pytest.mark.each_database, pytest.mark.usefixtures("database")]


async def add(*keys: ViewKey) -> None:
    async with session_scope() as session:
        await usecases.add_views(session, {key: Tally(1, 1) for key in keys})


def key(page: str, day: date | None = None) -> ViewKey:
    return ViewKey.of(day or today(), page, GOOGLE)


async def test_views_are_added_to_those_of_the_day() -> None:
    for _ in range(3):
        VIEWS.add("/book", GOOGLE, visits=1)
        VIEWS.add("/book", NO_ORIGIN, visits=0)
        await write_views()
    assert await stored_figures() == [("/book", "", "", "", 3, 0), ("/book", "google.com", "", "", 3, 3)]


async def test_writers_at_the_same_moment_lose_and_repeat_nothing() -> None:
    keys = [key(page) for page in PAGES]
    await asyncio.gather(*(add(*(keys if number % 2 else reversed(keys))) for number in range(12)))
    assert [figure[4:] for figure in await stored_figures()] == [(12, 12)] * len(PAGES)


WRITER = """
import asyncio, sys
from agency_site.visits.counter import VIEWS
from agency_site.visits.jobs import write_views
from agency_site.visits.rules import Origin

async def work():
    print("ready", flush=True)
    sys.stdin.readline()
    for turn in range(20):
        for page in sys.argv[1:]:
            VIEWS.add(page, Origin("google.com", "", "", page), visits=1)
        await write_views()

asyncio.run(work())
"""


async def test_several_processes_add_to_the_same_rows(database: str) -> None:
    environment = {**os.environ, variable("database_url"): database}
    pages = PAGES[:5]
    writers = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", WRITER, *order, cwd=ROOT, env=environment, stdin=PIPE, stdout=PIPE
        )
        for order in (pages, pages[::-1], pages)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert await writer.stdout.readline() == b"ready\n"
    await asyncio.gather(*(writer.communicate(b"go\n") for writer in writers))
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert await stored_figures() == [(page, "google.com", "", "", 60, 60) for page in pages]


async def test_views_that_cannot_be_written_are_written_by_the_next_round() -> None:
    VIEWS.add("/book", GOOGLE, visits=1)
    async with session_scope() as session:
        await session.exec(text("ALTER TABLE page_views RENAME TO page_views_away"))  # type: ignore[call-overload]
    assert await write_views() == 0
    async with session_scope() as session:
        await session.exec(text("ALTER TABLE page_views_away RENAME TO page_views"))  # type: ignore[call-overload]
    assert await stored_figures() == [("/book", "google.com", "", "", 1, 1)]


async def test_servers_that_stop_write_what_they_have_counted(database: str) -> None:
    with api_servers(2, database, factory=SMALL_SITE, public_url="https://agency.example") as urls:
        for url in urls:
            async with httpx.AsyncClient(base_url=url) as browser:
                answers = [await browser.get("/about", headers=NAVIGATION) for _ in range(3)]
                assert [answer.status_code for answer in answers] == [200] * 3
    assert await stored_figures() == [("/about", "", "", "", 6, 6)]


async def test_the_background_writes_once_a_minute_and_waits_after_each_round() -> None:
    VIEWS.add("/book", GOOGLE, visits=1)
    assert await write_views() == 0
    assert dict(JOBS)[write_views] == 60


async def test_figures_are_kept_for_two_years(configure: Configure) -> None:
    days = configure().retention_visits_days
    assert days == 730
    first = today()
    await add(key("/", first), key("/book", first), key("/about", first + timedelta(days=1)))
    with frozen(now() + timedelta(days=days)):
        assert await expire_old() == 0
    with frozen(now() + timedelta(days=days + 1)):
        assert await expire_old() == 2
        assert await expire_old() == 0
    assert [figure[0] for figure in await stored_figures()] == ["/about"]
