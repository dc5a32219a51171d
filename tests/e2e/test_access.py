"""No page breaks a rule of axe-core, best practice included, at the narrowest and at desktop width."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Opener
from tests.e2e.test_booking import choose, working_day
from tests.e2e.test_every_page import ROUTES
from tests.e2e.test_payment import fill

NARROW, DESKTOP = {"width": 320, "height": 700}, {"width": 1280, "height": 900}


def violations(page: Page) -> list[str]:
    """Each broken rule with the first element that breaks it."""
    found = Axe().run(page).response["violations"]
    return [f"{rule['id']}: {rule['nodes'][0]['html'][:160]} ({len(rule['nodes'])})" for rule in found]


@pytest.mark.parametrize("viewport", [NARROW, DESKTOP], ids=["320", "1280"])
@pytest.mark.parametrize("path", ROUTES)
def test_no_rule_is_broken(open_page: Opener, path: str, viewport: dict[str, int]) -> None:
    page = open_page(path, viewport=viewport, reduced_motion="reduce")
    assert violations(page) == []


def menu_open(page: Page) -> None:
    """The phone's menu with its submenu."""
    page.locator(".menu > summary").click()
    page.locator(".menu details > summary").click()


def dropdown_open(page: Page) -> None:
    """The desktop's Resources."""
    page.get_by_role("button", name="Resources").click()


def field_errors(page: Page) -> None:
    """A booking without contact details."""
    expect(page.get_by_role("grid")).to_be_visible()
    choose(page, working_day(8), "09:00")
    page.get_by_role("button", name="Book at 09:00").click()
    expect(page.get_by_role("alert").filter(has_text="Error submitting booking")).to_be_visible()


def modal_open(page: Page) -> None:
    """The question for the M-Pesa number."""
    fill(page, "axe@example.com")
    page.get_by_role("button", name="Pay KES 30,000", exact=True).click()
    expect(page.get_by_role("dialog", name="Pay with M-Pesa")).to_be_visible()


def refused_payment(page: Page) -> None:
    """An alert inside the modal."""
    modal_open(page)
    page.get_by_label("M-Pesa number").fill("1")
    page.get_by_role("dialog").get_by_role("button", name="Pay KES 30,000").click()
    expect(page.get_by_role("alert").filter(has_text="Payment failed.")).to_be_visible()


def too_many_places(page: Page) -> None:
    """The refusal under the quantity."""
    fill(page, "axe@example.com")
    page.get_by_label("Quantity").fill("9")
    page.get_by_role("button", name="Pay KES 270,000", exact=True).click()
    expect(page.get_by_role("link", name="Contact us about a larger group")).to_be_visible()


@pytest.mark.parametrize(
    ("path", "viewport", "reach"),
    [
        ("/", NARROW, menu_open),
        ("/", DESKTOP, dropdown_open),
        ("/book", NARROW, field_errors),
        ("/book", DESKTOP, field_errors),
        ("/payment", NARROW, modal_open),
        ("/payment", DESKTOP, refused_payment),
        ("/payment", NARROW, too_many_places),
    ],
)
def test_no_rule_is_broken_in_an_open_state(
    open_page: Opener, path: str, viewport: dict[str, int], reach: Callable[[Page], None]
) -> None:
    page = open_page(path, viewport=viewport, reduced_motion="reduce")
    reach(page)
    assert violations(page) == []


@pytest.mark.parametrize(
    "path", ["/booking/unknown", "/order/unknown", "/registration/unknown", "/signup/platinum"]
)
def test_no_rule_is_broken_where_nothing_was_found(open_page: Opener, path: str) -> None:
    page = open_page(path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert violations(page) == []
