"""The public archive, on both databases: an issue is public once sending has begun."""

import re

import httpx
import pytest

from agency_site.clock import in_nairobi, now
from agency_site.content.newsletter import ISSUES
from agency_site.features.newsletter.jobs import send_due_issues
from agency_site.features.newsletter.page import ROUTES
from agency_site.site.layout.head import page_meta
from tests.integration.features.newsletter.issues import send_issue, write_issue
from tests.integration.features.newsletter.readers import reader

pytestmark = pytest.mark.usefixtures("database")

DELIVERED_ISSUE = next(issue for issue in ISSUES if issue.text)
"""The newest issue of the content that has a page."""


async def test_an_issue_can_be_read_once_sending_has_begun(client: httpx.AsyncClient) -> None:
    await reader()
    issue = await write_issue(text="## Wait\n\n`<script>alert(1)</script>` and *more*")
    assert (await client.get("/newsletter/the-queue-is-the-advert")).status_code == 404
    await send_issue(issue)
    await send_due_issues()
    page = await client.get("/newsletter/the-queue-is-the-advert")
    assert page.status_code == 200
    assert "<em>more</em>" in page.text
    # The one script element holds facts for search engines and runs nothing.
    assert page.text.count("<script") == page.text.count('<script type="application/ld+json">') == 1
    assert 'href="javascript' not in page.text
    assert (
        '<link rel="canonical" href="http://localhost:3000/newsletter/the-queue-is-the-advert">' in page.text
    )
    assert "noindex" not in page.text
    assert "x-robots-tag" not in page.headers
    listed = (await client.get("/newsletter/archive")).text
    order = [listed.index("The queue is the advert"), listed.index(DELIVERED_ISSUE.title)]
    assert order == sorted(order)


@pytest.mark.parametrize("path", ["/newsletter/archive", DELIVERED_ISSUE.href])
async def test_the_archive_has_the_social_tags_of_every_page(client: httpx.AsyncClient, path: str) -> None:
    page = (await client.get(path)).text
    tags = dict(re.findall(r'<meta (?:name|property)="((?:og|twitter):[^"]+)" content="([^"]+)">', page))
    (newsletter,) = (route for route in ROUTES if route.path == "/newsletter")
    elsewhere = {
        tag.get("property") or tag.get("name") for tag in page_meta(newsletter) if isinstance(tag, dict)
    }
    assert set(tags) == elsewhere | {"og:image"}
    assert tags["twitter:title"] == tags["og:title"]
    assert tags["og:url"] == f"http://localhost:3000{path}"
    assert tags["twitter:image"].endswith("/share/newsletter.png")


async def test_the_sitemap_of_the_archive_names_an_issue_once_sending_has_begun(
    client: httpx.AsyncClient,
) -> None:
    await reader()
    issue = await write_issue()
    address = "<loc>http://localhost:3000/newsletter/the-queue-is-the-advert</loc>"
    before = await client.get("/newsletter/sitemap.xml")
    await send_issue(issue)
    await send_due_issues()
    after = await client.get("/newsletter/sitemap.xml")
    assert before.headers["content-type"] == "application/xml"
    assert address not in before.text
    assert f"{address}\n    <lastmod>{in_nairobi(now()).date().isoformat()}</lastmod>" in after.text


async def test_a_page_is_sent_again_only_when_it_has_changed(client: httpx.AsyncClient) -> None:
    first = await client.get(DELIVERED_ISSUE.href)
    again = await client.get(DELIVERED_ISSUE.href, headers={"If-None-Match": first.headers["etag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


async def test_issues_of_content_are_listed_if_they_have_text(client: httpx.AsyncClient) -> None:
    for issue in ISSUES:
        assert (await client.get(issue.href)).status_code == (200 if issue.text else 404)


@pytest.mark.parametrize("path", ["nope", "%00", "%ff%fe", "a/b/c", "Archive", "..%2fadmin", "x" * 4000])
async def test_an_unknown_address_is_the_missing_page_of_the_site(
    client: httpx.AsyncClient, path: str
) -> None:
    answer = await client.get(f"/newsletter/{path}")
    assert answer.status_code == 404
    assert "Unexpected Application Error!" in answer.text


async def test_the_newsletter_page_has_no_slash_at_its_end(client: httpx.AsyncClient) -> None:
    answer = await client.get("/newsletter/")
    assert (answer.status_code, answer.headers["location"]) == (308, "/newsletter")
