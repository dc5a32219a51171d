"""Booking, moving and cancelling on both databases, and the mails that follow."""

from collections.abc import Callable
from datetime import timedelta
from email.utils import parseaddr

import pytest
from sqlalchemy import func
from sqlmodel import select

from agency_site import clock
from agency_site.content.brand import BRAND
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.event_log import list_events
from agency_site.errors import Conflict, InputRejected, NotFound
from agency_site.features.booking.bookings import staff_usecases, usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.rules import BookingChange, BookingState
from agency_site.features.booking.bookings.tables import Booking, BookingEvent
from agency_site.features.booking.schedule.rules import SlotTaken, SlotWithdrawn
from agency_site.features.booking.schedule.tables import Blackout
from agency_site.mail.usecases import list_newest_messages
from tests.integration.features.booking.conftest import tuesday_at
from tests.integration.features.booking.staff import free_times, mails

RequestFactory = Callable[..., BookingRequest]


async def book(request: BookingRequest) -> usecases.CreatedBooking:
    async with session_scope() as session:
        return await usecases.book(session, request)


async def confirmed_bookings() -> int:
    async with read_scope() as session:
        query = select(func.count()).select_from(Booking).where(Booking.state == BookingState.CONFIRMED)
        return (await session.exec(query)).one()


@pytest.mark.usefixtures("database")
class TestBooking:
    async def test_a_booking_takes_its_slot_and_notifies_visitor_and_staff(
        self, make_request: RequestFactory
    ) -> None:
        booking = await book(make_request())
        assert booking.starts_at == tuesday_at(11)
        assert await free_times() == ["09:00", "14:00", "16:00"]
        assert await mails() == [
            ("booking-confirmed", "amina@example.com"),
            ("staff-booked", parseaddr(BRAND.staff_email)[1]),
        ]

    async def test_the_token_opens_the_booking_and_only_its_hash_is_stored(
        self, make_request: RequestFactory
    ) -> None:
        booking = await book(make_request())
        async with read_scope() as session:
            stored = await usecases.find_by_token(session, booking.token)
            assert (stored.reference, stored.phone) == (booking.reference, "+254712345678")
            assert booking.token not in str(stored.model_dump())
            with pytest.raises(NotFound):
                await usecases.find_by_token(session, booking.token[:-1])
            with pytest.raises(NotFound):
                await usecases.find_by_token(session, "\ud800")

    async def test_the_mail_contains_the_private_link(self, make_request: RequestFactory) -> None:
        booking = await book(make_request())
        async with read_scope() as session:
            to_staff, to_visitor = await list_newest_messages(session)
        assert f"/booking/{booking.token}" in to_visitor.text
        assert booking.token not in to_staff.text
        assert booking.reference in to_staff.text

    async def test_a_second_booking_of_the_slot_is_refused_with_its_time(
        self, make_request: RequestFactory
    ) -> None:
        await book(make_request())
        with pytest.raises(SlotTaken) as rejection:
            await book(make_request(fullname="Brian Kiptoo"))
        assert rejection.value.message == (
            "Sorry, 11:00 on Tuesday 24 November has just been taken. Please choose another time."
        )
        assert await confirmed_bookings() == 1
        assert len(await mails()) == 2

    async def test_two_seats_take_two_bookings(
        self, make_request: RequestFactory, configure: Callable[..., object]
    ) -> None:
        configure(booking_capacity=2)
        await book(make_request())
        assert "11:00" in await free_times()
        await book(make_request())
        assert "11:00" not in await free_times()
        with pytest.raises(SlotTaken):
            await book(make_request())

    async def test_a_lowered_capacity_counts_existing_bookings(
        self, make_request: RequestFactory, configure: Callable[..., object]
    ) -> None:
        configure(booking_capacity=2)
        first, _ = await book(make_request()), await book(make_request())
        async with session_scope() as session:
            await usecases.cancel(session, first.token)
        configure(booking_capacity=1)
        with pytest.raises(SlotTaken):
            await book(make_request())

    @pytest.mark.parametrize(
        ("when", "message"),
        [
            ({"date": "2026-11-22"}, "We are closed on Sunday 22 November."),
            ({"date": "2026-12-12"}, "We are closed on Saturday 12 December (Jamhuri Day)."),
            ({"date": "2026-11-19"}, "Thursday 19 November 2026 cannot be booked online."),
            ({"date": "2027-02-19"}, "Friday 19 February 2027 cannot be booked online."),
            ({"time": "10:00"}, "There is no consultation at 10:00 on that day."),
            ({"date": "2026-11-20", "time": "11:00"}, "11:00 on Friday 20 November has already begun."),
        ],
    )
    async def test_a_time_that_is_not_offered_is_refused(
        self, make_request: RequestFactory, when: dict[str, str], message: str
    ) -> None:
        with pytest.raises(InputRejected) as rejection:
            await book(make_request(**when))
        assert list(rejection.value.by_field().values()) == [message]

    async def test_a_blackout_closes_the_slots_that_it_touches(self, make_request: RequestFactory) -> None:
        start = tuesday_at(11) + timedelta(minutes=29)
        async with session_scope() as session:
            session.add(Blackout(starts_at=start, ends_at=tuesday_at(16), reason="Team day"))
        assert await free_times() == ["09:00", "16:00"]
        with pytest.raises(SlotWithdrawn):
            await book(make_request())

    @pytest.mark.parametrize("blocked", [1, 3, 7, 8, 30, 89, 120])
    async def test_the_next_free_slot_is_the_first_free_one_of_all_days(self, blocked: int) -> None:
        async with session_scope() as session:
            until = clock.now() + timedelta(days=blocked)
            session.add(Blackout(starts_at=clock.now(), ends_at=until, reason="Away"))
        async with read_scope() as session:
            calendar = await usecases.read_calendar(session)
        later = [day for day in calendar.days if day.date > clock.today()]
        free = [slot for day in later for slot in day.slots if slot.available]
        assert calendar.find_free_slot_after(clock.today()) == (free[0] if free else None)
        assert bool(free) is (blocked < 90)

    async def test_holidays_are_open_once_the_setting_allows_it(
        self, make_request: RequestFactory, configure: Callable[..., object]
    ) -> None:
        configure(booking_closed_on_holidays=False)
        await book(make_request(date="2026-12-12"))


