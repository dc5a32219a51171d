"""Metadata of published pages for search engines and messengers: it is valid, and the page shows the same facts."""

import html
import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.robotparser import RobotFileParser
from xml.etree import ElementTree

import pytest

from agency_site.content.courses import COURSES
from agency_site.site.layout.sitemap import NAMESPACE
from agency_site.web.build.publish import built_files
from agency_site.web.publishing.published_pages import built_pages
from agency_site.web.publishing.revisions import changed_on, read_revisions
from agency_site.web.serving.edge import BACK_OFFICE, NOT_FOUND_PAGE, PRIVATE, Site
from tests.e2e.conftest import RunningSite
from tests.schema_org import problems, types_of

_TAG = re.compile(r"<(?:meta|link)\b[^>]*>")
_ATTRIBUTE = re.compile(r'([\w:.-]+)="([^"]*)"')
_GRAPH = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.S)
_CRUMBS = re.compile(r'<nav[^>]*aria-label="Breadcrumb".*?</nav>', re.S)


@dataclass(frozen=True)
class Head:
    """The metadata of one page, and its words."""

    path: str
    markup: str

    @cached_property
    def tags(self) -> dict[str, list[str]]:
        """Contents of meta tags by name, and targets of links by their relation."""
        results: dict[str, list[str]] = {}
        for tag in _TAG.findall(self.markup):
            attributes = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(tag)}
            name = attributes.get("property") or attributes.get("name") or attributes.get("rel")
            if name:
                results.setdefault(name, []).append(attributes.get("content") or attributes.get("href") or "")
        return results

    @cached_property
    def graph(self) -> dict[str, Any]:
        """The one graph of facts."""
        (graph,) = _GRAPH.findall(self.markup)
        return json.loads(graph)  # type: ignore[no-any-return]

    def nodes(self, kind: str) -> list[dict[str, Any]]:
        """Nodes of one type."""
        return [node for node in self.graph["@graph"] if kind in types_of(node)]

    @property
    def title(self) -> str:
        """The page's title."""
        (title,) = re.findall(r"<title>([^<]*)</title>", self.markup)
        return html.unescape(title)

    @cached_property
    def words(self) -> str:
        """Return the visible text in one line."""
        return plain(re.sub(r"<(script|style)\b.*?</\1>", "", self.markup, flags=re.S))


