"""Rules for every page: no dead link, complete pictures, no console error, no sideways scroll."""

import re
import urllib.request
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page
from starlette.datastructures import Headers

from agency_site import brand
from agency_site.content.brand import BRAND
from agency_site.content.navigation import ALIASES
from agency_site.web.serving.edge import BACK_OFFICE, INNER, NOT_FOUND_PAGE, PRIVATE, PageRequest, Site
from tests.e2e.barriers import opened, public_paths
from tests.e2e.conftest import Opener, RunningSite
from tests.html_document import Element, parse_html

REFUSALS = """
window.refused = [];
addEventListener("securitypolicyviolation", (event) => window.refused.push(`${event.violatedDirective} ${event.blockedURI}`));
"""
"""Notes what the page's security policy refuses."""
WEIGHTS = """() => [...new Set([...document.querySelectorAll("body *")].filter((one) =>
  [...one.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.textContent.trim())).map((one) => {
  const { fontFamily, fontWeight, fontStyle } = getComputedStyle(one);
  return `${fontFamily.split(",")[0].replaceAll('"', "")} ${fontWeight} ${fontStyle}`;
}))]"""
"""Families, weights and styles of all words."""
CUT = {
    f"{brand.DISPLAY_FONT} 700 normal",
    *(f"{brand.TEXT_FONT} {weight} normal" for weight in (400, 500, 600, 700)),
}
"""What `artwork/typefaces.py` leaves in the fonts: a browser would make up anything else."""
OF_THE_SYSTEM = {f"ui-monospace {weight} normal" for weight in (400, 600)}
WIDTHS = (320, 390, 768, 1280)
ROUTES = [
    "/",
    "/about",
    "/services",
    "/academy",
    "/digital-marketing",
    "/email-marketing",
    "/digital-skills",
    "/social-media-marketing",
    "/google-ads",
    "/digital-marketing-masterclass",
    "/meta-ads",
    "/canva-design",
    "/graphic-design",
    "/insights",
    "/contact",
    "/services/web-design",
    "/services/social-media",
    "/services/software-development",
    "/services/digital-advertising",
    "/services/content-strategy",
    "/services/visual-identity",
    "/services/digital-training",
    "/services/photography",
    "/book",
    "/payment",
    "/hosting",
    "/blog",
    "/webinar",
    "/webinar/plan-2027",
    "/webinar/words-that-sell",
    "/newsletter",
    "/digitalmarketing-blog",
    "/visual-blog",
    "/email-marketing-blog",
    "/video-blog",
    "/authenticity-blog",
    "/portfolio",
    "/resources",
    "/signup/starter",
    "/signup/growth",
    "/signup/pro",
    "/privacy",
    "/terms",
]
"""The route table of the specification, the pages that the readings add, and the small print."""


def link_targets(page: Element) -> list[str]:
    return [link["href"] for link in page.select_all("a[href]")]


@pytest.fixture(scope="session")
def pages(published: Site) -> dict[str, Element]:
    """Every prerendered page but those that only show what a private link names."""
    return {
        path: parse_html(stored.body.decode())
        for path, stored in published.pages.items()
        if not BACK_OFFICE.match(path) and "-" not in path.split("/")
    }


@pytest.mark.specification
def test_s2_every_route_of_the_table_is_prerendered(pages: dict[str, Element]) -> None:
    assert [path for path in ROUTES if path not in pages] == []


def test_every_page_has_one_main_heading(pages: dict[str, Element]) -> None:
    assert [path for path, page in pages.items() if len(page.select_all("h1")) != 1] == []


def test_s2_header_and_footer_wrap_every_route(pages: dict[str, Element]) -> None:
    menu = {"/", "/about", "/services", "/academy", "/resources", "/contact", "/blog", "/book"}
    quick = {"/about", "/services", "/portfolio", "/academy", "/insights"}
    help_at_hand = {f"tel:{BRAND.phone_e164}", f"mailto:{BRAND.email}"}
    assert len(pages) > len(ROUTES)
    for path, page in pages.items():
        header, footer = page.get_by_role("banner"), page.get_by_role("contentinfo")
        assert menu <= set(link_targets(header)), path
        assert quick | help_at_hand <= set(link_targets(footer)), path
        footer.select("#footer-email")


def test_s6_no_page_asks_for_a_password_or_offers_to_sign_in(pages: dict[str, Element]) -> None:
    accounts = re.compile(r"\b(log|sign)[ -]?in\b|\b(my|your|create an) account\b", re.IGNORECASE)
    doors = re.compile(r"/(admin|log-?in|sign-?in|account|register)\b", re.IGNORECASE)
    for path, page in pages.items():
        assert page.select_all("[type=password], [autocomplete~=username], [autocomplete$=password]") == [], (
            path
        )
        assert [link for link in link_targets(page) if doors.search(link)] == [], path
        assert [item.text for item in page.select_all("a, button") if accounts.search(item.text)] == [], path


