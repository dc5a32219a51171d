"""The mails about registrations: each is sent once, with a calendar file; on both databases."""

import asyncio
from base64 import b64decode
from datetime import UTC, timedelta
from email.message import EmailMessage

import pytest
from icalendar import Calendar

from agency_site import clock
from agency_site.content import webinars
from agency_site.content.brand import BRAND
from agency_site.db.engine import session_scope
from agency_site.db.leases import claim
from agency_site.features.webinars import personal_data
from agency_site.features.webinars.jobs import remind_attendees
from agency_site.features.webinars.rules import RegistrationState, WebinarBegun
from agency_site.features.webinars.tables import WebinarRegistration
from agency_site.features.webinars.usecases import enqueue_reminder
from agency_site.mail.mime import compose_message
from agency_site.mail.rules import MailLimitReached
from agency_site.mail.tables import OutboxMessage
from agency_site.settings import settings
from tests.conftest import FRIDAY_NOON
from tests.example_records import WEBINAR
from tests.integration.features.webinars.test_registrations import (
    cancel,
    find_token,
    list_registrations,
    register,
)
from tests.integration.mail.outbox import list_rows
from tests.integration.publishing import settle

pytestmark = pytest.mark.usefixtures("database", "noon")

PLAN = WEBINAR
OTHERS = tuple(webinar for webinar in webinars.WEBINARS if webinar.id != PLAN.id)
DAY_BEFORE = PLAN.starts_at - timedelta(days=1)


async def mails(kind: str) -> list[OutboxMessage]:
    return [row for row in await list_rows() if row.kind == kind]


def calendar_of(message: EmailMessage) -> tuple[Calendar, dict[str, str]]:
    """The invitation of a mail, as a mail program reads it, and the parameters of its type."""
    (part,) = (
        part
        for part in message.walk()
        if part.get_content_type() == "text/calendar" and not part.get_filename()
    )
    content = part.get_payload(decode=True)
    assert isinstance(content, bytes)
    calendar = Calendar.from_ical(content)
    assert isinstance(calendar, Calendar)
    return calendar, dict(part["Content-Type"].params)


async def test_the_confirmation_reads_back_with_the_seat_the_link_and_a_calendar_file() -> None:
    registration = await register(fullName="Amina, Odhiambo; Ltd")
    (row,) = await mails("registration-confirmed")
    message = compose_message(row)
    assert message["To"].addresses[0].addr_spec == "amina@shop.example"
    calendar, kind = calendar_of(message)
    (event,) = calendar.walk("VEVENT")
    assert kind["method"] == "REQUEST"
    assert event.decoded("DTSTART") == PLAN.starts_at
    assert event.decoded("DTEND") == PLAN.ends_at
    assert str(event["UID"]) == f"{registration.reference.lower()}@mwanga.example"
    assert event["ATTENDEE"] == "mailto:amina@shop.example"
    assert event["ATTENDEE"].params["CN"] == "amina@shop.example"
    assert PLAN.title in str(event["SUMMARY"])
    link = f"/registration/{await find_token(registration.reference)}"
    assert link in row.text
    assert link in str(event["DESCRIPTION"])
    for word in (PLAN.day, PLAN.clock_time, registration.reference):
        assert word in row.text


async def test_the_notice_to_staff_has_the_person_and_the_count_but_no_private_link() -> None:
    await register(email="first@shop.example")
    registration = await register(phone="0712 345 678")
    _, notice = await mails("staff-registered")
    assert (notice.to, compose_message(notice)["Reply-To"]) == (BRAND.staff_email, "amina@shop.example")
    for word in ("Amina Odhiambo", "+254712345678", "2, no limit", PLAN.title):
        assert word in notice.text
    assert f"/admin/registrations?q={registration.reference}" in notice.text
    assert await find_token(registration.reference) not in notice.text + notice.html


@pytest.mark.each_database
async def test_submits_at_the_same_instant_send_one_confirmation_and_one_notice() -> None:
    await asyncio.gather(*(register() for _ in range(8)))
    assert sorted(row.kind for row in await list_rows()) == ["registration-confirmed", "staff-registered"]


async def test_a_later_registration_sends_the_confirmation_again_within_limits() -> None:
    refused = 0
    with clock.frozen(FRIDAY_NOON) as move:
        for minutes in range(0, 59, 6):
            move(FRIDAY_NOON + timedelta(minutes=minutes))
            try:
                await register()
            except MailLimitReached:
                refused += 1
    allowed = settings().mails_per_recipient_hour
    assert (len(await mails("registration-confirmed")), refused) == (allowed, 10 - allowed)
    assert len(await mails("staff-registered")) == 1


async def test_cancelling_the_seat_removes_the_entry_from_the_calendar() -> None:
    registration = await register()
    await cancel(registration.reference)
    await cancel(registration.reference)
    (row,) = await mails("registration-cancelled")
    calendar, kind = calendar_of(compose_message(row))
    (event,) = calendar.walk("VEVENT")
    assert (kind["method"], str(event["STATUS"]), event["SEQUENCE"]) == ("CANCEL", "CANCELLED", 1)
    assert event.walk("VALARM") == []