def plain(markup: str) -> str:
    """The words between tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", markup.replace("<!-- -->", ""))).split())


@pytest.fixture(scope="module")
def heads(published: Site) -> dict[str, Head]:
    """All public pages by path."""
    return {
        path: Head(path, stored.body.decode())
        for path, stored in published.pages.items()
        if public(path, stored.body)
    }


def public(path: str, body: bytes) -> bool:
    """Return whether search engines may index the page, unlike private pages and responses to forms."""
    return (
        not BACK_OFFICE.match(path)
        and path not in {NOT_FOUND_PAGE, "/404"}
        and b'content="noindex' not in body
    )


def opened(url: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body, of refusals too."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status, {k.lower(): v for k, v in answer.headers.items()}, answer.read()
    except urllib.error.HTTPError as refused:
        return refused.code, {k.lower(): v for k, v in refused.headers.items()}, refused.read()


def places(body: bytes) -> dict[str, str | None]:
    """Address and day of each entry of a sitemap."""
    space = f"{{{NAMESPACE}}}"
    return {
        str(entry.findtext(f"{space}loc")): entry.findtext(f"{space}lastmod")
        for entry in ElementTree.fromstring(body)
    }


def test_every_page_has_a_title_and_a_description_of_its_own(heads: dict[str, Head]) -> None:
    titles = {head.title for head in heads.values()}
    descriptions = {description for head in heads.values() for description in head.tags["description"]}
    assert len(titles) == len(descriptions) == len(heads)
    assert [path for path, head in heads.items() if len(head.title) > 62] == []
    assert [path for path, head in heads.items() if not 50 <= len(head.tags["description"][0]) <= 160] == []


def test_addresses_are_whole_and_pictures_exist(
    site: RunningSite, published: Site, heads: dict[str, Head]
) -> None:
    for path, head in heads.items():
        (address,), (picture,) = head.tags["canonical"], head.tags["og:image"]
        assert address.removeprefix(site.url) in heads, path
        assert head.tags["og:url"] == [address], path
        assert picture == head.tags["twitter:image"][0]
        assert picture.removeprefix(site.url) in published.files, path
        assert "robots" not in head.tags, path
        assert len(head.tags["alternate"]) == 3, path
    pictures = [head.tags["og:image"][0] for head in heads.values()]
    assert len(set(pictures)) == len(pictures)


def test_the_facts_of_every_page_validate(site: RunningSite, heads: dict[str, Head]) -> None:
    for path, head in heads.items():
        assert problems(head.graph) == [], path
        (page,) = head.nodes("WebPage")
        assert page["url"] == head.tags["canonical"][0], path
        assert page["primaryImageOfPage"]["url"] == head.tags["og:image"][0], path
        assert page["description"] == head.tags["description"][0], path
        assert "origin.invalid" not in json.dumps(head.graph)
        assert site.url in page["url"]


def visible_facts(head: Head) -> Iterator[str]:
    """Facts that a visitor must be able to read."""
    for page in head.nodes("FAQPage"):
        for question in page["mainEntity"]:
            yield from (question["name"], question["acceptedAnswer"]["text"])
    for business in head.nodes("LocalBusiness"):
        yield from (business["name"], business["address"]["streetAddress"], business["email"])
    for course in head.nodes("Course"):
        yield from (course["name"], course["educationalLevel"], *course["teaches"])
        price = course["offers"]["price"]
        yield f"KES {price:,}" if price else "FREE"
    for service in head.nodes("Service"):
        offers = service.get("hasOfferCatalog", {}).get("itemListElement", ())
        yield from (offer["itemOffered"]["name"] for offer in offers)
        yield from (f"{offer['price']:,} ksh" for offer in service.get("offers", ()))
    for posting in head.nodes("BlogPosting"):
        yield posting["headline"]
    for event in head.nodes("Event"):
        yield from (event["name"], event["performer"]["name"])


def test_every_fact_for_machines_is_shown_on_the_page(heads: dict[str, Head]) -> None:
    for path, head in heads.items():
        assert [said for said in visible_facts(head) if " ".join(said.split()) not in head.words] == [], path


def test_days_of_articles_and_webinars_are_those_that_the_page_shows(heads: dict[str, Head]) -> None:
    counted = 0
    for path, head in heads.items():
        dates = set(re.findall(r'<time[^>]*dateTime="([^"]*)"', head.markup, re.IGNORECASE))
        for posting in head.nodes("BlogPosting"):
            counted += 1
            assert {posting["datePublished"], posting["dateModified"]} <= dates, path
    assert counted == 11


def test_no_page_claims_a_rating(heads: dict[str, Head]) -> None:
    assert [path for path, head in heads.items() if "ating" in json.dumps(head.graph)] == []


def test_a_visible_breadcrumb_says_what_the_facts_say(heads: dict[str, Head]) -> None:
    seen = 0
    for path, head in heads.items():
        (breadcrumb,) = head.nodes("BreadcrumbList")
        named = [step["name"] for step in breadcrumb["itemListElement"]]
        for crumbs in _CRUMBS.findall(head.markup):
            seen += 1
            labels = [plain(step) for step in re.findall(r"<li\b.*?</li>", crumbs, re.S)]
            assert named[-len(labels) :] == labels, path
    assert seen > len(COURSES) + 15


def test_the_sitemap_names_every_canonical_page_and_nothing_else(
    site: RunningSite, published: Site, heads: dict[str, Head]
) -> None:
    result = places(published.files["/sitemap-pages.xml"].body)
    assert set(result) == {head.tags["canonical"][0] for head in heads.values()}
    for address in result:
        path = address.removeprefix(site.url)
        assert heads[path].tags["canonical"] == [address]
        assert not PRIVATE.match(path)


def test_every_page_has_the_day_of_its_last_change() -> None:
    noted = read_revisions()
    undated = [page.path for page in built_pages(built_files()) if changed_on(page, noted) is None]
    assert not undated, "run `make dates`"


def test_the_served_files_for_crawlers_lead_to_each_other(site: RunningSite) -> None:
    status, headers, body = opened(f"{site.url}/robots.txt")
    assert (status, headers["content-type"]) == (200, "text/plain; charset=utf-8")
    rules = RobotFileParser()
    rules.parse(body.decode().splitlines())
    assert rules.site_maps() == [f"{site.url}/sitemap.xml"]
    for address in places(opened(f"{site.url}/sitemap.xml")[2]):
        status, headers, body = opened(address)
        assert status == 200
        assert "xml" in headers["content-type"]
        result = places(body)
        assert result
        assert all(rules.can_fetch("*", each) for each in result)
        assert all(result.values())
    status, headers, body = opened(f"{site.url}/llms.txt")
    assert (status, headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert f"]({site.url}/google-ads): " in body.decode()


def test_issues_state_their_facts_too(site: RunningSite) -> None:
    addresses = list(places(opened(f"{site.url}/newsletter/sitemap.xml")[2]))
    assert f"{site.url}/newsletter/archive" in addresses
    assert len(addresses) > 1
    for address in addresses:
        status, headers, body = opened(address)
        head = Head(address, body.decode())
        assert status == 200
        assert "x-robots-tag" not in headers
        assert head.tags["canonical"] == [address]
        assert problems(head.graph) == [], address
        assert head.nodes("WebPage")[0]["url"] == address
        assert all(posting["headline"] in head.words for posting in head.nodes("BlogPosting"))


def test_what_is_not_for_search_engines_says_so(site: RunningSite, published: Site) -> None:
    back_office = {
        path: stored.body for path, stored in published.pages.items() if not public(path, stored.body)
    }
    assert len(back_office) > 10
    said = {path: Head(path, body.decode()).tags.get("robots") for path, body in back_office.items()}
    assert {path: robots for path, robots in said.items() if robots != ["noindex, nofollow"]} == {}
    private = (
        "/order/abc",
        "/booking/abc",
        "/certificate/abc",
        "/comment/abc",
        "/learner/abc",
        "/registration/abc",
        "/waiting/abc",
        "/waiting-list/abc",
        "/nowhere",
    )
    for path in (*private, "/newsletter/preferences/abc", "/newsletter/nowhere"):
        status, headers, _ = opened(f"{site.url}{path}")
        assert "noindex" in headers.get("x-robots-tag", ""), (path, status)


def test_the_manifest_and_all_icons_are_served(published: Site, heads: dict[str, Head]) -> None:
    manifest = json.loads(published.files["/site.webmanifest"].body)
    assert {"name", "short_name", "description", "lang", "start_url", "theme_color", "display"} <= set(
        manifest
    )
    assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}
    linked = {target for name in ("icon", "apple-touch-icon", "manifest") for target in heads["/"].tags[name]}
    assert {icon["src"] for icon in manifest["icons"]} | linked <= set(published.files)
    assert heads["/"].tags["theme-color"] == [manifest["theme_color"]]
