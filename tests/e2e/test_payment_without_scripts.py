"""A payment where scripts are off, or where they run but no socket ever opens."""

import re

import pytest
from playwright.sync_api import Page, expect

from agency_site.content.course_schema import Course
from agency_site.money import kes
from tests.e2e.back_office.buyers import stored_coupon
from tests.e2e.conftest import Opener, RunningSite, hydrated, untouched
from tests.e2e.journeys import mailed_path
from tests.e2e.test_hydration import Held
from tests.e2e.test_payment import PATIENCE, fill, prompts
from tests.example_records import FREE_COURSE, OTHER_COURSE, PAID_COURSE, THIRD_COURSE

pytestmark = pytest.mark.thorough


def submit(page: Page, name: str, email: str) -> None:
    fill(page, email)
    page.get_by_role("button", name=name, exact=True).click()


def ask(page: Page, course: Course, email: str, number: str) -> None:
    """Fill in the forms up to the prompt on the phone."""
    submit(page, f"Pay {kes(course.payment_price)}", email)
    field = page.get_by_label("M-Pesa number")
    expect(field).to_be_focused()
    expect(field).to_have_value("712 345 678")
    field.fill(number)
    page.get_by_role("button", name=f"Pay {kes(course.payment_price)}", exact=True).click()
    expect(page).to_have_url(re.compile("/order/"))


def test_the_orders_page_refreshes_until_the_course_is_paid(site: RunningSite, open_page: Opener) -> None:
    page = open_page(f"/payment?course={PAID_COURSE.slug}", scripts=False)
    ask(page, PAID_COURSE, "plain@example.com", "712388111")
    expect(page.get_by_role("heading", name="You are enrolled")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_role("link", name="Download the receipt")).to_be_visible()
    assert len(prompts(site, "254712388111")) == 1
    page.go_back()
    page.go_back()
    expect(page.get_by_role("heading", name="Enrol and pay")).to_be_visible()


def test_a_refused_payment_is_tried_again(site: RunningSite, open_page: Opener) -> None:
    page = open_page(f"/payment?course={OTHER_COURSE.slug}", scripts=False)
    ask(page, OTHER_COURSE, "plain-again@example.com", "712346032")
    expect(page.get_by_role("heading", name="The payment was cancelled")).to_be_visible(timeout=PATIENCE)
    page.get_by_label("M-Pesa number").fill("712347111")
    page.get_by_role("button", name=f"Pay {kes(OTHER_COURSE.payment_price)}", exact=True).click()
    expect(page.get_by_role("heading", name="You are enrolled")).to_be_visible(timeout=PATIENCE)
    assert site.rows("SELECT state FROM orders WHERE email = 'plain-again@example.com'") == [("paid",)]


def test_a_free_course_takes_one_form_and_a_mailed_link(site: RunningSite, open_page: Opener) -> None:
    page = open_page(f"/payment?course={FREE_COURSE.slug}", scripts=False)
    expect(page.get_by_role("button", name="One place more")).to_have_count(0)
    submit(page, "Enroll for free", "plain-free@example.com")
    expect(page.get_by_text("Check your e-mail")).to_be_visible()
    mailed = open_page(mailed_path(site, "plain-free@example.com", "/order"), scripts=False)
    mailed.get_by_role("button", name="Confirm my place").click()
    expect(mailed.get_by_role("heading", name="You are enrolled")).to_be_visible()


def test_react_adopts_the_answer_to_a_form(open_page: Opener) -> None:
    held = Held()
    page = open_page(
        f"/payment?course={PAID_COURSE.slug}", prepare=held.hold, ready=untouched, expect=("422",)
    )
    submit(page, f"Pay {kes(PAID_COURSE.payment_price)}", "amina")
    expect(page).to_have_title(re.compile("^Error: "))
    held.release()
    hydrated(page)
    page.get_by_role("button", name="One place more").click()
    expect(page.get_by_label("Quantity")).to_have_value("2")
    expect(page.get_by_label("Email", exact=True)).to_have_value("amina")
    expect(page.get_by_label("Email", exact=True)).to_have_attribute("aria-invalid", "true")


def test_an_order_that_waits_moves_on_without_a_socket(site: RunningSite, open_page: Opener) -> None:
    page = open_page(f"/payment?course={THIRD_COURSE.slug}", scripts=False)
    ask(page, THIRD_COURSE, "no-socket@example.com", "712348600")
    path = page.url.removeprefix(site.url)
    waiting = open_page(
        path, prepare=lambda page: page.route_web_socket("**", lambda _: None), ready=untouched
    )
    expect(waiting.get_by_role("heading", name="Waiting for M-Pesa")).to_be_visible()
    expect(waiting.get_by_role("heading", name="You are enrolled")).to_be_visible(timeout=2 * PATIENCE)


def test_a_coupon_is_checked_and_shown_before_paying(site: RunningSite, open_page: Opener) -> None:
    code = stored_coupon(site)
    page = open_page(f"/payment?course={PAID_COURSE.slug}", scripts=False, expect=("422",))
    page.get_by_label("Coupon code").fill("NO-SUCH")
    submit(page, f"Pay {kes(PAID_COURSE.payment_price)}", "plain-coupon@example.com")
    expect(page.get_by_text("We have no coupon with this code for this course.").first).to_be_visible()
    expect(page.get_by_label("First Name")).to_have_value("Amina")
    coupon = page.get_by_label("Coupon code")
    expect(coupon).to_have_value("NO-SUCH")
    coupon.fill(code)
    page.get_by_role("button", name=f"Pay {kes(PAID_COURSE.payment_price)}", exact=True).click()
    expect(
        page.get_by_text(
            f"{kes(PAID_COURSE.payment_price)} less {kes(PAID_COURSE.payment_price // 10)} with {code}"
        )
    ).to_be_visible()
    page.get_by_label("M-Pesa number").fill("712349111")
    page.get_by_role("button", name="Pay KES 13,500", exact=True).click()
    expect(page.get_by_role("heading", name="You are enrolled")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_text(f"KES 1,500 off with {code}")).to_be_visible()
