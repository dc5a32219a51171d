"""The frame of every screen: navigation in groups that fold, and one bar of warnings."""

import re

import pytest
from playwright.sync_api import expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.conftest import BackOfficeOpener, filled, follow_entry, navigation_group
from tests.e2e.back_office.senders import signed_up
from tests.e2e.barriers import DESKTOP, NARROW, barriers, expect_no_barriers
from tests.e2e.conftest import PHONE, RunningSite

pytestmark = pytest.mark.thorough

GROUPS = 8
"""Groups of an owner."""


def test_the_group_of_the_screen_is_open_and_a_folded_one_says_what_waits_in_it(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    signed_up(site)
    page = back_office("/admin/signups", viewport=DESKTOP)
    clients, entry = navigation_group(page, "Enquiries"), page.locator(".office-nav [aria-current=page]")
    expect(entry).to_have_text("Plan sign-ups")
    expect(clients.locator("summary")).to_have_text("Clients", use_inner_text=True)
    follow_entry(page, "Bookings")
    expect(entry).to_have_text("Bookings")
    waiting = clients.locator("summary").get_by_text(re.compile(r"\d+ waiting$"))
    expect(waiting).to_be_visible()
    expect(clients.get_by_role("link")).to_have_count(0)
    # The sum of all entries, and each of them once it is open.
    clients.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(waiting).to_be_hidden()
    counts = (
        clients.get_by_role("link", name=re.compile("waiting$")).locator(".office-count").all_inner_texts()
    )
    total = sum(int(re.sub(r"\D", "", count)) for count in counts)
    assert total > 0
    expect(clients.locator("summary")).to_contain_text(f"{total} waiting")
    expect_no_barriers(barriers(page, "an open group"))


def test_a_phone_has_all_groups_on_its_first_screen_and_that_of_the_page_open(
    back_office: BackOfficeOpener,
) -> None:
    page = back_office("/admin/orders", viewport=PHONE)
    page.locator("summary").filter(has_text="Menu").click()
    menu = page.get_by_role("navigation", name="Menu")
    expect(menu.get_by_role("link", name="Orders", exact=True)).to_be_visible()
    expect(menu.get_by_role("group")).to_have_count(GROUPS)
    expect(menu.locator("summary").filter(has_text="Administration")).to_be_in_viewport()
    expect_no_barriers(barriers(page, "the menu", widths=[NARROW]))
    menu.locator("summary").filter(has_text="Overview").click()
    menu.get_by_role("link", name="Dashboard", exact=True).click()
    expect(filled(page).get_by_role("heading", level=1, name="Dashboard")).to_be_visible()
    expect(menu).to_be_hidden()


def test_one_warning_is_seen_and_the_others_are_behind_their_count(back_office: BackOfficeOpener) -> None:
    page = back_office("/admin", role=Role.FRONT_DESK)
    expect(page.get_by_text("The M-Pesa simulator is on.")).to_be_visible()
    mail = page.get_by_text("Mail stays in the outbox.")
    expect(mail).to_be_hidden()
    page.get_by_text("1 more").click()
    expect(mail).to_be_visible()
    expect_no_barriers(barriers(page, "the warnings"))
