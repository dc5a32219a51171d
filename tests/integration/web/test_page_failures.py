"""Pages on which React has failed are counted by their path."""

from pathlib import Path

import pytest
from starlette.types import ASGIApp

from agency_site.metrics import page_failures
from agency_site.web.middleware.stack import with_middleware
from agency_site.web.serving.api import create_api
from agency_site.web.serving.edge import in_front_of
from tests.http_clients import ORIGIN, client_of
from tests.small_site import small_site

pytestmark = pytest.mark.usefixtures("fresh_limits")


@pytest.fixture
def application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: str) -> ASGIApp:
    """The whole application with a few published pages."""
    del database
    page_failures.clear()
    return with_middleware(in_front_of(create_api(), small_site(tmp_path, monkeypatch)))


async def report(application: ASGIApp, page: str) -> list[tuple[str, float]]:
    """Report a failure on that page; the failures of all pages."""
    async with client_of(application) as browser:
        answer = await browser.post("/api/failures", headers={"Referer": page})
    assert answer.status_code == 204
    samples = [sample for metric in page_failures.collect() for sample in metric.samples]
    return [(item.labels["page"], item.value) for item in samples if item.name.endswith("_total")]


async def test_failures_are_counted_for_their_page_without_its_query(application: ASGIApp) -> None:
    await report(application, f"{ORIGIN}/about?name=Amina")
    assert await report(application, f"{ORIGIN}/about") == [("/about", 2)]


@pytest.mark.parametrize("page", ["https://evil.example/about", f"{ORIGIN}/nope", "http://[::1", ""])
async def test_pages_that_the_site_has_not_are_not_counted(application: ASGIApp, page: str) -> None:
    assert await report(application, page) == []
