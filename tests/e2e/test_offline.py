"""Reading without a network: opened pages open again, others get the offline page, and private pages are never cached."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from agency_site.auth.rules import Role
from agency_site.web.build.publish import site_folder
from agency_site.web.publishing.offline.worker import NEVER
from tests.e2e.back_office.conftest import employ, filled
from tests.e2e.barriers import barriers, expect_no_barriers
from tests.e2e.conftest import READY, Opener, RunningSite, hydrated, reach, until, untouched
from tests.e2e.site_server import SiteServer, serve, small_build
from tests.e2e.wire import BROKEN
from tests.example_records import OTHER_ARTICLE
from tests.waiting import wait_until

pytestmark = pytest.mark.thorough

ARTICLE = OTHER_ARTICLE.href
KEPT = "caches.match('{}').then(Boolean)"
EVERYTHING = """async () => {
  const list = async (name) => (await (await caches.open(name)).keys()).map((each) => each.url);
  return Promise.all((await caches.keys()).map(list));
}"""
PICTURES_KEPT = """(await Promise.all(
  [...document.images].filter((one) => one.getBoundingClientRect().top < innerHeight)
    .map((one) => one.currentSrc && caches.match(one.currentSrc)),
)).every(Boolean)"""
"""Those of the first window: they may still be on their way when the page itself is kept."""
LOOKS = """async () => {
  const shown = [...document.images].filter((one) => one.getBoundingClientRect().top < innerHeight);
  await Promise.allSettled(shown.map((one) => one.decode()));
  return [
    getComputedStyle(document.body).backgroundColor,
    document.fonts.check('16px Figtree'),
    shown.every((one) => one.naturalWidth),
  ];
}"""
WHOLE = ["rgb(255, 251, 247)", True, True]
"""Ground, font and pictures of the first window."""
FLASHES = """
window.lines = 0;
new MutationObserver(() => { window.lines += document.querySelectorAll(".calm-line").length; })
  .observe(document, { childList: true, subtree: true });
