"""Use cases of staff for one booking, on both databases, with their notifications."""

from collections.abc import Callable
from datetime import date, time, timedelta
from typing import Any

import pytest

from agency_site import clock
from agency_site.clock import today
from agency_site.db.engine import session_scope
from agency_site.errors import Conflict, InputRejected, NotFound, StaleRecord
from agency_site.features.booking.admin.bookings.record import BOOKINGS
from agency_site.features.booking.bookings import staff_transitions, staff_usecases, usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.jobs import remind_due
from agency_site.features.booking.schedule.rules import SlotTaken, slot_start
from agency_site.features.booking.schedule.tables import Blackout
from tests import records
from tests.integration.features.booking.conftest import tuesday_at
from tests.integration.features.booking.staff import (
    ACTOR,
    book_for_caller,
    do,
    find,
    free_times,
    history,
    mails,
    row_of,
)

RequestFactory = Callable[..., BookingRequest]

pytestmark = pytest.mark.usefixtures("database")


class TestBookingForAClient:
    async def test_the_client_is_notified_and_staff_are_not(self) -> None:
        booking = await book_for_caller(notify=True)
        assert await mails() == [("booking-confirmed", "brian@example.com")]
        assert await history(booking) == [(ACTOR, "booked", "")]
        assert (booking.state, booking.version, booking.phone) == (BookingState.CONFIRMED, 1, "+254733111222")

    async def test_no_mail_is_sent_without_notification(self) -> None:
        booking = await book_for_caller(notify=False)
        with clock.frozen(booking.starts_at - timedelta(hours=2)):
            assert await remind_due() == 0
        assert await mails() == []

    async def test_a_caller_without_an_address_never_gets_a_mail(self) -> None:
        booking = await book_for_caller(notify=True, emailaddress=" ")
        assert booking.email == ""
        await do(staff_usecases.move, booking.reference, tuesday_at(14), ACTOR, notify=True)
        await do(staff_transitions.cancel, booking.reference, ACTOR, notify=True)
        await do(staff_transitions.reinstate, booking.reference, ACTOR, notify=True)
        with clock.frozen(tuesday_at(14) - timedelta(hours=2)):
            assert await remind_due() == 0
        assert await mails() == []

    async def test_staff_book_beyond_the_horizon_and_slots_of_today_that_have_begun(self) -> None:
        far = await book_for_caller(date="2028-03-07", time="09:00")
        walk_in = await book_for_caller(date=today().isoformat(), time="09:00")
        assert far.starts_at == slot_start(date(2028, 3, 7), time(9))
        assert walk_in.starts_at < clock.now()

    @pytest.mark.parametrize(
        ("when", "message"),
        [
            ({"date": "2026-11-19", "time": "09:00"}, "09:00 on Thursday 19 November has already begun."),
            ({"date": "2026-11-22"}, "We are closed on Sunday 22 November."),
            ({"time": "10:00"}, "There is no consultation at 10:00 on that day."),
        ],
    )
    async def test_a_time_that_is_not_offered_is_rejected(self, when: dict[str, Any], message: str) -> None:
        with pytest.raises(InputRejected) as refused:
            await book_for_caller(**when)
        assert list(refused.value.by_field().values()) == [message]

    async def test_staff_cannot_book_in_a_blackout(self) -> None:
        async with session_scope() as session:
            session.add(Blackout(starts_at=tuesday_at(11), ends_at=tuesday_at(12)))
        with pytest.raises(Conflict, match="is in a blackout"):
            await book_for_caller()

    async def test_staff_cannot_book_a_taken_seat(self, make_request: RequestFactory) -> None:
        await do(usecases.book, make_request())
        with pytest.raises(SlotTaken):
            await book_for_caller()

    async def test_a_booking_is_found_by_reference_in_upper_and_lower_case(self) -> None:
        booking = await book_for_caller()
        assert await find(f" {booking.reference.lower()} ") == booking
        with pytest.raises(NotFound, match="no booking BK-222222"):
            await find("BK-222222")


class TestMoving:
    async def test_the_visitor_is_notified_with_the_private_link(self, make_request: RequestFactory) -> None:
        booking = await do(usecases.book, make_request())
        moved = await do(staff_usecases.move, booking.reference, tuesday_at(14), ACTOR, notify=True)
        assert (moved.starts_at, moved.version) == (tuesday_at(14), 2)
        assert await free_times() == ["09:00", "11:00", "16:00"]
        assert (await mails())[2:] == [("booking-moved", "amina@example.com")]
        assert (await history(moved))[1:] == [(ACTOR, "moved", "")]
        opened = await do(usecases.find_by_token, booking.token)
        assert (opened.starts_at, opened.sequence) == (tuesday_at(14), 1)

    async def test_without_notification_a_due_reminder_is_still_sent(
        self, make_request: RequestFactory
    ) -> None:
        booking = await do(usecases.book, make_request())
        await do(
            staff_usecases.move, booking.reference, tuesday_at(14) + timedelta(days=1), ACTOR, notify=False
        )
        assert len(await mails()) == 2
        assert (await row_of(booking.reference)).due_at == tuesday_at(14)

    async def test_moving_to_a_taken_slot_changes_nothing(self, make_request: RequestFactory) -> None:
        await do(usecases.book, make_request(time="14:00"))
        booking = await book_for_caller()
        with pytest.raises(SlotTaken):
            await do(staff_usecases.move, booking.reference, tuesday_at(14), ACTOR, notify=True)
        assert await find(booking.reference) == booking
        assert len(await history(booking)) == 1

    async def test_a_booking_that_began_today_can_move_to_a_later_time(self) -> None:
        booking = await book_for_caller(date=today().isoformat(), time="09:00")
        moved = await do(
            staff_usecases.move, booking.reference, slot_start(today(), time(16)), ACTOR, notify=False
        )
        assert moved.starts_at == slot_start(today(), time(16))

    async def test_moving_a_cancelled_booking_or_to_the_same_slot_is_rejected(self) -> None:
        booking = await book_for_caller()
        with pytest.raises(InputRejected, match="is already at 11:00"):
            await do(staff_usecases.move, booking.reference, tuesday_at(11), ACTOR, notify=False)
        await do(staff_transitions.cancel, booking.reference, ACTOR, notify=False)
        with pytest.raises(Conflict, match="is cancelled, so it cannot be moved"):
            await do(staff_usecases.move, booking.reference, tuesday_at(14), ACTOR, notify=False)

    async def test_moving_a_booking_that_the_visitor_has_moved_is_a_conflict(
        self, make_request: RequestFactory
    ) -> None:
        booking = await do(usecases.book, make_request())
        await do(usecases.move, booking.token, tuesday_at(16))
        with pytest.raises(StaleRecord) as refused:
            await do(staff_usecases.move, booking.reference, tuesday_at(14), ACTOR, notify=False, version=1)
        assert refused.value.current == await find(booking.reference)


