"""The list of bookings: refresh, filters, bulk actions, permissions."""

import re
import secrets

import pytest
from playwright.sync_api import Page, expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.clients import Client, books, came_and_went, client, free_slot, state_of
from tests.e2e.back_office.conftest import BackOfficeOpener, audited, unfold_filters
from tests.e2e.conftest import RunningSite

pytestmark = pytest.mark.thorough

LIST = "/admin/bookings"


def tick(page: Page, booking: Client) -> None:
    page.get_by_role("checkbox", name=f"Select {booking.reference}").check()


def begin(page: Page, action: str) -> None:
    page.get_by_label("With selected").select_option(label=action)
    page.get_by_role("button", name="Apply").click()


def test_a_booking_made_at_the_site_appears_on_an_open_list(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    page = back_office(LIST)
    day, at = free_slot(site)
    booking = books(site, "Zuhura Live", day, at)
    row = page.get_by_role("row").filter(has_text=booking.reference)
    expect(row).to_be_visible()
    expect(row).to_contain_text(f"{day:%a} {day.day} {day:%b} {day.year}, {at}")
    expect(row).to_contain_text("0712 345 678")
    row.get_by_role("link", name=booking.reference).click()
    expect(page.get_by_role("heading", name="Zuhura Live")).to_be_visible()


def test_the_list_of_bookings_is_searched_and_filtered(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    word = f"Wekesa{secrets.token_hex(3)}"
    booking, other = client(site, f"Simón {word}"), client(site)
    page = back_office(LIST)
    page.get_by_label("Search this list").fill(f"simon {word}")
    page.get_by_role("search", name="Bookings").get_by_role("button", name="Show").click()
    expect(page.get_by_role("link", name=booking.reference)).to_be_visible()
    expect(page.get_by_role("link", name=other.reference)).to_have_count(0)
    unfold_filters(page)
    page.get_by_role("combobox", name="State").select_option(label="Cancelled")
    page.get_by_role("search", name="Bookings").get_by_role("button", name="Show").click()
    expect(page.get_by_text("No results.")).to_be_visible()
    page.get_by_role("link", name="Clear filters").click()
    expect(page.get_by_role("link", name=other.reference)).to_be_visible()


def test_what_needs_an_outcome_is_counted_and_found(site: RunningSite, back_office: BackOfficeOpener) -> None:
    booking = client(site, "Ochieng Done")
    came_and_went(site, booking)
    page = back_office(LIST)
    menu = page.get_by_role("navigation", name="Back office")
    menu.get_by_role("link", name=re.compile(r"^Bookings: \d+ waiting$")).click()
    expect(page.get_by_role("combobox", name="State")).to_have_value("waiting")
    row = page.get_by_role("row").filter(has_text=booking.reference)
    expect(row).to_contain_text("Needs an outcome")
    tick(page, booking)
    begin(page, "Complete")
    page.get_by_role("dialog").get_by_role("button", name="Complete").click()
    expect(page.get_by_text("Done: 1.")).to_be_visible()
    expect(row).to_have_count(0)
    assert state_of(site, booking) == "completed"


def test_several_are_cancelled_at_once_and_the_clients_notified(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    first, other = client(site, "First Of Two"), client(site, "Second Of Two")
    page = back_office(LIST, role=Role.FRONT_DESK)
    tick(page, first)
    tick(page, other)
    begin(page, "Cancel bookings")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Cancel 2 bookings?")
    expect(dialog.get_by_label("Notify the clients")).to_be_checked()
    dialog.get_by_role("button", name="Cancel bookings").click()
    expect(page.get_by_text("Done: 2.")).to_be_visible()
    for booking in (first, other):
        assert state_of(site, booking) == "cancelled"
        assert site.mails(booking.email)[-1][0] == "booking-cancelled"
        assert audited(site, booking.reference) == ["booking.cancelled"]


def test_clients_are_notified_only_if_the_box_is_ticked(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site, "Quiet Cancel")
    page = back_office(LIST)
    tick(page, booking)
    begin(page, "Cancel bookings")
    page.get_by_label("Notify the clients").uncheck()
    page.get_by_role("dialog").get_by_role("button", name="Cancel bookings").click()
    expect(page.get_by_text("Done: 1.")).to_be_visible()
    assert [kind for kind, *_ in site.mails(booking.email)] == ["booking-confirmed"]


def test_what_cannot_be_done_is_reported_for_each_booking(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    past, ahead = client(site, "Past One"), client(site, "Ahead One")
    came_and_went(site, past)
    page = back_office(LIST)
    tick(page, past)
    tick(page, ahead)
    begin(page, "Mark as no-show")
    page.get_by_role("dialog").get_by_role("button", name="Mark as no-show").click()
    expect(page.get_by_text("Done: 1. Not possible: 1.")).to_be_visible()
    expect(
        page.get_by_text(f"{ahead.reference}: Booking {ahead.reference} has not begun yet")
    ).to_be_visible()
    assert (state_of(site, past), state_of(site, ahead)) == ("no_show", "confirmed")


def test_columns_are_chosen(site: RunningSite, back_office: BackOfficeOpener) -> None:
    client(site)
    page = back_office(LIST)
    page.locator("summary").filter(has_text="Columns").click()
    page.get_by_label("Topic").check()
    page.get_by_label("Phone", exact=True).uncheck()
    page.get_by_role("button", name="Update columns").click()
    expect(page.get_by_role("columnheader", name="Topic")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Phone")).to_have_count(0)


def test_a_viewer_cannot_add(back_office: BackOfficeOpener) -> None:
    page = back_office(LIST, role=Role.VIEWER)
    expect(page.get_by_role("navigation", name="List and calendar")).to_be_visible()
    expect(page.get_by_role("link", name="Add booking")).to_have_count(0)


def test_the_dashboard_shows_this_week(back_office: BackOfficeOpener) -> None:
    page = back_office("/admin")
    expect(page.get_by_role("link", name="Bookings today")).to_be_visible()
    page.get_by_role("group").filter(has_text="Bookings this week and next").locator("summary").click()
    expect(page.get_by_role("table", name="Bookings this week and next").get_by_role("row")).to_have_count(15)
    page.get_by_role("link", name="Bookings this week").click()
    expect(page.get_by_role("combobox", name="When")).to_have_value("week")
