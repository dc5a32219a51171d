"""The calendar files in the mails, as a calendar program reads them."""

from base64 import b64decode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from icalendar import Calendar, Event

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.booking.bookings import usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.mail.usecases import list_newest_messages
from tests.integration.features.booking.conftest import tuesday_at

RequestFactory = Callable[..., BookingRequest]

pytestmark = pytest.mark.usefixtures("database")


async def files() -> list[tuple[dict[str, str], bytes]]:
    """Return the attachments of all mails to visitors, oldest first."""
    async with read_scope() as session:
        mails = [
            mail for mail in reversed(await list_newest_messages(session)) if mail.kind.startswith("booking-")
        ]
    return [(part, b64decode(part["content"])) for mail in mails for part in mail.attachments]


def event_of(content: bytes) -> Event:
    (event,) = Calendar.from_ical(content).walk("VEVENT")
    assert isinstance(event, Event)
    return event


async def test_one_uid_with_a_rising_sequence_from_request_to_cancellation(
    make_request: RequestFactory,
) -> None:
    async with session_scope() as session:
        booking = await usecases.book(session, make_request())
    async with session_scope() as session:
        await usecases.move(session, booking.token, tuesday_at(14))
    async with session_scope() as session:
        await usecases.cancel(session, booking.token)
    attachments = await files()
    entries: list[tuple[Any, ...]] = []
    for part, content in attachments:
        event = event_of(content)
        method = str(Calendar.from_ical(content)["METHOD"])
        assert part["mime"] == f"text/calendar; method={method}; charset=utf-8"
        entries.append((method, event.sequence, str(event["STATUS"]), event.start, len(event.alarms.times)))
    assert entries == [
        ("REQUEST", 0, "CONFIRMED", tuesday_at(11), 1),
        ("REQUEST", 1, "CONFIRMED", tuesday_at(14), 1),
        ("CANCEL", 2, "CANCELLED", tuesday_at(14), 0),
    ]
    assert {str(event_of(content)["UID"]) for _, content in attachments} == {
        f"{booking.reference.lower()}@mwanga.example"
    }


async def test_the_invitation_says_who_when_and_where(make_request: RequestFactory) -> None:
    async with session_scope() as session:
        booking = await usecases.book(session, make_request(fullname='Zoë "Zo" Ñandú; Ltd, Nairobi'))
    ((part, content),) = await files()
    event = event_of(content)
    assert part["filename"] == f"{booking.reference}.ics"
    assert event.end == tuesday_at(11) + timedelta(minutes=30)
    assert datetime(2026, 11, 20, 9, tzinfo=UTC) == event.DTSTAMP
    assert str(event["ORGANIZER"]) == "mailto:bookings@mwanga.example"
    assert str(event["ATTENDEE"]) == "mailto:amina@example.com"
    assert event["ATTENDEE"].params["CN"] == "amina@example.com"
    assert str(event["SUMMARY"]) == "Consultation with Mwanga Digital"
    assert str(event["LOCATION"]) == "Mwanga House, Karen Road, Karen, Nairobi"
    assert f"/booking/{booking.token}" in str(event["DESCRIPTION"])


@pytest.mark.parametrize(
    ("zone", "clock_shows"),
    [
        ("Africa/Nairobi", "11:00"),
        ("Europe/Berlin", "09:00"),
        ("America/New_York", "03:00"),
        ("Asia/Tokyo", "17:00"),
    ],
)
async def test_every_time_zone_shows_the_right_moment(
    make_request: RequestFactory, zone: str, clock_shows: str
) -> None:
    async with session_scope() as session:
        await usecases.book(session, make_request())
    ((_, content),) = await files()
    assert b"\r\nDTSTART:20261124T080000Z\r\n" in content
    start = event_of(content).start
    assert isinstance(start, datetime)
    assert f"{start.astimezone(ZoneInfo(zone)):%H:%M}" == clock_shows


async def test_lines_end_with_crlf_and_are_folded_at_75_octets(make_request: RequestFactory) -> None:
    async with session_scope() as session:
        await usecases.book(session, make_request(fullname="Ñ" * 120))
    ((_, content),) = await files()
    assert content.endswith(b"END:VCALENDAR\r\n")
    lines = content.removesuffix(b"\r\n").split(b"\r\n")
    assert all(0 < len(line) <= 75 for line in lines)
    assert not any(b"\n" in line or b"\r" in line for line in lines)
    for line in lines:
        line.decode()
