"""What a visit costs, read from the published files: budgets, no page's code on another page, pictures as they should be."""

import json
import re
from collections.abc import Iterator
from operator import gt
from pathlib import Path
from typing import Any

import pytest

from agency_site.web.build.publish import BUILD, site_folder
from agency_site.web.build.site_build import COMPILED
from agency_site.web.build.weight import find_unwanted
from tests.e2e.conftest import RunningSite
from tests.page_weight import MARKUP, SCRIPTS, Folder, Page

BACK_OFFICE = ("agency_site___backoffice", "/admin", "admin/", "office-")
"""Words of the back office, which public pages must not carry."""
RASTERS = frozenset({".avif", ".jpg", ".webp"})


@pytest.fixture(scope="module")
def folder(site: RunningSite) -> Folder:
    """Read the pages of the running site."""
    return Folder(site_folder(site.url))


@pytest.fixture(scope="module")
def every_page(folder: Folder) -> list[Page]:
    """All prerendered pages, the back office's too."""
    with_scripts = (file for file in folder.root.rglob("index.html") if file.parent.name != "not-found")
    return [Page(folder, file) for file in sorted(with_scripts)]


@pytest.fixture(scope="module")
def public(every_page: list[Page]) -> list[Page]:
    """Return the public pages."""
    results = [page for page in every_page if page.path.split("/")[1] != "admin"]
    assert 40 < len(results) < len(every_page)
    return results


@pytest.fixture(scope="module")
def routes(every_page: list[Page]) -> dict[str, Any]:
    """The router's own list of all pages."""
    (manifest,) = BUILD.rglob("manifest-*.js")
    assert every_page
    return dict(json.loads(manifest.read_text().partition("=")[2].rstrip(";"))["routes"])


def test_nothing_heavy_is_in_the_build(folder: Folder) -> None:
    assert find_unwanted(COMPILED) == []
    styles = "".join(path.read_text() for path in (folder.root / "assets").glob("*.css"))
    assert ".rt-Button" not in styles
    assert "pattern-edge" in styles


def test_no_page_starts_or_fetches_a_script_before_it_is_wanted(every_page: list[Page]) -> None:
    early = re.compile(r'<script[^>]*(?: src=|type="module")|<link[^>]*(?:modulepreload|as="script")')
    assert [page.path for page in every_page if early.search(page.html)] == []


def test_scripts_stay_within_their_budget(public: list[Page]) -> None:
    costs = {page.path: page.folder.weight(*page.scripts) for page in public}
    assert {path: cost for path, cost in costs.items() if cost > SCRIPTS} == {}


def test_html_and_styles_stay_within_their_budget(public: list[Page]) -> None:
    assert {page.path: page.markup for page in public if page.markup > MARKUP} == {}


def test_a_visit_stays_within_its_budgets_before_and_after_a_control_is_used(public: list[Page]) -> None:
    visits = {page.path: ((page.read, page.used), page.budgets) for page in public}
    over = {path: visit for path, visit in visits.items() if any(map(gt, *visit))}
    assert over == {}


def needed(routes: dict[str, Any], names: list[str]) -> set[str]:
    """Scripts that the router's list gives for these of its entries."""
    return {file for name in names for file in (routes[name]["module"], *routes[name]["imports"])}


def test_no_page_loads_another_pages_code(every_page: list[Page], routes: dict[str, Any]) -> None:
    modules = {route["module"]: name for name, route in routes.items()}
    for page in every_page:
        own = list(page.listed["routes"])
        assert len(own) == 2, page.path
        strangers = [modules[file] for file in page.scripts if file in modules and modules[file] not in own]
        assert strangers == [], page.path
        rest = page.scripts - needed(routes, own) - {page.listed["entry"]}
        assert all("/manifest-" in file and page.path.startswith("/admin") for file in rest), page.path


def test_public_pages_carry_nothing_of_the_back_office(folder: Folder, public: list[Page]) -> None:
    for page in public:
        # The rules of fetching ahead name what is left out of it.
        own = re.sub(r'<script type="speculationrules">.*?</script>', "", page.html)
        assert [word for word in BACK_OFFICE if word in own] == [], page.path
    for address in {file for page in public for file in page.scripts | page.styles}:
        body = folder.text(address)
        assert [word for word in BACK_OFFICE if word in body] == [], address


def test_every_font_is_used_and_fetched_first(folder: Folder, public: list[Page]) -> None:
    fonts = {f"/fonts/{path.name}" for path in (folder.root / "fonts").glob("*.woff2")}
    styles = "".join(folder.text(address) for address in public[0].styles)
    assert fonts
    for page in public:
        assert set(re.findall(r'<link[^>]*as="font"[^>]*href="([^"]+)"', page.html)) == fonts, page.path
    assert {font for font in fonts if font not in styles} == set()
    assert folder.weight(*fonts) <= 40_000


def wrong_pictures(page: Page) -> Iterator[str]:
    """Yield missing attributes of a page's pictures."""
    for picture in page.pictures:
        kind = Path(picture["src"]).suffix
        if kind not in RASTERS | {".svg"}:
            yield f"{picture['src']} is neither drawn nor made in several widths"
        if kind in RASTERS and not {"srcset", "sizes"} <= picture.keys():
            yield f"{picture['src']} comes in one size"
        if not {"width", "height", "alt"} <= picture.keys():
            yield f"{picture['src']} lacks width, height or alt"
        if picture.get("loading") not in {"lazy", "eager"}:
            yield f"{picture['src']} does not say when it loads"
        if picture.get("fetchpriority") == "high" and picture["loading"] == "lazy":
            yield f"{picture['src']} is urgent and waits"


def test_every_picture_has_its_size_and_loads_when_it_should(every_page: list[Page]) -> None:
    assert {page.path: result for page in every_page if (result := list(wrong_pictures(page)))} == {}


def test_pictures_below_the_head_of_a_page_wait_and_the_head_comes_first(public: list[Page]) -> None:
    for page in public:
        urgent = [picture["src"] for picture in page.pictures if picture.get("fetchpriority") == "high"]
        eager = {picture["src"] for picture in page.pictures if picture["loading"] == "eager"}
        assert len(urgent) <= 1, page.path
        # The first cards of the webinars are in the first window.
        assert len(eager - {"/logo.svg", *urgent}) <= 2, page.path
    heads = [
        page
        for page in public
        if re.search('class="backdrop (?:hero-split|course-hero|slide)-art"', page.html)
    ]
    assert len(heads) > 20
    assert [page.path for page in heads if 'fetchpriority="high"' not in page.html.lower()] == []


def test_drawings_are_published_without_what_only_their_makers_need(folder: Folder) -> None:
    waste = re.compile(r"<!--|<\?xml|<metadata|>\s+<|\n\s*\n")
    assert [path.name for path in folder.root.rglob("*.svg") if waste.search(path.read_text().strip())] == []


def test_every_public_page_has_a_share_picture_of_the_size_that_messengers_want(
    folder: Folder, public: list[Page]
) -> None:
    for page in public:
        for address in re.findall(r'content="https?://[^/"]+(/share/[^"]+)" property="og:image"', page.html):
            head = (folder.root / address.lstrip("/")).read_bytes()[:24]
            assert head[:8] == b"\x89PNG\r\n\x1a\n", address
            assert (int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")) == (1200, 630), (
                address
            )
