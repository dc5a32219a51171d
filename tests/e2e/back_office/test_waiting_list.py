"""A full run: a visitor joins its waiting list, staff free a place, and the mailed link leads to it."""

import re
import secrets
from collections.abc import Iterator
from contextlib import closing

import pytest
from playwright.sync_api import Page, expect

from agency_site.auth.rules import Role
from agency_site.money import kes
from tests.e2e.back_office.conftest import BackOfficeOpener, audited
from tests.e2e.barriers import DESKTOP, NARROW, barriers, expect_no_barriers
from tests.e2e.conftest import Opener, RunningSite, hydrated
from tests.e2e.test_learners import add_run, cancel_run
from tests.e2e.test_payment import PATIENCE, alert, start
from tests.example_records import PAID_COURSE

pytestmark = pytest.mark.thorough

CHOICE = "When do you want to start?"
NAME = "Wanjiru Kamau"


@pytest.fixture
def full(site: RunningSite) -> Iterator[str]:
    """Store a run that begins in ten days and has no free place."""
    reference = add_run(site)
    with closing(site.connect()) as connection:
        connection.execute(
            "UPDATE course_runs SET starts_at = datetime(starts_at, '+10 days') || '.000000',"
            " ends_at = datetime(ends_at, '+10 days') || '.000000', capacity = 1, taken = 1 WHERE reference = ?",
            (reference,),
        )
    yield reference
    cancel_run(site, reference)


def address() -> str:
    return f"waits-{secrets.token_hex(5)}@example.com"


def join(page: Page, email: str) -> None:
    form = page.get_by_role("form", name="Join the waiting list")
    form.get_by_label("Full Name").fill(NAME)
    form.get_by_label("Email").fill(email)
    form.get_by_role("button", name="Join the waiting list").click()
    expect(page.get_by_text("Please confirm your e-mail address.")).to_be_visible()


def find_mail(site: RunningSite, page: Page, email: str, kind: str) -> str:
    """Return the text of the first mail of that kind, once the job has sent it."""
    for _ in range(200):
        texts = [words for mail_kind, _, words in site.mails(email) if mail_kind == kind]
        if texts:
            return texts[0]
        page.wait_for_timeout(100)
    raise TimeoutError(kind)


def test_a_freed_place_is_taken_by_the_first_of_the_waiting_list(
    site: RunningSite, open_page: Opener, back_office: BackOfficeOpener, full: str
) -> None:
    email = address()
    page = open_page(f"/payment?course={PAID_COURSE.slug}", ready=hydrated, expect=("422",))
    page.get_by_role("group", name=CHOICE).get_by_role("link", name="Join the waiting list").click()
    expect(page.get_by_role("heading", name="Join the waiting list")).to_be_visible()
    form = page.get_by_role("form", name="Join the waiting list")
    form.get_by_label("Full Name").fill(NAME)
    form.get_by_label("Email").fill("wanjiru")
    form.get_by_role("button", name="Join the waiting list").click()
    expect(form.get_by_label("Email")).to_have_attribute("aria-invalid", "true")
    expect_no_barriers(barriers(page, "the form of a waiting list"))
    join(page, email)
    (link,) = set(re.findall(r"/waiting/[\w=-]+", find_mail(site, page, email, "waiting-joined")))
    waits = open_page(link, ready=hydrated)
    expect_no_barriers(barriers(waits, "an entry that is not confirmed"))
    waits.get_by_role("button", name="Confirm your place on the list").click()
    expect(waits.get_by_text("You are number 1,")).to_be_visible()
    expect_no_barriers(barriers(waits, "an entry of a waiting list"))

    staff = back_office(f"/admin/run?ref={full}", role=Role.OWNER, viewport=DESKTOP, reduced_motion="reduce")
    waiting = staff.get_by_role("table", name="Waiting list")
    expect(waiting).to_contain_text(email)
    waiting.get_by_role("button", name="Offer now").click()
    offering = staff.get_by_role("dialog")
    expect(offering).to_contain_text(email)
    offering.get_by_role("button", name="Keep a place and send the e-mail").click()
    expect(offering.get_by_text("This run has too few free places")).to_be_visible()
    offering.get_by_role("button", name="Cancel").click()
    staff.get_by_role("button", name="Edit", exact=True).click()
    staff.get_by_role("textbox", name="Places").fill("2")
    staff.get_by_role("button", name="Save", exact=True).click()
    expect(staff.get_by_text("Saved. 1 person is waiting")).to_be_visible()
    offer = find_mail(site, staff, email, "waiting-offer")
    expect_no_barriers(barriers(staff, "a waiting list", widths=[NARROW]))

    payment_page = open_page(f"/payment?course={PAID_COURSE.slug}", scripts=False)
    expect(payment_page.get_by_role("group", name=CHOICE).get_by_role("radio").first).to_be_disabled()
    (place,) = set(re.findall(rf"/payment\?course={PAID_COURSE.slug}&place=[\w=-]+", offer))
    page = open_page(place, ready=hydrated)
    expect(page.get_by_text("A place is kept for you until")).to_be_visible()
    expect(page.get_by_role("group", name=CHOICE).get_by_role("radio").first).to_be_checked()
    dialog = start(page, email, "712 391 111", kes(PAID_COURSE.payment_price))
    expect(alert(dialog, "payment valid")).to_be_visible(timeout=PATIENCE)
    assert site.rows(
        "SELECT l.email FROM learners l JOIN enrolments e ON e.id = l.enrolment_id JOIN course_runs r ON r.id = e.run_id"
        " WHERE r.reference = ?",
        full,
    ) == [(email,)]
    offer_page = open_page(link, scripts=False)
    expect(offer_page.get_by_role("heading", name="You have a place")).to_be_visible()
    assert audited(site, full) == ["run.edited"]


def test_a_visitor_joins_and_leaves_the_waiting_list_without_scripts(
    site: RunningSite, open_page: Opener, full: str
) -> None:
    email = address()
    page = open_page(f"/{PAID_COURSE.slug}", scripts=False)
    page.get_by_role("link", name="Join the waiting list").first.click()
    expect(page).to_have_url(re.compile(f"/waiting-list/{full}$"))
    join(page, email)
    (link,) = set(re.findall(r"/waiting/[\w=-]+", find_mail(site, page, email, "waiting-joined")))
    page = open_page(link, scripts=False)
    page.get_by_role("button", name="Confirm your place on the list").click()
    expect(page.get_by_text("You are number 1,")).to_be_visible()
    page.get_by_role("button", name="Leave the waiting list").click()
    expect(page.get_by_text("You are no longer on the waiting list.")).to_be_visible()
    page.get_by_role("link", name="Join the waiting list again").click()
    expect(page.get_by_role("form", name="Join the waiting list")).to_be_visible()
