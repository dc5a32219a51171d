"""The status screen: owners see that jobs run and which build each server has."""

from playwright.sync_api import expect

from agency_site.auth.rules import Role
from tests.e2e.office.conftest import OfficeOpener


def test_an_owner_sees_processes_jobs_and_what_needs_somebody(office: OfficeOpener) -> None:
    page = office("/admin/status", role=Role.OWNER)
    expect(page.get_by_role("region", name="Overview").get_by_role("row")).to_have_count(5)
    processes = page.get_by_role("region", name="Server processes")
    expect(processes.get_by_text("Running")).not_to_have_count(0)
    jobs = page.get_by_role("region", name="Background jobs")
    expect(jobs).to_contain_text("Poll payments", timeout=30_000)
    # The names of the cells, which a phone shows.
    expect(jobs.get_by_role("row").nth(1)).to_contain_text("Last success")
