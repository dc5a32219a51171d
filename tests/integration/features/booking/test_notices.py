"""Text messages about bookings, beside their mails: consent, reminders, channels, and clients without an address."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlmodel import select

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.booking.bookings import staff_transitions, staff_usecases, texts, usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.jobs import remind_due
from agency_site.mail.usecases import list_newest_messages
from agency_site.notices.rules import Channel, NoticeKind
from agency_site.notices.staff_usecases import choose_channel
from agency_site.notices.usecases import notify
from agency_site.sms.tables import SmsMessage
from agency_site.sms.usecases import find_link_target
from tests.conftest import FRIDAY_NOON
from tests.integration.features.booking.conftest import tuesday_at
from tests.integration.features.booking.staff import ACTOR, book_for_caller, do
from tests.integration.sms.messages import find_number, list_texts

RequestFactory = Callable[..., BookingRequest]
A_DAY_BEFORE = tuesday_at(11) - timedelta(hours=24)
TWO_HOURS_BEFORE = tuesday_at(11) - timedelta(hours=2)
PHONE = "+254712345678"

pytestmark = pytest.mark.usefixtures("database")


async def book(request: BookingRequest) -> str:
    async with session_scope() as session:
        return (await usecases.book(session, request)).token


async def list_kinds() -> list[str]:
    return [text.kind for text in await list_texts()]


async def list_mailed(*kinds: str) -> list[str]:
    """Return the kinds of the stored mails among these, the oldest first."""
    async with read_scope() as session:
        return [mail.kind for mail in reversed(await list_newest_messages(session)) if mail.kind in kinds]


async def find_page(text: SmsMessage) -> str:
    """Return the address to which the short link of a text message leads."""
    async with read_scope() as session:
        return await find_link_target(session, text.text.rpartition("/s/")[2])


async def test_a_booking_is_confirmed_by_a_text_message_with_a_short_link_to_its_page(
    make_request: RequestFactory,
) -> None:
    token = await book(make_request())
    (text,) = await list_texts()
    assert (text.kind, text.to, text.parts) == ("booking-confirmed", PHONE, 1)
    assert text.text.startswith("Mwanga Digital: booked for 11:00 on Tuesday 24 November, Nairobi time. BK-")
    assert await find_page(text) == f"http://localhost:3000/booking/{token}"
    assert await find_number(PHONE) is None


async def test_the_tick_of_the_form_is_the_consent_to_reminders(make_request: RequestFactory) -> None:
    await book(make_request(smsreminders="yes"))
    number = await find_number(PHONE)
    assert number is not None
    assert number.consented_at is not None


@pytest.mark.parametrize(("tick", "texts"), [("", 1), ("yes", 3)])
async def test_a_day_and_two_hours_before_there_is_a_reminder_by_mail_and_with_consent_by_sms(
    make_request: RequestFactory, tick: str, texts: int
) -> None:
    await book(make_request(smsreminders=tick))
    with clock.frozen(A_DAY_BEFORE) as move:
        assert await remind_due() == 1
        move(TWO_HOURS_BEFORE - timedelta(seconds=1))
        assert await remind_due() == 0
        move(TWO_HOURS_BEFORE)
        assert await remind_due() == 1
        move(TWO_HOURS_BEFORE + timedelta(minutes=5))
        assert await remind_due() == 0
    reminders = ["booking-reminder", "booking-soon"]
    assert await list_mailed(*reminders) == reminders
    assert await list_kinds() == ["booking-confirmed", *reminders][:texts]


async def test_a_worker_that_was_away_sends_the_last_reminder_only(make_request: RequestFactory) -> None:
    await book(make_request(smsreminders="yes"))
    with clock.frozen(TWO_HOURS_BEFORE + timedelta(minutes=30)):
        assert await remind_due() == 1
        assert await remind_due() == 0
    assert await list_mailed("booking-reminder", "booking-soon") == ["booking-soon"]


@pytest.mark.each_database
async def test_parallel_workers_send_each_reminder_once(make_request: RequestFactory) -> None:
    await book(make_request(smsreminders="yes"))
    for moment in (A_DAY_BEFORE, TWO_HOURS_BEFORE):
        with clock.frozen(moment):
            assert sum(await asyncio.gather(*(remind_due() for _ in range(6)))) == 1
    reminders = ["booking-reminder", "booking-soon"]
    assert await list_mailed(*reminders) == reminders
    assert await list_kinds() == ["booking-confirmed", *reminders]


async def test_a_moved_and_a_cancelled_booking_are_announced_by_both(make_request: RequestFactory) -> None:
    token = await book(make_request())
    async with session_scope() as session:
        await usecases.move(session, token, tuesday_at(14))
    async with session_scope() as session:
        await usecases.cancel(session, token)
    _, moved, cancelled = await list_texts()
    assert (moved.kind, cancelled.kind) == ("booking-moved", "booking-cancelled")
    assert "14:00 on Tuesday 24 November" in moved.text
    assert (await find_page(moved)).endswith(f"/booking/{token}")
    assert await find_page(cancelled) == "http://localhost:3000/book"
    assert await list_mailed("booking-moved", "booking-cancelled") == ["booking-moved", "booking-cancelled"]


async def test_a_client_without_an_address_gets_text_messages_of_staff_if_they_want() -> None:
    booking = await book_for_caller(notify=True, emailaddress="")
    await do(staff_usecases.move, booking.reference, tuesday_at(14), ACTOR, notify=True)
    await do(staff_transitions.cancel, booking.reference, ACTOR, notify=True)
    await do(staff_transitions.reinstate, booking.reference, ACTOR, notify=True)
    kinds = ["booking-confirmed", "booking-moved", "booking-cancelled", "booking-confirmed"]
    assert await list_kinds() == kinds
    async with read_scope() as session:
        assert await list_newest_messages(session) == []


async def test_staff_who_do_not_notify_send_neither_mail_nor_text_message() -> None:
    booking = await book_for_caller(notify=False)
    await do(staff_usecases.move, booking.reference, tuesday_at(14), ACTOR, notify=False)
    await do(staff_transitions.cancel, booking.reference, ACTOR, notify=False)
    assert await list_texts() == []
    async with read_scope() as session:
        assert await list_newest_messages(session) == []


async def test_owners_choose_sms_alone_and_visitors_abroad_still_get_a_mail(
    make_request: RequestFactory,
) -> None:
    async with session_scope() as session:
        await choose_channel(session, NoticeKind.BOOKING_CONFIRMED, 0, Channel.SMS, ACTOR)
    await book(make_request())
    assert await list_mailed("booking-confirmed", "staff-booked") == ["staff-booked"]
    await book(make_request(time="14:00", phonenumber="+44 7911 123456"))
    assert await list_mailed("booking-confirmed") == ["booking-confirmed"]
    assert await list_kinds() == ["booking-confirmed"]


async def test_a_tick_that_is_neither_ticked_nor_empty_is_refused(make_request: RequestFactory) -> None:
    with pytest.raises(ValueError, match="tick the box"):
        make_request(smsreminders="perhaps")


async def test_a_message_about_a_past_consultation_is_a_text_message_too(
    make_request: RequestFactory,
) -> None:
    await book(make_request())
    with clock.frozen(tuesday_at(12)):
        async with session_scope() as session:
            booking = (await session.exec(select(Booking))).one()
            assert await notify(session, texts.cancellation(booking))
        assert await list_kinds() == ["booking-confirmed", "booking-cancelled"]


MORNING = FRIDAY_NOON + timedelta(hours=19)
"""07:00, the end of quiet hours."""


async def test_at_night_a_change_by_the_client_is_texted_at_once_and_one_by_staff_in_the_morning(
    make_request: RequestFactory,
) -> None:
    night = FRIDAY_NOON + timedelta(hours=11)
    with clock.frozen(night):
        token = await book(make_request())
        await do(usecases.move, token, tuesday_at(14))
        await do(usecases.cancel, token)
        booking = await book_for_caller()
        await do(staff_usecases.move, booking.reference, tuesday_at(14), ACTOR, notify=True)
        await do(staff_transitions.cancel, booking.reference, ACTOR, notify=True)
    assert [(text.kind, text.due_at) for text in await list_texts()] == [
        ("booking-confirmed", night),
        ("booking-moved", night),
        ("booking-cancelled", night),
        ("booking-moved", MORNING),
        ("booking-cancelled", MORNING),
    ]
