"""Course runs: staff plan one, give it sessions, and open enrolment."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from agency_site.auth.rules import Role
from agency_site.clock import today
from agency_site.ids import new_reference
from tests.e2e.back_office.conftest import BackOfficeOpener, audited
from tests.e2e.back_office.senders import moment
from tests.e2e.barriers import DESKTOP, NARROW, barriers, expect_no_barriers
from tests.e2e.conftest import PHONE, RunningSite
from tests.example_records import PAID_COURSE

pytestmark = pytest.mark.thorough

COURSE = PAID_COURSE
FIRST = today() + timedelta(days=56)
"""The day of the first session."""


def planned(site: RunningSite) -> str:
    """Create a course run with one session; return its reference."""
    reference = new_reference("CR")
    with closing(site.connect()) as connection:
        row = connection.execute(
            "INSERT INTO course_runs (reference, course_slug, course_name, status, starts_at, ends_at, trainer, room,"
            f" taken, search, version, created_at, updated_at) VALUES (?, '{PAID_COURSE.slug}', 'Google Ads', 'planned',"
            # Only this run: a trainer of two runs at the same time is pointed out before sessions are generated.
            " ?, ?, 'Halima Noor', '', 0, ?, 1, ?, ?)",
            (
                reference,
                f"{FIRST} 15:30:00.000000",
                f"{FIRST} 17:30:00.000000",
                reference.lower(),
                moment(),
                moment(),
            ),
        )
        connection.execute(
            "INSERT INTO course_sessions (run_id, reference, sequence, starts_at, minutes, topic, created_at, updated_at)"
            " VALUES (?, ?, 0, ?, 120, 'Search campaigns', ?, ?)",
            (row.lastrowid, new_reference("CS"), f"{FIRST} 15:30:00.000000", moment(), moment()),
        )
    return reference


@pytest.fixture
def closed_afterwards(site: RunningSite) -> Iterator[None]:
    """Close enrolment afterwards, so that other tests find no open run."""
    yield
    with closing(site.connect()) as connection:
        connection.execute("UPDATE course_runs SET status = 'cancelled' WHERE status = 'open'")


@pytest.mark.usefixtures("closed_afterwards")
def test_a_run_is_planned_gets_its_sessions_and_is_opened(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    assert COURSE is not None
    page = back_office("/admin/runs", role=Role.OWNER, viewport=DESKTOP, reduced_motion="reduce")
    page.get_by_role("link", name="New course run").click()
    new = page.get_by_role("region", name="New course run")
    new.get_by_label("Course", exact=True).select_option(COURSE.slug)
    new.get_by_label("Planned start").fill(f"{FIRST}T18:30")
    new.get_by_role("textbox", name="Trainer").fill("Otieno Wafula")
    new.get_by_label("Places").fill("none")
    new.get_by_role("button", name="Create run").click()
    expect(
        new.get_by_text("Please enter a number of places from 1 to 10,000, or leave it empty.")
    ).to_be_visible()
    expect(new.get_by_role("textbox", name="Trainer")).to_have_value("Otieno Wafula")
    new.get_by_label("Places").fill("4")
    new.get_by_role("button", name="Create run").click()
    expect(page.get_by_text("Run created. Now add its sessions.")).to_be_visible()
    ((reference,),) = site.rows("SELECT reference FROM course_runs ORDER BY id DESC LIMIT 1")
    page.get_by_role("button", name="Open enrolment").click()
    expect(page.get_by_text("Please add the sessions first")).to_be_visible()

    pattern = page.locator("section").filter(has=page.get_by_role("heading", name="Weekly pattern"))
    pattern.get_by_role("button", name="Generate sessions").click()
    expect(pattern.get_by_text("Please tick at least one day.")).to_be_visible()
    pattern.get_by_label("First day").fill(f"{FIRST}")
    pattern.get_by_label(f"{FIRST:%a}").check()
    pattern.get_by_label("Time in Nairobi").fill("18:30")
    pattern.get_by_role("button", name="Generate sessions").click()
    rows = page.get_by_role("table", name="Sessions", exact=True).get_by_role("row")
    expect(rows).to_have_count(1 + len(COURSE.detail.weeks))
    page.get_by_role("button", name="Edit session 1", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Starts").fill(f"{FIRST}T19:30")
    expect_no_barriers(barriers(page, "a session", widths=[NARROW], within="dialog[open]"))
    dialog.get_by_role("button", name="Save session").click()
    expect(rows.nth(1)).to_contain_text(f"{FIRST:%a} {FIRST.day} {FIRST:%b %Y}, 19:30")
    page.get_by_role("button", name="Open enrolment").click()
    expect(page.get_by_text("Enrolment is open.")).to_be_visible()
    expect_no_barriers(barriers(page, "an open run"))
    replan(page)
    assert audited(site, str(reference))[-1] == "run.generated"
    page.goto("/admin/runs")
    expect(page.get_by_role("link", name=str(reference))).to_be_visible()


def replan(page: Page) -> None:
    """Check that the pattern of an open run is collapsed, and that its new dates are shown before they replace the old ones."""
    expect(page.get_by_role("heading", name="Weekly pattern")).to_have_count(0)
    page.get_by_role("button", name="Regenerate sessions").click()
    pattern = page.locator("section").filter(has=page.get_by_role("heading", name="Weekly pattern"))
    pattern.get_by_label("First day").fill(f"{FIRST + timedelta(days=7)}")
    pattern.get_by_label(f"{FIRST:%a}").check()
    pattern.get_by_label("Time in Nairobi").fill("17:30")
    pattern.get_by_role("button", name="Generate sessions").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("row").nth(1)).to_contain_text("19:30")
    expect(dialog.get_by_role("row").nth(1)).to_contain_text("17:30")
    expect_no_barriers(barriers(page, "new dates of a run", widths=[NARROW], within="dialog[open]"))
    dialog.get_by_role("button", name="Generate these sessions").click()
    expect(page.get_by_text("Sessions generated. Public holidays are left out.")).to_be_visible()
    table = page.get_by_role("table", name="Sessions", exact=True)
    expect(table.get_by_role("row").nth(1)).to_contain_text("17:30")


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_the_calendar_of_runs_leads_to_each_session(
    site: RunningSite, back_office: BackOfficeOpener, viewport: dict[str, int]
) -> None:
    reference = planned(site)
    page = back_office("/admin/runs", viewport=viewport, reduced_motion="reduce")
    tabs = page.get_by_role("navigation", name="List and calendar")
    tabs.get_by_role("link", name="Calendar").click()
    expect(page.get_by_role("heading", name=f"{today():%B %Y}")).to_be_visible()
    while not page.get_by_role("heading", name=f"{FIRST:%B %Y}").is_visible():
        before = page.locator("#calendar-title").inner_text()
        page.get_by_role("link", name="Next").click()
        expect(page.locator("#calendar-title")).not_to_have_text(before)
    session = page.locator(f'a[href="/admin/run?ref={reference}"]')
    expect(session).to_contain_text("1 of 1 · Planned")
    expect_no_barriers(barriers(page, "a month of sessions"))
    session.click()
    expect(page.get_by_role("heading", name="Google Ads", exact=True)).to_be_visible()
