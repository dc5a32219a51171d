"""A private link shows the draft of an entry on its real page, which visitors do not see yet."""

from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest

from agency_site import clock
from agency_site.agency_site import site_routes
from agency_site.content.articles import ARTICLES, articles
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS
from agency_site.db.engine import session_scope
from agency_site.features.editing.entries import staff_usecases as staff
from agency_site.features.editing.entries.previews import LIFETIME, preview_path
from agency_site.features.newsletter.view import footer_form
from agency_site.web.serving import live_content
from agency_site.web.serving.live_content import follow_content
from tests.built_pages import build_page
from tests.integration.web.test_live_content import FilesOfSite

FIRST = ARTICLES[0]
FIELDS = KINDS[Kind.ARTICLE].fields_of(FIRST)
TITLE = "A title in a draft"
pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True)
def site() -> Iterator[FilesOfSite]:
    """A served site of two pages, which previews are drawn from."""
    routes = {route.path: route for route in site_routes()}
    pages = {path: build_page(routes[path], footer_form) for path in ("/", FIRST.href)}
    files = {live_content._file_of(path): page.encode() for path, page in pages.items()}
    followed = FilesOfSite(files)
    follow_content(followed, site_routes, footer_form)
    yield followed
    live_content._followed.clear()


async def draft(**changes: str) -> str:
    """Save a draft of the first article, and return its private link."""
    async with session_scope() as session:
        fields = {**FIELDS, "title": TITLE, **changes}
        await staff.save_entry(session, Kind.ARTICLE, FIRST.slug, 0, fields, "editor@example.com")
    return preview_path(Kind.ARTICLE, FIRST.slug)


async def test_the_link_opens_the_real_page_with_the_draft_in_two_widths(
    client: httpx.AsyncClient, site: FilesOfSite
) -> None:
    link = await draft()
    frames = await client.get(link)
    assert frames.status_code == 200
    assert frames.text.count(f'src="{link}/page"') == 2
    assert 'width="390"' in frames.text
    assert 'width="1280"' in frames.text
    page = await client.get(f"{link}/page")
    assert TITLE in page.text
    assert "<h1" in page.text
    for answer in (frames, page):
        assert answer.headers["cache-control"] == "no-store"
        assert "noindex" in answer.headers["x-robots-tag"]
    assert site.files is site.published
    assert articles()[0].title != TITLE


async def test_only_our_own_page_frames_the_preview_which_has_no_scripts_and_sends_no_forms(
    client: httpx.AsyncClient,
) -> None:
    page = await client.get(f"{await draft()}/page")
    policy = page.headers["content-security-policy"]
    assert {"frame-ancestors 'self'", "form-action 'none'"} <= set(policy.split("; "))
    assert [part for part in page.text.split("<script")[1:] if "ld+json" not in part.partition(">")[0]] == []
    assert "origin.invalid" not in page.text


async def test_a_new_article_is_previewed_before_it_has_a_page(client: httpx.AsyncClient) -> None:
    async with session_scope() as session:
        fields = {**FIELDS, "title": TITLE, "address": "fresh"}
        entry = await staff.create_entry(session, Kind.ARTICLE, fields, "editor@example.com")
    page = await client.get(f"{preview_path(Kind.ARTICLE, entry.slug)}/page")
    assert TITLE in page.text
    assert (await client.get("/fresh")).status_code == 404


async def test_an_incomplete_draft_has_no_preview(client: httpx.AsyncClient) -> None:
    link = await draft(description="")
    assert (await client.get(link)).status_code == 404
    answer = await client.get(f"{link}/page")
    assert (answer.status_code, "not complete" in answer.text) == (404, True)


@pytest.mark.parametrize("suffix", ["", "/page"])
async def test_a_forged_or_expired_link_opens_nothing(client: httpx.AsyncClient, suffix: str) -> None:
    link = await draft()
    forged = link.replace(FIRST.slug, ARTICLES[1].slug)
    for address in (forged, link[:-1] + ("0" if link[-1] != "0" else "1"), "/preview/x"):
        assert (await client.get(address + suffix)).status_code == 404, address
    with clock.frozen(clock.now() + LIFETIME):
        assert (await client.get(link + suffix)).status_code == 200
    with clock.frozen(clock.now() + LIFETIME + timedelta(days=1)):
        assert (await client.get(link + suffix)).status_code == 404


def test_every_record_is_shown_by_a_page_of_the_site_or_by_none() -> None:
    paths = {route.path for route in site_routes()}
    for kind, definition in KINDS.items():
        for record in definition.delivered:
            path = definition.path_of(record).partition("#")[0]
            assert (path in paths) != (path == ""), (kind, path)
