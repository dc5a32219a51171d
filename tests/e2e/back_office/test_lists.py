"""Features of every list: filtered export, saved views, the search over all lists."""

import csv
import io
import re
import secrets
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.clients import Client, client, new_name
from tests.e2e.back_office.conftest import BackOfficeOpener, filled, unfold_filters
from tests.e2e.barriers import DESKTOP
from tests.e2e.conftest import PHONE, RunningSite
from tests.e2e.wire import BROKEN, Wire

pytestmark = pytest.mark.thorough

LIST = "/admin/bookings"
SCREEN = 844
"""Height of a phone's window, in CSS pixels."""
ONE_LINE = 34
"""Two lines of a cell are higher."""


def exported(path: Path) -> list[dict[str, str]]:
    """Return the rows of an export as a spreadsheet reads them, without the byte order mark."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


def test_a_phone_folds_filters_so_that_the_first_row_is_seen_at_once(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site, new_name("Fold"))
    page = back_office(LIST, viewport=PHONE)
    row = page.get_by_role("row").filter(has=page.get_by_role("checkbox", name=re.compile("^Select "))).first
    box = row.bounding_box()
    assert box
    assert box["y"] + box["height"] < SCREEN
    expect(page.get_by_text("Ctrl K")).to_be_hidden()
    expect(page.get_by_label("With selected")).to_be_hidden()
    state = page.get_by_role("search", name="Bookings").get_by_label("State")
    expect(state).to_be_hidden()
    unfold_filters(page)
    page.get_by_role("searchbox", name="Search this list").fill(booking.name)
    state.select_option("active")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("summary").filter(has_text="Filters")).to_have_text("Filters, 1 active")
    expect(state).to_be_visible()
    page.get_by_role("checkbox", name=f"Select {booking.reference}").check()
    expect(page.get_by_label("With selected")).to_be_visible()


@pytest.mark.parametrize(
    ("path", "name"),
    [(LIST, "Shortcuts"), ("/admin/orders", "Quick filters"), ("/admin/reports", "Quick filters")],
)
def test_a_phone_shows_all_quick_filters_without_scrolling(
    back_office: BackOfficeOpener, path: str, name: str
) -> None:
    links = back_office(path, viewport=PHONE).get_by_role("navigation", name=name)
    expect(links.get_by_role("link").last).to_be_visible()
    assert links.evaluate("box => box.scrollWidth - box.clientWidth") <= 0


def test_a_wide_screen_folds_many_filters_and_keeps_those_in_use_open(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    client(site)
    page = back_office("/admin/audit", role=Role.OWNER, viewport=DESKTOP)
    fold = page.locator("summary").filter(has_text="Filters")
    expect(fold).to_be_hidden()
    expect(page.get_by_label("Done from")).to_be_visible()
    page.goto(LIST)
    when = filled(page).get_by_role("combobox", name="When")
    expect(when).to_be_hidden()
    fold.focus()
    page.keyboard.press("Enter")
    when.select_option("week")
    page.get_by_role("search", name="Bookings").get_by_role("button", name="Show").click()
    expect(fold).to_have_text("Filters, 1 active")
    page.reload()
    expect(when).to_be_visible()
    page.get_by_role("link", name="Clear filters").click()
    expect(when).to_be_hidden()
    expect(fold).to_have_text("Filters")


def test_a_wide_screen_shows_addresses_and_phones_on_one_line(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site, "Christopher Emmanuel Wanyonyi")
    # Alone in the list, because longer values of other rows would widen the column.
    page = back_office(f"{LIST}?q={booking.reference}", viewport=DESKTOP)
    row = page.get_by_role("row").filter(has_text=booking.reference)
    for column in ("E-mail", "Phone"):
        height = row.locator(f'[data-column="{column}"]').evaluate(
            """(cell) => {
                const text = document.createRange();
                text.selectNodeContents(cell);
                return text.getBoundingClientRect().height;
            }"""
        )
        assert height < ONE_LINE, column


def test_the_export_has_the_rows_that_are_asked_for_and_no_formula(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    word = f"Zed{secrets.token_hex(3)}"
    booking, other = client(site, f"=HYPERLINK {word}"), client(site, "Somebody Else")
    page = back_office(f"{LIST}?q={word}")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as CSV").click()
    assert download.value.suggested_filename.startswith("bookings-")
    (row,) = exported(Path(download.value.path()))
    assert row["Reference"] == booking.reference
    assert row["Name"] == f"'=HYPERLINK {word}"
    assert row["E-mail"] == booking.email
    assert other.reference not in row.values()


def test_a_view_is_kept_under_a_name_found_again_and_removed(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    word = f"View{secrets.token_hex(3)}"
    booking, other = client(site, f"Amina {word}"), client(site)
    page = back_office(f"{LIST}?q={word}")
    page.locator("summary").filter(has_text="Save view").click()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Please give the view a name.")).to_be_visible()
    page.get_by_role("textbox", name="Name").fill("Only hers")
    page.get_by_role("button", name="Save").click()
    views = page.get_by_role("navigation", name="Saved views")
    expect(views.get_by_role("link", name="Only hers")).to_be_visible()
    page.get_by_role("link", name="Clear filters").click()
    expect(page.get_by_role("link", name=other.reference)).to_be_visible()
    views.get_by_role("link", name="Only hers").click()
    expect(page.get_by_role("link", name=booking.reference)).to_be_visible()
    expect(page.get_by_role("link", name=other.reference)).to_have_count(0)
    views.get_by_role("button", name="Delete view Only hers").click()
    expect(views).to_have_count(0)


def test_one_search_finds_reference_name_address_and_number_in_every_list_that_the_role_may_see(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site, new_name("Ngugi"))
    page = back_office("/admin", role=Role.FRONT_DESK)
    box = page.get_by_role("searchbox", name="Search", exact=True)
    compact = booking.reference.replace("-", "").lower()
    for words in (booking.reference.lower(), compact, booking.reference[3:], booking.name, booking.email):
        box.fill(words)
        box.press("Enter")
        # The previous result stays until the response to this search.
        expect(page.get_by_role("status").filter(has_text=f"“{words}”")).to_be_visible()
        section = page.locator("section").filter(has=page.get_by_role("heading", name="Bookings"))
        expect(section.get_by_role("link", name=booking.reference)).to_be_visible()
    section.get_by_role("link", name=booking.reference).click()
    expect(page.get_by_role("heading", name=booking.name)).to_be_visible()
    page = back_office("/admin", role=Role.EDITOR)
    box = page.get_by_role("searchbox", name="Search", exact=True)
    box.fill(booking.reference)
    box.press("Enter")
    expect(page.get_by_text("No results for")).to_be_visible()


def test_ctrl_k_leads_to_the_search_and_on_to_everything_of_a_client(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site, new_name("Ngugi"))
    page = back_office("/admin/messages", role=Role.FRONT_DESK)
    page.keyboard.press("Control+k")
    page.keyboard.type(booking.name.lower())
    page.keyboard.press("Enter")
    page.get_by_role("link", name=booking.name, exact=True).click()
    expect(page.get_by_role("heading", name=booking.name)).to_be_visible()
    expect(page.get_by_role("link", name="Write e-mail")).to_have_attribute("href", f"mailto:{booking.email}")
    page.get_by_role("link", name=booking.reference).click()
    page.get_by_role("link", name="All records of this client").click()
    page.get_by_role("link", name="Add booking").click()
    expect(page.get_by_role("textbox", name="E-mail")).to_have_value(booking.email)


def copies(site: RunningSite, booking: Client, number: int) -> str:
    """Store `number` cancelled bookings like that one; return the word that finds them."""
    word = f"copy{secrets.token_hex(4)}"
    with closing(site.connect()) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(bookings)") if row[1] != "id"]
        changed = {
            "reference": "?",
            "search": "?",
            "state": "'cancelled'",
            "token_hash": "?",
            "due_at": "NULL",
        }
        chosen = ", ".join(changed.get(name, name) for name in columns)
        for _ in range(number):
            fresh = {
                "reference": f"BK-{secrets.token_hex(3)}",
                "search": word,
                "token_hash": secrets.token_hex(16),
            }
            connection.execute(
                f"INSERT INTO bookings ({', '.join(columns)}) SELECT {chosen} FROM bookings WHERE reference = ?",
                (*(fresh[name] for name in columns if changed.get(name) == "?"), booking.reference),
            )
    return word


def test_25_rows_fit_in_less_than_four_screens_of_a_phone(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    word = copies(site, client(site, "Wanjiru Wa Kamau-Odhiambo"), 25)
    page = back_office(f"{LIST}?q={word}", viewport=PHONE)
    rows = page.get_by_role("region", name="Bookings").locator("tbody tr")
    expect(rows).to_have_count(25)
    body = page.get_by_role("region", name="Bookings").locator("tbody").bounding_box()
    assert body
    assert body["height"] < 4 * SCREEN
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    # A row leaves out only its labels: it has every value of a wide screen.
    for words in ("Cancelled", "Wanjiru Wa Kamau-Odhiambo", "0712 345 678", "@example.com"):
        expect(rows.first.get_by_text(words)).to_be_visible()


def test_all_rows_are_chosen_at_once_counted_and_acted_on_from_above(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    word = copies(site, client(site), 3)
    page = back_office(f"{LIST}?q={word}")
    every, counted = page.get_by_label("Select all on this page"), page.get_by_text("of 3 selected")
    expect(counted).to_have_text("0 of 3 selected")
    every.check()
    expect(counted).to_have_text("3 of 3 selected")
    some = page.get_by_role("row").get_by_role("checkbox")
    some.first.uncheck()
    expect(counted).to_have_text("2 of 3 selected")
    assert every.evaluate("box => box.indeterminate")
    some.first.check()
    expect(every).to_be_checked()
    bar, table = page.locator(".office-bulk").bounding_box(), page.get_by_role("table").bounding_box()
    assert bar
    assert table
    assert bar["y"] + bar["height"] <= table["y"]
    page.get_by_label("With selected").select_option(label="Cancel bookings")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("dialog")).to_contain_text("Cancel 3 bookings?")
    page.get_by_role("dialog").get_by_role("button", name="Cancel bookings").click()
    expect(page.get_by_text("Done: 0. Not possible: 3.")).to_be_visible()
    expect(counted).to_have_text("0 of 3 selected")


def test_staff_read_words_of_their_own_while_the_connection_is_lost(
    back_office: BackOfficeOpener, wire: Wire
) -> None:
    page = back_office(f"{wire.url}{LIST}", expect=BROKEN)
    wire.cut()
    expect(page.get_by_text("No connection to the server. Your input stays on this page")).to_be_visible()
    expect(page.get_by_text("call us")).to_be_hidden()