@pytest.mark.usefixtures("database")
class TestMoving:
    async def test_moving_frees_the_old_slot_and_raises_the_sequence(
        self, make_request: RequestFactory
    ) -> None:
        booking = await book(make_request())
        async with session_scope() as session:
            moved = await usecases.move(session, booking.token, tuesday_at(14))
        assert (moved.starts_at, moved.sequence) == (tuesday_at(14), 1)
        assert await free_times() == ["09:00", "11:00", "16:00"]
        assert [kind for kind, _ in await mails()][2:] == ["booking-moved", "staff-moved"]
        async with read_scope() as session:
            events = await list_events(session, BookingEvent, (moved).id)
        assert [(e.what, e.actor, e.before, e.after) for e in events] == [
            (BookingChange.BOOKED, "visitor", "", "2026-11-24T08:00+00:00"),
            (BookingChange.MOVED, "visitor", "2026-11-24T08:00+00:00", "2026-11-24T11:00+00:00"),
        ]

    async def test_moving_to_the_same_slot_is_rejected(self, make_request: RequestFactory) -> None:
        booking = await book(make_request())
        with pytest.raises(InputRejected, match="is already at 11:00"):
            async with session_scope() as session:
                await usecases.move(session, booking.token, tuesday_at(11))

    async def test_moving_to_a_taken_slot_leaves_everything_as_it_was(
        self, make_request: RequestFactory
    ) -> None:
        booking = await book(make_request())
        await book(make_request(time="14:00"))
        with pytest.raises(SlotTaken):
            async with session_scope() as session:
                await usecases.move(session, booking.token, tuesday_at(14))
        async with read_scope() as session:
            stored = await usecases.find_by_token(session, booking.token)
        assert (stored.starts_at, stored.sequence) == (tuesday_at(11), 0)

    async def test_a_booking_moves_to_no_time_within_the_notice(self, make_request: RequestFactory) -> None:
        booking = await book(make_request(time="16:00"))
        with clock.frozen(tuesday_at(9) + timedelta(minutes=1)):
            with pytest.raises(InputRejected, match="too soon to be booked online"):
                async with session_scope() as session:
                    await usecases.move(session, booking.token, tuesday_at(11))
            with pytest.raises(InputRejected, match="too soon to be booked online"):
                await book(make_request(time="11:00"))
            async with session_scope() as session:
                await staff_usecases.move(
                    session, booking.reference, tuesday_at(11), "wanjiku@mwanga.example", notify=False
                )

    async def test_a_booking_that_has_begun_can_be_neither_moved_nor_cancelled(
        self, make_request: RequestFactory
    ) -> None:
        booking = await book(make_request())
        with clock.frozen(booking.starts_at):
            with pytest.raises(Conflict, match="already begun"):
                async with session_scope() as session:
                    await usecases.move(session, booking.token, tuesday_at(14))
            with pytest.raises(Conflict, match="already begun"):
                async with session_scope() as session:
                    await usecases.cancel(session, booking.token)


@pytest.mark.usefixtures("database")
class TestCancelling:
    async def test_cancelling_frees_the_slot(self, make_request: RequestFactory) -> None:
        booking = await book(make_request())
        async with session_scope() as session:
            cancelled = await usecases.cancel(session, booking.token)
        assert (cancelled.state, cancelled.sequence) == (BookingState.CANCELLED, 1)
        assert [kind for kind, _ in await mails()][2:] == ["booking-cancelled", "staff-cancelled"]
        await book(make_request(fullname="Brian Kiptoo"))

    async def test_a_cancelled_booking_can_be_neither_cancelled_nor_moved(
        self, make_request: RequestFactory
    ) -> None:
        booking = await book(make_request())
        async with session_scope() as session:
            await usecases.cancel(session, booking.token)
        with pytest.raises(Conflict, match="has been cancelled"):
            async with session_scope() as session:
                await usecases.cancel(session, booking.token)
        with pytest.raises(Conflict, match="has been cancelled"):
            async with session_scope() as session:
                await usecases.move(session, booking.token, tuesday_at(14))
        assert len(await mails()) == 4

    async def test_an_unknown_link_changes_nothing(self, make_request: RequestFactory) -> None:
        await book(make_request())
        with pytest.raises(NotFound):
            async with session_scope() as session:
                await usecases.cancel(session, "x" * 32)
        assert await confirmed_bookings() == 1
