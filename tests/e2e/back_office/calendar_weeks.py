"""Weeks far ahead for single tests, bookings in them, and their places in the calendar."""

import secrets
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime, time, timedelta

from playwright.sync_api import Locator, Page

from agency_site import clock
from agency_site.content.hours import HOURS
from agency_site.features.booking.bookings.rules import REFERENCE
from agency_site.features.booking.schedule.rules import format_day, slot_start
from agency_site.ids import new_reference
from agency_site.public_holidays import public_holidays
from tests.e2e.conftest import RunningSite

PATH = "/admin/bookings/calendar"


def quiet_weeks() -> Iterator[date]:
    """Yield Mondays, from half a year ahead, of weeks without a holiday within one month."""
    day = clock.today() + timedelta(weeks=26)
    day -= timedelta(days=day.weekday())
    while True:
        week = [day + timedelta(days=n) for n in range(7)]
        if not any(day in public_holidays(day.year) for day in week) and week[0].month == week[-1].month:
            yield day
        day += timedelta(weeks=1)


_weeks = quiet_weeks()


def own_week() -> date:
    """Return the Monday of a week that no other test uses."""
    return next(_weeks)


def own_weeks() -> tuple[date, date]:
    """Return the Mondays of two consecutive weeks."""
    first, second = own_week(), own_week()
    while second - first != timedelta(weeks=1):
        first, second = second, own_week()
    return first, second


def booked(site: RunningSite, name: str, day: date, hour: int, email: str = "") -> str:
    """Store a confirmed booking; return its reference."""
    reference, moment = new_reference(REFERENCE), _stored(clock.now())
    with closing(site.connect()) as connection:
        connection.execute(
            "INSERT INTO bookings (reference, state, fullname, email, phone, message, starts_at, minutes, seat,"
            " token_seed, token_hash, sequence, search, version, created_at, updated_at)"
            " VALUES (?, 'confirmed', ?, ?, '+254712345678', '', ?, ?, 0, ?, ?, 0, '', 1, ?, ?)",
            (
                reference, name, email, at(day, hour), HOURS.slot_minutes,
                secrets.token_hex(8), secrets.token_hex(32), moment, moment,
            ),
        )  # fmt: skip
    return reference


def at(day: date, hour: int) -> str:
    """Return the start of a slot as the database stores it."""
    return _stored(slot_start(day, time(hour)))


def start_of(site: RunningSite, reference: str) -> str:
    """Return when a booking starts, as the database stores it."""
    return str(site.rows("SELECT starts_at FROM bookings WHERE reference = ?", reference)[0][0])


def _stored(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S.%f}"


def week_of(day: date) -> str:
    return f"{PATH}?view=week&day={day}"


def cell(page: Page, day: date, hour: int) -> Locator:
    """Return the place of a time in the calendar."""
    column = page.get_by_role("region", name=f"{format_day(day)} {day.year}")
    return column.get_by_role("listitem").filter(has_text=f"{hour:02}:00").first


def card(page: Page, name: str) -> Locator:
    return page.get_by_role("article").filter(has_text=name)
