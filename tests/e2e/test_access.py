"""No page has barriers: every route, at 320 px and at desktop width, unfolded, spaced and with text of twice the size.

Open states are in `test_access_states.py`, the back office in `back_office/test_access.py`.
"""

import pytest
from playwright.sync_api import Page, expect

from agency_site.web.serving.edge import Site
from tests.e2e.barriers import (
    DESKTOP,
    NARROW,
    barriers,
    cut_text,
    cut_when_spaced,
    expect_no_barriers,
    lost_in_forced_colours,
    opened,
    public_paths,
    small_targets,
    unseen_focus,
    violations,
)
from tests.e2e.conftest import Opener

pytestmark = pytest.mark.thorough

TWICE = {"fontSizes": {"standard": 32, "fixed": 26}}
"""A browser whose reader has chosen text of twice the usual size."""


def unfold(page: Page) -> bool:
    """Open everything that folds, but for the menu; whether there is any."""
    return bool(
        page.evaluate(
            "[...document.querySelectorAll('details:not([open])')].filter(one => !one.closest('.menu'))"
            ".map(one => { one.open = true; }).length"
        )
    )


def test_no_route_has_barriers(open_page: Opener, published: Site) -> None:
    page, result = open_page("/", viewport=DESKTOP, reduced_motion="reduce"), []
    for path in public_paths(published):
        result += barriers(opened(page, path))
        result += [f"{path} spaced: {complaint}" for complaint in cut_when_spaced(page)]
        result += [f"{path} focus: {complaint}" for complaint in unseen_focus(page)]
        if unfold(page):
            result += barriers(page, "unfolded", widths=[NARROW], within="details[open]")
    expect_no_barriers(result)


def test_text_of_twice_the_size_fits_on_every_route(open_page: Opener, published: Site) -> None:
    page, result = open_page("/", viewport=DESKTOP, reduced_motion="reduce"), []
    page.context.new_cdp_session(page).send("Page.setFontSizes", TWICE)
    for path in public_paths(published):
        page.goto(path)
        assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "32px"
        result += [f"{path}: {complaint}" for complaint in cut_text(page)]
    expect_no_barriers(result)


@pytest.mark.parametrize("path", ["/", "/webinar", "/social-media-marketing"])
def test_no_tab_has_barriers(open_page: Opener, path: str) -> None:
    page, result = open_page(path, viewport=DESKTOP, reduced_motion="reduce"), []
    tabs = page.get_by_role("tab")
    for place in range(1, tabs.count()):
        page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]
        tabs.nth(place).click()
        expect(tabs.nth(place)).to_have_attribute("aria-selected", "true")
        result += barriers(page, f"tab {place}", within="main")
    assert tabs.count() > 1
    expect_no_barriers(result)


NOWHERE = (
    "/no-such-page",
    *(f"/{kind}/unknown" for kind in ("booking", "order", "registration", "comment")),
    "/signup/platinum",
)


def test_empty_results_have_no_barriers(open_page: Opener) -> None:
    page, result = open_page("/", viewport=DESKTOP, reduced_motion="reduce", expect=("404",)), []
    for path in NOWHERE:
        expect(opened(page, path).get_by_role("heading", level=1)).to_be_visible()
        result += barriers(page)
    expect_no_barriers(result)


CARELESS = """
<html lang="en"><title>Careless</title><main><h1>Careless</h1>
<button style="border: 0; width: 20px; height: 20px">x</button>
<div style="width: 60px; overflow: hidden; white-space: nowrap">Words that nobody can read to their end</div>
<div style="width: 2000px">Wide</div><img src="data:,">
<nav aria-label="Marks"><ul><li><a class="a" aria-current="page" href="#a">One</a></li>
<li><a class="a" href="#b">Two</a></li></ul></nav>
<input class="input" style="border: 0" aria-label="No edge">
<span style="position: absolute; clip-path: inset(50%)"><button style="width: 50px; height: 50px">Lost</button></span>
<p style="forced-color-adjust: none; color: #ccc; background: #fff">Faint</p></main>
"""


def test_the_checker_finds_barriers(open_page: Opener) -> None:
    page = open_page("/about", viewport=NARROW)
    # Not written into one of our own pages: their policy forbids such styles.
    page.goto("about:blank")
    page.set_content(CARELESS)
    assert {"color-contrast", "image-alt", "target-size"} <= {
        rule.partition(":")[0] for rule in violations(page)
    }
    targets = small_targets(page)
    assert any("small 20x20" in complaint for complaint in targets)
    assert [complaint.endswith("Lost") for complaint in targets if complaint.startswith("hidden")] == [True]
    kinds = {complaint.partition(":")[0].partition(" by ")[0] for complaint in cut_text(page)}
    assert kinds == {"cut at the side", "sideways"}
    lost = {complaint.partition(":")[0] for complaint in lost_in_forced_colours(page)}
    assert lost == {"faint", "no edge", "no mark"}
