"""A buyer of three places names a learner, whose page shows the dates."""

import json
import re
import secrets
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from agency_site.ids import new_reference
from tests.e2e.conftest import Opener, RunningSite, drawn_by_scripts
from tests.e2e.office.buyers import settled

COURSE = "Google Ads Masterclass"
ROOM = "https://meet.example.com/ads"


def _text(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}.000000"


def _insert(site: RunningSite, table: str, **values: object) -> None:
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    with closing(site.connect()) as connection:
        connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values()))


@pytest.fixture
def run(site: RunningSite) -> Iterator[str]:
    """A run with a session so soon that its room is open, and one next week."""
    soon = datetime.now(UTC).replace(second=0, microsecond=0) + timedelta(minutes=9)
    reference, later = new_reference("CR"), soon + timedelta(days=7)
    stamps = {"created_at": _text(datetime.now(UTC)), "updated_at": _text(datetime.now(UTC))}
    _insert(
        site, "course_runs", reference=reference, course_slug="google-ads", course_name=COURSE, status="open",
        starts_at=_text(soon), ends_at=_text(later + timedelta(hours=2)), trainer="Otieno Wafula", room=ROOM, taken=0,
        search=reference.lower(), version=1, **stamps,
    )  # fmt: skip
    ((identity,),) = site.rows("SELECT id FROM course_runs WHERE reference = ?", reference)
    for moment, topic in ((soon, "How an auction works"), (later, "Writing ads")):
        _insert(
            site, "course_sessions", run_id=identity, reference=new_reference("CS"), sequence=0, minutes=120, topic=topic,
            starts_at=_text(moment), **stamps,
        )  # fmt: skip
    yield reference
    with closing(site.connect()) as connection:
        connection.execute("UPDATE course_runs SET status = 'cancelled' WHERE reference = ?", (reference,))


def buy(site: RunningSite, run: str) -> str:
    """The buyer of three places; the path of the order's page."""
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
    """The path of the private page that the first mail to that address leads to."""
    return str(re.findall(rf"/{page}/[\w=-]+", str(site.mails(email)))[0])


def name(page: Page, place: int, fullname: str, email: str) -> None:
    group = page.get_by_role("group", name=f"Place {place}")
    group.get_by_label("Full name").fill(fullname)
    group.get_by_label("Email").fill(email)


def address() -> str:
    return f"learner-{secrets.token_hex(5)}@example.com"


def test_times_are_shown_in_the_zone_of_the_visitor_too(
    site: RunningSite, open_page: Opener, run: str
) -> None:
    page = open_page(f"{buy(site, run)}/learners", scripts=False)
    email = address()
    name(page, 2, "Otieno", email)
    page.get_by_role("button", name="Save").click()
    learner = find_link(site, email, "learner")
    page = open_page(learner, ready=drawn_by_scripts)
    elsewhere = page.evaluate("new Date().getTimezoneOffset()") != -180
    expect(page.get_by_text("where you are")).to_have_count(3 if elsewhere else 0)
