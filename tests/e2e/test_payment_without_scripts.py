"""A payment where scripts are off, or where they run but no socket ever opens."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.back_office.buyers import stored_coupon
from tests.e2e.conftest import Opener, RunningSite, untouched
from tests.e2e.journeys import mailed_path
from tests.e2e.test_hydration import Held
from tests.e2e.test_payment import PATIENCE, fill, prompts

pytestmark = pytest.mark.thorough


def submit(page: Page, name: str, email: str) -> None:
    fill(page, email)
    page.get_by_role("button", name=name, exact=True).click()


def ask(page: Page, email: str, number: str) -> None:
    """Fill in the forms up to the prompt on the phone."""
    submit(page, "Pay KES 15,000", email)
    field = page.get_by_label("M-Pesa number")
    expect(field).to_be_focused()
    expect(field).to_have_value("712 345 678")
    field.fill(number)
    page.get_by_role("button", name="Pay KES 15,000", exact=True).click()
    expect(page).to_have_url(re.compile("/order/"))


def test_the_orders_page_refreshes_until_the_course_is_paid(site: RunningSite, open_page: Opener) -> None:
    page = open_page("/payment?course=google-ads", scripts=False)
    ask(page, "plain@example.com", "712388111")
    expect(page.get_by_role("heading", name="You are enrolled")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_role("link", name="Download the receipt")).to_be_visible()
    assert len(prompts(site, "254712388111")) == 1
    page.go_back()
    page.go_back()
    expect(page.get_by_role("heading", name="Enroll and pay")).to_be_visible()


def test_a_refused_payment_is_tried_again(site: RunningSite, open_page: Opener) -> None:
    page = open_page("/payment?course=meta-ads", scripts=False)
    ask(page, "plain-again@example.com", "712346032")
    expect(page.get_by_role("heading", name="The payment was cancelled")).to_be_visible(timeout=PATIENCE)
    page.get_by_label("M-Pesa number").fill("712347111")
    page.get_by_role("button", name="Pay KES 15,000", exact=True).click()
    expect(page.get_by_role("heading", name="You are enrolled")).to_be_visible(timeout=PATIENCE)
    assert site.rows("SELECT state FROM orders WHERE email = 'plain-again@example.com'") == [("paid",)]


def test_a_free_course_takes_one_form_and_a_mailed_link(site: RunningSite, open_page: Opener) -> None:
    page = open_page("/payment?course=digital-skills", scripts=False)
    expect(page.get_by_role("button", name="One place more")).to_have_count(0)
    submit(page, "Enroll for free", "plain-free@example.com")
    expect(page.get_by_text("Check your e-mail")).to_be_visible()
    mailed = open_page(mailed_path(site, "plain-free@example.com", "/order"), scripts=False)
    mailed.get_by_role("button", name="Confirm my place").click()
    expect(mailed.get_by_role("heading", name="You are enrolled")).to_be_visible()


def test_an_answer_to_a_form_shows_what_pages_without_scripts_show(open_page: Opener) -> None:
    page = open_page("/payment?course=google-ads", prepare=Held().hold, ready=untouched, expect=("422",))
    expect(page.get_by_role("button", name="One place more")).to_be_visible()
    submit(page, "Pay KES 15,000", "amina")
    expect(page).to_have_title(re.compile("^Error: "))
    expect(page.get_by_role("button", name="One place more")).to_be_hidden()
    expect(page.get_by_role("button", name="Show the price of the course chosen above")).to_be_visible()


def test_an_order_that_waits_moves_on_without_a_socket(site: RunningSite, open_page: Opener) -> None:
    page = open_page("/payment?course=canva-design", scripts=False)
    ask(page, "no-socket@example.com", "712348600")
    path = page.url.removeprefix(site.url)
    waiting = open_page(
        path, prepare=lambda page: page.route_web_socket("**", lambda _: None), ready=untouched
    )
    expect(waiting.get_by_role("heading", name="Waiting for M-Pesa")).to_be_visible()
    expect(waiting.get_by_role("heading", name="You are enrolled")).to_be_visible(timeout=2 * PATIENCE)


def test_a_coupon_is_checked_and_shown_before_paying(site: RunningSite, open_page: Opener) -> None:
    code = stored_coupon(site)
    page = open_page("/payment?course=google-ads", scripts=False, expect=("422",))
    page.get_by_label("Coupon code").fill("NO-SUCH")
    submit(page, "Pay KES 15,000", "plain-coupon@example.com")
    expect(page.get_by_text("We have no coupon with this code for this course.").first).to_be_visible()
    expect(page.get_by_label("First Name")).to_have_value("Amina")
    coupon = page.get_by_label("Coupon code")
    expect(coupon).to_have_value("NO-SUCH")
    coupon.fill(code)
    page.get_by_role("button", name="Pay KES 15,000", exact=True).click()
    expect(page.get_by_text(f"KES 15,000 less KES 1,500 with {code}")).to_be_visible()
    page.get_by_label("M-Pesa number").fill("712349111")
    page.get_by_role("button", name="Pay KES 13,500", exact=True).click()
    expect(page.get_by_role("heading", name="You are enrolled")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_text(f"KES 1,500 off with {code}")).to_be_visible()
