"""Accessibility barriers of a page, found in the browser: axe-core's rules, and checks that axe lacks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from agency_site.web.serving.edge import BACK_OFFICE, NOT_FOUND_PAGE, Site
from tests.e2e.conftest import hydrated

NARROW, DESKTOP = {"width": 320, "height": 700}, {"width": 1280, "height": 900}
"""320 px is also what is left of 1280 px at a zoom of 400 %."""
FINGER = 44
"""Pixels of a target's shorter side; WCAG 2.5.8 asks for 24."""

_MEASURE = (Path(__file__).parent / "barriers.js").read_text()
_TAGS = [
    "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice", "experimental",
]  # fmt: skip
_NOT_SENSIBLE = ("p-as-heading", "focus-order-semantics")
"""Experimental rules that are wrong here: prices and strap lines are no headings, and a table that scrolls sideways has to
be a stop of the keyboard."""
_AXE = {
    "runOnly": _TAGS,
    "resultTypes": ["violations"],
    "rules": {rule: {"enabled": False} for rule in _NOT_SENSIBLE},
}
_RUN = "([within, options]) => axe.run(within, options).then(found => found.violations)"
_SPACING = """
* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
p { margin-bottom: 2em !important; }
"""
"""Spacing that readers can set (WCAG 1.4.12)."""


def violations(page: Page, within: str = "html") -> list[str]:
    """Each broken rule with the first element inside `within` that breaks it."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    result: list[dict[str, Any]] = page.evaluate(_RUN, [within, _AXE])
    return [f"{rule['id']}: {rule['nodes'][0]['html'][:160]} ({len(rule['nodes'])})" for rule in result]


def _measured(page: Page, call: str) -> list[str]:
    if not page.evaluate("'barriers' in window"):
        page.evaluate(_MEASURE)
    return page.evaluate(f"barriers.{call}")  # type: ignore[no-any-return]


def small_targets(page: Page) -> list[str]:
    """Return controls that are too small for a finger, except links inside sentences."""
    return _measured(page, f"small({FINGER})")


def cut_text(page: Page) -> list[str]:
    """Text that is cut off, hangs out of its control or leaves the window; and sideways scroll."""
    return _measured(page, "cut()")


def unseen_focus(page: Page) -> list[str]:
    """Stops of the keyboard without a ring, or with one that hardly differs from the ground around."""
    page.keyboard.press("Tab")
    return _measured(page, "rings()")


def cut_when_spaced(page: Page) -> list[str]:
    """Return text that is cut with a reader's own line, letter and word spacing."""
    style = page.evaluate_handle(
        "css => { const style = new CSSStyleSheet(); style.replaceSync(css); document.adoptedStyleSheets = [style]; }",
        _SPACING,
    )
    style.dispose()
    result = cut_text(page)
    page.evaluate("document.adoptedStyleSheets = []")
    return result


def lost_in_forced_colours(page: Page) -> list[str]:
    """Unreadable text, boxes without an edge and marks that are gone while the system's colours replace the page's."""
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    result = _measured(page, "forced()")
    page.emulate_media(forced_colors="none", reduced_motion="reduce")
    return result


def barriers(
    page: Page,
    what: str = "",
    *,
    widths: Sequence[dict[str, int]] = (DESKTOP, NARROW),
    within: str = "html",
) -> list[str]:
    """Check the open page at the narrowest and at desktop width.

    axe takes most of the time. When only a part of a page has changed since it was checked, `within` selects that part.
    """
    results = []
    for viewport in widths:
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
        # The part of a control that the sticky header covers does not count for axe, and it covers what is scrolled there.
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        complaints = (
            *violations(page, within),
            *small_targets(page),
            *cut_text(page),
            *lost_in_forced_colours(page),
        )
        results += [f"{page.url} {what} at {viewport['width']}: {complaint}" for complaint in complaints]
    return results


def expect_no_barriers(complaints: Sequence[str]) -> None:
    """No barrier was found; otherwise all are reported, not only the first."""
    assert not complaints, "\n" + "\n".join(complaints)


def public_paths(published: Site) -> list[str]:
    """Every prerendered public page, but those that only show what a private link names."""
    return [
        path
        for path in sorted(published.pages)
        if not BACK_OFFICE.match(path) and path != NOT_FOUND_PAGE and "-" not in path.split("/")
    ]


def opened(page: Page, path: str) -> Page:
    """Go on to another path in the same browser window."""
    page.goto(path)
    hydrated(page)
    return page
