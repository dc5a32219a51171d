"""What a visit costs: nothing of the heavy parts of Reflex, and no page's code on another page."""

import re
import urllib.request

import pytest

from agency_site.web.publish import BUILD
from tests.e2e.conftest import RunningSite

HEAVY = ("radix", "react-markdown", "moment", "plotly", "react-dropzone", "katex", "syntax-highlighter")


def scripts_of(site: RunningSite, path: str) -> set[str]:
    """Addresses of the scripts that a page names."""
    with urllib.request.urlopen(f"{site.url}{path}") as answer:
        return set(re.findall(r"/assets/[\w.-]+\.js", answer.read().decode()))


def weight(site: RunningSite, path: str) -> int:
    """Bytes of one file as a browser that takes brotli gets it."""
    request = urllib.request.Request(f"{site.url}{path}", headers={"Accept-Encoding": "br"})
    with urllib.request.urlopen(request) as answer:
        return len(answer.read())


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("part", HEAVY)
def test_heavy_parts_are_absent_from_the_build(part: str) -> None:
    files = [path for path in (BUILD / "assets").iterdir() if path.suffix in {".js", ".css"}]
    assert files
    assert [path.name for path in files if part in path.name.lower()] == []
    if part == "radix":
        assert [path.name for path in files if ".rt-Button" in path.read_text()] == []


def test_only_pages_with_a_calendar_load_the_calendar(site: RunningSite) -> None:
    calendar = {path.name for path in (BUILD / "assets").glob("*.js") if "rdp-" in path.read_text()}
    assert calendar
    named = {path.rpartition("/")[2] for path in scripts_of(site, "/") | scripts_of(site, "/payment")}
    assert named & calendar == set()
    assert {path.rpartition("/")[2] for path in scripts_of(site, "/book")} & calendar


@pytest.mark.parametrize("path", ["/", "/payment", "/portfolio"])
def test_scripts_stay_within_their_budget(site: RunningSite, path: str) -> None:
    assert sum(weight(site, script) for script in scripts_of(site, path)) <= 150_000


@pytest.mark.parametrize("path", ["/", "/book", "/payment", "/portfolio"])
def test_html_and_styles_stay_within_their_budget(site: RunningSite, path: str) -> None:
    with urllib.request.urlopen(f"{site.url}{path}") as answer:
        styles = set(re.findall(r"/assets/[\w.-]+\.css", answer.read().decode()))
    assert sum(weight(site, part) for part in {path, *styles}) <= 40_000


@pytest.mark.parametrize("path", ["/", "/about", "/book", "/payment", "/blog"])
def test_public_pages_carry_nothing_of_the_back_office(site: RunningSite, path: str) -> None:
    with urllib.request.urlopen(f"{site.url}{path}") as answer:
        page = answer.read().decode()
    named = re.findall(r"/(?:assets|styles)/[\w.-]+\.(?:js|css)", page)
    assert len(named) > 5
    for address in ("", *named):
        with urllib.request.urlopen(f"{site.url}{address}" if address else f"{site.url}{path}") as answer:
            body = answer.read().decode()
        assert [
            word for word in ("agency_site___staff", "/admin", "admin/", "office-") if word in body
        ] == [], address
