"""Clients who book on the site, and readers of stored data for tests of the back office."""

import json
import secrets
import string
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from playwright.sync_api import Page

from agency_site import clock
from agency_site.features.booking.schedule.rules import format_day, slot_start
from tests.e2e.conftest import RunningSite
from tests.e2e.test_booking import PUBLIC_DAYS, open_day


@dataclass(frozen=True)
class Client:
    """A client with a booking."""

    name: str
    email: str
    reference: str
    day: date
    time: str

    @property
    def radio(self) -> str:
        """Return the label of the slot in the slot finder."""
        return f"{self.time} on {format_day(self.day)}"

    @property
    def file(self) -> str:
        """Return the path of the booking's page."""
        return f"/admin/booking?ref={self.reference}"


def new_name(first: str) -> str:
    """Return a name that no other test uses, without digits: seven digits would be rejected as a phone number."""
    return f"{first} {''.join(secrets.choice(string.ascii_lowercase) for _ in range(8)).capitalize()}"


def free_slots(site: RunningSite, day: date) -> list[str]:
    """Return the times that visitors can book."""
    with urllib.request.urlopen(f"{site.url}/api/slots?date={day.isoformat()}") as answer:
        return [slot["time"] for slot in json.load(answer)["slots"] if slot["available"]]


def free_slot(site: RunningSite) -> tuple[date, str]:
    """Return the first free slot, on a day with at least one more."""
    for nth in range(PUBLIC_DAYS + 1, 2 * PUBLIC_DAYS):
        day = open_day(nth)
        times = free_slots(site, day)
        if len(times) > 1:
            return day, times[0]
    raise LookupError("everything is taken")


def client(site: RunningSite, name: str = "Njeri Thuo") -> Client:
    """Book over HTTP, as the public form does."""
    day, at = free_slot(site)
    return books(site, name, day, at)


def books(site: RunningSite, name: str, day: date, at: str) -> Client:
    """Book a given slot over HTTP."""
    email = f"client-{secrets.token_hex(5)}@example.com"
    body = {
        "fullname": name, "emailaddress": email, "phonenumber": "0712 345 678", "message": "A website for our farm.",
        "date": day.isoformat(), "time": at,
    }  # fmt: skip
    request = urllib.request.Request(
        f"{site.url}/api/book", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return Client(name, email, json.load(answer)["reference"], day, at)


def came_and_went(site: RunningSite, booking: Client) -> None:
    """Move the consultation into the past."""
    moment = datetime.now(UTC) - timedelta(hours=2, microseconds=secrets.randbelow(10**9))
    with closing(site.connect()) as connection:
        connection.execute(
            "UPDATE bookings SET starts_at = ? WHERE reference = ?",
            (f"{moment:%Y-%m-%d %H:%M:%S.%f}", booking.reference),
        )


def state_of(site: RunningSite, booking: Client) -> str:
    """Return the stored state of the booking."""
    ((state,),) = site.rows("SELECT state FROM bookings WHERE reference = ?", booking.reference)
    return str(state)


@contextmanager
def open_today(site: RunningSite) -> Iterator[str]:
    """Give today one slot, which has begun, inside the block, on any day of the week."""
    moment = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}"
    today = clock.today()
    with closing(site.connect()) as connection:
        connection.execute(
            "INSERT INTO schedule_exceptions (date, closed, times, reason, version, author, updated_at)"
            " VALUES (?, 0, '00:00', '', 1, 'tests', ?)",
            (today.isoformat(), moment),
        )
        try:
            yield f"00:00 on {format_day(today)}"
        finally:
            connection.execute("DELETE FROM schedule_exceptions WHERE date = ?", (today.isoformat(),))
            begins = slot_start(today, time(0))
            connection.execute(
                "DELETE FROM bookings WHERE starts_at = ?", (f"{begins:%Y-%m-%d %H:%M:%S.%f}",)
            )


def go_to(page: Page, day: date) -> None:
    """Show the slots from that day on."""
    page.get_by_label("Go to").fill(day.isoformat())
