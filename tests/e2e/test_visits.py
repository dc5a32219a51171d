"""A visitor comes from a campaign, walks through the site and books: the booking says where the visit came from."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Opener, RunningSite, hydrated, untouched
from tests.e2e.test_booking import choose, fill, working_day
from tests.http_clients import CHROME

CAMPAIGN = "/?utm_source=Facebook&utm_medium=cpc&utm_campaign=May"
DAY = 24
"""The working day of these tests."""
ORIGIN = "SELECT visit_source, visit_medium, visit_campaign, visit_page FROM bookings WHERE email = ?"


def walk_to_booking(page: Page) -> None:
    """Follow a link of the page to the booking page. The button is down for a moment, so that Chromium may prefetch."""
    page.locator("a[href='/book']:visible").first.click(delay=300)
    page.wait_for_url("**/book")
    hydrated(page)


def book(page: Page, email: str, at: str) -> None:
    fill(page, email)
    choose(page, working_day(DAY), at)
    page.get_by_role("button", name=f"Book at {at}").click()
    expect(page.get_by_text("Booking confirmed! We will get back to you shortly.")).to_be_visible()


def test_a_booking_stores_the_campaign_and_the_first_page_of_its_visit(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page(CAMPAIGN, user_agent=CHROME, ready=untouched)
    walk_to_booking(page)
    (cookie,) = page.context.cookies()
    assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == ("visit", True, "Lax")
    assert page.evaluate("document.cookie") == ""
    book(page, "from-may@example.com", "09:00")
    assert site.rows(ORIGIN, "from-may@example.com") == [("facebook", "cpc", "may", "/")]


@pytest.mark.thorough
def test_without_scripts_a_booking_stores_the_same(site: RunningSite, open_page: Opener) -> None:
    page = open_page(CAMPAIGN, user_agent=CHROME, scripts=False)
    page.goto(f"/book?date={working_day(DAY)}&time=11:00")
    fill(page, "plain-may@example.com")
    page.get_by_role("button", name="Book at 11:00").click()
    expect(page.get_by_text("Booking confirmed! We will get back to you shortly.")).to_be_visible()
    assert site.rows(ORIGIN, "plain-may@example.com") == [("facebook", "cpc", "may", "/")]


def test_with_global_privacy_control_nothing_is_stored(site: RunningSite, open_page: Opener) -> None:
    headers = {"Sec-GPC": "1"}
    page = open_page(CAMPAIGN, user_agent=CHROME, extra_http_headers=headers, ready=untouched)
    walk_to_booking(page)
    assert page.context.cookies() == []
    book(page, "private@example.com", "14:00")
    assert site.rows(ORIGIN, "private@example.com") == [("", "", "", "")]


@pytest.mark.thorough
def test_the_view_of_a_prefetched_page_is_reported_once_it_is_opened(open_page: Opener) -> None:
    page = open_page("/about", user_agent=CHROME, ready=untouched)
    with page.expect_request("**/api/views") as report:
        page.locator("a[href='/book']:visible").first.click(delay=500)
    assert report.value.method == "POST"
    assert (report.value.post_data or "").endswith("/about")
    answer = report.value.response()
    assert answer is not None
    assert answer.status == 204
