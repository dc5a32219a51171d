"""Protection against programs does not stop people: refusals have a message, texts stay."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Opener, RunningSite, served

pytestmark = pytest.mark.thorough

LEAST = 5
"""Minimum fill time of the strict site, in seconds: longer than a program needs on a busy machine."""


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    """A site that takes one message from each address, and none within the first seconds."""
    chosen = {"AGENCY_RATE_LIMIT_SENDS": "1/10 minutes", "AGENCY_FORM_MINIMUM_SECONDS": str(LEAST)}
    with served(tmp_path_factory.mktemp("strict"), **chosen) as server:
        yield server


def contact(page: Page) -> Locator:
    return page.get_by_role("main").get_by_role("form", name="Write to us")


def fill(page: Page, address: str) -> None:
    for label, text in (("Name", "Wanjiru"), ("Email", address), ("Message", "Good morning.")):
        contact(page).get_by_label(label, exact=True).fill(text)


def submit(page: Page) -> None:
    contact(page).get_by_role("button", name="Send message").click()


def expect_typed(page: Page, address: str) -> None:
    expect(contact(page).get_by_label("Email", exact=True)).to_have_value(address)
    expect(contact(page).get_by_label("Message", exact=True)).to_have_value("Good morning.")


def test_a_post_faster_than_people_type_gets_a_message_and_the_text_stays(
    strict: RunningSite, open_page: Opener
) -> None:
    page = open_page(f"{strict.url}/contact", scripts=False, expect=("422",))
    fill(page, "quick@guarded.example")
    submit(page)
    expect(page.get_by_role("alert").filter(has_text="That was too fast")).to_be_focused()
    expect_typed(page, "quick@guarded.example")
    assert strict.rows("SELECT count(*) FROM enquiries") == [(0,)]


def test_programs_and_too_many_submits_get_a_message_and_the_text_stays(
    strict: RunningSite, open_page: Opener
) -> None:
    page = open_page(f"{strict.url}/contact")
    honeypot = contact(page).locator("input[name=remark]")
    expect(honeypot).to_be_hidden()
    fill(page, "strict@guarded.example")
    honeypot.evaluate("(box) => { box.value = 'http://spam.example'; }")
    submit(page)
    refusal = page.get_by_role("alert").filter(has_text="A hidden field was filled in")
    expect(refusal).to_be_visible()
    expect_typed(page, "strict@guarded.example")
    assert strict.rows("SELECT count(*) FROM enquiries") == [(0,)]

    submit(page)
    expect(page.get_by_role("alert").filter(has_text="Thank you for your message, Wanjiru!")).to_be_visible()
    fill(page, "strict@guarded.example")
    submit(page)
    refusal = page.get_by_role("alert").filter(has_text="Too many messages from your connection.")
    expect(refusal).to_contain_text("Please try again in 10 minutes.")
    expect_typed(page, "strict@guarded.example")
    assert strict.rows("SELECT count(*) FROM enquiries") == [(1,)]