async def test_registering_after_a_cancellation_is_confirmed_with_a_higher_sequence() -> None:
    registration = await register()
    await cancel(registration.reference)
    await register()
    _, again = await mails("registration-confirmed")
    calendar, _ = calendar_of(compose_message(again))
    assert calendar.walk("VEVENT")[0]["SEQUENCE"] == 2
    assert len(await mails("staff-registered")) == 2


async def test_a_seat_in_a_webinar_that_has_begun_is_not_cancelled_by_its_link() -> None:
    registration = await register()
    with clock.frozen(PLAN.starts_at), pytest.raises(WebinarBegun):
        await cancel(registration.reference)
    assert (await list_registrations())[0].state is RegistrationState.REGISTERED


@pytest.mark.each_database
async def test_the_reminder_is_sent_once_the_day_before_by_any_number_of_workers() -> None:
    registration = await register()
    assert await remind_attendees() == 0
    with clock.frozen(DAY_BEFORE):
        assert sum(await asyncio.gather(*(remind_attendees() for _ in range(4)))) == 1
        assert await remind_attendees() == 0
    (row,) = await mails("registration-reminder")
    assert row.to == "amina@shop.example"
    assert f"/registration/{await find_token(registration.reference)}" in row.text
    assert (
        compose_message(row)["Subject"]
        == f"Reminder: {PLAN.title}, {PLAN.date.day} {PLAN.date:%B} at {PLAN.clock_time}"
    )


async def test_a_registration_within_the_last_day_gets_no_reminder() -> None:
    with clock.frozen(DAY_BEFORE + timedelta(minutes=1)):
        await register()
        assert await remind_attendees() == 0
    with clock.frozen(PLAN.starts_at - timedelta(minutes=1)):
        assert await remind_attendees() == 0


async def test_a_seat_that_is_cancelled_after_the_claim_gets_no_reminder() -> None:
    registration = await register()
    with clock.frozen(DAY_BEFORE):
        async with session_scope() as session:
            (claimed,) = await claim(session, WebinarRegistration, clock.now())
            assert claimed.reference == registration.reference
        await cancel(registration.reference)
        async with session_scope() as session:
            assert await enqueue_reminder(session, registration.reference) is False
    assert await mails("registration-reminder") == []


async def test_another_worker_continues_when_the_lease_of_a_killed_one_ends() -> None:
    await register()
    with clock.frozen(DAY_BEFORE) as move:
        async with session_scope() as session:
            assert len(await claim(session, WebinarRegistration, clock.now())) == 1
        assert await remind_attendees() == 0
        move(DAY_BEFORE + timedelta(minutes=3))
        assert await remind_attendees() == 1


async def test_a_reminder_follows_a_webinar_that_content_has_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    await register()
    later = PLAN.model_copy(update={"date": PLAN.date + timedelta(days=7)})
    monkeypatch.setattr(webinars, "WEBINARS", (later, *OTHERS))
    with clock.frozen(DAY_BEFORE) as move:
        settle()
        # The mail about the move.
        assert await remind_attendees() == 1
        assert await remind_attendees() == 0
        move(DAY_BEFORE + timedelta(days=7))
        assert await remind_attendees() == 1
    (row,) = await mails("registration-reminder")
    assert later.day in row.text


async def test_a_webinar_that_content_no_longer_has_sends_no_reminder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await register()
    monkeypatch.setattr(webinars, "WEBINARS", OTHERS)
    with clock.frozen(DAY_BEFORE):
        assert await remind_attendees() == 0
    assert (await list_registrations())[0].due_at is None


async def test_mails_have_the_room_once_content_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    room = "https://meet.example/mwanga"
    monkeypatch.setattr(webinars, "WEBINARS", (PLAN.model_copy(update={"room": room}),))
    await register()
    (row,) = await mails("registration-confirmed")
    assert room in row.text
    (event,) = calendar_of(compose_message(row))[0].walk("VEVENT")
    assert str(event["LOCATION"]) == room


async def test_erasing_a_person_blanks_the_mails_about_the_seat_too() -> None:
    registration = await register()
    async with session_scope() as session:
        assert (
            await personal_data.REGISTRATIONS.erase(session, "amina@shop.example", "", "asha@agency.example")
            == 1
        )
    for row in await list_rows():
        assert row.about == registration.reference
        assert "Amina" not in row.text + row.subject + row.to_name
    with clock.frozen(DAY_BEFORE):
        assert await remind_attendees() == 0


async def test_times_in_the_attached_file_are_utc() -> None:
    await register()
    (row,) = await mails("registration-confirmed")
    (part,) = row.attachments
    start = f"\r\nDTSTART:{PLAN.starts_at.astimezone(UTC):%Y%m%dT%H%M%SZ}\r\n"
    assert start.encode() in b64decode(part["content"])
