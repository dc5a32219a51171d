"""Seats in webinars: reserved, refused when full, cancelled through the mailed link."""

import json
import re
import secrets
from urllib.parse import urlencode

import httpx
import pytest
from playwright.sync_api import Page, expect

from agency_site.content.brand import BRAND
from agency_site.content.webinars import WEBINARS, Webinar, WebinarStatus, upcoming
from agency_site.ids import new_reference, token_hash
from tests.e2e.barriers import violations
from tests.e2e.conftest import PHONE, WIDE, Opener, PageReader, RunningSite
from tests.e2e.test_comments import MOVES
from tests.html_document import Element

pytestmark = pytest.mark.thorough

LATE = upcoming()[-1]
"""The last webinar, which takes registrations for longest."""
(SMALL,) = (item for item in upcoming() if item.capacity)
PAST = next(webinar for webinar in WEBINARS if webinar.status is WebinarStatus.PAST)


def fresh() -> str:
    return f"seat-{secrets.token_hex(4)}@example.com"


def seat_form(page: Page) -> Page:
    return page.get_by_role("form", name="Reserve a seat")  # type: ignore[return-value]


def reserve(page: Page, email: str, phone: str = "") -> None:
    seat_form(page).get_by_label("Full Name").fill("Wanjiru Kamau")
    seat_form(page).get_by_label("Email").fill(email)
    seat_form(page).get_by_label("Phone (optional)").fill(phone)
    seat_form(page).get_by_role("button", name="Reserve a seat").click()


def take_all_seats(site: RunningSite, but: int = 0) -> None:
    """Take all seats of the small webinar, except `but` seats."""
    with site.connect() as connection:
        connection.execute("DELETE FROM webinar_registrations WHERE webinar = ?", (SMALL.id,))
        for number in range((SMALL.capacity or 0) - but):
            row = {
                "version": 1, "reference": new_reference("WR"), "webinar": SMALL.id, "fullname": "Guest",
                "email": f"guest{number}@example.com", "phone": "", "state": "registered", "token_seed": str(number),
                "token_hash": token_hash(f"{SMALL.id}{number}"), "search": "", "created_at": "2026-11-20 09:00:00",
                "updated_at": "2026-11-20 09:00:00", "cancelled_by": "",
            }  # fmt: skip
            names, marks = ", ".join(row), ", ".join("?" * len(row))
            statement = f"INSERT INTO webinar_registrations ({names}) VALUES ({marks})"
            connection.execute(statement, tuple(row.values()))


def events(page: Element) -> list[dict[str, str]]:
    """The events in the page's structured data."""
    graph = json.loads(page.select('script[type="application/ld+json"]').source)
    return [node for node in graph["@graph"] if node["@type"] == "Event"]


@pytest.mark.parametrize("webinar", upcoming(), ids=lambda item: item.id)
def test_every_upcoming_webinar_has_a_page_that_reads_well_without_scripts(
    read_page: PageReader, site: RunningSite, webinar: Webinar
) -> None:
    page = read_page(webinar.href)
    main = page.get_by_role("main")
    assert main.get_by_role("heading", level=1).text == webinar.title
    for text in (webinar.description, webinar.day, webinar.clock_time, webinar.duration):
        assert main.get_all_by_text(text), text
    main.get_by_role("form", "Reserve a seat").get_by_role("button")
    (facts,) = events(page)
    assert facts["name"] == webinar.title
    assert (facts["startDate"], facts["url"]) == (
        webinar.starts_at.isoformat(),
        f"{site.url}{webinar.href}",
    )


def test_a_past_webinar_shows_its_recording_and_no_form(read_page: PageReader) -> None:
    page = read_page(PAST.href)
    assert page.get_by_role("link", re.compile("^Watch the recording"))["href"] == PAST.recording
    assert page.get_all_by_role("form", "Reserve a seat") == []
    assert events(page) == []


