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
from tests.integration.features.booking.conftest import TUESDAY, tuesday_at

Asks = Callable[..., BookingRequest]


async def booked(request: BookingRequest) -> usecases.CreatedBooking:
    async with session_scope() as session:
        return await usecases.book(session, request)


async def free_times() -> list[str]:
    async with read_scope() as session:
        return [slot.time for slot in await usecases.list_slots(session, TUESDAY) if slot.available]


async def mails() -> list[tuple[str, str]]:
    async with read_scope() as session:
        return [(mail.kind, mail.to) for mail in reversed(await list_newest_messages(session))]


async def confirmed_bookings() -> int:
    async with read_scope() as session:
        query = select(func.count()).select_from(Booking).where(Booking.state == BookingState.CONFIRMED)
        return (await session.exec(query)).one()


@pytest.mark.usefixtures("database")
class TestBooking:
    async def test_a_booking_takes_its_slot_and_notifies_visitor_and_staff(self, asks: Asks) -> None:
        made = await booked(asks())
        assert made.starts_at == tuesday_at(11)
        assert await free_times() == ["09:00", "14:00", "16:00"]
        assert await mails() == [
            ("booking-confirmed", "amina@example.com"),
            ("staff-booked", parseaddr(BRAND.staff_email)[1]),
        ]

    async def test_the_token_opens_the_booking_and_only_its_hash_is_stored(self, asks: Asks) -> None:
        made = await booked(asks())
        async with read_scope() as session:
            found = await usecases.find_by_token(session, made.token)
            assert (found.reference, found.phone) == (made.reference, "+254712345678")
            assert made.token not in str(found.model_dump())
            with pytest.raises(NotFound):
                await usecases.find_by_token(session, made.token[:-1])
            with pytest.raises(NotFound):
                await usecases.find_by_token(session, "\ud800")

    async def test_the_mail_carries_the_private_link(self, asks: Asks) -> None:
        made = await booked(asks())
        async with read_scope() as session:
            to_staff, to_visitor = await list_newest_messages(session)
        assert f"/booking/{made.token}" in to_visitor.text
        assert made.token not in to_staff.text
        assert made.reference in to_staff.text

    async def test_a_second_booking_of_the_slot_is_refused_with_its_time(self, asks: Asks) -> None:
        await booked(asks())
        with pytest.raises(SlotTaken) as refused:
            await booked(asks(fullname="Brian Kiptoo"))
        assert refused.value.message == (
            "Sorry, 11:00 on Tuesday 24 November has just been taken. Please choose another time."
        )
        assert await confirmed_bookings() == 1
        assert len(await mails()) == 2

    async def test_two_seats_take_two_bookings(self, asks: Asks, configure: Callable[..., object]) -> None:
        configure(booking_capacity=2)
        await booked(asks())
        assert "11:00" in await free_times()
        await booked(asks())
        assert "11:00" not in await free_times()
        with pytest.raises(SlotTaken):
            await booked(asks())

    async def test_a_lowered_capacity_counts_existing_bookings(
        self, asks: Asks, configure: Callable[..., object]
    ) -> None:
        configure(booking_capacity=2)
        first, _ = await booked(asks()), await booked(asks())
        async with session_scope() as session:
            await usecases.cancel(session, first.token)
        configure(booking_capacity=1)
        with pytest.raises(SlotTaken):
            await booked(asks())

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
        self, asks: Asks, when: dict[str, str], message: str
    ) -> None:
        with pytest.raises(InputRejected) as refused:
            await booked(asks(**when))
        assert list(refused.value.by_field().values()) == [message]

    async def test_a_blackout_closes_the_slots_that_it_touches(self, asks: Asks) -> None:
        start = tuesday_at(11) + timedelta(minutes=29)
        async with session_scope() as session:
            session.add(Blackout(starts_at=start, ends_at=tuesday_at(16), reason="Team day"))
        assert await free_times() == ["09:00", "16:00"]
        with pytest.raises(SlotWithdrawn):
            await booked(asks())

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
        self, asks: Asks, configure: Callable[..., object]
    ) -> None:
        configure(booking_closed_on_holidays=False)
        await booked(asks(date="2026-12-12"))


