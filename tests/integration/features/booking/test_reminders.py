"""Reminders are sent once, in time, and only for confirmed bookings."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.event_log import list_events
from agency_site.db.leases import claim
from agency_site.features.booking.bookings import usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.rules import BookingChange
from agency_site.features.booking.bookings.tables import Booking, BookingEvent
from agency_site.features.booking.jobs import remind_due
from agency_site.mail.tables import OutboxMessage
from agency_site.mail.usecases import list_newest_messages
from agency_site.settings.site import DEFAULT_SECRET
from tests.integration.features.booking.conftest import tuesday_at

RequestFactory = Callable[..., BookingRequest]
A_DAY_BEFORE = tuesday_at(11) - timedelta(hours=24)

pytestmark = pytest.mark.usefixtures("database")


async def book(request: BookingRequest) -> str:
    async with session_scope() as session:
        return (await usecases.book(session, request)).token


async def reminders() -> list[OutboxMessage]:
    async with read_scope() as session:
        return [mail for mail in await list_newest_messages(session) if mail.kind == "booking-reminder"]


async def test_a_reminder_is_sent_a_day_before_and_only_once(make_request: RequestFactory) -> None:
    token = await book(make_request())
    assert await remind_due() == 0
    with clock.frozen(A_DAY_BEFORE) as move:
        assert await remind_due() == 1
        move(A_DAY_BEFORE + timedelta(hours=1))
        assert await remind_due() == 0
    (mail,) = await reminders()
    assert mail.to == "amina@example.com"
    assert f"/booking/{token}" in mail.text
    async with read_scope() as session:
        events = await list_events(session, BookingEvent, (await usecases.find_by_token(session, token)).id)
    assert [event.what for event in events] == [BookingChange.BOOKED, BookingChange.REMINDED]
    assert events[-1].actor == "system"


async def test_a_booking_within_a_day_of_its_start_gets_no_reminder(make_request: RequestFactory) -> None:
    await book(make_request(date="2026-11-20", time="16:00"))
    with clock.frozen(A_DAY_BEFORE):
        assert await remind_due() == 0


async def test_a_cancelled_booking_gets_no_reminder(make_request: RequestFactory) -> None:
    token = await book(make_request())
    async with session_scope() as session:
        await usecases.cancel(session, token)
    with clock.frozen(A_DAY_BEFORE):
        assert await remind_due() == 0


async def test_a_moved_booking_is_reminded_of_its_new_time(make_request: RequestFactory) -> None:
    token = await book(make_request())
    with clock.frozen(A_DAY_BEFORE):
        assert await remind_due() == 1
        async with session_scope() as session:
            await usecases.move(session, token, tuesday_at(11) + timedelta(days=1, hours=3))
        assert await remind_due() == 0
    with clock.frozen(A_DAY_BEFORE + timedelta(days=1, hours=3)):
        assert await remind_due() == 1
    assert ["14:00 on Wednesday 25 November" in mail.subject for mail in await reminders()] == [True, False]


async def test_a_booking_that_is_cancelled_after_its_claim_gets_no_reminder(
    make_request: RequestFactory,
) -> None:
    token = await book(make_request())
    with clock.frozen(A_DAY_BEFORE):
        async with session_scope() as session:
            (claimed,) = await claim(session, Booking, clock.now())
        async with session_scope() as session:
            await usecases.cancel(session, token)
        async with session_scope() as session:
            assert await usecases.remind(session, claimed.id or 0) is False
    assert await reminders() == []


async def test_reminders_that_a_killed_worker_claimed_are_sent_by_the_next(
    make_request: RequestFactory,
) -> None:
    await book(make_request())
    with clock.frozen(A_DAY_BEFORE) as move:
        async with session_scope() as session:
            assert len(await claim(session, Booking, clock.now())) == 1
        assert await remind_due() == 0
        move(A_DAY_BEFORE + timedelta(minutes=3))
        assert await remind_due() == 1


async def test_a_consultation_that_has_begun_gets_no_reminder(make_request: RequestFactory) -> None:
    await book(make_request())
    with clock.frozen(tuesday_at(11)):
        assert await remind_due() == 0


async def test_after_a_new_secret_key_old_links_work_and_reminders_point_to_them(
    make_request: RequestFactory, configure: Callable[..., object]
) -> None:
    token = await book(make_request())
    configure(secret_key="another-secret-of-more-than-32-characters")
    async with read_scope() as session:
        await usecases.find_by_token(session, token)
    with clock.frozen(A_DAY_BEFORE):
        assert await remind_due() == 1
    (mail,) = await reminders()
    assert "/booking/" not in mail.text
    assert "use the link in your confirmation" in mail.text


async def test_after_a_rotated_key_reminders_contain_the_link_of_the_confirmation(
    make_request: RequestFactory, configure: Callable[..., object]
) -> None:
    token = await book(make_request())
    configure(secret_key="another-secret-of-more-than-32-characters", old_secret_keys=DEFAULT_SECRET)
    with clock.frozen(A_DAY_BEFORE):
        assert await remind_due() == 1
    (mail,) = await reminders()
    assert f"/booking/{token}" in mail.text


@pytest.mark.each_database
async def test_workers_that_claimed_the_same_booking_send_one_reminder(make_request: RequestFactory) -> None:
    token = await book(make_request())

    async def work(booking_id: int) -> bool:
        async with session_scope() as session:
            return await usecases.remind(session, booking_id)

    with clock.frozen(A_DAY_BEFORE):
        async with session_scope() as session:
            (claimed,) = await claim(session, Booking, clock.now())
        assert sum(await asyncio.gather(*(work(claimed.id or 0) for _ in range(8)))) == 1
    async with read_scope() as session:
        events = await list_events(session, BookingEvent, (await usecases.find_by_token(session, token)).id)
    assert [event.what for event in events].count(BookingChange.REMINDED) == 1
