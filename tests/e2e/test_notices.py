"""A visitor agrees to reminders by SMS, and the text message leads to the private page."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import PHONE, Opener, RunningSite
from tests.e2e.test_booking import choose, fill, working_day

TICK = "Send me reminders by SMS to this number. A reply with STOP ends them."
SHORT = re.compile(r"/s/\w{12}$")


def find_text(page: Page, reference: str) -> Locator:
    """Return the text message about a record on the page of the outbox."""
    page.goto("/outbox")
    texts = page.locator("section").filter(has=page.get_by_role("heading", name="Text messages"))
    return texts.get_by_role("listitem").filter(has_text=reference)


def consented(site: RunningSite, number: str) -> bool:
    rows = site.rows("SELECT consented_at IS NOT NULL FROM sms_numbers WHERE number = ?", number)
    return bool(rows and rows[0][0])


def test_a_booking_with_the_tick_is_confirmed_by_a_text_message_with_a_short_link(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page("/book")
    fill(page, "texted@example.com")
    page.get_by_label("Phone Number").fill("0799 100 001")
    page.get_by_label(TICK).check()
    choose(page, working_day(17), "09:00")
    page.get_by_role("button", name="Book at 09:00").click()
    done = page.locator("#booking-done")
    expect(done).to_contain_text("Booking confirmed!")
    expect(page.get_by_label(TICK)).not_to_be_checked()
    reference = done.locator("strong").inner_text()
    assert consented(site, "+254799100001")
    text = find_text(page, reference)
    expect(text).to_contain_text("booking-confirmed")
    expect(text).to_contain_text("1 part")
    address = text.get_by_role("link").get_attribute("href")
    assert address
    assert SHORT.search(address)
    page.goto(address)
    expect(page).to_have_url(re.compile("/booking/"))
    expect(page.locator("main")).to_contain_text(reference)


@pytest.mark.thorough
def test_without_scripts_the_tick_is_not_lost_when_the_form_is_refused(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page(
        f"/book?date={working_day(17)}&time=11:00", scripts=False, viewport=PHONE, expect=("status of 422",)
    )
    fill(page, "not an address")
    page.get_by_label("Phone Number").fill("0799 100 002")
    page.get_by_label(TICK).check()
    page.get_by_role("button", name="Book at 11:00").last.click()
    expect(page.get_by_label(TICK)).to_be_checked()
    page.get_by_label("Email Address").fill("texted-too@example.com")
    page.get_by_role("button", name="Book at 11:00").last.click()
    expect(page).to_have_url(re.compile("/booking/"))
    assert consented(site, "+254799100002")


@pytest.mark.thorough
def test_without_the_tick_there_is_no_consent(site: RunningSite, open_page: Opener) -> None:
    page = open_page("/book")
    fill(page, "no-reminders@example.com")
    page.get_by_label("Phone Number").fill("0799 100 003")
    choose(page, working_day(17), "14:00")
    page.get_by_role("button", name="Book at 14:00").click()
    expect(page.locator("#booking-done")).to_contain_text("Booking confirmed!")
    assert not consented(site, "+254799100003")
