"""Staff place an order for a client, whose phone then asks for the PIN."""

import pytest
from playwright.sync_api import expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.buyers import settled
from tests.e2e.back_office.clients import client
from tests.e2e.back_office.conftest import BackOfficeOpener, audited
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import RunningSite
from tests.example_records import OTHER_COURSE

pytestmark = pytest.mark.thorough


def test_an_order_is_placed_from_the_clients_page(site: RunningSite, back_office: BackOfficeOpener) -> None:
    booked = client(site)
    ((email,),) = site.rows("SELECT email FROM bookings WHERE reference = ?", booked.reference)
    page = back_office(
        f"/admin/client?list=bookings&ref={booked.reference}", role=Role.FINANCE, viewport=DESKTOP, reduced_motion="reduce"
    )  # fmt: skip
    page.get_by_role("link", name="New order", exact=True).click()
    form = page.get_by_role("form", name="New order")
    expect(form.get_by_label("E-mail")).to_have_value(str(email))
    form.get_by_label("Course", exact=True).select_option(OTHER_COURSE.slug)
    form.get_by_label("Places").fill("none")
    form.get_by_label("Last name").fill("Barasa")
    form.get_by_role("button", name="Show the total").click()
    expect(form.get_by_text("Please enter how many places.")).to_be_visible()
    expect(form.get_by_label("Last name")).to_have_value("Barasa")
    expect_no_barriers(barriers(page, "an order with an error"))
    form.get_by_label("Places").fill("2")
    form.get_by_role("button", name="Show the total").click()
    send = page.get_by_role("button", name="Send a prompt")
    expect(send).to_be_visible()
    expect(send).to_contain_text("for KES ")
    expect_no_barriers(barriers(page, "the total of an order"))
    page.get_by_role("button", name="Change").click()
    expect(form.get_by_label("Course", exact=True)).to_have_value(OTHER_COURSE.slug)
    expect(form.get_by_label("Last name")).to_have_value("Barasa")
    form.get_by_role("button", name="Show the total").click()
    send.click()
    expect(page.get_by_role("heading", name="Order EN-")).to_be_visible()
    expect(page.get_by_text("2 places").first).to_be_visible()
    settled(site)
    ((reference,),) = site.rows("SELECT reference FROM orders WHERE email = ?", email)
    assert audited(site, str(reference)) == ["order.charged"]