def test_every_field_about_the_visitor_says_what_it_is_for(pages: dict[str, Element]) -> None:
    purposes = {"name", "given-name", "family-name", "email", "tel", "tel-national", "url"}
    about = re.compile(r"full_?name|first_?name|last_?name|^name$|e-?mail|phone|website", re.IGNORECASE)
    requests = [
        (path, field["name"], field.get("autocomplete"))
        for path, page in pages.items()
        for field in page.select_all(
            ":is(input, select, textarea)[name]:not([type=checkbox], [type=hidden], [tabindex='-1'])"
        )
        if about.search(field["name"])
    ]
    assert {path for path, *_ in requests} == set(pages)
    assert [request for request in requests if request[2] not in purposes] == []


def test_no_internal_link_or_anchor_is_dead(
    site: RunningSite, published: Site, pages: dict[str, Element]
) -> None:
    anchors = {path: {element["id"] for element in page.select_all("[id]")} for path, page in pages.items()}
    dead = [
        f"{path}: {link}"
        for path, page in pages.items()
        for link in link_targets(page)
        if not leads_somewhere(published, anchors, path, link) and not answered(site, link)
    ]
    assert dead == []


def answered(site: RunningSite, link: str) -> bool:
    """Return whether the server draws a page there, which is not among the published pages."""
    if not link.startswith(INNER):
        return False
    with urllib.request.urlopen(f"{site.url}{link}") as answer:
        return bool(answer.status == 200)


def leads_somewhere(published: Site, anchors: dict[str, set[str]], here: str, link: str) -> bool:
    """Return whether a link leads to a page, a file, another site, or an id that exists."""
    target = urlsplit(link)
    if target.scheme or target.netloc:
        return target.scheme in {"https", "http", "mailto", "tel"}
    path = target.path.rstrip("/") or ("/" if target.path else here)
    path = published.canonical(path) or path
    if path in published.files or path in ALIASES or PRIVATE.fullmatch(path):
        return True
    if path not in anchors:
        return False
    return not target.fragment or target.fragment in anchors[path]


def test_a_link_to_a_place_on_its_own_page_opens_no_page(pages: dict[str, Element]) -> None:
    detours = {
        path: [
            href
            for href in link_targets(page)
            if (place := href.partition("#"))[1] and place[0] != path and place[0].rstrip("/") == path
        ]
        for path, page in pages.items()
    }
    assert {path: links for path, links in detours.items() if links} == {}
    assert "#team" in link_targets(pages["/about"])


def test_every_picture_exists_and_has_size_and_alternative_text(
    published: Site, pages: dict[str, Element]
) -> None:
    wrong = [
        f"{path}: {picture['src']}"
        for path, page in pages.items()
        for picture in page.select_all("img")
        if not all(name in picture for name in ("alt", "width", "height"))
        or picture["src"] not in published.files
    ]
    assert wrong == []


def test_no_page_names_the_placeholder_address(published: Site) -> None:
    assert [name for name, stored in published.files.items() if b"origin.invalid" in stored.body] == []


def sideways(page: Page) -> Iterator[tuple[int, int]]:
    """Widths at which the page can be scrolled sideways, with by how much."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if over > 0:
            yield width, over


def note_refusals(page: Page) -> None:
    """Note what the pages' security policies refuse, from the first byte on."""
    page.add_init_script(REFUSALS)


@pytest.mark.thorough
def test_no_console_error_no_failed_request_and_no_sideways_scroll(
    open_page: Opener, published: Site
) -> None:
    # The fixture itself fails on console errors and failed requests.
    page, wide, refused = open_page("/", prepare=note_refusals), dict[str, int](), list[str]()
    made_up: dict[str, str] = {}
    for path in public_paths(published):
        opened(page, path).evaluate("window.scrollTo(0, document.body.scrollHeight)")
        refused += [f"{path}: {item}" for item in page.evaluate("window.refused")]
        wide |= {f"{path} at {width}": by for width, by in sideways(page)}
        made_up |= {font: path for font in page.evaluate(WEIGHTS) if font not in CUT | OF_THE_SYSTEM}
        policy = page.request.get(path).headers["content-security-policy"]
        assert "script-src 'self' 'sha256-" in policy, path
        assert "style-src 'self';" in policy, path
        assert "unsafe" not in policy, path
    assert (wide, refused, made_up) == ({}, [], {})


def test_the_shape_of_the_error_page_is_not_a_page_of_its_own(published: Site) -> None:
    assert published.answer(PageRequest(NOT_FOUND_PAGE, Headers({}))).status_code == 404
    assert re.search(rb"<h1[^>]*>Unexpected Application Error!</h1>", published.pages[NOT_FOUND_PAGE].body)
