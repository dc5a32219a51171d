"""Every page is valid HTML: the published file, the server's response, and the document in the browser."""

import re
import secrets
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from agency_site.web.serving.edge import Site
from tests.e2e.back_office.buyers import buyer
from tests.e2e.back_office.clients import client
from tests.e2e.conftest import Opener, RunningSite
from tests.e2e.test_newsletter import link_in, subscribe
from tests.html_checker import html_errors
from tests.html_document import parse_html

pytestmark = pytest.mark.thorough

SHELL_TITLE = "Mwanga Digital"
"""The title before a page has its own."""


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


def test_a_private_page_is_valid_html_with_its_record_and_without(site: RunningSite) -> None:
    kinds = (
        "order", "booking", "comment", "learner", "registration", "certificate", "waiting", "waiting-list",
    )  # fmt: skip
    paths = [f"/{kind}/unknown" for kind in kinds]
    for kind, email in (("order", buyer(site).email), ("booking", client(site).email)):
        match = re.search(rf"/{kind}/[\w=-]+", site.mails(email)[0][2])
        assert match is not None
        paths.append(match.group())
    documents = {path: _body(site.url + path) for path in paths}
    for path, document in documents.items():
        assert parse_html(document).select("head title").text not in {"", SHELL_TITLE}, path
    assert html_errors(documents) == []


def test_a_page_known_only_when_opened_is_valid_html_in_the_browser(open_page: Opener) -> None:
    page = open_page("/signup/platinum")
    expect(page).not_to_have_title(SHELL_TITLE)
    expect(page.locator("head title")).to_have_count(1)
    assert html_errors({page.url: page.content()}) == []
