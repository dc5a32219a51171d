"""Filters, tabs, search and pagination by the server, without scripts."""

import re
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from starlette.types import ASGIApp

from agency_site.content.article_schema import SidebarCategory
from agency_site.content.articles import ARTICLES, CATEGORY_COUNTS, list_filed_under
from agency_site.content.course_schema import CourseCategory
from agency_site.content.courses import catalogue
from agency_site.content.webinars import PAGE_SIZE, upcoming
from agency_site.settings import PLACEHOLDER_ORIGIN
from agency_site.site import filtered_pages
from agency_site.site.blog_filter import articles_by_filter, category_key
from agency_site.site.webinar_board import read_view
from agency_site.web.build import publish as publishing
from agency_site.web.build.publish import publish
from agency_site.web.serving.edge import Site, in_front_of
from tests.integration.shared_api import shared_api

ORIGIN = "http://localhost:4000"
TAG = ARTICLES[0].tags[0]
BUILT = {
    "/": ("work", "courses"),
    "/blog": ("posts", "filters"),
    "/webinar": ("board", "webinars"),
}


@pytest.fixture
def application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ASGIApp:
    """The site with pages whose regions are built empty."""
    for path, regions in BUILT.items():
        empty = "".join(f'<page-region name="{name}">as built</page-region>' for name in regions)
        page = tmp_path / "build" / path.strip("/") / "index.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(
            f'<html><head><link rel="canonical" href="{PLACEHOLDER_ORIGIN}{path}"/></head><body>{empty}</body></html>'
        )
    monkeypatch.setattr(publishing, "CACHE", tmp_path / "cache")
    return in_front_of(shared_api(), Site(publish(ORIGIN, tmp_path / "build", tmp_path / "site")))


def titles(page: str, kind: str = "article") -> list[str]:
    """Headings of what is shown, in its order."""
    parts = re.split(rf"(?=<(?:{kind})[ >])", page)[1:]
    visible_parts = [part for part in parts if not re.match(r"<\w+ [^>]*hidden", part)]
    headings = [re.search(r"<h3[^>]*>(.*?)</h3>", part, re.DOTALL) for part in visible_parts]
    return [re.sub("<[^>]*>", "", heading[1]).replace("&#x27;", "'") for heading in headings if heading]


def chosen(page: str) -> list[str]:
    """The links that say that they are the present choice."""
    return [
        re.sub("<[^>]*>", "", text)
        for text in re.findall(r'<a [^>]*(?:aria-current|aria-selected)="(?:true|page)"[^>]*>(.*?)</a>', page)
    ]


@pytest.mark.parametrize("path", BUILT)
@pytest.mark.parametrize("query", ["", "?utm_source=x"])
async def test_a_page_without_a_filter_is_the_published_file(
    client: httpx.AsyncClient, path: str, query: str
) -> None:
    answer = await client.get(f"{path}{query}")
    assert "as built" in answer.text
    again = await client.get(f"{path}{query}", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    "address",
    ["/?courses=business", "/blog?category=Analytics", f"/blog?tag={quote(TAG)}", "/webinar?q=marketing"],
)
async def test_a_filtered_page_may_be_found_under_the_address_of_the_whole_page(
    client: httpx.AsyncClient, address: str
) -> None:
    answer = await client.get(address)
    assert answer.status_code == 200
    assert "as built" not in answer.text
    path = address.partition("?")[0]
    assert f'<link rel="canonical" href="{ORIGIN}{path}"/>' in answer.text
    assert "x-robots-tag" not in answer.headers
    assert "script-src" in answer.headers["content-security-policy"]
    head = await client.head(address)
    assert (head.status_code, head.text) == (200, "")


@pytest.mark.parametrize("address", ["/Blog/?category=Analytics", "/WEBINAR?tab=past"])
async def test_another_spelling_leads_to_the_filtered_page(client: httpx.AsyncClient, address: str) -> None:
    answer = await client.get(address)
    path, _, query = address.partition("?")
    assert answer.headers["location"] == f"{path.rstrip('/').lower()}?{query}"


async def test_the_blog_shows_the_posts_of_a_category_or_tag(client: httpx.AsyncClient) -> None:
    page = (await client.get("/blog", params={"category": "email marketing"})).text
    assert titles(page, "li") == [article.title for article in list_filed_under("Email Marketing")]
    count = len(list_filed_under("Email Marketing"))
    assert f"<strong>Email Marketing</strong>: <!-- -->{count} post" in page
    assert chosen(page) == [f"Email Marketing{CATEGORY_COUNTS[SidebarCategory.EMAIL_MARKETING]}"]
    page = (await client.get("/blog", params={"tag": TAG})).text
    assert titles(page, "li") == [article.title for article in ARTICLES if TAG in article.tags]


