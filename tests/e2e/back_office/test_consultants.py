"""Consultants: an owner adds two persons, visitors choose between them, staff give a booking to the other one."""

from collections.abc import Iterator
from contextlib import closing
from datetime import date

import pytest
from playwright.sync_api import Page, expect

from agency_site.auth.rules import Role
from agency_site.content.hours import HOURS
from tests.e2e.back_office.clients import books, free_slots, new_name
from tests.e2e.back_office.conftest import (
    BackOfficeOpener,
    audited,
    click_button,
    expect_message,
    filled,
    unfold_filters,
)
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import Opener, RunningSite
from tests.e2e.test_booking import PUBLIC_DAYS, choose, fill, open_day

pytestmark = pytest.mark.thorough

CONSULTANTS = "/admin/consultants"
MORNINGS = "08:00-12:00"
WORKING_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


@pytest.fixture(autouse=True)
def _no_consultants(site: RunningSite) -> Iterator[None]:
    """Other tests book seats without a person."""
    yield
    with closing(site.connect()) as connection:
        connection.execute(
            "UPDATE bookings SET consultant_id = NULL, state = 'cancelled' WHERE consultant_id IS NOT NULL"
        )
        connection.execute("DELETE FROM consultants")


def free_day(site: RunningSite) -> date:
    """Return a working day without bookings: those of other tests have the seats of the first consultants."""
    days = map(open_day, range(PUBLIC_DAYS + 1, 2 * PUBLIC_DAYS))
    return next(day for day in days if len(free_slots(site, day)) == len(HOURS.slots))


def add_consultant(page: Page, name: str, hours: str = "") -> str:
    """Add a consultant with the same hours on each working day; return the reference."""
    page.goto(CONSULTANTS)
    page.get_by_role("link", name="New consultant").click()
    expect(page.get_by_role("button", name="Add consultant")).to_be_visible()
    page.get_by_label("Name", exact=True).fill(name)
    for day in WORKING_DAYS:
        page.get_by_label(day).fill(hours)
    click_button(page, "Add consultant")
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    return page.locator(".record-reference strong").inner_text()


def test_visitors_choose_between_consultants_and_staff_assign_another_one(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener
) -> None:
    day = free_day(site)
    wanjiru, brian = new_name("Wanjiru"), new_name("Brian")
    page = back_office(CONSULTANTS, viewport=DESKTOP, reduced_motion="reduce")
    consultant = add_consultant(page, wanjiru, MORNINGS)
    expect(page.get_by_text(f"Mon to Fri {MORNINGS}").first).to_be_visible()
    expect_no_barriers(barriers(page))
    add_consultant(page, brian)
    assert audited(site, consultant) == ["consultant.created"]
    assert free_slots(site, day) == ["09:00", "11:00", "14:00", "16:00"]

    visitor = open_page("/book")
    person = visitor.get_by_label("With", exact=True)
    expect(person.get_by_role("option")).to_have_text(["Any person", *sorted([wanjiru, brian])])
    person.select_option(label=wanjiru)
    fill(visitor, "chooser@example.com")
    choose(visitor, day, "11:00")
    expect(visitor.get_by_role("radio", name="14:00", exact=True)).to_have_count(0)
    visitor.get_by_role("button", name="Book at 11:00").click()
    expect(visitor.get_by_text("Booking confirmed! We will get back to you shortly.")).to_be_visible()
    ((reference,),) = site.rows("SELECT reference FROM bookings WHERE email = 'chooser@example.com'")
    booking = str(reference)

    page.goto(f"/admin/bookings/calendar?view=day&day={day.isoformat()}")
    expect(page.locator(".cal-card").filter(has_text=wanjiru)).to_have_count(1)
    page.get_by_label("Consultant", exact=True).select_option(label=brian)
    click_button(page, "Show")
    expect(page.locator(".cal-card")).to_have_count(0)

    page.goto(f"/admin/booking?ref={booking}")
    click_button(page, "Change consultant")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("option")).to_have_text([brian])
    expect_no_barriers(barriers(page))
    click_button(dialog, "Change consultant")
    expect_message(page, f"Consultant changed. The client is notified. {brian} takes it now.")
    assert audited(site, booking) == ["booking.assigned"]

    page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]
    page.goto("/admin/bookings")
    unfold_filters(filled(page))
    page.get_by_label("Consultant", exact=True).first.select_option(label=brian)
    click_button(page, "Show")
    expect(page.get_by_role("link", name=booking)).to_be_visible()


def test_wrong_hours_are_refused_at_their_day_and_no_input_is_lost(back_office: BackOfficeOpener) -> None:
    page = back_office(CONSULTANTS, role=Role.FRONT_DESK)
    page.get_by_role("link", name="New consultant").click()
    expect(page.get_by_role("button", name="Add consultant")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("Wanjiru Kamau")
    page.get_by_label("Tuesday").fill("nine to five")
    for way in ("In Karen", "By phone", "By video"):
        page.get_by_label(way).uncheck()
    click_button(page, "Add consultant")
    expect(page.get_by_text("Please enter hours such as 09:00-13:00")).to_be_visible()
    expect(page.get_by_text("Please choose at least one way to meet clients.")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Wanjiru Kamau")
    expect(page.get_by_label("Tuesday")).to_have_value("nine to five")


def test_a_deactivated_consultant_takes_no_new_bookings(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    day = free_day(site)
    page = back_office(CONSULTANTS)
    add_consultant(page, new_name("Mornings"), MORNINGS)
    assert free_slots(site, day) == ["09:00", "11:00"]
    booking = books(site, "Njeri Thuo", day, "09:00")
    click_button(page, "Deactivate")
    click_button(page.get_by_role("dialog"), "Yes, deactivate")
    expect_message(page, "The consultant takes no new bookings.")
    assert "14:00" in free_slots(site, day)
    expect(page.get_by_text("1 booking", exact=True)).to_be_visible()
    page.goto(booking.file)
    expect(page.get_by_text("Confirmed", exact=True).first).to_be_visible()


@pytest.mark.parametrize("role", [Role.VIEWER, Role.FINANCE])
def test_without_permission_the_screen_is_refused(back_office: BackOfficeOpener, role: Role) -> None:
    page = back_office("/admin", role=role)
    expect(page.get_by_role("link", name="Consultants", include_hidden=True)).to_have_count(0)
