"""Data requests: search, download, erasure; and refusal of the whole erasure while a payment is open."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.clients import client
from tests.e2e.back_office.conftest import BackOfficeOpener, employ
from tests.e2e.back_office.senders import owes_an_answer, wrote
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import Opener, RunningSite

pytestmark = pytest.mark.thorough

PATH = "/admin/people"


def search(page: Page, *, email: str = "", phone: str = "") -> None:
    page.get_by_label("E-mail (").fill(email)
    page.get_by_label("Phone (").fill(phone)
    page.get_by_role("button", name="Find").click()


def test_a_person_is_found_and_every_record_leads_to_its_page(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site, "Zawadi Privacy")
    page = back_office(PATH)
    search(page, email=booking.email.upper())
    expect(page.get_by_role("heading", name=f"Data stored about {booking.email}")).to_be_focused()
    expect(page.get_by_role("button", name="+254712345678")).to_be_visible()
    record = page.get_by_role("group").filter(has_text=f"Booking {booking.reference}")
    expect(record.get_by_text("A website for our farm.").first).to_be_visible()
    record.get_by_role("link", name="Open record").click()
    expect(page.get_by_role("heading", name="Zawadi Privacy")).to_be_visible()


def test_another_number_of_theirs_is_searched_as_well(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site)
    page = back_office(PATH)
    search(page, email=booking.email)
    page.get_by_role("button", name="+254712345678").click()
    expect(page.get_by_role("heading", name=f"{booking.email} or +254712345678")).to_be_visible()


def test_an_error_is_shown_next_to_its_box(back_office: BackOfficeOpener) -> None:
    page = back_office(PATH)
    search(page)
    expect(page.locator("#person-email-error")).to_have_text(
        "Please enter an e-mail address or a phone number."
    )
    search(page, phone="12")
    expect(page.locator("#person-phone-error")).to_contain_text("valid phone number")
    search(page, email="nobody@example.com")
    expect(page.get_by_role("heading", name="No data stored about nobody@example.com")).to_be_visible()
    expect(page.get_by_role("button", name="Erase on request")).to_have_count(0)


def test_the_file_holds_everything(site: RunningSite, back_office: BackOfficeOpener, tmp_path: Path) -> None:
    booking = client(site)
    page = back_office(PATH)
    search(page, email=booking.email)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as JSON").click()
    download.value.save_as(tmp_path / "person.json")
    document = json.loads((tmp_path / "person.json").read_text())
    assert [record["reference"] for record in document["records"]["Bookings"]] == [booking.reference]
    assert len(document["records"]["Mails"]) == 2
    assert booking.email not in download.value.suggested_filename
    # The page still shows the person, so that the next click works.
    page.get_by_role("button", name="Erase on request").click()
    expect(page.get_by_role("dialog")).to_contain_text("Erase this personal data?")


def test_erasing_asks_first_names_what_is_kept_and_erases_the_rest(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site, "Zuri Erased")
    who = employ(site, Role.OWNER)
    page = back_office(PATH, member=who)
    search(page, email=booking.email)
    page.get_by_role("button", name="Erase on request").click()
    dialog = page.get_by_role("dialog", name="Erase this personal data?")
    expect(dialog).to_contain_text("so that the calendar of past days stays correct")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    assert site.rows("SELECT fullname FROM bookings WHERE reference = ?", booking.reference) == [
        ("Zuri Erased",)
    ]
    page.get_by_role("button", name="Erase on request").click()
    dialog.get_by_role("button", name="Erase data").click()
    expect(page.get_by_role("heading", name="No data stored about")).to_be_visible()
    expect(page.get_by_text("Bookings: 1")).to_be_visible()
    assert site.rows(
        "SELECT fullname, email, state FROM bookings WHERE reference = ?", booking.reference
    ) == [("", "", "cancelled")]
    assert site.mails(booking.email) == []
    entries = site.rows(
        "SELECT action, reference, detail FROM audit_entries WHERE actor = ? ORDER BY id", who.email
    )
    assert [action for action, *_ in entries] == ["person.looked_up", "person.erased"]
    assert "zuri" not in str(entries).lower()
    assert booking.email not in str(entries)


def test_while_a_payment_is_open_nothing_is_erased_and_the_page_says_why(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    sender = wrote(site, name="Amina Undecided")
    reference = owes_an_answer(site, sender.email)
    page = back_office(PATH)
    search(page, email=sender.email)
    page.get_by_role("button", name="Erase on request").click()
    page.get_by_role("dialog").get_by_role("button", name="Erase data").click()
    refusal = page.get_by_role("alert").filter(has_text="Nothing was erased.")
    expect(refusal).to_contain_text(f"A payment of {reference} is not finished.")
    ((name,),) = site.rows("SELECT fullname FROM enquiries WHERE reference = ?", sender.reference)
    assert name == "Amina Undecided"


def test_only_an_owner_opens_data_requests(site: RunningSite, open_page: Opener) -> None:
    page = open_page(PATH, cookies=[employ(site, Role.FRONT_DESK).cookie(site)])
    expect(page.get_by_role("alert")).to_contain_text("You don't have access.")
    expect(page.get_by_role("link", name="Data requests")).to_have_count(0)


def test_search_results_are_accessible(site: RunningSite, back_office: BackOfficeOpener) -> None:
    booking = client(site)
    page = back_office(PATH, viewport=DESKTOP, reduced_motion="reduce")
    search(page, email=booking.email)
    page.get_by_role("button", name="Expand all").or_(
        page.get_by_role("button", name="Collapse all")
    ).first.wait_for()
    expect_no_barriers(barriers(page))
    page.get_by_role("button", name="Erase on request").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect_no_barriers(barriers(page))
