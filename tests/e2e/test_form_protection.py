"""Protection against programs does not stop people: forms wait visibly, refusals have a message, texts stay."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.e2e.conftest import Opener, RunningSite, served

GUARDS = re.compile(r"/assets/(proof_of_work|solver)-[\w-]+\.js$|/api/challenge$")
LEAST = 5
"""Minimum fill time of the strict site, in seconds: longer than a program needs on a busy machine."""


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    """A site that takes one message from each address, and none within the first seconds."""
    chosen = {"AGENCY_RATE_LIMIT_SENDS": "1/10 minutes", "AGENCY_FORM_MINIMUM_SECONDS": str(LEAST)}
    with served(tmp_path_factory.mktemp("strict"), **chosen) as made:
        yield made


def contact(page: Page) -> Locator:
    return page.get_by_role("main").get_by_role("form", name="Write to us")


def fill(page: Page, address: str) -> None:
    for label, typed in (("Name", "Wanjiru"), ("Email", address), ("Message", "Good morning.")):
        contact(page).get_by_label(label, exact=True).fill(typed)


def submit(page: Page) -> None:
    contact(page).get_by_role("button", name="Send message").click()


def expect_typed(page: Page, address: str) -> None:
    expect(contact(page).get_by_label("Email", exact=True)).to_have_value(address)
    expect(contact(page).get_by_label("Message", exact=True)).to_have_value("Good morning.")


def test_a_visitor_sends_two_forms_and_nothing_of_the_guard_is_loaded_before_the_first_focus(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page("/contact")
    page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    loaded = page.evaluate("performance.getEntriesByType('resource').map((found) => found.name)")
    assert [name for name in loaded if GUARDS.search(name)] == []
    assert page.workers == []

    with page.expect_worker() as started, page.expect_response("**/api/challenge"):
        contact(page).get_by_label("Name", exact=True).focus()
    assert started.value.url.startswith(f"{site.url}/assets/solver-")
    fill(page, "first@guarded.example")
    submit(page)
    expect(page.get_by_role("alert").filter(has_text="Thank you for your message, Wanjiru!")).to_be_visible()
    footer = page.get_by_role("contentinfo")
    footer.get_by_label("Where shall we send it?").fill("first@guarded.example")
    footer.get_by_role("button", name="Subscribe").click()
    expect(footer.get_by_text("Thank you for subscribing!")).to_be_visible()

    assert len(page.workers) == 1
    assert all(url.startswith(site.url) for url in asked)
    assert [kind for kind, _, _ in site.mails("first@guarded.example")] == [
        "message-received",
        "newsletter-confirm",
    ]


def test_a_submit_waits_visibly_programs_and_too_many_submits_get_a_message_and_the_text_stays(
    strict: RunningSite, open_page: Opener
) -> None:
    page = open_page(f"{strict.url}/contact")
    honeypot = contact(page).locator("input[name=remark]")
    expect(honeypot).to_be_hidden()

    def hurry(route: Route) -> None:
        """A program does not wait as the page does."""
        offered = route.fetch()
        route.fulfill(response=offered, body=json.dumps(offered.json() | {"minimum": 0}))

    page.route("**/api/challenge", hurry, times=1)
    fill(page, "strict@guarded.example")
    submit(page)
    expect(page.get_by_role("alert").filter(has_text="faster than anybody can type")).to_be_visible()
    expect_typed(page, "strict@guarded.example")

    contact(page).get_by_label("Subject").fill("Hello")
    honeypot.evaluate("(box) => { box.value = 'http://spam.example'; }")
    submit(page)
    waiting = contact(page).get_by_text("Sending …")
    expect(waiting).to_be_visible()
    submit(page)
    refusal = page.get_by_role("alert").filter(has_text="A box that people do not see was filled in")
    expect(refusal).to_be_visible(timeout=15_000)
    expect(waiting).to_have_count(0)
    expect_typed(page, "strict@guarded.example")
    assert strict.rows("SELECT count(*) FROM enquiries") == [(0,)]

    submit(page)
    thanks = page.get_by_role("alert").filter(has_text="Thank you for your message, Wanjiru!")
    expect(thanks).to_be_visible(timeout=15_000)
    fill(page, "strict@guarded.example")
    submit(page)
    refusal = page.get_by_role("alert").filter(has_text="Too many messages from your connection.")
    expect(refusal).to_contain_text("Please try again in 10 minutes.", timeout=15_000)
    expect_typed(page, "strict@guarded.example")
    assert strict.rows("SELECT count(*) FROM enquiries") == [(1,)]
