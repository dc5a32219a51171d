"""Business hours: blackouts, schedule exceptions, policy overrides, and the calendar feed of a staff account."""

import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site import clock
from agency_site.auth.rules import Role
from tests.e2e.back_office.clients import books, client, free_slot, free_slots
from tests.e2e.back_office.conftest import BackOfficeOpener, employ
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import RunningSite

pytestmark = pytest.mark.thorough

HOURS = "/admin/hours"


@pytest.fixture(autouse=True)
def _usual_hours(site: RunningSite) -> Iterator[None]:
    restore_usual_hours(site)
    yield
    restore_usual_hours(site)


def restore_usual_hours(site: RunningSite) -> None:
    """Restore the hours of content and settings afterwards."""
    with closing(site.connect()) as connection:
        for table in ("blackouts", "schedule_exceptions", "booking_policy_overrides"):
            connection.execute(f"DELETE FROM {table}")
        # Bookings of a second seat exceed the new capacity.
        connection.execute("UPDATE bookings SET state = 'cancelled' WHERE seat > 0")


def card(page: Page, heading: str) -> Locator:
    return page.locator("section").filter(has=page.get_by_role("heading", name=heading, exact=True, level=2))


def day_name(day: date) -> str:
    return f"{day:%a} {day.day} {day:%b} {day.year}"


def far_sunday() -> date:
    day = clock.today() + timedelta(days=40)
    return day + timedelta(days=6 - day.weekday())


def test_a_blackout_closes_its_time_and_names_the_bookings_in_it(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site, "Blacked Out")
    page = back_office(HOURS, role=Role.FRONT_DESK)
    blackouts = card(page, "Blackouts")
    blackouts.get_by_label("From").fill(f"{booking.day.isoformat()}T08:00")
    blackouts.get_by_label("Until").fill(f"{booking.day.isoformat()}T18:00")
    blackouts.get_by_label("Reason").fill("Team day")
    blackouts.get_by_role("button", name="Add blackout").click()
    expect(blackouts.get_by_text(f"{day_name(booking.day)}, 08:00 to 18:00").first).to_be_visible()
    expect(blackouts.get_by_text("Existing bookings are affected but not cancelled.")).to_be_visible()
    expect(blackouts.get_by_role("link", name=booking.reference)).to_be_visible()
    expect(card(page, "Bookings that no longer fit")).to_contain_text("Blacked Out")
    expect(blackouts.get_by_label("Reason")).to_have_value("")
    assert free_slots(site, booking.day) == []
    blackouts.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert free_slots(site, booking.day) == []
    blackouts.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Yes, remove").click()
    expect(blackouts.get_by_text("None scheduled.")).to_be_visible()
    expect(card(page, "Bookings that no longer fit")).to_have_count(0)
    assert free_slots(site, booking.day) != []


def test_a_blackout_that_ends_before_it_begins_is_refused_at_its_field(back_office: BackOfficeOpener) -> None:
    page = back_office(HOURS)
    blackouts, day = card(page, "Blackouts"), far_sunday().isoformat()
    blackouts.get_by_role("button", name="Add blackout").click()
    expect(blackouts.locator("#blackout-starts_at-error")).to_have_text("Please enter a day and a time.")
    blackouts.get_by_label("From").fill(f"{day}T12:00")
    blackouts.get_by_label("Until").fill(f"{day}T11:00")
    blackouts.get_by_role("button", name="Add blackout").click()
    expect(blackouts.locator("#blackout-ends_at-error")).to_have_text("The end must be after the start.")
    expect(blackouts.get_by_label("From")).to_have_value(f"{day}T12:00")


