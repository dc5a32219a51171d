"""A visitor books, loses a race, moves and cancels, in a real browser."""

import json
import re
import urllib.error
import urllib.request
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site import clock
from agency_site.features.booking.schedule.rules import slot_start
from agency_site.features.booking.schedule.slots import (
    DayKind,
    Occupancy,
    booking_policy,
    compute_bookable_day,
)
from tests.e2e.conftest import PHONE, Opener, PageReader, RunningSite, hydrated
from tests.e2e.test_hydration import Withheld

PUBLIC_DAYS = 28
"""The number of working days from today that belong to tests of the public pages. Each test has its own slot."""
_FIRST_DAY = clock.today()
"""All days are counted from it: if a run passes midnight, none of its tests gets the day of another."""


def working_day(nth: int) -> date:
    """Return the nth working day of the tests of the public pages."""
    assert nth <= PUBLIC_DAYS, nth
    return open_day(nth)


def open_day(nth: int) -> date:
    """The nth weekday after the first day that is no holiday: its four slots have not begun."""
    day, result = _FIRST_DAY, 0
    while result < nth:
        day += timedelta(days=1)
        result += day.weekday() < 5 and _is_open(day)
    return day


def first_free_day() -> date:
    """Return the first day with a slot that has not begun, on which the calendar opens."""
    return next(day for day in map(_days_from_today, range(30)) if _is_open(day))


def _days_from_today(days: int) -> date:
    return clock.today() + timedelta(days=days)


def _is_open(day: date) -> bool:
    return compute_bookable_day(day, clock.now(), booking_policy(), Occupancy()).kind is DayKind.OPEN


def choose_day(page: Page, day: date) -> None:
    """Choose a day in the calendar, and wait for its times."""
    button = day_button(page, day)
    while not button.count():
        text = page.locator(".calendar").text_content() or ""
        last = page.locator(".calendar [data-day^='2']").last.get_attribute("data-day") or ""
        page.get_by_role("button", name="Next month" if last < day.isoformat() else "Previous month").click()
        expect(page.locator(".calendar")).not_to_have_text(text)
    button.click()
    # Before that the page shows the times of another day.
    expect(button).to_have_attribute("aria-label", re.compile(", selected$"))


def day_button(page: Page, day: date) -> Locator:
    """Return the button of a day, which may be in another month than the visible one."""
    return page.locator(f".calendar [data-day='{day.isoformat()}']").get_by_role("button")


def choose(page: Page, day: date, at: str) -> None:
    """Choose a day in the calendar, then a time."""
    choose_day(page, day)
    page.get_by_role("radio", name=at, exact=True).check()


def fill(page: Page, email: str, name: str = "Wanjiru Kamau") -> None:
    """Type into the form."""
    page.get_by_label("Full Name").fill(name)
    page.get_by_label("Email Address").fill(email)
    page.get_by_label("Phone Number").fill("0712 345 678")
    page.get_by_label("Message").fill("We open a second branch in March.")


