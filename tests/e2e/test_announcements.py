"""Changes are announced in live regions that exist before their text; alerts may be inserted with their text."""

import re

import pytest
from playwright.sync_api import Page, expect

from agency_site.features.booking.schedule.rules import format_day
from agency_site.features.checkout.payment_page.state import ENTER_PIN
from agency_site.money import kes
from tests.e2e.conftest import Opener, RunningSite
from tests.e2e.test_booking import choose_day, working_day
from tests.e2e.test_payment import PATIENCE, modal, start
from tests.e2e.test_webinar_seats import fresh
from tests.example_records import OTHER_COURSE, PAID_COURSE

pytestmark = pytest.mark.thorough

LISTEN = """() => {
  const LIVE = "[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]";
  const announced = document.createElement("output");
  announced.id = "announced";
  announced.hidden = true;
  document.documentElement.append(announced);
  const regions = () => [...document.body.querySelectorAll(LIVE)].filter((one) => one.checkVisibility());
  let known = new Map(regions().map((one) => [one, one.innerText]));
  const note = () => {
    const now = new Map();
    for (const region of regions()) {
      const words = region.innerText.trim();
      now.set(region, words);
      const spoken = known.has(region) ? known.get(region) !== words : region.matches("[role=alert]");
      if (spoken && words) announced.append(`[${words.replace(/\\s+/g, " ")}]`);
    }
    known = now;
  };
  new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
}"""


def expect_announced(page: Page, words: str | re.Pattern[str], patience: float = 10_000) -> None:
    """Assert that screen readers announce the text."""
    expect(page.locator("#announced")).to_contain_text(words, timeout=patience)


def listening(page: Page) -> Page:
    page.evaluate(LISTEN)
    return page


def test_slots_errors_and_the_outcome_of_a_booking_are_announced(
    site: RunningSite, open_page: Opener
) -> None:
    page, day = open_page("/book"), working_day(14)
    times = page.get_by_role("radiogroup", name="Available times")
    expect(times.or_(page.get_by_text("No available times", exact=True))).to_be_visible()
    listening(page)
    choose_day(page, day)
    expect_announced(page, "[Loading times]")
    expect_announced(page, re.compile(rf"\[{format_day(day)}: \d times? available\]"))
    page.get_by_role("radio", name="09:00", exact=True).click()
    page.get_by_role("button", name="Book at 09:00").click()
    expect_announced(page, "Error submitting booking")
    expect_announced(page, "[Please enter your phone number.]")


def test_results_of_filters_and_searches_are_announced(open_page: Opener) -> None:
    page = listening(open_page("/"))
    page.locator("#courses").get_by_role("link", name="Marketing", exact=True).click()
    expect_announced(page, re.compile(r"\[\d courses? shown\]"))
    page = listening(open_page("/blog"))
    page.get_by_role("link", name="Email Marketing 15").click()
    expect_announced(page, "Email Marketing: 1 post")
    page = listening(open_page("/webinar"))
    page.get_by_role("searchbox").fill("blockchain")
    expect_announced(page, "No webinars found")


def test_the_state_of_a_payment_is_announced(open_page: Opener) -> None:
    page = listening(open_page(f"/payment?course={PAID_COURSE.slug}"))
    page.get_by_role("button", name="One place more").click()
    expect_announced(page, f"[{kes(2 * PAID_COURSE.payment_price)}]")
    start(page, fresh(), "712347111", kes(2 * PAID_COURSE.payment_price))
    expect_announced(page, "Success. Request accepted for processing")
    expect_announced(page, f"[{ENTER_PIN}]")
    expect_announced(page, "[payment valid]", PATIENCE)
    expect(modal(page).get_by_role("link", name="See your enrolment")).to_be_visible()


def test_a_refused_payment_and_a_late_one_are_announced(open_page: Opener) -> None:
    page = listening(open_page(f"/payment?course={OTHER_COURSE.slug}"))
    start(page, fresh(), "712347001")
    expect_announced(page, re.compile(r"\[There was not enough money in your M-Pesa account\."), PATIENCE)


def test_results_of_small_forms_are_announced(open_page: Opener) -> None:
    page = listening(open_page(f"/{PAID_COURSE.slug}"))
    page.get_by_role("button", name="Save for later").click()
    expect_announced(page, "Saved in this browser.")
    field, send = page.locator("#footer-email"), page.get_by_role("button", name="Subscribe")
    field.fill("nobody@nowhere")
    send.click()
    expect_announced(page, "Please enter a valid e-mail address")
    field.fill(fresh())
    send.click()
    expect_announced(page, "[Thank you for subscribing! Please confirm it with the link in our e-mail.]")