class TestDetails:
    async def change(self, reference: str, version: int, **otherwise: str) -> Booking:
        form = {"fullname": "Brian K. Kiptoo", "phone": "+254733111222", "email": "", "message": "Logo"}
        row: Booking = await records.edit(BOOKINGS, reference, form | otherwise, ACTOR, version)
        return row

    async def test_edited_details_are_stored_and_searchable_and_the_history_has_the_old_ones(self) -> None:
        booking = await book_for_caller()
        await self.change(booking.reference, 1, fullname="Zoë Kiptoo", phone="0711 000 111")
        stored = await row_of(booking.reference)
        assert (stored.fullname, stored.email, stored.phone) == ("Zoë Kiptoo", "", "+254711000111")
        assert stored.search == f"{booking.reference.lower()} zoe kiptoo +254711000111 0711000111"
        ((actor, what, note),) = (await history(booking))[1:]
        assert (actor, what) == (ACTOR, "corrected")
        assert note.splitlines() == [
            "fullname: Brian Kiptoo → Zoë Kiptoo",
            "phone: +254733111222 → +254711000111",
            "email: brian@example.com → ",
            "message:  → Logo",
        ]

    async def test_the_second_of_two_editors_is_rejected_with_the_current_booking(self) -> None:
        booking = await book_for_caller()
        first = await self.change(booking.reference, booking.version)
        with pytest.raises(StaleRecord) as refused:
            await self.change(booking.reference, booking.version, fullname="Somebody Else")
        current = refused.value.current
        assert (current.version, current.state) == (first.version, "confirmed")
        assert current.fields == {**BOOKINGS.texts(first), "state": "Confirmed"}
        assert await row_of(booking.reference) == first
        assert len(await history(booking)) == 2
        await self.change(booking.reference, booking.version + 1, fullname="Somebody Else")
        assert (await find(booking.reference)).fullname == "Somebody Else"

    async def test_an_edit_without_changes_adds_no_event(self) -> None:
        booking = await book_for_caller()
        same = {"fullname": booking.fullname, "email": booking.email, "phone": booking.phone}
        await self.change(booking.reference, 1, **same, message=booking.message)
        assert await find(booking.reference) == booking
        assert len(await history(booking)) == 1

    async def test_without_an_address_no_reminder_is_sent(self, make_request: RequestFactory) -> None:
        booking = await do(usecases.book, make_request())
        await self.change(booking.reference, 1)
        with clock.frozen(tuesday_at(11) - timedelta(hours=24)):
            assert await remind_due() == 0


class TestNotes:
    async def test_notes_are_listed_in_order_between_the_events(self) -> None:
        booking = await book_for_caller()
        with clock.frozen(clock.now()) as move:
            for n, words in enumerate(("Called back.", "Wants a logo.\nAnd a name.")):
                move(clock.now() + timedelta(minutes=n + 1))
                await do(staff_usecases.add_note, booking.reference, words, f"desk{n}@mwanga.example")
            move(clock.now() + timedelta(minutes=1))
            await do(staff_transitions.cancel, booking.reference, ACTOR, reason="Ill", notify=False)
        assert await history(booking) == [
            (ACTOR, "booked", ""),
            ("desk0@mwanga.example", "note", "Called back."),
            ("desk1@mwanga.example", "note", "Wants a logo.\nAnd a name."),
            (ACTOR, "cancelled", "Ill"),
        ]


async def test_every_booking_can_be_searched(make_request: RequestFactory) -> None:
    booking = await do(usecases.book, make_request(fullname="Ñandú Otieno"))
    stored = await row_of(booking.reference)
    assert (
        stored.search
        == f"{booking.reference.lower()} nandu otieno amina@example.com +254712345678 0712345678"
    )


async def test_the_search_text_of_a_long_name_fits_an_index(make_request: RequestFactory) -> None:
    # Folding turns each of these characters into eighteen; an index of PostgreSQL takes at most 2,704 bytes.
    booking = await do(usecases.book, make_request(fullname="\ufdfa" * 120))
    searched = (await row_of(booking.reference)).search
    assert searched.startswith(booking.reference.lower())
    assert len(searched.encode()) < 2600