@pytest.mark.usefixtures("database")
class TestMoving:
    async def test_moving_frees_the_old_slot_and_raises_the_sequence(self, asks: Asks) -> None:
        made = await booked(asks())
        async with session_scope() as session:
            moved = await usecases.move(session, made.token, tuesday_at(14))
        assert (moved.starts_at, moved.sequence) == (tuesday_at(14), 1)
        assert await free_times() == ["09:00", "11:00", "16:00"]
        assert [kind for kind, _ in await mails()][2:] == ["booking-moved", "staff-moved"]
        async with read_scope() as session:
            events = await list_events(session, BookingEvent, (moved).id)
        assert [(e.what, e.actor, e.before, e.after) for e in events] == [
            (BookingChange.BOOKED, "visitor", "", "2026-11-24T08:00+00:00"),
            (BookingChange.MOVED, "visitor", "2026-11-24T08:00+00:00", "2026-11-24T11:00+00:00"),
        ]

    async def test_moving_to_the_same_slot_is_rejected(self, asks: Asks) -> None:
        made = await booked(asks())
        with pytest.raises(InputRejected, match="is already at 11:00"):
            async with session_scope() as session:
                await usecases.move(session, made.token, tuesday_at(11))

    async def test_moving_to_a_taken_slot_leaves_everything_as_it_was(self, asks: Asks) -> None:
        made = await booked(asks())
        await booked(asks(time="14:00"))
        with pytest.raises(SlotTaken):
            async with session_scope() as session:
                await usecases.move(session, made.token, tuesday_at(14))
        async with read_scope() as session:
            found = await usecases.find_by_token(session, made.token)
        assert (found.starts_at, found.sequence) == (tuesday_at(11), 0)

    async def test_a_booking_moves_to_no_time_within_the_notice(self, asks: Asks) -> None:
        made = await booked(asks(time="16:00"))
        with clock.frozen(tuesday_at(9) + timedelta(minutes=1)):
            with pytest.raises(InputRejected, match="too soon to be booked online"):
                async with session_scope() as session:
                    await usecases.move(session, made.token, tuesday_at(11))
            with pytest.raises(InputRejected, match="too soon to be booked online"):
                await booked(asks(time="11:00"))
            async with session_scope() as session:
                await staff_usecases.move(
                    session, made.reference, tuesday_at(11), "wanjiku@mwanga.example", notify=False
                )

    async def test_a_booking_that_has_begun_can_be_neither_moved_nor_cancelled(self, asks: Asks) -> None:
        made = await booked(asks())
        with clock.frozen(made.starts_at):
            with pytest.raises(Conflict, match="already begun"):
                async with session_scope() as session:
                    await usecases.move(session, made.token, tuesday_at(14))
            with pytest.raises(Conflict, match="already begun"):
                async with session_scope() as session:
                    await usecases.cancel(session, made.token)


@pytest.mark.usefixtures("database")
class TestCancelling:
    async def test_cancelling_frees_the_slot_for_the_next(self, asks: Asks) -> None:
        made = await booked(asks())
        async with session_scope() as session:
            cancelled = await usecases.cancel(session, made.token)
        assert (cancelled.state, cancelled.sequence) == (BookingState.CANCELLED, 1)
        assert [kind for kind, _ in await mails()][2:] == ["booking-cancelled", "staff-cancelled"]
        await booked(asks(fullname="Brian Kiptoo"))

    async def test_a_cancelled_booking_can_be_neither_cancelled_nor_moved(self, asks: Asks) -> None:
        made = await booked(asks())
        async with session_scope() as session:
            await usecases.cancel(session, made.token)
        with pytest.raises(Conflict, match="has been cancelled"):
            async with session_scope() as session:
                await usecases.cancel(session, made.token)
        with pytest.raises(Conflict, match="has been cancelled"):
            async with session_scope() as session:
                await usecases.move(session, made.token, tuesday_at(14))
        assert len(await mails()) == 4

    async def test_an_unknown_link_changes_nothing(self, asks: Asks) -> None:
        await booked(asks())
        with pytest.raises(NotFound):
            async with session_scope() as session:
                await usecases.cancel(session, "x" * 32)
        assert await confirmed_bookings() == 1
