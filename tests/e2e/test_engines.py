"""Differences of Firefox and WebKit from Chromium: widths of pages, requests and caches."""

import io
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from agency_site.auth.rules import Role
from agency_site.web.serving.edge import Site
from tests.e2e.back_office.buyers import buyer
from tests.e2e.back_office.clients import client
from tests.e2e.back_office.conftest import COOKIE, employ
from tests.e2e.barriers import public_paths
from tests.e2e.conftest import RunningSite
from tests.e2e.engines import ENGINES, Engine, firefox, webkit
from tests.e2e.site_server import SiteServer, serve, small_build

pytestmark = pytest.mark.thorough

SIZES = [[320, "100%"], [360, "100%"], [390, "200%"]]
"""Widths of a window in px, with the size of letters that the reader has chosen."""
SIDEWAYS = """
(root) => {
  const over = root.scrollWidth - root.clientWidth;
  if (over <= 0) return [];
  const wide = [...root.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > root.clientWidth + 1);
  return [`${over} px: ${wide.slice(-3).map((one) => `${one.localName}.${one.className}`).join(" > ")}`];
}
"""
IN_FRAME = f"""
async (path, sizes) => {{
  const sideways = {SIDEWAYS};
  const frame = document.querySelector("iframe");
  await new Promise((loaded) => {{ frame.onload = loaded; frame.src = path; }});
  const page = frame.contentDocument;
  await page.fonts.ready;
  return sizes.flatMap(([width, letters]) => {{
    frame.width = width;
    page.documentElement.style.fontSize = letters;
    return sideways(page.documentElement).map((found) => `${{path}} at ${{width}} px, letters of ${{letters}}: ${{found}}`);
  }});
}}
"""
FILLED = """
new Promise((done) => {
  const look = () => {
    const there = document.querySelector(".office-me")?.textContent && !document.querySelector(".office-bone");
    there ? done(true) : setTimeout(look, 50);
  };
  look();
})
"""
SCREENS = (
    "", "/bookings", "/bookings/calendar", "/orders", "/payments", "/reconciliation", "/enrolments", "/messages", "/comments",
    "/subscribers", "/mail", "/audit", "/staff", "/hours",
)  # fmt: skip


@pytest.fixture(scope="module", params=["firefox", "webkit"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with ENGINES[request.param]() as window:
        yield window


@pytest.fixture(scope="module")
def server(published: Site) -> SiteServer:
    """The published site, whose pages may be framed."""
    site_server = SiteServer()
    site_server.site, site_server.framing = published, True
    return site_server


def test_no_public_page_scrolls_sideways_on_a_phone_or_with_text_of_twice_the_size(
    engine: Engine, server: SiteServer, published: Site
) -> None:
    results: list[str] = []
    with serve(server) as address:
        engine.open(f"{address}/frame")
        for path in public_paths(published):
            results += engine.evaluate(f"({IN_FRAME})({json.dumps(path)}, {json.dumps(SIZES)})")
    assert results == []


def sign_in(window: Engine, site: RunningSite) -> None:
    """Give the window an owner's session."""
    window.open(f"{site.url}/healthz")
    window.add_cookie(site.url, COOKIE, employ(site, Role.OWNER).token)


def test_no_screen_of_the_back_office_scrolls_sideways(engine: Engine, site: RunningSite) -> None:
    buyer(site)
    buyer(site, "900")
    client(site)
    sign_in(engine, site)
    results: list[str] = []
    for path in SCREENS:
        engine.open(f"{site.url}/admin{path}")
        assert engine.evaluate(FILLED)
        for width in (1280, 1366, 1440):
            engine.resize(width, 900)
            over = engine.evaluate(f"({SIDEWAYS})(document.documentElement)")
            results += [f"/admin{path} at {width} px: {item}" for item in over]
    assert results == []


ENTRY_IN_SIGHT = """
(() => {
  const { top, bottom } = document.querySelector(".office-nav [aria-current='page']").getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
})()
"""


def test_the_last_entry_of_the_back_office_is_in_sight_on_a_low_screen(
    engine: Engine, site: RunningSite
) -> None:
    sign_in(engine, site)
    engine.resize(1280, 720)
    engine.open(f"{site.url}/admin/status")
    assert engine.evaluate(FILLED)
    assert engine.evaluate(ENTRY_IN_SIGHT)


def test_the_scrollbar_of_the_dark_sidebar_is_dark_in_firefox(site: RunningSite) -> None:
    with firefox() as window:
        sign_in(window, site)
        window.resize(1280, 400)
        window.open(f"{site.url}/admin/bookings")
        assert window.evaluate(FILLED)
        bar = window.evaluate(
            "(() => { const one = [...document.querySelectorAll('.office-side, .office-side *')]"
            ".find((each) => each.offsetWidth > each.clientWidth && each.scrollHeight > each.clientHeight + 1);"
            " const edge = one.getBoundingClientRect(); return [edge.left + one.clientLeft + one.clientWidth, edge.right]; })()"
        )
        picture = Image.open(io.BytesIO(window.screenshot())).convert("L")
    left, right = map(round, bar)
    assert right - left > 4
    strip = picture.crop((left + 1, 20, right - 1, 380))
    assert max(strip.tobytes()) < 160


KEPT = """
new Promise((done) => {
  const look = async () => (await caches.match("/about")) ? done(true) : setTimeout(look, 50);
  look();
})
"""
DRAWN = """
[...document.images].filter((one) => one.getBoundingClientRect().top < innerHeight).map((one) => one.naturalWidth > 0)
"""


def test_a_picture_that_was_seen_is_shown_offline_and_no_other_is_fetched(
    engine: Engine, tmp_path: Path
) -> None:
    server = SiteServer(small_build(tmp_path / "build", "words"))
    server.publish(tmp_path / "site")
    with serve(server) as address:
        engine.open(f"{address}/about")
        assert engine.evaluate(KEPT)
    assert "/art/far.svg" not in server.requested
    # The server is gone: that is what a browser without a network meets.
    engine.open(f"{address}/about")
    assert engine.evaluate("document.body.innerText.trim()") == "words"
    assert engine.evaluate(DRAWN) == [True]


@pytest.mark.parametrize("path", ["/about", "/book"])
def test_webkit_fetches_each_font_and_script_once_until_a_page_has_loaded(published: Site, path: str) -> None:
    server = SiteServer()
    server.site = published
    with webkit() as window, serve(server) as address:
        window.open(address + path)
        files = Counter(item for item in server.requested if item.startswith(("/assets/", "/fonts/")))
    assert any(file.endswith(".woff2") for file in files)
    assert [file for file, times in files.items() if times > 1] == []