def test_a_sunday_is_opened_changed_and_made_a_sunday_again(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    sunday = far_sunday()
    page = back_office(HOURS)
    days = card(page, "Schedule exceptions")
    days.get_by_label("Day", exact=True).fill(sunday.isoformat())
    days.get_by_role("radio", name="Open").check()
    days.get_by_role("button", name="Save day").click()
    expect(days.locator("#special-times-error")).to_contain_text("A Sunday has no usual times.")
    days.get_by_label("Times").fill("10:00, 12:00")
    days.get_by_label("Bookings per time").fill("2")
    days.get_by_role("button", name="Save day").click()
    expect(days.get_by_text("10:00, 12:00, 2 per time")).to_be_visible()
    assert free_slots(site, sunday) == ["10:00", "12:00"]
    days.get_by_role("button", name=f"Edit {day_name(sunday)}").click()
    expect(days.get_by_role("heading", name=day_name(sunday))).to_be_focused()
    expect(days.get_by_label("Times")).to_have_value("10:00 12:00")
    days.get_by_label("Times").fill("10:00")
    days.get_by_role("button", name="Save day").click()
    expect(days.get_by_text("10:00, 2 per time")).to_be_visible()
    assert free_slots(site, sunday) == ["10:00"]
    days.get_by_role("button", name=f"Remove {day_name(sunday)}").click()
    page.get_by_role("dialog").get_by_role("button", name="Yes, remove").click()
    expect(days.get_by_text("None scheduled.")).to_be_visible()
    assert free_slots(site, sunday) == []


def test_a_public_holiday_is_opened_from_its_row(back_office: BackOfficeOpener) -> None:
    page = back_office(HOURS)
    holidays, days = card(page, "Upcoming public holidays"), card(page, "Schedule exceptions")
    holidays.get_by_role("button", name="Set hours").first.click()
    expect(days.get_by_role("radio", name="Open")).to_be_checked()
    days.get_by_label("Times").fill("10:00")
    days.get_by_role("button", name="Save day").click()
    expect(holidays.get_by_role("listitem").first).to_contain_text("10:00")


def test_of_two_who_change_a_day_the_second_chooses(site: RunningSite, back_office: BackOfficeOpener) -> None:
    sunday = far_sunday()
    first, second = back_office(HOURS), back_office(HOURS)
    for page, times in ((first, "09:00"), (second, "15:00")):
        days = card(page, "Schedule exceptions")
        days.get_by_label("Day", exact=True).fill(sunday.isoformat())
        days.get_by_role("radio", name="Open").check()
        days.get_by_label("Times").fill(times)
    card(first, "Schedule exceptions").get_by_role("button", name="Save day").click()
    days = card(second, "Schedule exceptions")
    expect(days.get_by_text(day_name(sunday)).first).to_be_visible()
    days.get_by_role("button", name="Save day").click()
    panel = days.get_by_role("alert").filter(has_text="Another person changed this record")
    expect(panel.get_by_role("row").filter(has_text="Times")).to_contain_text("09:0015:00")
    assert free_slots(site, sunday) == ["09:00"]
    panel.get_by_role("button", name="Keep mine").click()
    expect(days.get_by_text(f"{day_name(sunday)} saved.")).to_be_visible()
    assert free_slots(site, sunday) == ["15:00"]


def test_the_usual_capacity_lets_two_book_one_time_and_lowering_it_names_the_second(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    day, at = free_slot(site)
    page = back_office(HOURS)
    policy = card(page, "Booking policy")
    policy.get_by_label("Bookings per time").fill("99")
    policy.get_by_role("button", name="Save", exact=True).click()
    expect(policy.locator("#choices-usual-error")).to_contain_text("from 1 to 50")
    policy.get_by_label("Bookings per time").fill("2")
    policy.get_by_role("button", name="Save", exact=True).click()
    expect(policy.get_by_text("Saved.", exact=True)).to_be_visible()
    for name in ("Seat One", "Seat Two"):
        books(site, name, day, at)
    policy.get_by_label("Bookings per time").fill("")
    policy.get_by_role("button", name="Save", exact=True).click()
    expect(policy.get_by_text("Existing bookings are affected but not cancelled.")).to_be_visible()
    expect(policy.get_by_text("Seat ")).to_have_count(1)


def test_of_two_who_override_the_policy_the_second_chooses(back_office: BackOfficeOpener) -> None:
    first, second = back_office(HOURS), back_office(HOURS)
    for page, seats in ((first, "3"), (second, "4")):
        policy = card(page, "Booking policy")
        policy.get_by_label("Bookings per time").fill(seats)
        policy.get_by_role("button", name="Save", exact=True).click()
        if page is first:
            expect(policy.get_by_text("Saved.", exact=True)).to_be_visible()
    policy = card(second, "Booking policy")
    panel = policy.get_by_role("alert").filter(has_text="Another person changed this")
    expect(panel.get_by_role("row").filter(has_text="Bookings per time")).to_contain_text("34")
    panel.get_by_role("button", name="Keep theirs").click()
    expect(policy.get_by_label("Bookings per time")).to_have_value("3")


def read_feed(url: str) -> tuple[int, str]:
    """Return status and beginning of the response to a calendar program."""
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.status, answer.read(15).decode()
    except urllib.error.HTTPError as refused:
        return refused.code, ""


def test_the_calendar_link_is_shown_once_works_and_ends(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    member = employ(site, Role.FINANCE)
    page = back_office(HOURS, member=member)
    page.get_by_role("button", name="Create links").click()
    link = page.get_by_label("All bookings").input_value()
    assert read_feed(link) == (200, "BEGIN:VCALENDAR")
    page = back_office(HOURS, member=member)
    expect(page.get_by_text("You have links.")).to_be_visible()
    expect(page.get_by_label("All bookings")).to_have_count(0)
    page.get_by_role("button", name="Revoke links").click()
    expect(page.get_by_role("status").filter(has_text="Calendar links revoked.")).to_be_visible()
    assert read_feed(link)[0] == 404


def test_without_permission_hours_are_read_only(back_office: BackOfficeOpener) -> None:
    page = back_office(HOURS, role=Role.FINANCE)
    expect(card(page, "Blackouts")).to_be_visible()
    for name in ("Add blackout", "Save day", "Save", "Set hours"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)


def test_link_and_errors_are_accessible(back_office: BackOfficeOpener) -> None:
    page = back_office(HOURS, viewport=DESKTOP, reduced_motion="reduce")
    page.get_by_role("button", name="Create links").click()
    page.get_by_role("button", name="Save day").click()
    expect(page.locator("#special-day-error")).not_to_be_empty()
    expect_no_barriers(barriers(page))
