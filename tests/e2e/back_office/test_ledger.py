"""The reconciliation report: a discrepancy has a name, links to its order, and is exported."""

import csv
import re
from contextlib import closing
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from agency_site import clock
from agency_site.auth.rules import Role
from agency_site.backoffice.periods import format_span
from agency_site.money import kes
from tests.e2e.back_office.buyers import PRICE, buyer
from tests.e2e.back_office.conftest import BackOfficeOpener
from tests.e2e.barriers import barriers, expect_no_barriers
from tests.e2e.conftest import RunningSite

pytestmark = pytest.mark.thorough


def test_a_discrepancy_appears_by_itself_links_to_its_order_and_is_in_the_export(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    order = buyer(site)
    page = back_office("/admin/reconciliation", role=Role.FRONT_DESK)
    expect(page.get_by_role("heading", name=format_span(clock.today(), clock.today()))).to_be_visible()
    line = page.get_by_role("listitem").filter(has_text=order.reference)
    expect(line).to_have_count(0)
    with closing(site.connect()) as connection:
        connection.execute("DELETE FROM enrolments WHERE reference = ?", (order.reference,))
    expect(line).to_contain_text("Paid, not enrolled")
    expect(line).to_contain_text(kes(PRICE))
    expect(page.get_by_text(re.compile("need.? your attention: see below"))).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as CSV").click()
    with download.value.path().open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["Name"] for row in rows if row["Order"] == order.reference] == ["Paid, not enrolled"]
    line.get_by_role("link", name=order.reference).click()
    expect(page.get_by_role("heading", name="Naliaka Barasa")).to_be_visible()


def test_what_an_accepted_review_leaves_is_closed_with_a_note(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    order = buyer(site, "900")
    page = back_office(f"/admin/order?ref={order.reference}", role=Role.FINANCE)
    page.get_by_role("button", name="Decide").click()
    page.get_by_role("radio", name="Payment received").check()
    page.get_by_label("Reason").fill("It stands in the statement.")
    page.get_by_role("button", name="Record decision").click()
    expect(page.get_by_text("Payment accepted.")).to_be_visible()
    page.goto(f"{site.url}/admin/reconciliation")
    line = page.get_by_role("listitem").filter(has_text=order.reference)
    expect(line).to_contain_text("Successful at M-Pesa, not recorded here")
    expect(line.get_by_text("KES 1", exact=True)).to_be_visible()
    line.get_by_role("button", name="Close with a note").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Close discrepancy").click()
    expect(
        dialog.get_by_text("Please explain the discrepancy: the note is kept in the report.").first
    ).to_be_visible()
    dialog.get_by_label("Explanation").fill("A tip of one shilling.")
    dialog.get_by_role("button", name="Close discrepancy").click()
    expect(dialog).to_be_hidden()
    expect(line).to_contain_text("A tip of one shilling.")
    expect(line.get_by_role("button")).to_have_count(0)
    expect_no_barriers(barriers(page))
    with closing(site.connect()) as connection:
        stored = connection.execute(
            "SELECT kind, detail FROM audit_entries WHERE action = 'discrepancy.closed' AND reference = ?",
            (order.reference,),
        ).fetchall()
    assert stored == [("order", "not_reflected, KES 1")]


def test_any_days_can_be_asked_for(site: RunningSite, back_office: BackOfficeOpener) -> None:
    buyer(site)
    page = back_office("/admin/reconciliation")
    page.get_by_role("link", name="This month").click()
    month = clock.today().replace(day=1)
    expect(page.get_by_role("heading", name=format_span(month, clock.today()))).to_be_visible()
    expect(page.get_by_role("link", name="This month")).to_have_attribute("aria-current", "true")
    yesterday = clock.today() - timedelta(days=1)
    page.get_by_label("From", exact=True).fill(yesterday.isoformat())
    page.get_by_label("To", exact=True).fill(clock.today().isoformat())
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name=format_span(yesterday, clock.today()))).to_be_visible()
    page.get_by_role("region", name="Per day").get_by_role("link").first.click()
    expect(page.get_by_role("heading", name=format_span(clock.today(), clock.today()))).to_be_visible()


def test_the_report_prints_without_the_frame_of_the_page(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    buyer(site)
    page = back_office("/admin/reconciliation")
    page.emulate_media(media="print")
    expect(page.get_by_role("region", name="Per course")).to_be_visible()
    expect(page.get_by_text("Mwanga Digital: reconciliation")).to_be_visible()
    for hidden in (page.get_by_role("navigation").first, page.get_by_role("button", name="Show")):
        expect(hidden).to_be_hidden()


def test_the_dashboard_shows_money_and_what_waits(site: RunningSite, back_office: BackOfficeOpener) -> None:
    buyer(site, "900")
    page = back_office("/admin", role=Role.FINANCE)
    expect(page.get_by_role("link").filter(has_text="KES received today")).to_be_visible()
    expect(page.get_by_role("figure").filter(has_text="Revenue by day, last 14 days")).to_be_visible()
    expect(page.get_by_role("main").get_by_role("link").filter(has_text="Orders")).to_be_visible()
