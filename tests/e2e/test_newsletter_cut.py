"""Every newsletter form survives a cut: the address stays, one confirmation is sent for it, and the thanks are shown."""

import re
import secrets
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Opener, RunningSite
from tests.e2e.test_forms_cut import calm
from tests.e2e.test_newsletter import link_in, state_of, subscribe
from tests.e2e.wire import BROKEN, Wire
from tests.waiting import wait_until

pytestmark = pytest.mark.thorough


@dataclass(frozen=True)
class Box:
    """A newsletter form: its page, the landmark around it, its label, and whether it asks for consent."""

    path: str
    role: str
    name: str
    label: str
    consent: bool = False

    def around(self, page: Page) -> Locator:
        return page.get_by_role(self.role, name=self.name, exact=True)  # type: ignore[arg-type]

    def field(self, page: Page) -> Locator:
        return self.around(page).get_by_label(self.label, exact=True)

    def fill(self, page: Page, address: str) -> None:
        self.field(page).fill(address)
        if self.consent:
            self.around(page).get_by_label("I agree").check()

    def submit(self, page: Page, times: int = 1) -> None:
        for _ in range(times):
            self.around(page).get_by_role("button", name="Subscribe").press("Enter")


ASKED = "Where shall we send it?"
BOXES = (
    Box("/newsletter", "form", "Subscribe to the newsletter", "Email", consent=True),
    Box("/about", "region", "One useful letter, every Wednesday", ASKED),
    Box("/blog", "region", "Newsletter", ASKED),
)
EVERY_BOX = pytest.mark.parametrize("box", BOXES, ids=("page", "footer", "box"))


@pytest.fixture
def address() -> str:
    """An address that no other test types."""
    return f"n{secrets.token_hex(4)}@example.com"


def visit(open_page: Opener, wire: Wire, path: str) -> Page:
    page = open_page(wire.url + path, expect=BROKEN)
    page.wait_for_load_state("networkidle")
    return page


def stored(site: RunningSite, address: str) -> list[tuple[object, ...]]:
    return site.rows("SELECT state FROM subscribers WHERE email = ?", address)


def expect_asked_once(site: RunningSite, page: Page, address: str) -> None:
    expect(page.get_by_text("Thank you for subscribing!")).to_be_visible()
    assert stored(site, address) == [("pending",)]
    assert [kind for kind, *_ in site.mails(address)] == ["newsletter-confirm"]


@EVERY_BOX
def test_an_address_typed_around_a_cut_stays_and_gets_one_confirmation_mail(
    site: RunningSite, open_page: Opener, wire: Wire, address: str, box: Box
) -> None:
    page = visit(open_page, wire, box.path)
    wire.cut()
    expect(calm(page)).to_be_visible()
    box.fill(page, address)
    wire.mend()
    expect(calm(page)).to_have_count(0)
    expect(box.field(page)).to_have_value(address)
    wire.cut()
    expect(calm(page)).to_be_visible()
    box.submit(page, times=2)
    expect(box.field(page)).to_have_value(address)
    assert stored(site, address) == []
    wire.mend()
    expect_asked_once(site, page, address)


@EVERY_BOX
def test_a_lost_refusal_and_lost_thanks_are_shown_after_the_cut_and_one_mail_is_sent(
    site: RunningSite, open_page: Opener, wire: Wire, address: str, box: Box
) -> None:
    page = visit(open_page, wire, box.path)
    # The browser's own check lets this one pass.
    box.fill(page, "wanjiru@nowhere")
    wire.lose_answers()
    handled = site.submits_handled()
    box.submit(page)
    wait_until(lambda: site.submits_handled() > handled)
    wire.mend()
    expect(page.get_by_text("Please enter a valid e-mail address", exact=False)).to_be_visible()
    expect(box.field(page)).to_have_value("wanjiru@nowhere")
    box.fill(page, address)
    wire.lose_answers()
    box.submit(page, times=3)
    wait_until(lambda: stored(site, address) == [("pending",)])
    expect(box.field(page)).to_have_value(address)
    wire.mend()
    expect_asked_once(site, page, address)


def test_a_choice_on_the_private_page_that_a_cut_prevented_is_made_when_it_is_submitted_again(
    site: RunningSite, open_page: Opener, wire: Wire, address: str
) -> None:
    subscribe(open_page, address)
    page = open_page(wire.url + link_in(site, address, "confirm"), scripts=False, expect=BROKEN)
    page.get_by_role("button", name="Confirm").click()
    page.get_by_role("link", name="Change my topics or unsubscribe").click()
    page.get_by_label("Analytics").check()
    own = page.url
    wire.cut()
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(re.compile("^chrome-error:"))
    assert "analytics" not in interests(site, address)
    wire.mend()
    page.goto(own)
    page.get_by_label("Analytics").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Saved.")
    assert "analytics" in interests(site, address)
    assert state_of(site, address) == "subscribed"


def interests(site: RunningSite, address: str) -> str:
    [(chosen,)] = site.rows("SELECT interests FROM subscribers WHERE email = ?", address)
    return str(chosen)