def take(site: RunningSite, day: date, time: str, email: str = "rival@example.com") -> int:
    """Book over HTTP as another visitor and return the status code."""
    body = {
        "fullname": "Rival", "emailaddress": email, "phonenumber": "0722 000 000",
        "date": day.isoformat(), "time": time,
    }  # fmt: skip
    request = urllib.request.Request(
        f"{site.url}/api/book", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def test_a_booking_is_stored_and_mailed(site: RunningSite, open_page: Opener) -> None:
    page = open_page("/book")
    submit = page.get_by_role("button", name="Select Time to Book")
    expect(submit).to_be_disabled()
    fill(page, "booker@example.com")
    choose(page, working_day(1), "11:00")
    page.get_by_role("button", name="Book at 11:00").click()
    done = page.get_by_role("status").filter(has_text="Booking confirmed! We will get back to you shortly.")
    expect(done).to_be_visible()
    expect(done).to_be_focused()
    expect(page.get_by_label("Full Name")).to_have_value("")
    expect(page.get_by_role("button", name="Select Time to Book")).to_be_disabled()
    expect(page.get_by_role("radio", name="11:00", exact=True)).to_have_count(0)
    rows = site.rows("SELECT state, phone FROM bookings WHERE email = 'booker@example.com'")
    assert rows == [("confirmed", "+254712345678")]
    assert [kind for kind, *_ in site.mails("booker@example.com")] == ["booking-confirmed"]


@pytest.mark.thorough
def test_s4_the_button_says_booking_and_rests_while_the_booking_is_made(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page("/book")
    fill(page, "patient@example.com")
    choose(page, working_day(11), "11:00")
    with site.occupied():
        page.get_by_role("button", name="Book at 11:00").click()
        expect(page.get_by_role("button", name="Booking...", exact=True)).to_be_disabled()
    expect(page.get_by_text("Booking confirmed! We will get back to you shortly.")).to_be_visible()
    expect(page.get_by_role("button", name="Select Time to Book")).to_be_visible()


@pytest.mark.parametrize("zone", ["Africa/Nairobi", "Pacific/Auckland", "Pacific/Honolulu"])
def test_the_first_free_day_in_nairobi_is_chosen_and_no_day_before_today_can_be(
    open_page: Opener, zone: str
) -> None:
    page = open_page("/book", timezone_id=zone)
    today, first = clock.today(), first_free_day()
    expect(day_button(page, first)).to_have_attribute("aria-label", re.compile(", selected$"))
    expect(
        page.get_by_role("heading", name=f"{first:%A} {first.day} {first:%B}, Nairobi time")
    ).to_be_visible()
    expect(day_button(page, today - timedelta(days=1))).to_have_count(0)
    choose_day(page, today + timedelta(days=1))
    expect(day_button(page, today + timedelta(days=1))).to_have_count(1)


def box(locator: Locator) -> dict[str, float]:
    """Return the bounding box of an element."""
    place = locator.bounding_box()
    assert place is not None
    return dict(place)  # type: ignore[arg-type]


@pytest.mark.thorough
def test_s2_the_form_is_left_of_the_calendar_and_above_it_on_phones(open_page: Opener) -> None:
    page = open_page("/book")
    form, times = page.locator(".booking-details"), page.get_by_role("table")
    expect(times).to_be_visible()
    assert box(form)["x"] + box(form)["width"] <= box(times)["x"]
    assert box(times)["y"] < box(form)["y"] + box(form)["height"]
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert box(form)["y"] + box(form)["height"] <= box(times)["y"]


def tint(locator: Locator) -> tuple[str, str]:
    """Return the strongest of red, green and blue in an element's background and border."""
    colours = locator.evaluate(
        "e => { const s = getComputedStyle(e); return [s.backgroundColor, s.borderTopColor]; }"
    )
    background, border = ([int(part) for part in re.findall(r"\d+", colour)[:3]] for colour in colours)
    return tuple(("red", "green", "blue")[c.index(max(c))] for c in (background, border))  # type: ignore[return-value]


def test_s7_success_is_in_a_green_box_and_failure_in_a_red_one(site: RunningSite, open_page: Opener) -> None:
    page = open_page("/book")
    fill(page, "colours@example.com")
    choose(page, working_day(12), "09:00")
    assert take(site, working_day(12), "09:00") == 201
    page.get_by_role("button", name="Book at 09:00").click()
    failed = page.get_by_role("alert").filter(has_text="Error submitting booking: ")
    expect(failed).to_be_visible()
    assert tint(failed) == ("red", "red")
    page.get_by_role("radio", name="11:00", exact=True).click()
    expect(failed).to_have_count(0)
    page.get_by_role("button", name="Book at 11:00").click()
    done = page.get_by_role("status").filter(has_text="Booking confirmed!")
    expect(done).to_be_visible()
    assert tint(done) == ("green", "green")


def test_s4_the_button_says_booking_from_the_submit_to_the_answer(open_page: Opener) -> None:
    answer = Withheld("Booking confirmed!")
    page = open_page("/book", prepare=answer.watch)
    fill(page, "at-once@example.com")
    choose(page, working_day(27), "14:00")
    page.get_by_role("button", name="Book at 14:00").click()
    expect(page.get_by_role("button", name="Booking...")).to_be_disabled()
    answer.release()
    expect(page.get_by_role("status").filter(has_text="Booking confirmed!")).to_be_visible()
    expect(page.get_by_role("button", name="Select Time to Book")).to_be_disabled()


@pytest.mark.thorough
def test_a_reload_removes_the_confirmation(open_page: Opener) -> None:
    page = open_page("/book")
    fill(page, "again@example.com")
    choose(page, working_day(28), "09:00")
    page.get_by_role("button", name="Book at 09:00").click()
    done = page.get_by_role("status").filter(has_text="Booking confirmed!")
    expect(done).to_be_visible()
    page.reload()
    hydrated(page)
    expect(page.get_by_role("table")).to_be_visible()
    expect(done).to_have_count(0)
    expect(page.get_by_label("Email Address")).to_have_value("")


@pytest.mark.thorough
def test_the_placeholder_is_shown_until_the_slots_come(open_page: Opener) -> None:
    page = open_page("/book", viewport=PHONE)
    expect(
        page.get_by_role("radiogroup", name="Available times").or_(page.get_by_text("No available times"))
    ).to_be_visible()
    day = working_day(2)
    choose(page, day, "09:00")
    choose_day(page, working_day(3))
    expect(page.get_by_test_id("slots-loading").locator("div")).to_have_count(3)
    expect(page.get_by_role("button", name="Select Time to Book")).to_be_disabled()
    expect(page.get_by_role("radio", name="09:00", exact=True)).to_be_visible()


@pytest.mark.thorough
def test_a_time_stays_chosen_that_is_clicked_right_after_its_day_which_is_shown_already(
    open_page: Opener,
) -> None:
    page = open_page("/book")
    day = page.get_by_role("table").get_by_role("button", name=re.compile("selected$"))
    slot = page.get_by_role("radiogroup", name="Available times").get_by_role("radio").first
    time = slot.get_attribute("value")
    clicked = [day.element_handle(), slot.element_handle()]
    page.evaluate("(buttons) => buttons.forEach((button) => button.click())", clicked)
    # React shows a choice once the server has answered it, and so the events before it.
    way = page.get_by_label("How", exact=True)
    way.select_option("By video")
    expect(way).to_have_value("video")
    expect(page.get_by_role("button", name=f"Book at {time}")).to_be_enabled()


def test_a_sunday_has_no_available_times(open_page: Opener) -> None:
    page = open_page("/book")
    sunday = clock.today() + timedelta(days=(6 - clock.today().weekday()) or 7)
    choose_day(page, sunday)
    expect(page.get_by_text("No available times", exact=True)).to_be_visible()


def test_the_loser_of_a_race_keeps_what_was_typed_and_gets_fresh_slots(
    site: RunningSite, open_page: Opener
) -> None:
    day = working_day(4)
    page = open_page("/book")
    fill(page, "loser@example.com")
    choose(page, day, "14:00")
    assert take(site, day, "14:00") == 201
    page.get_by_role("button", name="Book at 14:00").click()
    failed = page.get_by_role("alert").filter(has_text="Error submitting booking: ")
    expect(failed).to_contain_text("has just been taken")
    expect(page.get_by_label("Full Name")).to_have_value("Wanjiru Kamau")
    expect(page.get_by_label("Message")).to_have_value("We open a second branch in March.")
    expect(page.get_by_role("radio", name="14:00", exact=True)).to_have_count(0)
    expect(page.get_by_role("radio", name="16:00", exact=True)).to_be_visible()


def test_invalid_input_is_reported_at_its_field_and_kept(open_page: Opener) -> None:
    page = open_page("/book")
    page.get_by_label("Full Name").fill("Wanjiru Kamau")
    page.get_by_label("Email Address").fill("not an address")
    choose(page, working_day(5), "09:00")
    page.get_by_role("button", name="Book at 09:00").click()
    expect(page.get_by_text("Please enter a valid e-mail address", exact=False)).to_be_visible()
    expect(page.get_by_text("Please enter your phone number.")).to_be_visible()
    expect(page.get_by_label("Email Address")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Email Address")).to_have_value("not an address")


def test_the_private_link_moves_and_cancels(site: RunningSite, open_page: Opener) -> None:
    page = open_page("/book")
    fill(page, "mover@example.com")
    choose(page, working_day(6), "09:00")
    page.get_by_role("button", name="Book at 09:00").click()
    page.get_by_role("link", name="Move or cancel this booking").click()
    expect(page.get_by_role("heading", name="Your consultation")).to_be_visible()
    page.get_by_role("link", name="Move to another time").click()
    day = working_day(7)
    choose_day(page, day)
    page.get_by_role("radio", name="16:00").check()
    page.get_by_role("button", name="Move to the chosen time").filter(visible=True).click()
    expect(page.get_by_role("status").filter(has_text="Your consultation is now at 16:00")).to_be_visible()
    page.get_by_role("link", name="Cancel the booking").click()
    expect(page.get_by_role("heading", name="Cancel this booking?")).to_be_visible()
    page.get_by_role("link", name="Keep it").click()
    page.get_by_role("link", name="Cancel the booking").click()
    page.get_by_role("button", name="Yes, cancel it").click()
    expect(page.get_by_role("status").filter(has_text="is cancelled")).to_be_visible()
    assert site.rows("SELECT state, sequence FROM bookings WHERE email = 'mover@example.com'") == [
        ("cancelled", 2)
    ]
    kinds = [kind for kind, *_ in site.mails("mover@example.com")]
    assert kinds == ["booking-confirmed", "booking-moved", "booking-cancelled"]


def test_an_unknown_link_shows_a_message(read_page: PageReader) -> None:
    read_page("/booking/nothing-here", status=404).get_by_role("heading", "There is no booking at this link.")


def test_the_calendar_works_by_keyboard(open_page: Opener) -> None:
    page = open_page("/book")
    first = first_free_day()
    expect(page.get_by_role("table")).to_be_visible()
    page.get_by_role("button", name=re.compile(f"^{first:%A} {first.day} {first:%B} {first.year}")).focus()
    page.keyboard.press("ArrowDown")
    week = first + timedelta(days=7)
    expect(
        page.get_by_role("button", name=re.compile(f"^{week:%A} {week.day} {week:%B} {week.year}"))
    ).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=f"{week:%A} {week.day} {week:%B}, Nairobi time")).to_be_visible()


@pytest.mark.thorough
@pytest.mark.parametrize(("zone", "elsewhere"), [("America/Los_Angeles", True), ("Africa/Nairobi", False)])
def test_a_visitor_abroad_sees_the_time_of_their_own_clock_too(
    site: RunningSite, open_page: Opener, zone: str, elsewhere: bool
) -> None:
    page, day = open_page("/book", timezone_id=zone), working_day(15)
    at = time(16 if elsewhere else 14)
    choose_day(page, day)
    slot = page.locator(".slot", has=page.get_by_role("radio", name=re.compile(f"^{at:%H:%M}")))
    slot.click()
    theirs = slot_start(day, at).astimezone(ZoneInfo(zone))
    # Safari and Chrome put a comma or "at" between day and time.
    own = re.compile(f"{theirs:%A}.*{theirs:%H:%M} where you are")
    expect(page.locator(".booking-times").get_by_text(own)).to_have_count(int(elsewhere))
    brief = re.compile(f"{theirs:%a}.*{theirs:%H:%M} your time")
    expect(slot.get_by_text(brief)).to_have_count(int(elsewhere))
    email = f"abroad-{zone[-4:].lower()}@example.com"
    fill(page, email)
    page.get_by_role("button", name=f"Book at {at:%H:%M}").click()
    expect(page.locator("#booking-done")).to_be_visible()
    expect(page.locator("#booking-done").get_by_text(own)).to_have_count(int(elsewhere))
    page.get_by_role("link", name="Move or cancel this booking").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your consultation")
    expect(page.get_by_role("definition").get_by_text(own)).to_have_count(int(elsewhere))
