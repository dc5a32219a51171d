"""Staff move bookings in the calendar, by mouse, by finger and by keys."""

import re
from contextlib import closing
from datetime import timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site.auth.rules import Role
from agency_site.features.booking.schedule.rules import format_day
from tests.e2e.back_office.calendar_weeks import (
    PATH,
    at,
    booked,
    card,
    cell,
    own_week,
    own_weeks,
    start_of,
    week_of,
)
from tests.e2e.back_office.conftest import BackOfficeOpener
from tests.e2e.barriers import violations
from tests.e2e.conftest import PHONE, WIDE, RunningSite

pytestmark = pytest.mark.thorough

NARROW = {"width": 320, "height": 700}
TUESDAY = timedelta(days=1)


def drag(page: Page, what: Locator, to: Locator) -> None:
    """Drag with the mouse."""
    to.evaluate("element => element.scrollIntoView({ block: 'center' })")
    start, end = what.bounding_box(), to.bounding_box()
    assert start
    assert end
    page.mouse.move(start["x"] + 30, start["y"] + 14)
    page.mouse.down()
    page.mouse.move(start["x"] + 50, start["y"] + 30, steps=4)
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=8)
    page.mouse.up()


def move_dialog(page: Page) -> Locator:
    return page.get_by_role("dialog")


