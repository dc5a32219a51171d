"""A course from the coupon to the certificate: a buyer, three learners and staff, one after another."""

import base64
import re
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from icalendar import Calendar, Component
from playwright.sync_api import Page, expect

from agency_site.auth.rules import Role
from agency_site.clock import NAIROBI
from agency_site.db.sealed_columns import SealedFiles
from agency_site.money import kes
from tests.e2e.back_office.buyers import stored_coupon
from tests.e2e.back_office.conftest import BackOfficeOpener
from tests.e2e.back_office.test_certificates import finish, issue
from tests.e2e.back_office.test_learner_screens import mark_attendance, move
from tests.e2e.barriers import DESKTOP
from tests.e2e.conftest import Opener, RunningSite, open_stored
from tests.e2e.test_learners import add_run, cancel_run, find_link, name
from tests.e2e.test_payment import PATIENCE, fill
from tests.example_records import PAID_COURSE

pytestmark = pytest.mark.thorough

_LATER = datetime.now(UTC).replace(second=0, microsecond=0) + timedelta(days=9)


@pytest.fixture
def runs(site: RunningSite) -> Iterator[tuple[str, str]]:
    """The run that is bought, and the run that the learner attends in the end."""
    both = add_run(site), add_run(site)
    yield both
    for reference in both:
        cancel_run(site, reference)


def test_three_places_from_the_coupon_to_the_certificate(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener, runs: tuple[str, str]
) -> None:
    own_run, full_run = runs
    buyer, learner = (f"{who}-{secrets.token_hex(5)}@example.com" for who in ("buyer", "learner"))
    order = buy(open_page, own_run, stored_coupon(site), buyer)
    name_learner(order, learner)
    page = back_office(
        f"/admin/run?ref={own_run}", role=Role.OWNER, viewport=DESKTOP, reduced_motion="reduce"
    )
    page.get_by_role("table", name="Learners").get_by_role("link").first.click()
    move(page, full_run)
    page.goto(f"/admin/run?ref={full_run}")
    before = last_events(site, learner)
    change_second_session(page)
    (changed,) = last_events(site, learner)
    earlier = {str(event["UID"]): event for event in before}[str(changed["UID"])]
    assert changed.decoded("DTSTART") == _LATER
    assert changed.decoded("SEQUENCE") > earlier.decoded("SEQUENCE")
    learner_page = open_page(find_link(site, learner, "learner"), scripts=False)
    expect(learner_page.get_by_role("listitem").filter(has_text="Writing ads")).to_contain_text(
        f"{_LATER.astimezone(NAIROBI):%H:%M}"
    )
    mark_attendance(page, "Otieno Odhiambo")
    check_certificate(site, page, open_page, full_run)


def buy(open_page: Opener, run: str, code: str, email: str) -> Page:
    """Buy three places on a phone without scripts; return the order's page."""
    page = open_page(f"/payment?course={PAID_COURSE.slug}", scripts=False)
    page.locator(f'input[value="{run}"]').check()
    page.get_by_label("Quantity").fill("3")
    page.get_by_label("Coupon code").fill(code)
    fill(page, email)
    page.get_by_role("button", name=re.compile("^Pay KES")).click()
    expect(
        page.get_by_text(
            f"{kes(3 * PAID_COURSE.payment_price)} less {kes(3 * PAID_COURSE.payment_price // 10)} with {code}"
        )
    ).to_be_visible()
    page.get_by_label("M-Pesa number").fill(f"71{secrets.randbelow(9000) + 1000}111")
    page.get_by_role("button", name="Pay KES 40,500", exact=True).click()
    expect(page.get_by_role("heading", name="You are enrolled")).to_be_visible(timeout=PATIENCE)
    return page


def name_learner(order: Page, email: str) -> None:
    """Transfer the second place to another person."""
    order.get_by_role("link", name="Name the learners").click()
    name(order, 2, "Otieno Odhiambo", email)
    order.get_by_role("button", name="Save").click()
    expect(order.get_by_text("Saved.")).to_be_visible()


def change_second_session(page: Page) -> None:
    page.get_by_role("button", name="Edit session 2", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Starts").fill(f"{_LATER.astimezone(NAIROBI):%Y-%m-%dT%H:%M}")
    dialog.get_by_role("button", name="Save session").click()
    expect(dialog).to_be_hidden()


def last_events(site: RunningSite, email: str) -> list[Component]:
    """Return the events in the calendar files of the last message to that address, without cancelled ones."""
    ((stored,),) = site.rows(
        "SELECT attachments FROM outbox_messages WHERE \"to\" = ? AND attachments != '[]' ORDER BY id DESC LIMIT 1",
        email,
    )
    files = [base64.b64decode(file["content"]) for file in open_stored(SealedFiles(), stored)]
    events = [event for file in files for event in Calendar.from_ical(file).walk("VEVENT")]
    return [event for event in events if event.get("STATUS") != "CANCELLED"]


def check_certificate(site: RunningSite, page: Page, open_page: Opener, run: str) -> None:
    """Check the public page of an issued certificate, and that a wrong serial number opens none."""
    learner = finish(site, run)
    page.reload()
    issue(page)
    wanted = (
        "SELECT c.serial FROM certificates c JOIN learners l ON l.id = c.learner_id WHERE l.reference = ?"
    )
    ((serial,),) = site.rows(wanted, learner)
    public = open_page(f"/certificate/{serial}", scripts=False)
    expect(public.get_by_role("heading", name="This certificate is valid")).to_be_visible()
    changed = f"{str(serial)[:-1]}{'A' if str(serial)[-1] != 'A' else 'C'}"
    unknown = open_page(f"/certificate/{changed}", scripts=False, expect=("404",))
    expect(unknown.get_by_text("It is not valid.")).to_be_visible()
