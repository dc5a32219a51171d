"""Counting services of other companies: what pages load from them, before and after a visitor has answered."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from agency_site.settings import Settings
from tests.e2e.site_server import SiteServer, serve

PLAUSIBLE, GOOGLE = (
    "https://plausible.io/js/script.js",
    "https://www.googletagmanager.com/gtag/js?id=G-ABC123",
)
META = "https://connect.facebook.net/en_US/fbevents.js"


@pytest.fixture
def address(configure: Callable[..., Settings], tmp_path: Path) -> Iterator[str]:
    configure(plausible_domain="mwanga.example", ga4_id="G-ABC123", meta_pixel_id="12345678")
    server = SiteServer()
    server.publish(tmp_path / "site")
    with serve(server) as url:
        yield url


class Visitor:
    """A browser whose requests to other companies are answered here and recorded."""

    def __init__(self, context: BrowserContext) -> None:
        self.loaded: list[str] = []
        self.problems: list[str] = []
        context.route(re.compile("^https:"), self._answer)
        self.page: Page = context.new_page()
        self.page.on("console", self._listen)

    def _answer(self, route: Route) -> None:
        self.loaded.append(route.request.url)
        route.fulfill(
            status=200,
            headers={"Cache-Control": "no-store"},
            content_type="text/javascript",
            body="window.counted = true",
        )

    def _listen(self, message: object) -> None:
        if "Content Security Policy" in str(message):
            self.problems.append(str(message))


@pytest.fixture
def visitor(browser: Browser, address: str) -> Iterator[Visitor]:
    # Reading pages load no scripts until a control is used, so the server needs no socket.
    with browser.new_context(base_url=address, service_workers="block") as context:
        yield Visitor(context)


def test_services_with_cookies_load_once_the_visitor_agrees_and_end_once_they_refuse(
    visitor: Visitor,
) -> None:
    page = visitor.page
    page.goto("/about")
    question = page.get_by_role("region", name="Counting visits")
    expect(question).to_contain_text("May Google Analytics and Meta Pixel record which pages you open")
    assert visitor.loaded == [PLAUSIBLE]
    question.get_by_role("button", name="Allow", exact=True).click()
    expect(question).to_have_count(0)
    page.wait_for_function(
        "window.counted && window.dataLayer?.length === 2 && window.fbq?.queue.length === 2"
    )
    page.goto("/terms")
    page.wait_for_load_state("load")
    assert visitor.loaded == [PLAUSIBLE, GOOGLE, META] * 2
    expect(page.get_by_role("region", name="Counting visits")).to_have_count(0)
    page.context.add_cookies([{"name": "_ga", "value": "GA1.1", "url": page.url}])
    page.goto("/privacy")
    expect(page.get_by_text("If you agree, Google Analytics and the Meta Pixel can record")).to_be_visible()
    visitor.loaded.clear()
    with page.expect_navigation():
        page.get_by_role("region", name="Counting visits").get_by_role("button", name="Do not allow").click()
    assert visitor.loaded == [PLAUSIBLE]
    assert page.context.cookies() == []
    assert visitor.problems == []


def test_the_question_ends_after_an_answer_and_with_global_privacy_control(visitor: Visitor) -> None:
    page = visitor.page
    page.goto("/about")
    page.get_by_role("button", name="Do not allow").click()
    page.goto("/terms")
    page.wait_for_load_state("load")
    expect(page.get_by_role("region", name="Counting visits")).to_have_count(0)
    assert set(visitor.loaded) == {PLAUSIBLE}
    visitor.loaded.clear()
    page.evaluate("localStorage.clear()")
    page.context.add_init_script("Object.defineProperty(navigator, 'globalPrivacyControl', { value: true })")
    page.goto("/about")
    page.wait_for_load_state("load")
    expect(page.get_by_role("region", name="Counting visits")).to_have_count(0)
    assert set(visitor.loaded) == set()
