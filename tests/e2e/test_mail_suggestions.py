"""An e-mail address whose domain looks mistyped is asked about below its field."""

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Opener, hydrated, untouched

TYPE = """([selector, typed]) => {
  const field = document.querySelector(selector);
  field.value = typed;
  field.dispatchEvent(new Event("change", { bubbles: true }));
}"""
FIELD, QUESTION = "#contact-email", "#contact-email-suggestion"


def type_address(page: Page, typed: str) -> None:
    """Leave an address in the field without reaching for it, which would load the page's scripts."""
    page.evaluate(TYPE, [FIELD, typed])


def test_a_mistyped_domain_is_asked_about_and_only_a_click_changes_it(open_page: Opener) -> None:
    page = open_page("/contact")
    field = page.locator(FIELD)
    field.fill("amina@gmail.con")
    field.blur()
    expect(page.locator(QUESTION)).to_have_text("Did you mean amina@gmail.com?")
    expect(field).to_have_value("amina@gmail.con")
    page.get_by_role("button", name="amina@gmail.com").click()
    expect(field).to_have_value("amina@gmail.com")
    expect(field).to_be_focused()
    expect(page.locator(QUESTION)).to_be_empty()


def test_the_question_stays_while_the_page_hydrates_and_works_before_and_after(open_page: Opener) -> None:
    page = open_page("/contact", ready=untouched)
    type_address(page, "otieno@gmial.com")
    page.get_by_role("button", name="otieno@gmail.com").dispatch_event("click")
    expect(page.locator(FIELD)).to_have_value("otieno@gmail.com")
    type_address(page, "otieno@yahooo.com")
    hydrated(page)
    page.get_by_role("button", name="otieno@yahoo.com").click()
    expect(page.locator(FIELD)).to_have_value("otieno@yahoo.com")


def test_which_domains_are_asked_about(open_page: Opener) -> None:
    page = open_page("/contact", ready=untouched)
    suggestions = {
        "gmail.co": "gmail.com", "gmaill.com": "gmail.com", "Gmail.cmo": "gmail.com", "hotmial.com": "hotmail.com",
        "outlok.com": "outlook.com", "firm.con": "firm.com", "yahoo.co.ku": "yahoo.co.uk",
    }  # fmt: skip
    for typed, right in suggestions.items():
        type_address(page, f"a.b@{typed}")
        expect(page.locator(QUESTION)).to_have_text(f"Did you mean a.b@{right}?")
    known = "gmail.com ymail.com mail.com gmx.com email.com hotmail.co.uk live.com firm.co firm.co.ke"
    for right in known.split():
        type_address(page, f"a.b@{right}")
        expect(page.locator(QUESTION)).to_be_empty()
    type_address(page, "no address")
    expect(page.locator(QUESTION)).to_be_empty()
