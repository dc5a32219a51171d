"""A refused form leads to its first wrong field: one manner for all public forms, with and without scripts."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site.content.articles import articles
from agency_site.content.webinars import upcoming
from tests.e2e.conftest import PHONE, Opener
from tests.e2e.test_booking import choose, working_day
from tests.e2e.test_hydration import Withheld

SUMMARY = "Please check the marked fields."
TOP, BOTTOM = (f"(element) => element.getBoundingClientRect().{side}" for side in ("top", "bottom"))


def choose_nothing(_page: Page) -> None:
    """Leave the form as it is."""


@dataclass(frozen=True)
class Form:
    """A public form, and the label of the first field that must not be empty."""

    path: str
    name: str
    button: str
    first_wrong: str
    begin: Callable[[Page], None] = choose_nothing
    """Choose what the button needs before it can be used."""

    def locate(self, page: Page) -> Locator:
        return page.get_by_role("main").get_by_role("form", name=self.name)

    def submit(self, page: Page) -> Locator:
        """Press Enter on the button, and return it."""
        self.begin(page)
        button = self.locate(page).locator("button", has_text=self.button)
        button.focus()
        page.keyboard.press("Enter")
        return button


FORMS = (
    Form("/contact", "Write to us", "Send message", "Email"),
    Form("/signup/growth", "Your details", "Sign up", "Full Name"),
    Form(articles()[0].href, "Leave a comment", "Post comment", "Comment *"),
    Form(upcoming()[-1].href, "Reserve a seat", "Reserve a seat", "Full Name"),
    Form("/newsletter", "Subscribe to the newsletter", "Subscribe", "Email"),
)
BOOKING = Form(
    "/book",
    "Book a consultation",
    "Book at",
    "Full Name",
    lambda page: choose(page, working_day(3), "16:00"),
)


def name_form(form: Form) -> str:
    return form.path.split("/")[1]


def expect_first_wrong_field(page: Page, form: Form) -> None:
    field = form.locate(page).get_by_label(form.first_wrong, exact=True)
    expect(field).to_be_focused()
    expect(field).to_be_in_viewport()
    label, header = field.locator("xpath=preceding::label[1]"), page.get_by_role("banner")
    expect(label).to_have_text(form.first_wrong)
    assert label.evaluate(TOP) >= header.evaluate(BOTTOM)
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("alert").filter(has_text=SUMMARY)).to_be_attached()


@pytest.mark.parametrize("form", [*FORMS, BOOKING], ids=name_form)
def test_the_button_keeps_the_focus_until_the_first_wrong_field_gets_it(
    open_page: Opener, form: Form
) -> None:
    answer = Withheld(SUMMARY)
    page = open_page(form.path, viewport=PHONE, prepare=answer.watch)
    button = form.submit(page)
    answer.wait(page)
    expect(button).to_be_disabled()
    expect(button).to_be_focused()
    answer.release()
    expect_first_wrong_field(page, form)
    expect(button).to_be_enabled()


@pytest.mark.parametrize("form", FORMS, ids=name_form)
def test_without_scripts_the_page_says_error_and_begins_at_the_first_wrong_field(
    open_page: Opener, form: Form
) -> None:
    page = open_page(form.path, viewport=PHONE, scripts=False, expect=("422",))
    form.submit(page)
    expect(page).to_have_title(re.compile("^Error: "))
    expect_first_wrong_field(page, form)
    expect(page.locator("[autofocus]")).to_have_count(1)


@pytest.mark.parametrize("path", ["/contact", "/newsletter"])
def test_a_form_of_one_field_leads_back_to_it(open_page: Opener, path: str) -> None:
    page = open_page(path, viewport=PHONE)
    field = page.get_by_role("contentinfo").get_by_label("Where shall we send it?")
    field.fill("nobody@nowhere")
    field.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("contentinfo").locator(".field-error")).not_to_be_empty()
    expect(field).to_be_focused()
