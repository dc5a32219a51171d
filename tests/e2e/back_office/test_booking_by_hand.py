"""Bookings by staff for clients who call or walk in."""

import secrets
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from agency_site import clock
from agency_site.auth.rules import Role
from agency_site.features.booking.schedule.rules import format_day
from tests.e2e.back_office.clients import books, free_slot, go_to, new_name, open_today
from tests.e2e.back_office.conftest import BackOfficeOpener, audited, employ
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import Opener, RunningSite

pytestmark = pytest.mark.thorough

NEW = "/admin/bookings/new"


def choose(page: Page, spoken: str) -> None:
    page.get_by_role("radio", name=spoken, exact=True).check()


def fill(page: Page, name: str, email: str = "") -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Phone").fill("0733 444 555")
    page.get_by_role("textbox", name="E-mail").fill(email)


def book(page: Page) -> None:
    page.get_by_role("button", name="Create booking").click()


def booked(page: Page) -> str:
    """Return the reference of the new booking."""
    expect(
        page.get_by_role("status").filter(has_text="Booking created. The reference is BK-")
    ).to_be_visible()
    return page.locator(".record-reference strong").inner_text()


def test_errors_are_shown_next_to_their_fields_and_no_input_is_lost(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    day, at = free_slot(site)
    email = f"caller-{secrets.token_hex(4)}@example.com"
    page = back_office(NEW, role=Role.FRONT_DESK)
    page.get_by_role("textbox", name="E-mail").fill(email)
    page.get_by_label("Topic").fill("A shop for honey.")
    book(page)
    expect(page.get_by_text("Please choose one of the free times.")).to_be_visible()
    expect(page.get_by_text("Please enter the client's full name.")).to_be_visible()
    expect(page.get_by_text("Please enter the client's phone number.")).to_be_visible()
    expect(page.get_by_label("Topic")).to_have_value("A shop for honey.")
    go_to(page, day)
    choose(page, f"{at} on {format_day(day)}")
    fill(page, "Wambui Honey", email)
    book(page)
    reference = booked(page)
    expect(page.get_by_role("heading", name="Wambui Honey")).to_be_visible()
    expect(page.get_by_text("A shop for honey.").first).to_be_visible()
    assert [kind for kind, *_ in site.mails(email)] == ["booking-confirmed"]
    assert audited(site, reference) == ["booking.booked"]


def test_a_caller_without_an_address_gets_a_day_that_visitors_cannot_choose_yet(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    ahead = clock.today() + timedelta(days=120)
    day = ahead - timedelta(days=ahead.weekday())
    page = back_office(NEW)
    go_to(page, day)
    expect(page.locator(".bookings-day-name").first).to_contain_text(f"Mon {day.day}")
    page.locator(".bookings-slot input:enabled").first.check()
    fill(page, "Far Ahead")
    book(page)
    reference = booked(page)
    expect(page.get_by_text("The client gets no e-mails").first).to_be_visible()
    assert site.rows("SELECT email FROM bookings WHERE reference = ?", reference) == [("",)]


def test_without_notification_a_caller_gets_no_mail(site: RunningSite, back_office: BackOfficeOpener) -> None:
    day, at = free_slot(site)
    email = f"unnotified-{secrets.token_hex(4)}@example.com"
    page = back_office(f"{NEW}?day={day.isoformat()}&time={at}")
    expect(page.get_by_role("radio", name=f"{at} on {format_day(day)}", exact=True)).to_be_checked()
    fill(page, "Unnotified Caller", email)
    page.get_by_label("Send confirmation").uncheck()
    book(page)
    booked(page)
    assert site.mails(email) == []


def test_a_client_who_walks_in_gets_a_slot_that_has_begun(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    with open_today(site) as spoken:
        page = back_office(NEW)
        choose(page, spoken)
        fill(page, "Walk In")
        book(page)
        booked(page)
        expect(page.get_by_role("button", name="Complete")).to_be_visible()


def test_a_slot_that_a_visitor_takes_meanwhile_closes_by_itself(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    day, at = free_slot(site)
    page = back_office(NEW)
    go_to(page, day)
    choose(page, f"{at} on {format_day(day)}")
    books(site, "Faster Visitor", day, at)
    taken_slot = page.get_by_role("radio", name=f"{at} on {format_day(day)}, taken")
    expect(taken_slot).to_be_disabled()
    fill(page, "Too Late")
    book(page)
    expect(page.get_by_text("Please choose one of the free times.")).to_be_visible()
    expect(page.get_by_label("Name")).to_have_value("Too Late")


def test_a_second_submit_books_nothing_more(site: RunningSite, back_office: BackOfficeOpener) -> None:
    day, at = free_slot(site)
    name = new_name("Twice")
    page = back_office(NEW)
    go_to(page, day)
    choose(page, f"{at} on {format_day(day)}")
    fill(page, name)
    with site.occupied():
        book(page)
        page.get_by_label("Name").press("Enter")
    booked(page)
    expect(page.get_by_role("alert")).to_have_count(0)
    assert len(site.rows("SELECT 1 FROM bookings WHERE fullname = ?", name)) == 1


@pytest.mark.parametrize("role", [Role.VIEWER, Role.FINANCE])
def test_without_permission_the_screen_is_refused(site: RunningSite, open_page: Opener, role: Role) -> None:
    page = open_page(NEW, cookies=[employ(site, role).cookie(site)])
    expect(page.get_by_role("alert")).to_contain_text("You don't have access.")
    expect(page.get_by_label("Phone")).to_have_count(0)


def test_the_form_with_errors_is_accessible(back_office: BackOfficeOpener) -> None:
    page = back_office(NEW, viewport=DESKTOP, reduced_motion="reduce")
    book(page)
    expect(page.get_by_text("Please choose one of the free times.")).to_be_visible()
    expect_no_barriers(barriers(page))
