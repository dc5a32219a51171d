"""A company pays: its name and KRA PIN on the payment page or later on the order page, with scripts and without."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.back_office.buyers import buyer
from tests.e2e.barriers import barriers, expect_no_barriers
from tests.e2e.conftest import Opener, RunningSite, hydrated, untouched
from tests.e2e.test_learners import find_link
from tests.example_records import PAID_COURSE

pytestmark = pytest.mark.thorough

NAME, PIN = "Savanna Foods Ltd", "P051234567X"


def unfold(page: Page, summary: str) -> None:
    page.locator("summary").filter(has_text=summary).click()


@pytest.mark.parametrize("scripts", [True, False])
def test_the_payment_page_keeps_what_was_typed_about_a_company(open_page: Opener, scripts: bool) -> None:
    ready = {"ready": hydrated} if scripts else {"scripts": False, "expect": ("422",)}
    page = open_page(f"/payment?course={PAID_COURSE.slug}", **ready)
    expect(page.get_by_label("Company name")).to_be_hidden()
    unfold(page, "A company pays")
    for label, text in {
        "First Name": "Amina", "Last Name": "Odhiambo", "Email": "amina-company@example.com", "Phone": "0712 345 678",
        "Company name": NAME, "KRA PIN": "051234567",
    }.items():  # fmt: skip
        page.get_by_role("textbox", name=label, exact=True).fill(text)
    page.get_by_role("button", name=re.compile("^Pay KES")).click()
    wrong = page.get_by_label("KRA PIN")
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("A KRA PIN is a letter, nine digits and a letter").first).to_be_visible()
    expect(wrong).to_have_value("051234567")
    expect(page.get_by_label("Company name")).to_have_value(NAME)
    if scripts:
        expect_no_barriers(barriers(page, "a company's PIN with an error"))
    wrong.fill(PIN)
    page.get_by_role("button", name=re.compile("^Pay KES")).click()
    expect(page.get_by_role("heading", name="Pay with M-Pesa")).to_be_visible()


def test_a_disclosure_that_is_opened_first_keeps_the_focus(open_page: Opener) -> None:
    page = open_page(f"/payment?course={PAID_COURSE.slug}", ready=untouched)
    unfold(page, "A company pays")
    hydrated(page)
    expect(page.locator("#payment-company > summary")).to_be_focused()
    expect(page.get_by_label("Company name")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False])
def test_the_order_page_takes_the_company_later(site: RunningSite, open_page: Opener, scripts: bool) -> None:
    link = find_link(site, buyer(site).email, "order")
    page = open_page(link, scripts=scripts, expect=("422",))
    unfold(page, "A company pays")
    page.get_by_label("Company name").fill(NAME)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Please enter the company's KRA PIN too.")).to_be_visible()
    expect(page.get_by_label("Company name")).to_have_value(NAME)
    if scripts:
        expect_no_barriers(barriers(page, "the form for an invoice"))
    page.get_by_label("KRA PIN").fill(PIN)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text(NAME)).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the invoice").click()
    assert download.value.suggested_filename.startswith("invoice-EN-")
