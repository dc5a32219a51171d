"""What every list can do: export as filtered, keep a view, be found from anywhere."""

import csv
import io
import secrets
from pathlib import Path

from playwright.sync_api import expect

from agency_site.staff.rules import Role
from tests.e2e.conftest import RunningSite
from tests.e2e.office.clients import client
from tests.e2e.office.conftest import OfficeOpener

LIST = "/admin/bookings"


def exported(path: Path) -> list[dict[str, str]]:
    """The rows of an export as a spreadsheet reads them: the mark at the beginning is no part of the first head."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


def test_the_export_has_the_rows_that_are_asked_for_and_no_formula(
    site: RunningSite, office: OfficeOpener
) -> None:
    word = f"Zed{secrets.token_hex(3)}"
    made, other = client(site, f"=HYPERLINK {word}"), client(site, "Somebody Else")
    page = office(f"{LIST}?q={word}")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as CSV").click()
    assert download.value.suggested_filename.startswith("bookings-")
    (row,) = exported(Path(download.value.path()))
    assert row["Reference"] == made.reference
    assert row["Name"] == f"'=HYPERLINK {word}"
    assert row["E-mail"] == made.email
    assert other.reference not in row.values()


def test_a_view_is_kept_under_a_name_found_again_and_removed(site: RunningSite, office: OfficeOpener) -> None:
    word = f"View{secrets.token_hex(3)}"
    made, other = client(site, f"Amina {word}"), client(site)
    page = office(f"{LIST}?q={word}")
    page.locator("summary").filter(has_text="Keep this view").click()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Please give the view a name.")).to_be_visible()
    page.get_by_role("textbox", name="Name").fill("Only hers")
    page.get_by_role("button", name="Save").click()
    views = page.get_by_role("navigation", name="Saved views")
    expect(views.get_by_role("link", name="Only hers")).to_be_visible()
    page.get_by_role("link", name="Show all").click()
    expect(page.get_by_role("link", name=other.reference)).to_be_visible()
    views.get_by_role("link", name="Only hers").click()
    expect(page.get_by_role("link", name=made.reference)).to_be_visible()
    expect(page.get_by_role("link", name=other.reference)).to_have_count(0)
    views.get_by_role("button", name="Remove the view Only hers").click()
    expect(views).to_have_count(0)


def test_one_search_finds_reference_name_address_and_number_in_every_list_that_the_role_may_see(
    site: RunningSite, office: OfficeOpener
) -> None:
    made = client(site, f"Ngugi {secrets.token_hex(4)}")
    page = office("/admin", role=Role.FRONT_DESK)
    box = page.get_by_role("searchbox", name="Search", exact=True)
    for words in (made.reference.lower(), made.name, made.email):
        box.fill(words)
        box.press("Enter")
        # What the search before it found stands until this one is answered.
        expect(page.get_by_role("status").filter(has_text=words)).to_be_visible()
        found = page.locator("section").filter(has=page.get_by_role("heading", name="Bookings"))
        expect(found.get_by_role("link", name=made.reference)).to_be_visible()
    found.get_by_role("link", name=made.reference).click()
    expect(page.get_by_role("heading", name=made.name)).to_be_visible()
    page = office("/admin", role=Role.EDITOR)
    box = page.get_by_role("searchbox", name="Search", exact=True)
    box.fill(made.reference)
    box.press("Enter")
    expect(page.get_by_text("Nothing found for")).to_be_visible()
