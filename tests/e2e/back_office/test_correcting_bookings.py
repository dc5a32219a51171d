"""Editing the details of a booking, by one editor and by two at the same time."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.back_office.clients import Client, client
from tests.e2e.back_office.conftest import BackOfficeOpener, audited
from tests.e2e.conftest import RunningSite

pytestmark = pytest.mark.thorough


def edit(page: Page, **values: str) -> None:
    """Open the form and fill it in."""
    page.get_by_role("button", name="Edit", exact=True).click()
    for label, words in values.items():
        page.get_by_label(label, exact=True).fill(words)


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def stored(site: RunningSite, booking: Client) -> tuple[object, ...]:
    """Return name and phone."""
    (row,) = site.rows("SELECT fullname, phone FROM bookings WHERE reference = ?", booking.reference)
    return row


def expect_saved(page: Page) -> None:
    expect(page.get_by_role("status").filter(has_text="Details saved.")).to_be_visible()


def test_details_are_edited_and_errors_shown_next_to_their_fields(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site)
    page = back_office(booking.file)
    edit(page, Name="Njeri wa Thuo", Phone="12")
    save(page)
    expect(page.get_by_text("Please enter a valid phone number")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Njeri wa Thuo")
    page.get_by_label("Phone", exact=True).fill("0722 000 111")
    save(page)
    expect_saved(page)
    assert stored(site, booking) == ("Njeri wa Thuo", "+254722000111")
    expect(page.get_by_text("Details edited: name, phone")).to_be_visible()
    expect(page.get_by_text("→ Njeri wa Thuo")).to_contain_text("→ 0722 000 111")
    assert audited(site, booking.reference) == ["booking.corrected"]
    assert len(site.mails(booking.email)) == 1


def two_editors(site: RunningSite, back_office: BackOfficeOpener) -> tuple[Page, Client]:
    """Let two editors open the form, the first save, and the second submit another change and see the conflict."""
    booking = client(site)
    first, second = back_office(booking.file), back_office(booking.file)
    edit(first, Name="Njeri the First")
    edit(second, Name="Njeri the Second")
    save(first)
    expect_saved(first)
    # The page behind the second form has refreshed; the form keeps the version that it was opened with.
    expect(second.get_by_role("heading", name="Njeri the First")).to_be_visible()
    save(second)
    panel = second.get_by_role("alert").filter(has_text="Another person changed this record")
    expect(panel.get_by_role("row").filter(has_text="Name")).to_contain_text(
        "Njeri the FirstNjeri the Second"
    )
    assert stored(site, booking)[0] == "Njeri the First"
    return second, booking


def test_the_second_editor_sees_the_saved_version_and_keeps_it(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    page, booking = two_editors(site, back_office)
    page.get_by_role("button", name="Keep theirs").click()
    expect(page.get_by_role("status").filter(has_text="The saved version was kept.")).to_be_visible()
    assert stored(site, booking)[0] == "Njeri the First"


def test_the_second_editor_sees_the_saved_version_and_overwrites_it(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    page, booking = two_editors(site, back_office)
    expect(page.get_by_label("Name", exact=True)).to_have_value("Njeri the Second")
    page.get_by_role("button", name="Keep mine").click()
    expect_saved(page)
    assert stored(site, booking)[0] == "Njeri the Second"


def test_a_change_of_state_does_not_conflict_with_an_edit(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site)
    mover, page = back_office(booking.file), back_office(booking.file)
    edit(page, Name="Njeri Unhurried")
    mover.get_by_role("button", name="Cancel booking").click()
    mover.get_by_role("dialog").get_by_role("button", name="Yes, cancel booking").click()
    expect(mover.get_by_role("status").filter(has_text="Cancelled.")).to_be_visible()
    save(page)
    expect_saved(page)
    assert stored(site, booking)[0] == "Njeri Unhurried"
    assert audited(site, booking.reference) == ["booking.cancelled", "booking.corrected"]
