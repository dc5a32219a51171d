"""A trainer in the back office: the own run with its learners, and no other data."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from playwright.sync_api import expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.conftest import BackOfficeOpener, employ
from tests.e2e.barriers import DESKTOP, NARROW, barriers, expect_no_barriers
from tests.e2e.conftest import RunningSite
from tests.e2e.test_learners import add_run, buy, cancel_run

pytestmark = pytest.mark.thorough


@pytest.fixture
def runs(site: RunningSite) -> Iterator[tuple[str, str]]:
    """Store two runs that have begun, each with learners."""
    both = add_run(site), add_run(site)
    for reference in both:
        buy(site, reference)
    yield both
    for reference in both:
        cancel_run(site, reference)


def test_a_trainer_teaches_the_own_run_and_sees_no_other(
    site: RunningSite, back_office: BackOfficeOpener, runs: tuple[str, str]
) -> None:
    own, other = runs
    trainer = employ(site, Role.TRAINER, "Otieno Wafula")
    with closing(site.connect()) as connection:
        connection.execute(
            "UPDATE course_runs SET trainer_email = ? WHERE reference = ?", (trainer.email, own)
        )
    page = back_office("/admin/runs", member=trainer, viewport=DESKTOP, reduced_motion="reduce")
    expect(page.get_by_role("link", name=own)).to_be_visible()
    expect(page.get_by_role("link", name=other)).to_have_count(0)
    navigation = page.get_by_role("navigation", name="Back office")
    expect(navigation.get_by_role("link", include_hidden=True)).to_have_text(
        ["Dashboard", "Learners", "Course runs"]
    )
    expect(navigation.locator("summary").filter(visible=True)).to_have_text(["Overview", "Academy"])
    page.get_by_role("link", name=own).click()
    learners = page.get_by_role("table", name="Learners")
    expect(learners.get_by_role("row")).to_have_count(1 + 3)
    expect(page.get_by_role("main")).not_to_contain_text("KES")
    expect(learners).not_to_contain_text("Bought by")
    expect_no_barriers(barriers(page, "a trainer's run", widths=[NARROW]))
    page.get_by_role("button", name="Attendance session 1").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("checkbox", name="Naliaka Barasa").click()
    expect(dialog.get_by_role("checkbox", name="Naliaka Barasa")).to_be_checked()
    dialog.get_by_role("button", name="Done").click()
    expect(page.get_by_role("button", name="Edit", exact=True)).to_have_count(0)

    page.goto(f"/admin/run?ref={other}")
    expect(page.get_by_text(f"There is no course run {other}.")).to_be_visible()
    page.goto("/admin/orders")
    expect(page.get_by_text("You don't have access.")).to_be_visible()
    page.goto(f"/admin/search?q={other}")
    expect(page.get_by_text("No results for")).to_be_visible()