"""


def wait_until_cached(page: Page, path: str) -> None:
    """Wait until the worker has kept a page."""
    until(page, f"await {KEPT.format(path)}")


def addresses(page: Page) -> list[str]:
    """Return the paths of everything in the caches."""
    result: list[list[str]] = page.evaluate(EVERYTHING)
    return [re.sub(r"^https?://[^/]+", "", url) for urls in result for url in urls]


@pytest.fixture
def read(open_page: Opener) -> Callable[..., Page]:
    """Open a page in a browser that takes the worker, and wait until that has kept it."""

    def visit(path: str, **options: Any) -> Page:
        page = open_page(path, service_workers="allow", **{"ready": untouched, "expect": BROKEN, **options})
        wait_until_cached(page, path)
        return page

    return visit


def test_a_page_that_was_read_opens_again_without_a_network_and_hydrates_when_it_is_back(
    read: Callable[..., Page],
) -> None:
    sockets: list[str] = []
    page = read(ARTICLE, prepare=lambda page: page.on("websocket", lambda socket: sockets.append(socket.url)))
    assert (sockets, [path for path in addresses(page) if path.endswith(".js")]) == ([], ["/kept-pages.js"])
    page.context.set_offline(True)
    page.goto(f"{ARTICLE}?utm_source=letter")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.evaluate(LOOKS) == WHOLE
    reach(page)
    page.context.set_offline(False)

    def is_hydrated_when_reached() -> bool:
        # The loading that began without a network may still be failing: the visitor reaches again.
        reach(page)
        return page.locator(READY).count() > 0

    wait_until(is_hydrated_when_reached)


def test_a_page_that_was_not_read_gives_way_to_a_calm_one_until_the_network_is_back(
    read: Callable[..., Page],
) -> None:
    page = read(ARTICLE)
    title = page.title().split(" | ")[0]
    page.context.set_offline(True)
    page.goto("/terms")
    expect(page.get_by_role("heading", level=1, name="No connection just now")).to_be_visible()
    assert page.evaluate(LOOKS)[0] == WHOLE[0]
    expect(page.get_by_role("link", name="Try again")).to_be_visible()
    expect_no_barriers(barriers(page))
    page.get_by_role("navigation", name="Pages that open without a connection").get_by_role("link").click()
    expect(page).to_have_title(re.compile(re.escape(title)))
    page.goto("/privacy")
    expect(page.get_by_role("heading", level=1, name="No connection just now")).to_be_visible()
    page.context.set_offline(False)
    expect(page).to_have_title(re.compile("^Privacy"), timeout=15_000)


def test_pages_reached_inside_the_site_are_kept_too_and_links_stay_whole(read: Callable[..., Page]) -> None:
    page = read("/about", ready=hydrated)
    page.get_by_role("contentinfo").get_by_role("link", name="Services", exact=True).click()
    expect(page).to_have_url(re.compile("/services$"))
    wait_until_cached(page, "/services")
    until(page, PICTURES_KEPT)
    page.context.set_offline(True)
    page.get_by_role("contentinfo").get_by_role("link", name="About", exact=True).click()
    expect(page).to_have_url(re.compile("/about$"))
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.goto("/services")
    assert page.evaluate(LOOKS) == WHOLE


def test_the_line_about_the_connection_does_not_flash_while_a_page_hydrates(open_page: Opener) -> None:
    page = open_page("/about", prepare=lambda page: page.add_init_script(FLASHES))
    assert page.evaluate("window.lines") == 0


def test_private_pages_are_never_cached(site: RunningSite, read: Callable[..., Page]) -> None:
    page = read("/about", cookies=[employ(site, Role.OWNER).cookie(site)], expect=("404",))
    for path in (
        "/order/a-token-of-nobody", "/booking/a-token-of-nobody", "/newsletter/archive", "/outbox", "/nothing/here",
        "/signup/whatever", "/healthz",
    ):  # fmt: skip
        page.goto(path)
    page.goto("/admin/bookings")
    filled(page)
    page.goto("/terms")
    wait_until_cached(page, "/terms")
    result = addresses(page)
    assert [
        path for path in result if path.startswith(NEVER) or "nothing" in path or "whatever" in path
    ] == []
    assert set(result) & assets_of_the_office(site_folder(site.url)) == set()


def assets_of_the_office(folder: Path) -> set[str]:
    """Scripts and styles that only pages of the back office name."""
    named: dict[bool, set[str]] = {True: set(), False: set()}
    for file in folder.rglob("index.html"):
        back_office = file.relative_to(folder).parts[0] == "admin"
        named[back_office] |= set(re.findall(r"/assets/[\w.-]+", file.read_text()))
    assert named[True] - named[False]
    return named[True] - named[False]


def test_keeping_a_page_costs_no_picture_twice_and_none_that_was_not_seen(
    tmp_path: Path, open_page: Opener
) -> None:
    server = SiteServer(small_build(tmp_path / "build", "words"))
    server.publish(tmp_path / "site")
    with serve(server) as address:
        page = open_page(f"{address}/about", service_workers="allow", ready=untouched, expect=("404",))
        wait_until_cached(page, "/about")
        assert "/art/near.svg" in addresses(page)
        assert (server.requested.count("/art/near.svg"), server.requested.count("/art/far.svg")) == (1, 0)


def test_a_page_that_takes_long_gives_way_to_the_kept_one_after_three_seconds(
    tmp_path: Path, open_page: Opener
) -> None:
    server = SiteServer(small_build(tmp_path / "build", "words"))
    server.publish(tmp_path / "site")
    with serve(server) as address:
        page = open_page(f"{address}/about", service_workers="allow", ready=untouched, expect=("404",))
        wait_until_cached(page, "/about")
        request_count = server.requested.count("/about")
        server.open.clear()
        started_at = time.monotonic()
        page.goto(f"{address}/about")
        assert 3 <= time.monotonic() - started_at < 12
        expect(page.locator("body")).to_have_text("words")
        assert server.requested.count("/about") == request_count + 1
        server.open.set()


@pytest.mark.parametrize(("status", "expected_status"), [(503, 200), (500, 200), (404, 404), (429, 429)])
def test_the_cached_page_replaces_errors_of_the_server_and_no_other_response(
    tmp_path: Path, open_page: Opener, status: int, expected_status: int
) -> None:
    server = SiteServer(small_build(tmp_path / "build", "words"))
    server.publish(tmp_path / "site")
    with serve(server) as address:
        page = open_page(
            f"{address}/about", service_workers="allow", ready=untouched, expect=("404", str(status))
        )
        wait_until_cached(page, "/about")
        server.status = status
        for path, expected in (("/about", expected_status), ("/", status)):
            answer = page.goto(f"{address}{path}")
            assert answer is not None
            assert (answer.status, answer.from_service_worker) == (expected, True)
        assert [path for path in addresses(page) if path in ("/", "/about")] == ["/about"]


def test_a_new_version_drops_what_the_old_one_kept_and_the_switch_removes_all(
    tmp_path: Path, open_page: Opener, configure: Callable[..., object]
) -> None:
    server = SiteServer(small_build(tmp_path / "build", "first"))
    server.publish(tmp_path / "site")
    with serve(server) as address:
        page = open_page(f"{address}/about", service_workers="allow", ready=untouched, expect=("404",))
        wait_until_cached(page, "/about")
        old = page.evaluate("caches.keys()")
        small_build(tmp_path / "build", "second")
        server.publish(tmp_path / "site")
        page.goto(f"{address}/about")
        expect(page.locator("body")).to_have_text("second")
        until(
            page,
            f"(await caches.keys()).every((name) => !{old}.includes(name)) && await {KEPT.format('/about')}",
        )
        assert "second" in page.evaluate("caches.match('/about').then((answer) => answer.text())")
        configure(service_worker=False)
        server.publish(tmp_path / "site")
        page.goto(f"{address}/about")
        until(
            page,
            "(await caches.keys()).length + (await navigator.serviceWorker.getRegistrations()).length === 0",
        )
