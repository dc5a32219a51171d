"""Two persons take consultations: a visitor books one of them by video, and the other one's time stays free."""

import json
import urllib.request
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from agency_site import clock
from tests.e2e.conftest import Opener, RunningSite, served, untouched
from tests.e2e.test_booking import choose, fill, open_day
from tests.e2e.test_hydration import Held

pytestmark = pytest.mark.thorough

ROOM = "https://meet.example/brian"
WANJIRU, BRIAN = "CO-222222", "CO-333333"


@pytest.fixture(scope="module")
def staffed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    """A site of its own: other tests book at an agency that has named no persons."""
    with served(tmp_path_factory.mktemp("persons"), AGENCY_FORM_MINIMUM_SECONDS="0") as server:
        with server.connect() as connection:
            for number, (reference, name, ways, room) in enumerate(
                (
                    (WANJIRU, "Wanjiru Kamau", "phone karen video", ""),
                    (BRIAN, "Brian Otieno", "phone video", ROOM),
                )
            ):
                connection.execute(
                    "INSERT INTO consultants (version, reference, name, email, seat, is_active, hours, ways, video_link, author,"
                    " updated_at) VALUES (1, ?, ?, '', ?, 1, '{}', ?, ?, 'wanjiru@mwanga.example', ?)",
                    (reference, name, number, ways, room, f"{clock.now():%Y-%m-%d %H:%M:%S.%f}"),
                )
        yield server


def free_times(site: RunningSite, day: str, person: str) -> list[str]:
    query = urlencode({"date": day, "way": "video", "person": person})
    with urllib.request.urlopen(f"{site.url}/api/slots?{query}") as answer:
        slots: list[dict[str, Any]] = json.load(answer)["slots"]
    return [slot["time"] for slot in slots if slot["available"]]


def options(page: Page, label: str) -> list[str]:
    return page.get_by_label(label, exact=True).get_by_role("option").all_inner_texts()


def test_a_visitor_books_a_person_by_video_and_the_own_page_says_who_and_how(
    staffed: RunningSite, open_page: Opener
) -> None:
    page, day = open_page(f"{staffed.url}/book"), open_day(3)
    expect(page.get_by_label("With", exact=True)).to_be_visible()
    assert options(page, "How") == ["In Karen", "By phone", "By video"]
    page.get_by_label("How", exact=True).select_option("By video")
    expect(page.get_by_label("With", exact=True).get_by_role("option")).to_have_count(3)
    page.get_by_label("With", exact=True).select_option("Brian Otieno")
    page.get_by_label("Service").select_option("Web Design & Development")
    fill(page, "video@example.com")
    choose(page, day, "11:00")
    page.get_by_role("button", name="Book at 11:00").click()
    expect(page.locator("#booking-done")).to_contain_text("with Brian Otieno")
    assert staffed.rows("SELECT way, service, seat FROM bookings WHERE email = 'video@example.com'") == [
        ("video", "web-design", 1)
    ]
    assert "11:00" not in free_times(staffed, day.isoformat(), BRIAN)
    assert "11:00" in free_times(staffed, day.isoformat(), WANJIRU)
    page.get_by_role("link", name="Move or cancel this booking").click()
    expect(page.get_by_role("definition").get_by_text("Brian Otieno")).to_be_visible()
    expect(page.get_by_role("link", name="Join by video")).to_have_attribute("href", ROOM)
    expect(page.get_by_role("definition").get_by_text("Web Design & Development")).to_be_visible()


def test_the_chosen_time_stays_if_it_is_free_for_the_next_choice_and_goes_if_not(
    staffed: RunningSite, open_page: Opener
) -> None:
    page, day = open_page(f"{staffed.url}/book"), open_day(4)
    page.get_by_label("How", exact=True).select_option("By video")
    page.get_by_label("With", exact=True).select_option("Wanjiru Kamau")
    fill(page, "chooser@example.com")
    choose(page, day, "14:00")
    page.get_by_role("button", name="Book at 14:00").click()
    expect(page.locator("#booking-done")).to_be_visible()
    # A booking resets the choices.
    expect(page.get_by_label("With", exact=True)).to_have_value("")
    # In Karen only Wanjiru could take it.
    page.get_by_label("How", exact=True).select_option("By phone")
    choose(page, day, "14:00")
    expect(page.get_by_role("button", name="Book at 14:00")).to_be_enabled()
    page.get_by_label("With", exact=True).select_option("Brian Otieno")
    expect(page.get_by_role("button", name="Book at 14:00")).to_be_enabled()
    page.get_by_label("With", exact=True).select_option("Wanjiru Kamau")
    expect(page.get_by_role("button", name="Select Time to Book")).to_be_disabled()
    expect(page.get_by_role("radio", name="14:00", exact=True)).to_have_count(0)


def test_choices_made_before_scripts_run_are_kept(staffed: RunningSite, open_page: Opener) -> None:
    held, day = Held(), open_day(6)
    page = open_page(f"{staffed.url}/book", prepare=held.hold, ready=untouched)
    # Only persons who offer the way, as after hydration: otherwise the choice of another one would be lost with it.
    assert options(page, "With") == ["Any person", "Wanjiru Kamau"]
    page.get_by_label("How", exact=True).focus()
    page.get_by_label("How", exact=True).select_option("By video")
    page.get_by_label("With", exact=True).select_option("Wanjiru Kamau")
    held.release()
    expect(page.get_by_label("With", exact=True).get_by_role("option")).to_have_count(3)
    fill(page, "early@example.com")
    choose(page, day, "11:00")
    page.get_by_role("button", name="Book at 11:00").click()
    expect(page.locator("#booking-done")).to_contain_text("with Wanjiru Kamau")
    assert staffed.rows("SELECT way, seat FROM bookings WHERE email = 'early@example.com'") == [("video", 0)]


def test_without_scripts_a_visitor_books_a_person_by_video(staffed: RunningSite, open_page: Opener) -> None:
    day = open_day(5)
    page = open_page(f"{staffed.url}/book?date={day}&way=video&person={BRIAN}", scripts=False)
    expect(page.get_by_label("With", exact=True)).to_have_value(BRIAN)
    fill(page, "plain@example.com")
    page.get_by_role("radio", name="09:00").check(force=True)
    page.get_by_role("button", name="Book at 09:00").click()
    expect(page.get_by_role("link", name="Join by video")).to_have_attribute("href", ROOM)
    expect(page.get_by_role("definition").get_by_text("Brian Otieno")).to_be_visible()
    assert "09:00" in free_times(staffed, day.isoformat(), WANJIRU)
    assert "09:00" not in free_times(staffed, day.isoformat(), BRIAN)
