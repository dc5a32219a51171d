"""Private pages: each below a path that the whole site treats as private, each a document of its own."""

import httpx
import pytest
import reflex as rx
from fastapi import FastAPI, Request, Response
from fastapi.routing import APIRoute

from agency_site.feature_contracts import join_features
from agency_site.site.layout.path_rules import PRIVATE_PATHS, Rule, paths_with
from agency_site.site.layout.private_page import PrivatePage, unknown_link
from agency_site.site.layout.served_pages import PAGES
from agency_site.web.serving.api import PAGE_ROUTERS
from tests.small_site import small_site

PAGE = PrivatePage(
    path="/order/{token}",
    title="Your <order>",
    description="One order.",
    unknown=unknown_link("Nothing", rx.el.p()),
)


def test_a_private_page_outside_of_the_private_paths_is_refused() -> None:
    with pytest.raises(ValueError, match="/invoice"):
        PrivatePage(path="/invoice/{token}", title="", description="", unknown=rx.el.p())


def test_every_private_path_has_its_page() -> None:
    paths = {route.path for pages in PAGE_ROUTERS for route in pages.routes if isinstance(route, APIRoute)}
    assert [start for start in PRIVATE_PATHS if not any(path.startswith(start) for path in paths)] == []


@pytest.mark.parametrize("rule", [Rule.UNCRAWLED, Rule.UNCACHED, Rule.UNPREFETCHED])
def test_every_private_path_is_closed_to_crawlers_caches_and_prefetching(rule: Rule) -> None:
    assert set(PRIVATE_PATHS) <= set(paths_with(rule))


async def test_the_document_has_header_footer_and_one_script_that_its_policy_names(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    join_features()
    app = FastAPI()

    @app.get("/order/{token}")
    async def show(token: str, request: Request) -> Response:
        with pytest.MonkeyPatch.context() as patch:
            request.scope[PAGES] = small_site(tmp_path_factory.mktemp("site"), patch)
        return PAGE.show(request, None if token == "none" else rx.el.h1("Shown"), refresh_seconds=3)

    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app), base_url="http://localhost"
    ) as browser:
        response, unknown = await browser.get("/order/abc"), await browser.get("/order/none")
    assert (response.status_code, unknown.status_code) == (200, 404)
    assert "<title>Your &lt;order&gt; | " in response.text
    assert "<title>Error: Your &lt;order&gt;" not in unknown.text
    assert [
        response.text.count(part)
        for part in ("<h1", "<header", "<footer", "<script", 'id="footer-newsletter-form"')
    ] == [1] * 5
    assert 'data-refresh="3"' in response.text
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in response.text
    policy = response.headers["content-security-policy"]
    assert policy.count("sha256-") == 1
    assert "unsafe" not in policy
    assert response.headers["cache-control"] == "no-store"