@pytest.mark.parametrize("query", ["category=Knitting", "category=", "tag=%ff%00", "category=a&tag=b"])
async def test_an_unknown_category_shows_every_post(client: httpx.AsyncClient, query: str) -> None:
    page = (await client.get(f"/blog?{query}")).text
    assert titles(page, "li") == [article.title for article in ARTICLES]
    assert chosen(page) == []
    assert "Show all posts" not in page


async def test_a_category_without_posts_says_so(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filtered_pages, "_draw_posts", filtered_pages._draw_posts.__wrapped__)  # type: ignore[attr-defined]
    monkeypatch.setitem(articles_by_filter(), category_key("Analytics"), ())
    page = (await client.get("/blog?category=analytics")).text
    assert titles(page, "li") == []
    assert "No posts in this category yet." in page
    assert 'href="/blog#posts"' in page


async def test_the_webinars_of_a_page_and_the_way_to_the_others(client: httpx.AsyncClient) -> None:
    page = (await client.get("/webinar?page=2")).text
    view = read_view({"page": "2"})
    assert titles(page) == [item.title for item in view.page_webinars]
    assert chosen(page) == ["Upcoming Webinars", "All", str(view.page)]
    for number in range(1, view.pages + 1):
        assert f'href="/webinar{f"?page={number}" if number > 1 else ""}#webinars"' in page


async def test_tab_category_and_search_combine_and_stay(client: httpx.AsyncClient) -> None:
    page = (await client.get("/webinar?tab=PAST&q=%22words&category=content+marketing")).text
    assert chosen(page)[:2] == ["Past Recordings", "Content Marketing"]
    assert 'value="&quot;words"' in page
    assert '<input name="tab" type="hidden" value="past">' in page
    assert '<input name="category" type="hidden" value="Content Marketing">' in page
    assert "No webinars found" in page
    assert 'href="/webinar?tab=past#webinars"' in page
    page = (await client.get("/webinar?tab=past&q=words")).text
    assert titles(page) == [
        webinar.title for webinar in read_view({"tab": "past", "q": "words"}).page_webinars
    ]


@pytest.mark.parametrize("query", ["tab=other", "category=Knitting", "page=0", "page=two", "q=", "q=%00"])
async def test_a_query_that_means_nothing_shows_the_first_webinars(
    client: httpx.AsyncClient, query: str
) -> None:
    page = (await client.get(f"/webinar?{query}")).text
    assert titles(page) == [item.title for item in upcoming()[:PAGE_SIZE]]


def region(page: str, name: str) -> str:
    """Return the visible markup of a region."""
    return page.partition(f'<page-region name="{name}"')[2].partition("</page-region>")[0]


async def test_the_courses_of_a_category_and_links_that_keep_the_rest_of_the_address(
    client: httpx.AsyncClient,
) -> None:
    _, _, page = (await client.get("/?work=software&courses=business")).text.partition('name="courses"')
    cards = [course.catalogue for course in catalogue() if course.catalogue]
    business = [card.title for card in cards if card.category is CourseCategory.BUSINESS]
    assert titles(page, "li") == business
    assert f"{len(business)} course" in page
    assert chosen(page) == ["Business"]
    assert 'href="/?work=software&amp;courses=marketing#courses-marketing"' in page
    assert 'href="/?work=software#courses-all"' in page


async def test_the_kind_of_work_that_the_address_names_is_chosen(client: httpx.AsyncClient) -> None:
    page = (await client.get("/?work=software&courses=business")).text
    [tab] = [
        match for match in re.findall(r'<a [^>]*role="tab"[^>]*>', page) if 'aria-selected="true"' in match
    ]
    assert 'href="/?work=software&amp;courses=business#work-tab-software"' in tab
    [panel] = [
        match
        for match in re.findall(r'<div [^>]*role="tabpanel"[^>]*>', page)
        if 'data-shown="true"' in match
    ]
    assert 'id="work-panel-software"' in panel


async def test_an_unknown_category_shows_every_course(client: httpx.AsyncClient) -> None:
    page = region((await client.get("/?courses=cooking")).text, "courses")
    assert f"{len(catalogue())} courses shown" in page
    assert chosen(page) == ["All"]
