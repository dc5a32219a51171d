"""A booking survives a lost connection: the input stays, it is booked once, and its result is shown."""

import secrets
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Opener, RunningSite
from tests.e2e.test_booking import choose, fill, take, working_day
from tests.e2e.test_forms_cut import calm
from tests.e2e.wire import BROKEN, Wire
from tests.waiting import wait_until

pytestmark = pytest.mark.thorough


@pytest.fixture
def address() -> str:
    """An address that no other test types."""
    return f"b{secrets.token_hex(4)}@example.com"


def visit(open_page: Opener, wire: Wire, path: str = "/book") -> Page:
    page = open_page(wire.url + path, expect=BROKEN)
    page.wait_for_load_state("networkidle")
    return page


def bookings(site: RunningSite, address: str) -> list[tuple[object, ...]]:
    return site.rows("SELECT state FROM bookings WHERE email = ?", address)


def expect_booked_once(site: RunningSite, page: Page, address: str) -> None:
    expect(confirmation(page)).to_be_visible()
    expect(page.get_by_label("Full Name")).to_have_value("")
    assert bookings(site, address) == [("confirmed",)]
    assert [kind for kind, *_ in site.mails(address)] == ["booking-confirmed"]


def submit(page: Page, time: str, times: int) -> None:
    """Submit the form `times` times, as the page itself may do. Visitors cannot, because the button is disabled."""
    page.get_by_role("button", name=f"Book at {time}").click()
    expect(page.get_by_role("button", name="Booking...")).to_be_disabled()
    for _ in range(times - 1):
        page.locator("#booking-form").evaluate("form => form.requestSubmit()")


def confirmation(page: Page) -> Locator:
    return page.get_by_role("status").filter(has_text="Booking confirmed! We will get back to you shortly.")


def expect_typed(page: Page, address: str) -> None:
    expect(page.get_by_label("Full Name")).to_have_value("Wanjiru Kamau")
    expect(page.get_by_label("Email Address")).to_have_value(address)
    expect(page.get_by_label("Message")).to_have_value("We open a second branch in March.")


def test_day_time_and_input_survive_cuts_and_a_submit_meanwhile_books_once(
    site: RunningSite, open_page: Opener, wire: Wire, address: str
) -> None:
    page = visit(open_page, wire)
    choose(page, working_day(20), "11:00")
    expect(page.get_by_role("button", name="Book at 11:00")).to_be_enabled()
    wire.cut()
    expect(calm(page)).to_be_visible()
    fill(page, address)
    wire.mend()
    expect(calm(page)).to_have_count(0)
    expect(page.get_by_role("radio", name="11:00", exact=True)).to_be_checked()
    expect_typed(page, address)
    wire.cut()
    expect(calm(page)).to_be_visible()
    page.get_by_role("button", name="Book at 11:00").click()
    expect_typed(page, address)
    assert bookings(site, address) == []
    wire.mend()
    expect_booked_once(site, page, address)


@pytest.mark.parametrize(("submits", "back"), [(1, Wire.mend), (3, Wire.mend), (2, Wire.vanish)])
def test_a_lost_response_is_shown_after_the_cut_and_books_once(
    site: RunningSite,
    open_page: Opener,
    wire: Wire,
    address: str,
    submits: int,
    back: Callable[[Wire], None],
) -> None:
    page = visit(open_page, wire)
    fill(page, address)
    choose(page, working_day(20 + submits), "14:00")
    expect(page.get_by_role("button", name="Book at 14:00")).to_be_enabled()
    wire.lose_answers()
    submit(page, "14:00", submits)
    wait_until(lambda: bookings(site, address) == [("confirmed",)])
    expect_typed(page, address)
    back(wire)
    expect_booked_once(site, page, address)


def test_a_lost_refusal_is_shown_after_the_cut_and_keeps_the_input(
    site: RunningSite, open_page: Opener, wire: Wire, address: str
) -> None:
    page = visit(open_page, wire)
    fill(page, address)
    choose(page, working_day(25), "09:00")
    expect(page.get_by_role("button", name="Book at 09:00")).to_be_enabled()
    assert take(site, working_day(25), "09:00") == 201
    wire.lose_answers()
    handled = site.submits_handled()
    submit(page, "09:00", 2)
    wait_until(lambda: site.submits_handled() > handled)
    wire.mend()
    expect(page.get_by_role("alert").filter(has_text="has just been taken")).to_be_visible()
    expect_typed(page, address)
    expect(page.get_by_role("radio", name="09:00", exact=True)).to_have_count(0)
    assert bookings(site, address) == []


def test_a_slot_that_was_taken_during_the_cut_is_deselected(
    site: RunningSite, open_page: Opener, wire: Wire, address: str
) -> None:
    page = visit(open_page, wire)
    fill(page, address)
    choose(page, working_day(26), "09:00")
    expect(page.get_by_role("button", name="Book at 09:00")).to_be_enabled()
    wire.cut()
    expect(calm(page)).to_be_visible()
    assert take(site, working_day(26), "09:00") == 201
    wire.mend()
    expect(page.get_by_role("button", name="Select Time to Book")).to_be_disabled()
    expect(page.get_by_role("radio", name="09:00", exact=True)).to_have_count(0)
    expect_typed(page, address)
