"""The money and mail screens break no rule of axe, with every panel open, and never scroll sideways."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.barriers import DESKTOP, NARROW, violations
from tests.e2e.conftest import RunningSite
from tests.e2e.office.buyers import Buyer, buyer
from tests.e2e.office.conftest import OfficeOpener

WIDTHS = pytest.mark.parametrize("viewport", [NARROW, DESKTOP], ids=["320", "1280"])


@pytest.fixture(scope="module")
def doubtful(site: RunningSite) -> Buyer:
    """An order under review."""
    return buyer(site, "900")


@pytest.fixture(scope="module")
def paid(site: RunningSite) -> Buyer:
    """A paid order."""
    return buyer(site)


def judged(page: Page) -> None:
    """No rule is broken, and nothing is wider than the window."""
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@WIDTHS
@pytest.mark.parametrize(
    "path", ["/admin/orders", "/admin/payments", "/admin/reconciliation", "/admin/enrolments", "/admin/mail"]
)
def test_no_rule_is_broken_by_lists_and_reports(
    office: OfficeOpener, paid: Buyer, doubtful: Buyer, path: str, viewport: dict[str, int]
) -> None:
    assert paid != doubtful
    page = office(path, viewport=viewport, reduced_motion="reduce")
    expect(page.get_by_role("table").first).to_be_visible()
    judged(page)


def contact(page: Page) -> None:
    """Correcting, with a fault."""
    page.get_by_role("button", name="Correct", exact=True).click()
    page.get_by_role("textbox", name="E-mail", exact=True).fill("")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Please enter your e-mail address.").first).to_be_visible()


def refund(page: Page) -> None:
    """The refund's question."""
    page.get_by_role("button", name="Mark refunded").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def resend(page: Page) -> None:
    """The receipt's question."""
    page.get_by_role("button", name="Send the receipt again").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def unfolded(page: Page) -> None:
    """Every fold open."""
    for fold in page.locator("main summary").all():
        fold.click()


@WIDTHS
@pytest.mark.parametrize("reach", [unfolded, contact, refund, resend])
def test_no_rule_is_broken_by_an_order(
    office: OfficeOpener, paid: Buyer, reach: Callable[[Page], None], viewport: dict[str, int]
) -> None:
    page = office(paid.file, viewport=viewport, reduced_motion="reduce")
    reach(page)
    judged(page)


@WIDTHS
def test_no_rule_is_broken_by_a_decision(
    office: OfficeOpener, doubtful: Buyer, viewport: dict[str, int]
) -> None:
    page = office(doubtful.file, viewport=viewport, reduced_motion="reduce")
    page.get_by_role("button", name="Decide").click()
    page.get_by_role("dialog").get_by_label("The money has come").check()
    page.get_by_role("button", name="Write it down").click()
    expect(page.get_by_text("Please give the reason").first).to_be_visible()
    judged(page)


@WIDTHS
def test_no_rule_is_broken_by_a_message(
    site: RunningSite, office: OfficeOpener, paid: Buyer, viewport: dict[str, int]
) -> None:
    ((identity, *_), *_) = site.rows('SELECT id FROM outbox_messages WHERE "to" = ?', paid.email)
    page = office(f"/admin/message?id={identity}", viewport=viewport, reduced_motion="reduce")
    expect(page.frame_locator("iframe").get_by_text("Your place is booked")).to_be_visible()
    unfolded(page)
    judged(page)
