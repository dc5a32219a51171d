"""Correcting the contact of an order, by one editor and by two at the same time."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.buyers import Buyer, buyer
from tests.e2e.back_office.conftest import BackOfficeOpener, audited
from tests.e2e.conftest import RunningSite

pytestmark = pytest.mark.thorough


def correct(page: Page, **values: str) -> None:
    page.get_by_role("button", name="Edit", exact=True).click()
    for label, words in values.items():
        box(page, label.replace("_", " ")).fill(words)


SAVED = re.compile(r"Contact( and the buyer's own place)? saved\.")


def box(page: Page, label: str) -> Locator:
    return page.get_by_role("textbox", name=re.compile(rf"^{label}( \(optional\))?$"))


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def saved(page: Page) -> None:
    expect(page.get_by_role("status").filter(has_text=SAVED)).to_be_visible()


def stored(site: RunningSite, order: Buyer) -> tuple[object, ...]:
    (row,) = site.rows("SELECT first_name, last_name, phone FROM orders WHERE reference = ?", order.reference)
    return row


def test_a_contact_is_corrected_and_found_under_its_new_name(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    order = buyer(site)
    page = back_office(order.file, role=Role.FINANCE)
    correct(page, First_name="Nafula", Phone="12")
    save(page)
    expect(page.get_by_text("Please enter a valid phone number").first).to_be_visible()
    expect(box(page, "First name")).to_have_value("Nafula")
    box(page, "Phone").fill("0722 000 111")
    save(page)
    saved(page)
    assert stored(site, order) == ("Nafula", "Barasa", "+254722000111")
    assert audited(site, order.reference) == ["order.contact_corrected"]
    page.goto(f"/admin/orders?q=nafula+{order.reference}")
    expect(page.get_by_role("link", name=order.reference)).to_be_visible()


def two_editors(site: RunningSite, back_office: BackOfficeOpener) -> tuple[Page, Buyer]:
    """Let two editors open the form, the first save, and the second submit another change and see the conflict."""
    order = buyer(site)
    first, second = back_office(order.file), back_office(order.file)
    correct(first, First_name="First")
    correct(second, First_name="Second", Last_name="Wekesa")
    save(first)
    saved(first)
    expect(second.get_by_role("heading", name="First Barasa")).to_be_visible()
    save(second)
    panel = second.get_by_role("alert").filter(has_text="Another person changed this record")
    expect(panel.get_by_role("row", name="First name First Second")).to_be_visible()
    expect(box(second, "Last name")).to_have_value("Wekesa")
    return second, order


def test_the_second_keeps_what_the_first_has_saved_and_the_rest_of_their_own(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    page, order = two_editors(site, back_office)
    page.get_by_role("button", name="Keep theirs").click()
    saved(page)
    assert stored(site, order)[:2] == ("First", "Wekesa")


def test_the_second_saves_over_it_knowingly(site: RunningSite, back_office: BackOfficeOpener) -> None:
    page, order = two_editors(site, back_office)
    page.get_by_role("button", name="Keep mine").click()
    saved(page)
    assert stored(site, order)[:2] == ("Second", "Wekesa")
    assert audited(site, order.reference) == ["order.contact_corrected"] * 2


def test_what_others_do_to_the_order_is_no_conflict_of_contacts(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    order = buyer(site, "900")
    page, colleague = back_office(order.file), back_office(order.file)
    correct(page, First_name="Nekesa")
    colleague.get_by_role("button", name="Decide").click()
    colleague.get_by_label("Payment not received").check()
    colleague.get_by_label("Reason").fill("Not in the statement.")
    colleague.get_by_role("button", name="Record decision").click()
    expect(colleague.get_by_role("status").filter(has_text="Recorded: payment not received")).to_be_visible()
    save(page)
    saved(page)
    assert stored(site, order)[0] == "Nekesa"
