"""Open course runs on the pages that describe courses, drawn by the server."""

import asyncio
import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any, NoReturn

import httpx
import pytest
from sqlalchemy import update
from sqlalchemy.exc import OperationalError
from sqlmodel import col
from starlette.types import ASGIApp

from agency_site.agency_site import routes
from agency_site.clock import frozen
from agency_site.content.courses import COURSES, catalogue, featured
from agency_site.db.engine import session_scope
from agency_site.features.academy.planning import usecases as runs
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.features.academy.runs.tables import CourseRun
from agency_site.settings import PLACEHOLDER_ORIGIN
from agency_site.site.academy import open_runs
from agency_site.site.academy.open_runs import find_open_offers
from agency_site.site.academy.tracks import tracks
from agency_site.site.layout.structured_data import page_graph, script_text
from agency_site.web.build import publish as publishing
from agency_site.web.build.publish import publish
from agency_site.web.serving.edge import Site, in_front_of
from tests.example_records import PAID_COURSE, THIRD_COURSE
from tests.integration.features.academy.runs import ACTOR, open_run
from tests.integration.shared_api import shared_api
from tests.schema_org import problems
from tests.statements import statements

pytestmark = pytest.mark.usefixtures("database", "noon")

ORIGIN = "http://localhost:4000"
STARTS = "Starts Tuesday 12 January 2027, 18:30"
PATHS = sorted({course.path for course in COURSES})
HOMES = {
    "/": ["work", *(f"next-{course.slug}" for course in catalogue())],
    "/academy": [f"next-{course.slug}" for course in featured()],
}
"""The other pages that show runs, with their regions."""


def build(folder: Path) -> None:
    """Pages whose regions are built empty, with the graphs of the real ones."""
    names = {course.path: [course] for course in COURSES} | {track.path: list(tracks()) for track in tracks()}
    for route in routes:
        if route.path not in (*PATHS, *HOMES):
            continue
        regions = HOMES.get(route.path) or [f"runs-{course.slug}" for course in names[route.path]]
        drawn = "".join(f'<page-region name="{name}">as built</page-region>' for name in regions)
        graph = f'<script type="application/ld+json">{script_text(page_graph(route))}</script>'
        page = folder / route.path.strip("/") / "index.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"<html><head>{graph}</head><body>{drawn}</body></html>")


@pytest.fixture
def application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ASGIApp:
    """The site with the pages of `build`."""
    build(tmp_path / "build")
    monkeypatch.setattr(publishing, "CACHE", tmp_path / "cache")
    return in_front_of(shared_api(), Site(publish(ORIGIN, tmp_path / "build", tmp_path / "site")))


def graph_of(page: str) -> dict[str, Any]:
    match = re.search(r'<script type="application/ld\+json">(.*?)</script>', page)
    assert match
    return json.loads(match[1].replace(ORIGIN, PLACEHOLDER_ORIGIN))  # type: ignore[no-any-return]


def instances(page: str, path: str) -> Any:
    """The instances of the course of that path in the page's graph."""
    (course,) = (item for item in graph_of(page)["@graph"] if item["@id"].endswith(f"{path}#course"))
    return course["hasCourseInstance"]


@pytest.mark.parametrize("path", [*HOMES, *PATHS])
async def test_without_an_open_run_the_page_is_the_published_file(
    client: httpx.AsyncClient, path: str
) -> None:
    answer = await client.get(path)
    assert "as built" in answer.text
    again = await client.get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304
    head = await client.head(path)
    assert (head.status_code, head.headers["etag"]) == (200, answer.headers["etag"])


