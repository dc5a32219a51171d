"""The page of a booking: every action, the client's mails, and the printed consultation sheet."""

import pytest
from playwright.sync_api import expect

from agency_site.auth.rules import Role
from agency_site.features.booking.schedule.rules import format_day
from tests.e2e.back_office.clients import Client, books, came_and_went, client, free_slots, go_to, state_of
from tests.e2e.back_office.conftest import BackOfficeOpener, audited, click_button, expect_message
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import RunningSite

pytestmark = pytest.mark.thorough


def kinds(site: RunningSite, booking: Client) -> list[str]:
    """Return the kinds of the client's mails after the confirmation."""
    return [kind for kind, *_ in site.mails(booking.email)][1:]


def test_a_note_is_kept_between_the_lines_of_history(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site)
    page = back_office(booking.file, role=Role.FRONT_DESK)
    click_button(page, "Save note")
    expect(page.get_by_text("Please write the note first.").first).to_be_visible()
    page.get_by_role("textbox", name="For staff only", exact=True).fill("Brings the brand book.")
    click_button(page, "Save note")
    expect_message(page, "Note saved.")
    lines = page.get_by_role("list").filter(has_text="Booked for").get_by_role("listitem")
    expect(lines.nth(0)).to_contain_text("Brings the brand book.")
    expect(lines.nth(1)).to_contain_text("The client")
    expect(page.get_by_role("textbox", name="For staff only", exact=True)).to_have_value("")
    assert audited(site, booking.reference) == ["booking.noted"]


def test_a_colleagues_note_appears_by_itself(site: RunningSite, back_office: BackOfficeOpener) -> None:
    booking = client(site)
    page, other = back_office(booking.file), back_office(booking.file)
    other.get_by_role("textbox", name="For staff only", exact=True).fill("Rang about parking.")
    click_button(other, "Save note")
    expect_message(other, "Note saved.")
    expect(page.get_by_text("Rang about parking.").first).to_be_visible()


def test_a_booking_moves_to_a_free_time_and_the_client_is_notified(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site)
    target = next(at for at in free_slots(site, booking.day) if at != booking.time)
    page = back_office(booking.file)
    click_button(page, "Move")
    expect(page.get_by_role("heading", name="Move to another time")).to_be_focused()
    expect(page.get_by_role("radio", name=f"{booking.radio}, taken")).to_be_disabled()
    click_button(page, "Move booking")
    expect(page.get_by_text("Please choose one of the free times.")).to_be_visible()
    page.get_by_role("radio", name=f"{target} on {format_day(booking.day)}", exact=True).check()
    click_button(page, "Move booking")
    expect_message(page, f"Moved to {target} on {format_day(booking.day)}.")
    expect(page.get_by_role("region", name="Booking", exact=True)).to_contain_text(f", {target} to ")
    assert booking.time in free_slots(site, booking.day)
    assert kinds(site, booking) == ["booking-moved"]
    assert audited(site, booking.reference) == ["booking.moved"]


def test_another_week_is_shown(site: RunningSite, back_office: BackOfficeOpener) -> None:
    booking = client(site)
    page = back_office(booking.file)
    click_button(page, "Move")
    before = page.locator(".bookings-day-name").first
    first_week = before.inner_text()
    click_button(page, "Next seven days")
    expect(before).not_to_have_text(first_week)
    click_button(page, "Previous seven days")
    expect(before).to_have_text(first_week)
    go_to(page, booking.day)
    expect(before).to_have_text(f"{booking.day:%a} {booking.day.day}")


def test_a_booking_is_cancelled_with_a_reason_that_the_client_does_not_read(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site)
    page = back_office(booking.file)
    click_button(page, "Cancel booking")
    dialog = page.get_by_role("dialog", name="Cancel this booking?")
    dialog.get_by_label("Reason").fill("Client travels")
    dialog.get_by_role("button", name="Yes, cancel booking").click()
    expect_message(page, "Cancelled.")
    expect(page.get_by_text("Client travels").first).to_be_visible()
    assert state_of(site, booking) == "cancelled"
    assert kinds(site, booking) == ["booking-cancelled"]
    assert "Client travels" not in str(site.mails(booking.email))


