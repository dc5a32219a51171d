"""Subscribing, confirming, choosing topics, unsubscribing and reading past issues, without scripts."""

import re
import secrets

import pytest
from playwright.sync_api import Page, expect

from agency_site.content.newsletter import ISSUES
from tests.e2e.conftest import PHONE, Opener, PageReader, RunningSite

pytestmark = pytest.mark.thorough


def subscribe(open_page: Opener, address: str) -> None:
    page = open_page("/newsletter")
    form = page.get_by_role("form", name="Subscribe to the newsletter")
    form.get_by_label("Email", exact=True).fill(address)
    form.get_by_label("SEO").check()
    form.get_by_label("I agree").check()
    form.get_by_role("button", name="Subscribe").click()
    expect(page.get_by_role("main")).to_contain_text("Please check your mailbox")


def link_in(site: RunningSite, address: str, page: str) -> str:
    words = site.mails(address)[-1][2]
    match = re.search(rf"/newsletter/{page}/[\w-]+", words)
    assert match is not None
    return match.group()


def state_of(site: RunningSite, address: str) -> str:
    [(state,)] = site.rows("SELECT state FROM subscribers WHERE email = ?", address)
    return str(state)


def expect_no_overflow(page: Page) -> None:
    """Assert that the page does not scroll sideways."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_reader_confirms_chooses_topics_and_unsubscribes_without_scripts(
    site: RunningSite, open_page: Opener
) -> None:
    address = f"reader-{secrets.token_hex(4)}@example.com"
    subscribe(open_page, address)
    assert state_of(site, address) == "pending"
    page = open_page(link_in(site, address, "confirm"), scripts=False, viewport=PHONE)
    expect_no_overflow(page)
    expect(page.get_by_role("main").get_by_role("button")).to_have_text(["Confirm"])
    expect(page.get_by_role("main")).to_contain_text("I agree that you send me this newsletter by e-mail.")
    assert state_of(site, address) == "pending"
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome on board")
    assert state_of(site, address) == "subscribed"
    page.get_by_role("link", name="Change my topics or unsubscribe").click()
    expect(page.get_by_label("SEO")).to_be_checked()
    page.get_by_label("SEO").uncheck()
    page.get_by_label("Analytics").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Saved.")
    expect(page.get_by_label("Analytics")).to_be_checked()
    expect_no_overflow(page)
    page.get_by_role("button", name="Unsubscribe").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You are unsubscribed")
    assert state_of(site, address) == "unsubscribed"


def test_the_newsletter_page_leads_to_whole_issues_that_read_without_scripts(read_page: PageReader) -> None:
    issues = read_page("/newsletter").select_all("details.issue")
    # Another test may have sent a newer one.
    delivered = next(issue for issue in issues if issue.get_all_by_role("heading", ISSUES[0].title))
    link = delivered.get_by_role("link", "Read the whole issue")
    assert link["href"] == ISSUES[0].href
    issue = read_page(link["href"])
    assert issue.get_by_role("heading", level=1).text == ISSUES[0].title
    issue.get_by_role("table")
    archive = issue.get_by_role("navigation", "Breadcrumb").get_by_role("link", "Issues to read again")
    assert read_page(archive["href"]).get_all_by_role("article")


def test_the_archive_is_reached_from_inside_the_running_site(open_page: Opener) -> None:
    page = open_page("/newsletter")
    page.get_by_role("link", name="Issues to read again").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Issues to read again")


def test_an_unknown_issue_shows_the_error_page_of_the_site(read_page: PageReader) -> None:
    page = read_page("/newsletter/no-such-issue", status=404)
    assert page.get_by_role("heading", level=1).text == "Unexpected Application Error!"
    assert "404 Not Found" in page.get_by_role("main").text


def test_the_footer_and_the_page_subscribe_without_scripts(site: RunningSite, open_page: Opener) -> None:
    page = open_page("/about", scripts=False, expect=("422",))
    address = f"reader-{secrets.token_hex(4)}@example.com"
    footer = page.get_by_role("contentinfo")
    footer.get_by_label("Where shall we send it?").fill("nobody@nowhere")
    footer.get_by_role("button", name="Subscribe").click()
    form = page.get_by_role("form", name="Subscribe to the newsletter")
    expect(form.get_by_text("Please enter a valid e-mail address")).to_be_visible()
    expect(form.get_by_label("Email", exact=True)).to_have_value("nobody@nowhere")
    form.get_by_label("Email", exact=True).fill(address)
    form.get_by_label("I agree").check()
    form.get_by_role("button", name="Subscribe").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Thank you for subscribing!")
    assert state_of(site, address) == "pending"
