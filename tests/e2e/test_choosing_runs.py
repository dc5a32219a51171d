"""Visitors see the open runs of a course and choose one, with scripts and without."""

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from agency_site.clock import format_moment
from agency_site.content.courses import catalogue
from agency_site.ids import new_reference
from agency_site.money import kes
from tests.e2e.barriers import barriers, expect_no_barriers
from tests.e2e.conftest import Opener, RunningSite, hydrated
from tests.e2e.test_payment import PATIENCE, alert, fill, modal, start
from tests.example_records import PAID_COURSE

pytestmark = pytest.mark.thorough

COURSE = PAID_COURSE
CHOICE = "When do you want to start?"


@dataclass(frozen=True)
class OpenRun:
    """A run with open enrolment."""

    reference: str
    starts: str


def _open(site: RunningSite, days: int, capacity: int, enrolled: int, price: int | None) -> OpenRun:
    assert COURSE is not None
    reference, start = new_reference("CR"), datetime.now(UTC).replace(microsecond=0) + timedelta(days=days)
    stored = [
        f"{at:%Y-%m-%d %H:%M:%S}.000000" for at in (start, start + timedelta(hours=2), datetime.now(UTC))
    ]
    with closing(site.connect()) as connection:
        connection.execute(
            "INSERT INTO course_runs (reference, course_slug, course_name, status, starts_at, ends_at, trainer, room,"
            " capacity, taken, price, search, version, created_at, updated_at)"
            " VALUES (?, ?, ?, 'open', ?, ?, '', '', ?, ?, ?, ?, 1, ?, ?)",
            (
                reference, COURSE.slug, COURSE.payment_name, *stored[:2], capacity, enrolled, price, reference.lower(),
                stored[2], stored[2],
            ),
        )  # fmt: skip
    return OpenRun(reference, f"Starts {format_moment(start)}")


@pytest.fixture
def open_runs(site: RunningSite) -> Iterator[tuple[OpenRun, OpenRun, OpenRun]]:
    """A run that is full, one at the course's price, and one at its own."""
    yield _open(site, 30, 1, 1, None), _open(site, 40, 4, 0, None), _open(site, 50, 9, 0, 12_500)
    with closing(site.connect()) as connection:
        connection.execute("UPDATE course_runs SET status = 'cancelled' WHERE status = 'open'")


def check_choices(page: Page, runs: tuple[OpenRun, OpenRun, OpenRun]) -> None:
    """Check that the full run is shown but disabled, and that the next one is preselected."""
    choice = page.get_by_role("group", name=CHOICE)
    full, following, dearer = (choice.get_by_role("radio", name=re.compile(run.starts)) for run in runs)
    expect(choice).to_contain_text(f"{runs[0].starts}, full")
    expect(full).to_be_disabled()
    expect(following).to_be_checked()
    expect(choice).to_contain_text(f"{runs[2].starts}, 9 places left · KES 12,500 a place")
    expect(dearer).to_be_enabled()


def choose(page: Page, run: OpenRun) -> None:
    page.get_by_role("group", name=CHOICE).get_by_text(run.starts).click()


def ordered(site: RunningSite, email: str) -> list[tuple[object, ...]]:
    return site.rows("SELECT state, run_reference, amount FROM orders WHERE email = ?", email)


def test_a_run_is_chosen_and_paid_for(
    site: RunningSite, open_page: Opener, open_runs: tuple[OpenRun, OpenRun, OpenRun]
) -> None:
    page = open_page(f"/payment?course={PAID_COURSE.slug}", ready=hydrated)
    check_choices(page, open_runs)
    expect_no_barriers(barriers(page, "the choice of a run"))
    choose(page, open_runs[2])
    expect(page.get_by_role("button", name="Pay KES 12,500", exact=True)).to_be_visible()
    fill(page, "amina")
    page.get_by_role("button", name="Pay KES 12,500", exact=True).click()
    expect(page.get_by_label("Email", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("radio", name=re.compile(open_runs[2].starts))).to_be_checked()
    dialog = start(page, "run-chosen@example.com", "712 389 111", "KES 12,500")
    expect(alert(dialog, "payment valid")).to_be_visible(timeout=PATIENCE)
    modal(page).get_by_role("link", name="See your enrolment").click()
    expect(page.get_by_role("heading", name="You are enrolled")).to_be_visible()
    expect(page.get_by_text(open_runs[2].reference)).to_be_visible()
    assert ordered(site, "run-chosen@example.com") == [("paid", open_runs[2].reference, 12_500)]


def test_a_run_is_chosen_and_paid_for_without_scripts(
    site: RunningSite, open_page: Opener, open_runs: tuple[OpenRun, OpenRun, OpenRun]
) -> None:
    page = open_page(f"/payment?course={PAID_COURSE.slug}", scripts=False)
    check_choices(page, open_runs)
    choose(page, open_runs[2])
    fill(page, "run-plain@example.com")
    page.get_by_role("button", name=f"Pay {kes(PAID_COURSE.payment_price)}", exact=True).click()
    page.get_by_role("button", name="Change your details").click()
    expect(page.get_by_role("radio", name=re.compile(open_runs[2].starts))).to_be_checked()
    page.get_by_role("button", name="Pay KES 12,500", exact=True).click()
    page.get_by_label("M-Pesa number").fill("712390111")
    page.get_by_role("button", name="Pay KES 12,500", exact=True).click()
    expect(page.get_by_role("heading", name="You are enrolled")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_text(open_runs[2].reference)).to_be_visible()
    assert ordered(site, "run-plain@example.com") == [("paid", open_runs[2].reference, 12_500)]


def test_course_page_and_catalogue_show_the_runs_before_scripts_and_afterwards(
    open_page: Opener, open_runs: tuple[OpenRun, OpenRun, OpenRun]
) -> None:
    full, following, dearer = open_runs
    texts = [f"{following.starts}, 4 places left", f"{dearer.starts}, 9 places left, KES 12,500 a place"]
    waiting_list = re.compile(f"^{re.escape(full.starts)}, full\\s*Join the waiting list")
    for options in ({"scripts": False}, {"ready": hydrated}):
        page = open_page(f"/{PAID_COURSE.slug}", **options)
        expect(page.locator(".course-aside page-region li")).to_have_text([*texts, waiting_list])
        page = open_page("/", **options)
        expect(page.locator("#courses").get_by_text(texts[0], exact=True)).to_be_visible()
        expect(page.locator("#courses").get_by_text("Starts: Very soon")).to_have_count(len(catalogue()) - 1)


def test_a_link_inside_the_site_leads_to_a_course_page_with_its_runs(
    open_page: Opener, open_runs: tuple[OpenRun, OpenRun, OpenRun]
) -> None:
    page = open_page("/academy")
    page.locator("#courses").get_by_role("link", name=PAID_COURSE.featured.title).first.click()
    expect(page).to_have_url(re.compile(f"/{PAID_COURSE.slug}$"))
    expect(page.locator(".course-aside page-region li")).to_have_count(3)
    expect_no_barriers(barriers(page, "a course page with runs"))