def test_a_cancelled_booking_is_reinstated_without_a_mail(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site)
    page = back_office(booking.file)
    for opener, answer, done in (
        ("Cancel booking", "Yes, cancel booking", "Cancelled."),
        ("Reinstate booking", "Yes, reinstate booking", "Booking reinstated."),
    ):
        click_button(page, opener)
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Notify the client").uncheck()
        dialog.get_by_role("button", name=answer).click()
        expect_message(page, done)
    assert state_of(site, booking) == "confirmed"
    assert kinds(site, booking) == []
    assert audited(site, booking.reference) == ["booking.cancelled", "booking.restored"]


def test_a_booking_is_not_reinstated_once_its_time_is_taken(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site)
    page = back_office(booking.file)
    click_button(page, "Cancel booking")
    page.get_by_role("dialog").get_by_role("button", name="Yes, cancel booking").click()
    expect_message(page, "Cancelled.")
    books(site, "Quick Rival", booking.day, booking.time)
    click_button(page, "Reinstate booking")
    page.get_by_role("dialog").get_by_role("button", name="Yes, reinstate booking").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("has just been taken")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert state_of(site, booking) == "cancelled"


def test_a_past_booking_is_completed_and_a_mistake_is_corrected(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site)
    page = back_office(booking.file)
    expect(page.get_by_role("button", name="Complete")).to_have_count(0)
    came_and_went(site, booking)
    expect(page.get_by_role("button", name="Complete")).to_be_visible()
    click_button(page, "Complete")
    expect_message(page, "Marked as completed.")
    assert state_of(site, booking) == "completed"
    click_button(page, "No-show")
    expect_message(page, "Marked as no-show.")
    assert state_of(site, booking) == "no_show"
    assert kinds(site, booking) == []


def test_the_same_client_is_booked_again(site: RunningSite, back_office: BackOfficeOpener) -> None:
    booking = client(site, "Faith Regular")
    page = back_office(booking.file)
    page.get_by_role("link", name="Book again").click()
    expect(page.get_by_label("Name")).to_have_value("Faith Regular")
    expect(page.get_by_role("textbox", name="E-mail")).to_have_value(booking.email)


def test_only_the_consultation_sheet_is_printed(site: RunningSite, back_office: BackOfficeOpener) -> None:
    booking = client(site, "Printed Person")
    page = back_office(booking.file)
    expect(page.get_by_role("button", name="Print")).to_be_visible()
    sheet = page.locator(".bookings-sheet")
    expect(sheet).to_be_hidden()
    page.emulate_media(media="print")
    expect(sheet).to_be_visible()
    for words in (booking.reference, "Printed Person", "A website for our farm.", "Next steps"):
        expect(sheet).to_contain_text(words)
    expect(page.get_by_role("heading", level=1)).to_be_hidden()
    expect(page.get_by_role("button", name="Move", exact=True)).to_be_hidden()


def test_a_viewer_changes_no_booking(site: RunningSite, back_office: BackOfficeOpener) -> None:
    booking = client(site)
    page = back_office(booking.file, role=Role.VIEWER)
    expect(page.get_by_role("button", name="Print")).to_be_visible()
    for name in ("Move", "Cancel booking", "Edit", "Save note"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)


def test_an_unknown_reference_is_named(back_office: BackOfficeOpener) -> None:
    page = back_office("/admin/booking?ref=BK-NOBODY")
    expect(page.get_by_role("alert")).to_contain_text("There is no booking BK-NOBODY.")
    expect(page.get_by_role("link", name="All bookings")).to_be_visible()


@pytest.mark.parametrize("panel", ["Move", "Edit", "Cancel booking"])
def test_every_panel_is_accessible(site: RunningSite, back_office: BackOfficeOpener, panel: str) -> None:
    booking = client(site)
    page = back_office(booking.file, viewport=DESKTOP, reduced_motion="reduce")
    click_button(page, panel)
    expect(
        page.get_by_role("button", name="Cancel", exact=True).or_(page.get_by_role("dialog"))
    ).to_be_visible()
    expect_no_barriers(barriers(page))