def test_a_seat_is_reserved_confirmed_reported_to_staff_and_cancelled(
    site: RunningSite, open_page: Opener
) -> None:
    address = fresh()
    page = open_page(LATE.href, viewport=PHONE)
    reserve(page, address, "0712 345 678")
    answer = page.get_by_role("alert").filter(has_text="Your seat is reserved, Wanjiru Kamau.")
    expect(answer).to_be_focused()
    expect(seat_form(page).get_by_label("Email")).to_have_value("")
    ((kind, subject, words),) = site.mails(address)
    assert (kind, subject) == (
        "registration-confirmed",
        f"Your seat on {LATE.date.day} {LATE.date:%B}: {LATE.title}",
    )
    [(reference, state)] = site.rows(
        "SELECT reference, state FROM webinar_registrations WHERE email = ?", address
    )
    notices = [words for kind, _, words in site.mails(BRAND.staff_email) if kind == "staff-registered"]
    assert f"/admin/registrations?q={reference}" in notices[-1]
    link = re.search(r"/registration/[\w=-]+", words)
    assert link is not None
    page.goto(link.group())
    expect(page.get_by_role("heading", level=1, name="Your seat")).to_be_visible()
    expect(page.get_by_text("Reserved", exact=True)).to_be_visible()
    assert state == "registered"
    assert violations(page) == []
    page.get_by_role("button", name="Cancel my seat").click()
    expect(page.get_by_text("Your seat has been cancelled.")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel my seat")).to_have_count(0)
    assert site.rows("SELECT state FROM webinar_registrations WHERE email = ?", address) == [("cancelled",)]
    assert [kind for kind, _, _ in site.mails(address)] == [
        "registration-confirmed",
        "registration-cancelled",
    ]


def test_errors_are_next_to_their_fields_and_the_entered_values_stay(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page(LATE.href)
    reserve(page, "wanjiru at example", "12")
    form = seat_form(page)
    expect(form.get_by_text("Please enter a valid e-mail address")).to_be_visible()
    expect(form.get_by_text("Please enter a valid phone number")).to_be_visible()
    for label, text in (
        ("Full Name", "Wanjiru Kamau"),
        ("Email", "wanjiru at example"),
        ("Phone (optional)", "12"),
    ):
        expect(form.get_by_label(label)).to_have_value(text)
    assert violations(page) == []
    address = fresh()
    reserve(page, address)
    expect(page.get_by_text("Your seat is reserved, Wanjiru Kamau.")).to_be_visible()
    assert site.rows("SELECT count(*) FROM webinar_registrations WHERE email = ?", address) == [(1,)]


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["1280", "390"])
def test_the_form_of_a_full_webinar_is_disabled_and_nothing_moves(
    site: RunningSite, open_page: Opener, viewport: dict[str, int]
) -> None:
    take_all_seats(site)
    page = open_page(SMALL.href, viewport=viewport)
    page.evaluate(MOVES)
    expect(page.get_by_text("This webinar is full: every seat is taken.")).to_be_visible()
    expect(seat_form(page).get_by_role("button", name="Reserve a seat")).to_be_disabled()
    expect(seat_form(page).get_by_label("Email")).to_be_disabled()
    assert page.evaluate("window.moves") == []
    assert violations(page) == []


def test_a_registration_a_moment_too_late_gets_a_message_and_keeps_its_input(
    site: RunningSite, open_page: Opener
) -> None:
    take_all_seats(site, but=1)
    page = open_page(SMALL.href)
    address = fresh()
    seat_form(page).get_by_label("Email").fill(address)
    take_all_seats(site)
    reserve(page, address)
    expect(
        page.get_by_role("alert").filter(has_text="This webinar is full: every seat is taken.")
    ).to_be_visible()
    expect(seat_form(page).get_by_label("Email")).to_have_value(address)
    assert site.rows("SELECT count(*) FROM webinar_registrations WHERE email = ?", address) == [(0,)]
    assert site.mails(address) == []


def test_another_webinars_result_is_not_shown_on_this_page(open_page: Opener) -> None:
    page = open_page(LATE.href)
    reserve(page, fresh())
    expect(page.get_by_text("Your seat is reserved, Wanjiru Kamau.")).to_be_visible()
    page.get_by_role("link", name=re.compile(upcoming()[0].title)).first.click()
    expect(page.get_by_role("heading", level=1, name=upcoming()[0].title)).to_be_visible()
    expect(page.get_by_text("Your seat is reserved")).to_have_count(0)
    expect(seat_form(page).get_by_label("Email")).to_have_value("")


def test_the_list_leads_to_each_page_and_the_title_too(read_page: PageReader) -> None:
    for item in WEBINARS:
        page = read_page(f"/webinar?{urlencode({'tab': item.status.value, 'q': item.title})}")
        assert page.get_by_role("main").get_by_role("link", item.title)["href"] == item.href


def test_private_pages_are_kept_by_no_cache_and_no_index(site: RunningSite) -> None:
    for path in ("/registration/wrong", "/comment/wrong"):
        answer = httpx.get(site.url + path)
        assert answer.status_code == 404
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-robots-tag"] == "noindex, nofollow"
        assert answer.headers["referrer-policy"] == "no-referrer"


def test_a_seat_is_reserved_and_cancelled_without_scripts(site: RunningSite, open_page: Opener) -> None:
    address = fresh()
    page = open_page(LATE.href, scripts=False, viewport=PHONE, expect=("422",))
    reserve(page, "wanjiru at example")
    expect(seat_form(page).get_by_text("Please enter a valid e-mail address")).to_be_visible()
    expect(seat_form(page).get_by_label("Full Name")).to_have_value("Wanjiru Kamau")
    reserve(page, address)
    expect(page.get_by_role("heading", level=1, name="Your seat")).to_be_visible()
    expect(page.get_by_text("Your seat is reserved.")).to_be_visible()
    page.get_by_role("button", name="Cancel my seat").click()
    expect(page.get_by_text("Your seat has been cancelled.")).to_be_visible()
    assert site.rows("SELECT state FROM webinar_registrations WHERE email = ?", address) == [("cancelled",)]


def test_the_form_of_a_full_webinar_is_disabled_without_scripts(site: RunningSite, open_page: Opener) -> None:
    take_all_seats(site)
    page = open_page(SMALL.href, scripts=False)
    expect(page.get_by_text("This webinar is full: every seat is taken.")).to_be_visible()
    expect(seat_form(page).get_by_role("button", name="Reserve a seat")).to_be_disabled()
