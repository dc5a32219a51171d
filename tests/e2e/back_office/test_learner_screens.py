"""Learners in the back office: staff mark attendance, write to all, and move an order to another run."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.conftest import BackOfficeOpener, audited
from tests.e2e.barriers import DESKTOP, NARROW, barriers, expect_no_barriers
from tests.e2e.conftest import Opener, RunningSite
from tests.e2e.test_learners import add_run, buy, cancel_run, find_link

pytestmark = pytest.mark.thorough

LAPTOP = "Please bring your laptop"
RECORDING, ADDRESS = "Recording of session 1", "https://video.example.com/1"


@pytest.fixture
def runs(site: RunningSite) -> Iterator[tuple[str, str]]:
    """Store two runs that have begun."""
    both = add_run(site), add_run(site)
    yield both
    for reference in both:
        cancel_run(site, reference)


def test_staff_mark_attendance_write_to_all_and_move_an_order(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener, runs: tuple[str, str]
) -> None:
    run, other = runs
    buy(site, run)
    ((buyer, learner),) = site.rows(
        "SELECT l.email, l.reference FROM learners l JOIN enrolments e ON e.id = l.enrolment_id"
        " JOIN course_runs r ON r.id = e.run_id WHERE r.reference = ? AND l.email != ''",
        run,
    )
    page = back_office(f"/admin/run?ref={run}", role=Role.OWNER, viewport=DESKTOP, reduced_motion="reduce")
    expect(page.get_by_role("table", name="Learners").get_by_role("row")).to_have_count(1 + 3)
    mark_attendance(page, "Naliaka Barasa")
    write_to_all(page)
    add_recording(page)
    learner_page = open_page(find_link(site, str(buyer), "learner"), scripts=False)
    expect(learner_page.get_by_text(LAPTOP)).to_be_visible()
    expect(learner_page.get_by_text("(Attended)")).to_be_visible()
    expect(learner_page.get_by_role("link", name=RECORDING)).to_have_attribute("href", ADDRESS)
    page.get_by_role("link", name=str(learner)).click()
    expect(page.get_by_role("heading", name="Naliaka Barasa")).to_be_visible()
    move(page, other)
    assert audited(site, str(learner)) == ["enrolment.moved"]
    assert audited(site, run)[-3:] == ["run.attendance", "run.message", "run.material_added"]
    (mail,) = site.rows(
        "SELECT subject FROM outbox_messages WHERE kind = 'run-message' AND \"to\" = ?", buyer
    )
    assert mail == (LAPTOP,)


def mark_attendance(page: Page, who: str) -> None:
    page.get_by_role("button", name="Attendance session 1").click()
    dialog = page.get_by_role("dialog")
    learner = dialog.get_by_role("checkbox", name=who)
    expect(learner).not_to_be_checked()
    learner.click()
    expect(learner).to_be_checked()
    expect_no_barriers(barriers(page, "attendance", widths=[NARROW], within="dialog[open]"))
    dialog.get_by_role("button", name="Done").click()
    expect(page.get_by_role("button", name="Attendance session 2")).to_have_count(0)


def write_to_all(page: Page) -> None:
    page.get_by_role("button", name="Write to all learners").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Send").click()
    expect(dialog.get_by_text("Please enter a subject.")).to_be_visible()
    dialog.get_by_label("Subject").fill(LAPTOP)
    dialog.get_by_label("Message").fill("Good evening.\n\nWe begin with the set-up.")
    expect_no_barriers(barriers(page, "a message to all", widths=[NARROW], within="dialog[open]"))
    dialog.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Sent, and shown on the learners' pages.")).to_be_visible()


def add_recording(page: Page) -> None:
    page.get_by_role("button", name="Add material").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Kind").select_option("recording")
    dialog.get_by_label("Title").fill(RECORDING)
    dialog.get_by_label("Address").fill("video.example.com/1")
    dialog.get_by_role("button", name="Add").click()
    expect(dialog.get_by_text("begins with https://")).to_be_visible()
    expect_no_barriers(barriers(page, "a recording", widths=[NARROW], within="dialog[open]"))
    dialog.get_by_label("Address").fill(ADDRESS)
    dialog.get_by_role("button", name="Add").click()
    expect(page.get_by_text("the pages of all learners show it")).to_be_visible()
    expect(page.get_by_role("table", name="Materials and recordings")).to_contain_text(RECORDING)


def move(page: Page, other: str) -> None:
    page.get_by_role("button", name="Move to another run").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Course run").select_option(other)
    expect_no_barriers(barriers(page, "moving an order", widths=[NARROW], within="dialog[open]"))
    dialog.get_by_role("button", name="Move").click()
    expect(page.get_by_text(re.compile(r"Moved\. .* an e-mail\."))).to_be_visible()
    expect(page.get_by_role("link", name=other)).to_be_visible()
