"""The money and mail screens are accessible with every panel open."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.back_office.buyers import Buyer, buyer
from tests.e2e.back_office.conftest import BackOfficeOpener
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import RunningSite

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def doubtful(site: RunningSite) -> Buyer:
    """Open an order under review."""
    return buyer(site, "900")


@pytest.fixture(scope="module")
def paid(site: RunningSite) -> Buyer:
    """Open a paid order."""
    return buyer(site)


def test_a_report_with_a_discrepancy_is_accessible(back_office: BackOfficeOpener, doubtful: Buyer) -> None:
    page = back_office("/admin/reconciliation", viewport=DESKTOP, reduced_motion="reduce")
    expect(page.get_by_role("link", name=doubtful.reference)).to_be_visible()
    expect_no_barriers(barriers(page))


def contact(page: Page) -> None:
    """Open the contact form with an error."""
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("textbox", name="E-mail", exact=True).fill("")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Please enter the client's e-mail address.").first).to_be_visible()


def refund(page: Page) -> None:
    """Open the dialog of the refund."""
    page.get_by_role("button", name="Record refund").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def resend(page: Page) -> None:
    """Open the dialog of the receipt."""
    page.get_by_role("button", name="Resend receipt").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def unfolded(page: Page) -> None:
    """Open all panels."""
    for fold in page.locator("main summary").all():
        fold.click()


@pytest.mark.parametrize("reach", [unfolded, contact, refund, resend])
def test_every_panel_of_an_order_is_accessible(
    back_office: BackOfficeOpener, paid: Buyer, reach: Callable[[Page], None]
) -> None:
    page = back_office(paid.file, viewport=DESKTOP, reduced_motion="reduce")
    reach(page)
    expect_no_barriers(barriers(page))


def test_the_dialog_of_a_decision_is_accessible(back_office: BackOfficeOpener, doubtful: Buyer) -> None:
    page = back_office(doubtful.file, viewport=DESKTOP, reduced_motion="reduce")
    page.get_by_role("button", name="Decide").click()
    page.get_by_role("dialog").get_by_label("Payment received").check()
    page.get_by_role("button", name="Record decision").click()
    expect(page.get_by_text("Please give the reason").first).to_be_visible()
    expect_no_barriers(barriers(page))


def test_a_message_is_accessible(site: RunningSite, back_office: BackOfficeOpener, paid: Buyer) -> None:
    ((identity, *_), *_) = site.rows('SELECT id FROM outbox_messages WHERE "to" = ?', paid.email)
    page = back_office(f"/admin/message?id={identity}", viewport=DESKTOP, reduced_motion="reduce")
    expect(page.frame_locator("iframe").get_by_text("Your place is booked")).to_be_visible()
    unfolded(page)
    expect_no_barriers(barriers(page))
