"""Busy calendars: a calendar of this machine is added, its busy times close a slot, and bookings in it are listed."""

from collections.abc import Iterator
from contextlib import closing
from datetime import date

import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site.auth.rules import Role
from tests.calendar_server import CalendarServer, Reply, calendar_server
from tests.e2e.back_office.clients import books, free_slots, new_name
from tests.e2e.back_office.conftest import BackOfficeOpener
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers
from tests.e2e.conftest import PHONE, Opener, RunningSite
from tests.e2e.test_booking import PUBLIC_DAYS, choose_day, open_day

pytestmark = pytest.mark.thorough

CALENDARS = "/admin/calendars"


@pytest.fixture
def server(site: RunningSite) -> Iterator[CalendarServer]:
    """A server of calendars; the site forgets its calendars afterwards."""
    with calendar_server() as running:
        yield running
    with closing(site.connect()) as connection:
        for table in ("busy_times", "busy_calendars"):
            connection.execute(f"DELETE FROM {table}")


def roomy_day(site: RunningSite) -> tuple[date, list[str]]:
    """Return a day with at least three free times, and those times."""
    days = map(open_day, range(PUBLIC_DAYS + 1, 2 * PUBLIC_DAYS))
    return next((day, times) for day in days if len(times := free_slots(site, day)) > 2)


def busy_on(day: date, begins: str, ends: str) -> str:
    """Return a calendar that is busy on a day between two times, such as `09:00`."""
    first, last = (f"{day:%Y%m%d}T{at.replace(':', '')}00" for at in (begins, ends))
    return "\n".join(
        (
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Google Inc//Google Calendar 70.9054//EN", "BEGIN:VEVENT",
            "UID:one@google.com", f"DTSTART;TZID=Africa/Nairobi:{first}", f"DTEND;TZID=Africa/Nairobi:{last}",
            "SUMMARY:A client of another", "END:VEVENT", "END:VCALENDAR", "",
        )
    )  # fmt: skip


def add(page: Page, name: str, address: str) -> None:
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Closes the times of").select_option(label="Everyone")
    page.get_by_label("Private address").fill(address)
    page.get_by_role("button", name="Add calendar").click()


def calendars(page: Page) -> Locator:
    return page.get_by_role("region", name="Busy calendars")


def test_a_calendar_closes_the_slots_of_its_busy_times_and_lists_the_bookings_in_them(
    site: RunningSite, back_office: BackOfficeOpener, server: CalendarServer, open_page: Opener
) -> None:
    day, (taken, closed, *open_times) = roomy_day(site)
    booked = books(site, new_name("Njeri"), day, taken)
    page = back_office(CALENDARS, role=Role.FRONT_DESK)
    expect(page.get_by_text("No calendars yet.")).to_be_visible()
    add(
        page,
        "Google calendar of Wanjiru",
        server.serve("/a.ics", busy_on(day, taken, closed.replace(":00", ":10"))),
    )
    expect(
        page.get_by_role("status").filter(has_text="Calendar added. It has one busy time.")
    ).to_be_visible()
    expect(calendars(page)).to_contain_text("localhost/…")
    expect(calendars(page)).to_contain_text("Everyone")
    expect(page.get_by_label("Private address")).to_have_value("")
    collisions = page.locator("section").filter(
        has=page.get_by_role("heading", name="Bookings at busy times")
    )
    expect(collisions).to_contain_text("Google calendar of Wanjiru")
    expect(collisions.get_by_role("link", name=booked.reference)).to_be_visible()
    assert free_slots(site, day) == open_times
    visitor = open_page("/book")
    choose_day(visitor, day)
    expect(visitor.get_by_role("radio", name=open_times[0], exact=True)).to_be_visible()
    expect(visitor.get_by_role("radio", name=closed, exact=True)).to_have_count(0)
    listed = back_office("/admin/bookings?state=collides", role=Role.FRONT_DESK)
    expect(listed.get_by_text(booked.reference)).to_be_visible()
    page.get_by_role("button", name="Remove Google calendar of Wanjiru").click()
    page.get_by_role("dialog").get_by_role("button", name="Yes, remove").click()
    expect(page.get_by_text("No calendars yet.")).to_be_visible()
    assert free_slots(site, day) == [closed, *open_times]


def test_an_address_that_cannot_be_read_is_explained_and_stays_typed(
    back_office: BackOfficeOpener, server: CalendarServer
) -> None:
    server.replies["/gone.ics"] = Reply(status=404)
    page = back_office(CALENDARS, role=Role.OWNER)
    add(page, "Outlook of Brian", f"{server.origin}/gone.ics")
    expect(page.locator("#calendar-address-error")).to_contain_text("There is no calendar at this address.")
    expect(page.get_by_label("Private address")).to_have_value(f"{server.origin}/gone.ics")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Outlook of Brian")


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_screen_is_accessible_and_shows_a_failure(
    back_office: BackOfficeOpener, server: CalendarServer, viewport: dict[str, int]
) -> None:
    page = back_office(CALENDARS, viewport=viewport, reduced_motion="reduce")
    add(page, "Nextcloud", server.serve("/a.ics", busy_on(open_day(PUBLIC_DAYS + 1), "06:00", "07:00")))
    expect(calendars(page)).to_contain_text("OK")
    server.replies["/a.ics"] = Reply(status=500)
    page.get_by_role("button", name="Read now Nextcloud").click()
    expect(calendars(page)).to_contain_text("Trying again")
    page.get_by_role("button", name="Add calendar").click()
    expect(page.locator("#calendar-name-error")).not_to_be_empty()
    expect_no_barriers(barriers(page))
