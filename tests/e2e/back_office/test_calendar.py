"""The calendar of bookings."""

import re
from contextlib import closing
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from agency_site import clock
from agency_site.features.booking.schedule.rules import format_day
from tests.e2e.back_office.calendar_weeks import PATH, at, booked, card, cell, own_week, week_of
from tests.e2e.back_office.clients import client
from tests.e2e.back_office.conftest import BackOfficeOpener
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import PHONE, WIDE, RunningSite

pytestmark = pytest.mark.thorough

NARROW = {"width": 320, "height": 700}


def test_views_and_pages_are_addresses(back_office: BackOfficeOpener) -> None:
    page = back_office(f"{PATH}?view=week&day=2027-06-30")
    expect(page.get_by_role("heading", level=2, name="28 June to 4 July 2027", exact=True)).to_be_visible()
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("heading", level=2, name="5 to 11 July 2027", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(r"view=week&day=2027-07-07"))
    page.get_by_role("link", name="Month", exact=True).click()
    expect(page.get_by_role("heading", level=2, name="July 2027", exact=True)).to_be_visible()
    page.get_by_role("link", name="Previous").click()
    expect(page.get_by_role("heading", level=2, name="June 2027", exact=True)).to_be_visible()
    page.get_by_role("link", name="Tuesday 15 June 2027").click()
    expect(page.get_by_role("heading", level=2, name="Tuesday 15 June 2027", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", level=2, name="Tuesday 15 June 2027", exact=True)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=2, name="June 2027", exact=True)).to_be_visible()
    page.get_by_label("Go to day").fill("2028-02-29")
    page.get_by_role("button", name="Go", exact=True).click()
    expect(page.get_by_role("heading", level=2, name="February 2028", exact=True)).to_be_visible()
    page.get_by_role("link", name="Today").click()
    today = clock.today()
    expect(page.get_by_role("heading", level=2, name=f"{today:%B} {today.year}", exact=True)).to_be_visible()


def test_another_week_is_not_loaded_again(back_office: BackOfficeOpener) -> None:
    page = back_office(f"{PATH}?view=week&day=2027-06-30", prepare=lambda page: page.clock.install())
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("heading", level=2, name="5 to 11 July 2027", exact=True)).to_be_visible()
    page.evaluate("window.isSame = true")
    page.clock.fast_forward(10_000)
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("heading", level=2, name="12 to 18 July 2027", exact=True)).to_be_visible()
    assert page.evaluate("window.isSame")


PAPER_WIDTH = 657
"""The width of A4 between its margins."""


def test_the_printed_day_says_which_day_and_names_phone_and_topic_and_nothing_to_click(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site, "Printed Person")
    page = back_office(f"{PATH}?view=day&day={booking.day}")
    page.emulate_media(media="print")
    main = page.get_by_role("main")
    expect(main.get_by_role("heading", level=2)).to_be_visible()
    card = page.locator(".cal-card").filter(has_text="Printed Person")
    expect(card).to_contain_text("A website for our farm.")
    expect(card.locator(".cal-phone")).to_be_visible()
    for words in ("Add booking", "Go to day", "Show cancelled bookings", "Drag a booking"):
        expect(main.get_by_text(words).first).to_be_hidden()


def test_a_printed_list_says_its_filter_and_date_and_has_no_tick_boxes(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    client(site, "Listed Person")
    page = back_office("/admin/bookings?state=active&q=Listed")
    note = page.locator(".office-printed")
    expect(note).to_be_hidden()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": PAPER_WIDTH, "height": 1000})
    expect(note).to_contain_text("Search: Listed; State: Not cancelled; ")
    expect(page.get_by_role("cell", name="Listed Person")).to_be_visible()
    for part in (".office-pick", ".bookings-strip", ".office-narrowing", ".office-bulk"):
        expect(page.locator(part).first).to_be_hidden()
    # As narrow as a phone, but a complete table.
    expect(page.get_by_role("columnheader", name="Phone")).to_be_visible()
    assert page.locator(".office-scroll").evaluate("box => box.scrollWidth - box.clientWidth") <= 0


def test_a_phone_begins_with_today_and_a_desktop_with_this_week(back_office: BackOfficeOpener) -> None:
    today = clock.today()
    phone = back_office(PATH, viewport=PHONE)
    expect(
        phone.get_by_role("heading", level=2, name=f"{format_day(today)} {today.year}", exact=True)
    ).to_be_visible()
    expect(phone).to_have_url(re.compile(r"view=day"))
    desktop = back_office(PATH, viewport=WIDE)
    expect(desktop.get_by_role("heading", level=3)).to_have_count(7)


def test_days_without_bookings_are_named_and_free_times_lead_to_booking_by_hand(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    monday = own_week()
    with closing(site.connect()) as connection:
        connection.execute(
            "INSERT INTO blackouts (starts_at, ends_at, reason, author) VALUES (?, ?, 'Staff training', '')",
            (at(monday, 13), at(monday, 15)),
        )
    page = back_office(week_of(monday))
    expect(page.get_by_text("Blackout 13:00 to 15:00: Staff training")).to_be_visible()
    expect(cell(page, monday, 14)).to_contain_text("Blackout")
    sunday = monday + timedelta(days=6)
    expect(page.get_by_role("region", name=format_day(sunday))).to_contain_text("Closed")
    free = cell(page, monday, 9).get_by_role("link", name="Free")
    expect(free).to_have_attribute("href", f"/admin/bookings/new?day={monday}&time=09:00")
    page.goto(f"{PATH}?view=month&day=2026-12-12")
    expect(page.get_by_text("Jamhuri Day, closed")).to_be_visible()


def test_cancelled_bookings_show_when_asked_for(site: RunningSite, back_office: BackOfficeOpener) -> None:
    monday = own_week()
    reference = booked(site, "Amina Gone", monday, 9)
    with closing(site.connect()) as connection:
        connection.execute("UPDATE bookings SET state = 'cancelled' WHERE reference = ?", (reference,))
    page = back_office(week_of(monday))
    expect(cell(page, monday, 9)).to_contain_text("Free")
    expect(card(page, "Amina Gone")).to_have_count(0)
    page.get_by_role("link", name="Show cancelled bookings").click()
    expect(cell(page, monday, 9)).to_contain_text("Cancelled")


@pytest.mark.parametrize("view", ["month", "week", "day"])
def test_every_view_is_accessible(site: RunningSite, back_office: BackOfficeOpener, view: str) -> None:
    monday = own_week()
    booked(site, "Amina Access", monday, 9)
    page = back_office(f"{PATH}?view={view}&day={monday}", viewport=DESKTOP, reduced_motion="reduce")
    expect(page.get_by_role("navigation", name="View")).to_be_visible()
    expect_no_barriers(barriers(page))
