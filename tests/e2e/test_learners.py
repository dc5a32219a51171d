"""A buyer of three places names the learners, and a learner has a page with the dates, with scripts and without."""

import json
import re
import secrets
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from icalendar import Calendar
from playwright.sync_api import Page, expect

from agency_site.clock import format_moment
from agency_site.ids import new_reference
from tests.e2e.back_office.buyers import settled
from tests.e2e.barriers import barriers, expect_no_barriers
from tests.e2e.conftest import Opener, RunningSite
from tests.example_records import PAID_COURSE

pytestmark = pytest.mark.thorough

COURSE = PAID_COURSE.payment_name
ROOM = "https://meet.example.com/ads"


def _text(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}.000000"


def _insert(site: RunningSite, table: str, **values: object) -> None:
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    with closing(site.connect()) as connection:
        connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values()))


@pytest.fixture
def run(site: RunningSite) -> Iterator[str]:
    """The run of `add_run`."""
    reference = add_run(site)
    yield reference
    cancel_run(site, reference)


def add_run(site: RunningSite) -> str:
    """Store a run with a session whose room is open already, and one next week. Return its reference."""
    soon = datetime.now(UTC).replace(second=0, microsecond=0) + timedelta(minutes=9)
    reference, later = new_reference("CR"), soon + timedelta(days=7)
    stamps = {"created_at": _text(datetime.now(UTC)), "updated_at": _text(datetime.now(UTC))}
    _insert(
        site, "course_runs", reference=reference, course_slug=PAID_COURSE.slug, course_name=COURSE, status="open",
        starts_at=_text(soon), ends_at=_text(later + timedelta(hours=2)), trainer="Otieno Wafula", room=ROOM, taken=0,
        search=reference.lower(), version=1, **stamps,
    )  # fmt: skip
    ((identity,),) = site.rows("SELECT id FROM course_runs WHERE reference = ?", reference)
    for moment, topic in ((soon, "How an auction works"), (later, "Writing ads")):
        _insert(
            site, "course_sessions", run_id=identity, reference=new_reference("CS"), sequence=0, minutes=120, topic=topic,
            starts_at=_text(moment), **stamps,
        )  # fmt: skip
    return reference


def cancel_run(site: RunningSite, reference: str) -> None:
    """Cancel the run, so that other tests find no open run."""
    with closing(site.connect()) as connection:
        connection.execute("UPDATE course_runs SET status = 'cancelled' WHERE reference = ?", (reference,))


def buy(site: RunningSite, run: str) -> str:
    """Buy three places. Return the path of the order's page."""
    email = f"buyer-{secrets.token_hex(5)}@example.com"
    body = {
        "firstName": "Naliaka", "lastName": "Barasa", "email": email, "courseName": COURSE, "amount": 45_000, "quantity": 3,
        "phone": f"07{secrets.randbelow(90) + 10} {secrets.randbelow(900) + 100} 111", "run": run,
    }  # fmt: skip
    request = urllib.request.Request(
        f"{site.url}/api/stkpush", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30):
        settled(site)
    return find_link(site, email, "order")


def find_link(site: RunningSite, email: str, page: str) -> str:
    """Return the path of the private page to which the first mail to that address links."""
    return str(re.findall(rf"/{page}/[\w=-]+", str(site.mails(email)))[0])


def name(page: Page, place: int, fullname: str, email: str) -> None:
    group = page.get_by_role("group", name=f"Place {place}")
    group.get_by_label("Full name").fill(fullname)
    group.get_by_label("Email").fill(email)


def address() -> str:
    return f"learner-{secrets.token_hex(5)}@example.com"


@pytest.mark.parametrize("scripts", [True, False])
def test_a_buyer_names_three_learners_and_each_has_a_page(
    site: RunningSite, open_page: Opener, run: str, scripts: bool
) -> None:
    how = {"scripts": scripts, "expect": ("422",)}
    page = open_page(buy(site, run), **how)
    page.get_by_role("link", name="Name the learners").click()
    expect(page.get_by_role("heading", name="Learners' names")).to_be_visible()
    # The course starts in a few minutes, so named learners can no longer be replaced.
    expect(page.get_by_role("group", name="Place 1").get_by_label("Full name")).to_have_value(
        "Naliaka Barasa"
    )
    second, third = address(), address()
    name(page, 2, "Otieno & Sons", "otieno")
    name(page, 3, "Wambui", third)
    page.get_by_role("button", name="Save").click()
    wrong = page.get_by_role("group", name="Place 2").get_by_label("Email")
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("group", name="Place 3").get_by_label("Full name")).to_have_value("Wambui")
    if scripts:
        expect_no_barriers(barriers(page, "the form with an error"))
    wrong.fill(second)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    learner = find_link(site, second, "learner")
    learner_page = open_page(learner, **how)
    if scripts:
        expect_no_barriers(barriers(learner_page, "a learner's page"))
    check_learner(site, learner_page, run)
    assert site.rows(
        "SELECT count(*) FROM outbox_messages WHERE kind = 'learner-confirmed' AND \"to\" = ?", third
    ) == [(1,)]


def check_learner(site: RunningSite, page: Page, run: str) -> None:
    wanted = "SELECT s.starts_at FROM course_sessions s JOIN course_runs r ON r.id = s.run_id WHERE r.reference = ? ORDER BY 1"
    starts = [datetime.fromisoformat(str(text)).replace(tzinfo=UTC) for (text,) in site.rows(wanted, run)]
    expect(page.get_by_role("heading", level=1)).to_have_text(COURSE)
    expect(page.get_by_text("Otieno & Sons")).to_be_visible()
    expect(page.get_by_role("link", name="Join now")).to_have_attribute("href", ROOM)
    expect(page.get_by_role("listitem").filter(has_text="Writing ads")).to_contain_text(
        format_moment(starts[1])
    )
    path = page.get_by_role("link", name="Add to my calendar").get_attribute("href") or ""
    with urllib.request.urlopen(f"{site.url}{path}", timeout=30) as answer:
        events = Calendar.from_ical(answer.read()).walk("VEVENT")
    assert [event.decoded("DTSTART") for event in events] == starts
    page.get_by_role("button", name="Send me my link again").click()
    expect(page.get_by_text("on its way to your address")).to_be_visible()


def test_times_are_shown_in_the_zone_of_the_visitor_too(
    site: RunningSite, open_page: Opener, run: str
) -> None:
    page = open_page(f"{buy(site, run)}/learners", scripts=False)
    email = address()
    name(page, 2, "Otieno", email)
    page.get_by_role("button", name="Save").click()
    learner = find_link(site, email, "learner")
    page = open_page(learner)
    elsewhere = page.evaluate("new Date().getTimezoneOffset()") != -180
    expect(page.get_by_text("where you are")).to_have_count(3 if elsewhere else 0)
