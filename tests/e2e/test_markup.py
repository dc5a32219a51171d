"""Every page is valid HTML: the published file, the server's response, and the document in the browser."""

import re
import secrets
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import Page, expect

from agency_site.web.serving.edge import Site
from tests.e2e.back_office.buyers import buyer
from tests.e2e.back_office.clients import client
from tests.e2e.conftest import Opener, RunningSite
from tests.e2e.test_newsletter import link_in, subscribe
from tests.html_checker import html_errors


def test_the_html_checker_reports_invalid_html() -> None:
    result = html_errors({"/good": VALID, "/bad": VALID.replace("<p>", "<li>")})
    assert result
    assert all(error.startswith("/bad: ") for error in result)


VALID = '<!doctype html><html lang="en"><head><title>Valid</title></head><body><p>Words</p></body></html>'


def test_every_published_page_is_valid_html(published: Site) -> None:
    pages = {name: file.body.decode() for name, file in published.files.items() if name.endswith(".html")}
    assert len(pages) > len(published.pages)
    assert html_errors(pages) == []


def test_pages_that_the_server_writes_are_valid_html(site: RunningSite, open_page: Opener) -> None:
    address = f"reader-{secrets.token_hex(4)}@example.com"
    subscribe(open_page, address)
    paths = (
        link_in(site, address, "confirm"), "/newsletter/archive", "/newsletter/preferences/unknown", "/newsletter/unknown",
        "/admin/sign-in", "/admin/reset/unknown", "/outbox", "/nothing/here", "/offline.html",
    )  # fmt: skip
    assert html_errors({path: _body(site.url + path) for path in paths}) == []


def _body(url: str) -> str:
    try:
        with urllib.request.urlopen(url) as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError as refused:
        return refused.read().decode()


@pytest.mark.parametrize(
    "path",
    [
        "/signup/platinum", "/order/unknown", "/booking/unknown", "/comment/unknown", "/learner/unknown",
        "/registration/unknown", "/certificate/unknown", "/waiting/unknown", "/waiting-list/unknown",
    ],
)  # fmt: skip
def test_a_page_known_only_when_opened_is_valid_html(open_page: Opener, path: str) -> None:
    _clean(path, open_page(path, expect=("404",)))


def test_a_private_page_with_its_record_is_valid_html(site: RunningSite, open_page: Opener) -> None:
    for kind, email in (("order", buyer(site).email), ("booking", client(site).email)):
        match = re.search(rf"/{kind}/[\w=-]+", site.mails(email)[0][2])
        assert match is not None
        page = open_page(match.group())
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        _clean(kind, page)


def _clean(path: str, page: Page) -> None:
    """The page's own title has taken the place of the shell's, and the document is valid."""
    expect(page).not_to_have_title(re.compile("^Mwanga Digital$"))
    expect(page.locator("head title")).to_have_count(1)
    assert html_errors({path: page.content()}) == []
