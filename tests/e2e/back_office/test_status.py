"""The status screen: owners see that jobs run and which build each server has."""

import pytest
from playwright.sync_api import expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.conftest import BackOfficeOpener

pytestmark = pytest.mark.thorough


def test_an_owner_sees_processes_jobs_and_what_needs_attention(back_office: BackOfficeOpener) -> None:
    page = back_office("/admin/status", role=Role.OWNER)
    expect(page.get_by_role("region", name="Overview").get_by_role("row")).to_have_count(6)
    processes = page.get_by_role("region", name="Server processes")
    expect(processes.get_by_text("Running")).not_to_have_count(0)
    jobs = page.get_by_role("region", name="Background jobs")
    expect(jobs).to_contain_text("Payment status checks", timeout=30_000)
    # The labels of the cells, which phones show.
    expect(jobs.get_by_role("row").nth(1)).to_contain_text("Last success")


def test_the_last_entry_is_in_sight_on_a_low_screen(back_office: BackOfficeOpener) -> None:
    page = back_office("/admin/status", role=Role.OWNER)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.reload()
    entry = page.get_by_role("navigation", name="Back office").get_by_role("link", name="Status", exact=True)
    expect(entry).to_have_attribute("aria-current", "page")
    expect(entry).to_be_in_viewport()