def test_a_booking_is_dragged_without_a_notification(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    monday = own_week()
    reference = booked(site, "Amina Dragged", monday, 9, "dragged@example.com")
    page = back_office(week_of(monday), role=Role.FRONT_DESK)
    drag(page, card(page, "Amina Dragged"), cell(page, monday + TUESDAY, 11))
    question = f"Move Amina Dragged to {format_day(monday + TUESDAY)}, 11:00?"
    expect(page.get_by_role("dialog", name=question)).to_be_visible()
    page.get_by_label("Notify the client").uncheck()
    page.get_by_role("button", name="Move booking").click()
    expect(cell(page, monday + TUESDAY, 11).get_by_role("article")).to_contain_text("Amina Dragged")
    expect(cell(page, monday, 9)).to_contain_text("Free")
    expect(page.get_by_role("link", name="Amina Dragged")).to_be_focused()
    assert start_of(site, reference) == at(monday + TUESDAY, 11)
    assert site.mails("dragged@example.com") == []
    assert site.rows("SELECT action FROM audit_entries WHERE reference = ?", reference) == [
        ("booking.moved",)
    ]


def test_keys_alone_move_a_booking_and_the_client_is_notified(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    monday = own_week()
    reference = booked(site, "Amina Keyed", monday, 9, "keyed@example.com")
    booked(site, "In The Way", monday, 11)
    page = back_office(week_of(monday))
    expect(card(page, "Amina Keyed")).to_be_visible()
    # The key belongs to a booking that has focus, not to the page.
    page.keyboard.press("m")
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.includes('Amina Keyed')"):
            break
    expect(page.get_by_role("application")).to_have_count(0)
    page.keyboard.press("m")
    expect(page.get_by_role("application", name="Moving Amina Keyed")).to_be_focused()
    said = page.locator("[role=status].sr-only")
    page.keyboard.press("ArrowDown")
    expect(said).to_have_text(re.compile(rf"^{format_day(monday)}, 14:00\. 1 of \d+ free\.$"))
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text(f"{format_day(monday + TUESDAY)}, 14:00.")
    page.keyboard.press("ArrowUp")
    expect(said).to_contain_text(f"{format_day(monday + TUESDAY)}, 11:00.")
    page.keyboard.press("Enter")
    expect(move_dialog(page)).to_be_visible()
    expect(page.get_by_label("Notify the client")).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The client is notified.")).to_be_visible()
    assert start_of(site, reference) == at(monday + TUESDAY, 11)
    assert len(site.mails("keyed@example.com")) == 1


def test_escape_cancels_and_pages_turn_while_a_booking_is_picked_up(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    monday, later = own_weeks()
    reference = booked(site, "Amina Turning", monday, 9)
    page = back_office(week_of(monday))
    link = card(page, "Amina Turning").get_by_role("link")
    link.press("m")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    expect(page.get_by_role("application")).to_have_count(0)
    expect(link).to_be_focused()
    page.get_by_role("button", name="Move Amina Turning").press("Enter")
    page.keyboard.press("PageDown")
    expect(page.get_by_role("region", name=format_day(later))).to_be_visible()
    page.keyboard.press("End")
    expect(page.locator("[role=status].sr-only")).to_contain_text(
        f"{format_day(later + timedelta(days=5))}, 11:00."
    )
    page.keyboard.press("Enter")
    expect(move_dialog(page)).to_contain_text("No e-mail address")
    page.keyboard.press("Escape")
    expect(move_dialog(page)).to_be_hidden()
    assert start_of(site, reference) == at(monday, 9)


def test_a_finger_taps_move_and_then_a_free_time(site: RunningSite, back_office: BackOfficeOpener) -> None:
    monday = own_week()
    reference = booked(site, "Amina Tapped", monday, 9)
    page = back_office(f"{PATH}?view=day&day={monday}", viewport=PHONE, has_touch=True)
    page.get_by_role("button", name="Move Amina Tapped").tap()
    cell(page, monday, 14).get_by_role("link").tap()
    page.get_by_role("button", name="Move booking").tap()
    expect(cell(page, monday, 14)).to_contain_text("Amina Tapped")
    assert start_of(site, reference) == at(monday, 14)


def test_on_a_phone_the_panel_of_a_move_covers_no_time_that_can_be_scrolled_to(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    monday = own_week()
    booked(site, "Amina Uncovered", monday, 9)
    page = back_office(f"{PATH}?view=day&day={monday}", viewport=PHONE, has_touch=True)
    page.get_by_role("button", name="Move Amina Uncovered").tap()
    panel = page.get_by_role("application", name="Moving Amina Uncovered").bounding_box()
    assert panel
    assert panel["height"] <= 0.2 * PHONE["height"]
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    last = page.locator("[data-slot]").last.bounding_box()
    assert last
    assert last["y"] + last["height"] <= panel["y"]


def test_a_time_taken_while_the_dialog_is_open_is_refused(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    monday = own_week()
    reference = booked(site, "Amina Late", monday, 9)
    page = back_office(week_of(monday))
    drag(page, card(page, "Amina Late"), cell(page, monday, 14))
    expect(move_dialog(page)).to_be_visible()
    booked(site, "Quick Rival", monday, 14)
    page.get_by_role("button", name="Move booking").click()
    expect(page.get_by_role("alert")).to_contain_text(f"14:00 on {format_day(monday)} has just been taken")
    expect(cell(page, monday, 9)).to_contain_text("Amina Late")
    expect(cell(page, monday, 14)).to_contain_text("Quick Rival")
    assert start_of(site, reference) == at(monday, 9)


def test_a_drop_on_a_taken_time_is_refused_at_once(site: RunningSite, back_office: BackOfficeOpener) -> None:
    monday = own_week()
    booked(site, "Amina Eager", monday, 9)
    booked(site, "Sitting There", monday, 11)
    page = back_office(week_of(monday))
    drag(page, card(page, "Amina Eager"), cell(page, monday, 11))
    expect(page.get_by_role("alert")).to_contain_text("has just been taken")
    expect(move_dialog(page)).to_be_hidden()


def test_a_booking_changed_meanwhile_is_not_moved(site: RunningSite, back_office: BackOfficeOpener) -> None:
    monday = own_week()
    reference = booked(site, "Amina Changed", monday, 9)
    page = back_office(week_of(monday))
    drag(page, card(page, "Amina Changed"), cell(page, monday, 14))
    expect(move_dialog(page)).to_be_visible()
    with closing(site.connect()) as connection:
        connection.execute("UPDATE bookings SET version = 2 WHERE reference = ?", (reference,))
    page.get_by_role("button", name="Move booking").click()
    expect(page.get_by_role("alert")).to_contain_text("Another person changed booking")
    assert start_of(site, reference) == at(monday, 9)


def test_a_day_of_the_month_takes_a_booking_at_its_own_time_or_another(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    monday = own_week()
    reference = booked(site, "Amina Monthly", monday, 11)
    page = back_office(f"{PATH}?view=month&day={monday}")
    target = monday + timedelta(days=3)
    square = page.get_by_role("listitem").filter(
        has=page.get_by_role("link", name=f"{format_day(target)} {target.year}")
    )
    drag(page, card(page, "Amina Monthly"), square)
    expect(page.get_by_role("dialog", name=f"{format_day(target)}, 11:00?")).to_be_visible()
    page.get_by_label("Time").select_option("16:00")
    expect(page.get_by_role("dialog", name=f"{format_day(target)}, 16:00?")).to_be_visible()
    page.get_by_role("button", name="Move booking").click()
    expect(square.get_by_role("article")).to_contain_text("16:00")
    assert start_of(site, reference) == at(target, 16)


def test_bookings_and_moves_of_others_appear_by_themselves(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    monday = own_week()
    watching, working = back_office(week_of(monday), role=Role.VIEWER), back_office(week_of(monday))
    expect(watching.get_by_role("region", name=format_day(monday))).to_be_visible()
    booked(site, "Amina Live", monday, 9)
    expect(cell(watching, monday, 9)).to_contain_text("Amina Live")
    drag(working, card(working, "Amina Live"), cell(working, monday, 16))
    working.get_by_role("button", name="Move booking").click()
    expect(cell(watching, monday, 16)).to_contain_text("Amina Live")


def test_a_viewer_sees_but_cannot_move(site: RunningSite, back_office: BackOfficeOpener) -> None:
    monday = own_week()
    reference = booked(site, "Amina Seen", monday, 9)
    page = back_office(week_of(monday), role=Role.VIEWER)
    expect(card(page, "Amina Seen")).to_be_visible()
    expect(card(page, "Amina Seen").get_by_role("link")).to_have_attribute(
        "href", f"/admin/booking?ref={reference}"
    )
    expect(page.get_by_role("button", name="Move")).to_have_count(0)
    expect(cell(page, monday, 11).get_by_role("link")).to_have_count(0)
    expect(page.get_by_role("link", name="Add booking")).to_have_count(0)
    card(page, "Amina Seen").get_by_role("link").press("m")
    expect(page.get_by_role("application")).to_have_count(0)
    drag(page, card(page, "Amina Seen"), cell(page, monday, 14))
    expect(move_dialog(page)).to_be_hidden()
    assert start_of(site, reference) == at(monday, 9)


def violations_at_the_top(page: Page) -> list[str]:
    """Return violations with the page scrolled to the top: links half below the fixed bars are not counted."""
    page.evaluate("window.scrollTo(0, 0)")
    return violations(page)


@pytest.mark.parametrize("viewport", [NARROW, WIDE], ids=["320", "1280"])
def test_a_move_in_progress_is_accessible(
    site: RunningSite, back_office: BackOfficeOpener, viewport: dict[str, int]
) -> None:
    monday = own_week()
    booked(site, "Amina Access", monday, 9, "access@example.com")
    page = back_office(week_of(monday), viewport=viewport, reduced_motion="reduce")
    card(page, "Amina Access").get_by_role("link").press("m")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Move here")).to_be_enabled()
    assert violations_at_the_top(page) == []
    page.keyboard.press("Enter")
    expect(move_dialog(page)).to_be_visible()
    assert violations_at_the_top(page) == []