async def test_a_course_page_shows_its_runs_and_states_them_to_machines(client: httpx.AsyncClient) -> None:
    built = (await client.get(f"/{PAID_COURSE.slug}")).text
    run = await open_run(capacity="4", price="12500")
    full = await open_run(capacity="1")
    async with session_scope() as session:
        await session.exec(update(CourseRun).where(col(CourseRun.id) == full.id).values(taken=1))
    answer = await client.get(f"/{PAID_COURSE.slug}")
    texts = re.findall("<li>(.*?)(?:<div>.*?)?</li>", answer.text)
    assert f'href="/waiting-list/{full.reference}"' in answer.text
    assert texts == [f"{STARTS}, 4 places left, KES 12,500 a place", f"{STARTS}, full"]
    assert answer.headers["cache-control"] == "private, no-cache"
    first, second = instances(answer.text, f"/{PAID_COURSE.slug}")
    assert (first["startDate"], first["offers"]["price"]) == ("2027-01-12T18:30:00+03:00", 12_500)
    assert (second["startDate"], "offers" in second) == ("2027-01-12T18:30:00+03:00", False)
    assert problems(graph_of(answer.text)) == []
    assert (await client.get(f"/{THIRD_COURSE.slug}")).text.count("as built") == 1
    assert (await client.head(f"/{PAID_COURSE.slug}")).status_code == 200
    async with session_scope() as session:
        for item in (run, full):
            await runs.change_status(session, item.reference, item.version, RunStatus.CANCELLED, ACTOR)
    assert (await client.get(f"/{PAID_COURSE.slug}")).text == built


@pytest.mark.each_database
async def test_visitors_of_the_same_moment_share_what_is_read() -> None:
    await open_run(capacity="4")
    with statements() as queries:
        result = await asyncio.gather(*(find_open_offers() for _ in range(10)))
        shared = len(queries)
        await find_open_offers()
    assert all(offers[PAID_COURSE.slug][0].free == 4 for offers in result)
    assert len(queries) == 2 * shared > 0


async def test_who_leaves_takes_nothing_from_those_who_wait_for_the_same() -> None:
    await open_run(capacity="4")
    first, second = (asyncio.create_task(find_open_offers()) for _ in range(2))
    asyncio.get_running_loop().call_soon(first.cancel)
    assert (await second)[PAID_COURSE.slug][0].free == 4


async def test_both_tracks_are_on_both_pages(client: httpx.AsyncClient) -> None:
    first, second = tracks()
    await open_run(course_slug=second.slug, capacity="4")
    for track in tracks():
        page = (await client.get(track.path)).text
        assert (page.count(f"{STARTS}, 4 places left"), page.count("as built")) == (1, 1)
        assert instances(page, second.path)[0]["startDate"].startswith("2027-01-12")
        assert "startDate" not in instances(page, first.path)


async def test_the_catalogue_shows_the_next_run_that_has_places(client: httpx.AsyncClient) -> None:
    await open_run(capacity="4")
    page = (await client.get("/")).text
    assert page.count(f"{STARTS}, 4 places left") == 1
    assert page.count("as built") == len(catalogue())


async def test_a_card_of_the_academy_shows_the_next_run_that_has_places(client: httpx.AsyncClient) -> None:
    full = await open_run(capacity="1")
    async with session_scope() as session:
        await session.exec(update(CourseRun).where(col(CourseRun.id) == full.id).values(taken=1))
    await open_run(capacity="4")
    page = (await client.get("/academy")).text
    assert re.findall(rf'name="next-{PAID_COURSE.slug}"[^>]*>(?:<[^>]+>)*([^<]+)', page) == [
        f"{STARTS}, 4 places left"
    ]
    assert page.count("as built") == len(featured()) - 1


@pytest.mark.parametrize("failing", [OperationalError("", None, Exception()), TimeoutError()])
async def test_the_pages_do_not_need_the_database(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, failing: Exception
) -> None:
    def away() -> NoReturn:
        raise failing

    await open_run()
    monkeypatch.setattr(open_runs, "read_scope", away)
    for path in (*HOMES, f"/{PAID_COURSE.slug}"):
        answer = await client.get(path)
        assert (answer.status_code, "as built" in answer.text) == (200, True)


async def test_a_run_is_shown_until_it_starts(client: httpx.AsyncClient) -> None:
    run = await open_run()
    for moment, is_shown in ((run.starts_at - timedelta(seconds=1), True), (run.starts_at, False)):
        with frozen(moment):
            assert (STARTS in (await client.get(f"/{PAID_COURSE.slug}")).text) == is_shown
