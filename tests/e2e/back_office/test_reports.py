"""The screens of visits and reports: figures as charts, tables and files, for owners and viewers."""

import csv
import secrets
from contextlib import closing

import pytest
from playwright.sync_api import expect

from agency_site import clock
from agency_site.auth.rules import Role
from agency_site.backoffice.periods import format_span
from tests.e2e.back_office.buyers import buyer
from tests.e2e.back_office.conftest import BackOfficeOpener, card
from tests.e2e.barriers import barriers, expect_no_barriers
from tests.e2e.conftest import PHONE, RunningSite

pytestmark = pytest.mark.thorough


def viewed(site: RunningSite, source: str, views: int, visits: int) -> None:
    """Count views of today."""
    with closing(site.connect()) as connection:
        connection.execute(
            "INSERT INTO page_views (date, page, source, medium, campaign, views, visits)"
            " VALUES (?, '/book', ?, 'cpc', 'ads-november', ?, ?)",
            (clock.today().isoformat(), source, views, visits),
        )


def test_visits_are_shown_by_source_and_exported_with_the_same_figures(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    source = f"partner-{secrets.token_hex(4)}.example"
    viewed(site, source, 1_234, 567)
    page = back_office("/admin/visits")
    sources, campaigns = card(page, "Sources"), card(page, "Campaigns")
    sources.get_by_text("View as table").click()
    line = sources.get_by_role("row").filter(has_text=source)
    expect(line).to_contain_text("567")
    expect(sources.get_by_role("figure")).to_contain_text("Visits")
    campaigns.get_by_text("View as table").click()
    expect(campaigns.get_by_role("row").filter(has_text=source)).to_contain_text("ads-november")
    with page.expect_download() as download:
        sources.get_by_role("link", name="Export as CSV").click()
    with download.value.path().open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["Visits"] for row in rows if row["Source"] == source] == ["567"]
    expect(line).to_contain_text("0.0%")


def test_a_period_is_chosen_and_is_in_the_address(site: RunningSite, back_office: BackOfficeOpener) -> None:
    viewed(site, f"partner-{secrets.token_hex(4)}.example", 7, 5)
    page = back_office("/admin/visits")
    month = clock.today().replace(day=1)
    page.get_by_role("link", name="This month").click()
    expect(page.get_by_text(format_span(month, clock.today()))).to_be_visible()
    page.get_by_label("From", exact=True).fill(clock.today().isoformat())
    page.get_by_label("To", exact=True).fill(clock.today().isoformat())
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text(format_span(clock.today(), clock.today()))).to_be_visible()
    days = card(page, "Visits and views")
    days.get_by_text("View as table").click()
    expect(days.get_by_role("row")).to_have_count(3)
    assert page.url.endswith(f"?from={clock.today()}&to={clock.today()}")


def test_a_viewer_reads_reports_on_a_phone_without_files(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    buyer(site)
    page = back_office("/admin/reports", role=Role.VIEWER, viewport=PHONE)
    months = card(page, "Revenue by month")
    expect(months.get_by_role("figure")).to_be_visible()
    expect(months.locator("tbody tr").filter(has_text=f"{clock.today():%b %Y}")).to_contain_text("KES")
    expect(card(page, "Revenue by trainer")).to_be_visible()
    expect(page.get_by_role("link", name="Export as CSV")).to_have_count(0)
    expect_no_barriers(barriers(page))


def test_the_charts_load_no_library(site: RunningSite, back_office: BackOfficeOpener) -> None:
    buyer(site)
    page = back_office("/admin/reports")
    expect(card(page, "Revenue by course").locator(".office-strips > div")).not_to_have_count(0)
    assert page.locator("svg.recharts-surface, canvas").count() == 0


def test_other_roles_have_neither_entry_nor_screen(back_office: BackOfficeOpener) -> None:
    page = back_office("/admin", role=Role.FRONT_DESK)
    navigation = page.get_by_role("navigation", name="Back office")
    expect(navigation.get_by_role("link", name="Dashboard", exact=True)).to_be_visible()
    expect(navigation.get_by_role("link", name="Reports", exact=True)).to_have_count(0)
    expect(navigation.get_by_role("link", name="Visits", exact=True)).to_have_count(0)
