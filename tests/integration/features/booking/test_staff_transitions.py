"""Changes of state by staff, one by one and in bulk."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from agency_site import clock
from agency_site.db.engine import read_scope
from agency_site.errors import Conflict, InputRejected, NotFound, StaleRecord
from agency_site.features.booking.bookings import staff_transitions, staff_usecases, usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.schedule.rules import SlotTaken
from agency_site.mail.usecases import list_newest_messages
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
AFTER = tuesday_at(11) + timedelta(minutes=30)

pytestmark = pytest.mark.usefixtures("database")


class TestCancelling:
    async def test_cancelling_frees_the_slot_and_the_mail_does_not_contain_the_reason(
        self, make_request: RequestFactory
    ) -> None:
        booking = await do(usecases.book, make_request())
        cancelled = await do(
            staff_transitions.cancel, booking.reference, ACTOR, reason="Did not pay", notify=True
        )
        assert (cancelled.state, cancelled.version) == (BookingState.CANCELLED, 2)
        assert "11:00" in await free_times()
        assert (await history(cancelled))[1:] == [(ACTOR, "cancelled", "Did not pay")]
        assert (await mails())[2:] == [("booking-cancelled", "amina@example.com")]
        async with read_scope() as session:
            assert "Did not pay" not in (await list_newest_messages(session))[0].text

    async def test_cancelling_without_notification_sends_no_mail(self, make_request: RequestFactory) -> None:
        booking = await do(usecases.book, make_request())
        await do(staff_transitions.cancel, booking.reference, ACTOR, notify=False)
        assert len(await mails()) == 2
        assert (await row_of(booking.reference)).due_at is None

    async def test_cancelling_twice_is_rejected(self) -> None:
        booking = await book_for_caller()
        await do(staff_transitions.cancel, booking.reference, ACTOR, notify=False)
        with pytest.raises(Conflict, match="is already cancelled"):
            await do(staff_transitions.cancel, booking.reference, ACTOR, notify=False)

    async def test_cancelling_a_stale_booking_is_rejected_with_the_current_one(self) -> None:
        booking = await book_for_caller()
        await do(staff_usecases.move, booking.reference, tuesday_at(14), ACTOR, notify=False)
        with pytest.raises(StaleRecord) as refused:
            await do(
                staff_transitions.cancel, booking.reference, ACTOR, notify=False, version=booking.version
            )
        assert refused.value.current == await find(booking.reference)


class TestReinstating:
    async def test_the_slot_is_taken_again_and_the_visitor_notified(
        self, make_request: RequestFactory
    ) -> None:
        booking = await do(usecases.book, make_request())
        await do(staff_transitions.cancel, booking.reference, ACTOR, notify=True)
        back = await do(staff_transitions.reinstate, booking.reference, ACTOR, notify=True)
        assert (back.state, back.version) == (BookingState.CONFIRMED, 3)
        assert "11:00" not in await free_times()
        row = await row_of(booking.reference)
        assert (row.sequence, row.due_at) == (2, tuesday_at(11) - timedelta(hours=24))
        assert (await mails())[3:] == [("booking-restored", "amina@example.com")]
        assert (await history(back))[2:] == [(ACTOR, "restored", "")]
        async with read_scope() as session:
            mail = (await list_newest_messages(session))[0]
        assert f"/booking/{booking.token}" in mail.text
        assert "Your consultation is confirmed again" in mail.text

    async def test_a_booking_whose_slot_was_taken_is_not_reinstated(
        self, make_request: RequestFactory
    ) -> None:
        booking = await do(usecases.book, make_request())
        await do(usecases.cancel, booking.token)
        await do(usecases.book, make_request(fullname="Brian Kiptoo"))
        before = await find(booking.reference)
        with pytest.raises(SlotTaken):
            await do(staff_transitions.reinstate, booking.reference, ACTOR, notify=True)
        assert await find(booking.reference) == before
        assert len(await mails()) == 6

    async def test_a_reinstated_booking_can_be_cancelled_and_notified_again(
        self, make_request: RequestFactory
    ) -> None:
        booking = await do(usecases.book, make_request())
        await do(usecases.cancel, booking.token)
        await do(staff_transitions.reinstate, booking.reference, ACTOR, notify=False)
        await do(usecases.cancel, booking.token)
        assert [kind for kind, _ in await mails()].count("booking-cancelled") == 2
        assert [kind for kind, _ in await mails()].count("staff-cancelled") == 2

    async def test_only_cancelled_bookings_of_today_or_later_are_reinstated(self) -> None:
        booking = await book_for_caller()
        with pytest.raises(Conflict, match="is already confirmed"):
            await do(staff_transitions.reinstate, booking.reference, ACTOR, notify=False)
        await do(staff_transitions.cancel, booking.reference, ACTOR, notify=False)
        with clock.frozen(AFTER + timedelta(days=1)), pytest.raises(InputRejected, match="already begun"):
            await do(staff_transitions.reinstate, booking.reference, ACTOR, notify=False)
        with clock.frozen(AFTER):
            await do(staff_transitions.reinstate, booking.reference, ACTOR, notify=False)
            await do(staff_transitions.mark_no_show, booking.reference, ACTOR)
            with pytest.raises(Conflict, match="is no-show, so it cannot become confirmed"):
                await do(staff_transitions.reinstate, booking.reference, ACTOR, notify=False)


class TestOutcomes:
    async def test_the_outcome_can_be_changed_after_the_start(self) -> None:
        booking = await book_for_caller()
        with clock.frozen(AFTER):
            assert (
                await do(staff_transitions.complete, booking.reference, ACTOR)
            ).state is BookingState.COMPLETED
            missed = await do(staff_transitions.mark_no_show, booking.reference, ACTOR)
        assert (missed.state, missed.version) == (BookingState.NO_SHOW, 3)
        assert (await history(booking))[1:] == [(ACTOR, "completed", ""), (ACTOR, "no_show", "")]

    async def test_an_outcome_before_the_start_is_rejected_and_the_seat_stays_taken(self) -> None:
        booking = await book_for_caller()
        for verb in (staff_transitions.complete, staff_transitions.mark_no_show):
            with pytest.raises(Conflict, match="has not begun yet"):
                await do(verb, booking.reference, ACTOR)
        assert "11:00" not in await free_times()

    async def test_an_unknown_reference_is_not_found(self) -> None:
        for verb in (staff_transitions.complete, staff_transitions.mark_no_show):
            with pytest.raises(NotFound):
                await do(verb, "BK-222222", ACTOR)


class TestBulkChanges:
    async def test_each_reference_has_its_outcome(self, make_request: RequestFactory) -> None:
        first, second = await do(usecases.book, make_request()), await book_for_caller(time="14:00")
        await do(staff_transitions.cancel, second.reference, ACTOR, notify=False)
        outcomes = await do(
            staff_transitions.set_states,
            [second.reference, "bk-222222", first.reference.lower(), first.reference],
            BookingState.CANCELLED,
            ACTOR,
            notify=True,
        )
        assert outcomes == (
            (second.reference, f"Booking {second.reference} is already cancelled."),
            ("BK-222222", "There is no booking BK-222222."),
            (first.reference, ""),
        )
        assert (await mails())[2:] == [("booking-cancelled", "amina@example.com")]
        assert (await history(await find(first.reference)))[-1] == (ACTOR, "cancelled", "")

    async def test_only_one_of_two_cancelled_bookings_of_a_slot_is_reinstated(self) -> None:
        both = []
        for _ in range(2):
            booking = await book_for_caller()
            await do(staff_transitions.cancel, booking.reference, ACTOR, notify=False)
            both.append(booking.reference)
        outcomes = await do(staff_transitions.set_states, both, BookingState.CONFIRMED, ACTOR, notify=False)
        assert sorted(why == "" for _, why in outcomes) == [False, True]
        assert [(await find(reference)).state for reference, why in outcomes if why == ""] == [
            BookingState.CONFIRMED
        ]

    async def test_a_day_is_completed_with_one_bulk_action(self) -> None:
        bookings = [await book_for_caller(time=at) for at in ("09:00", "11:00", "14:00")]
        with clock.frozen(AFTER):
            outcomes = await do(
                staff_transitions.set_states,
                [booking.reference for booking in bookings],
                BookingState.COMPLETED,
                ACTOR,
                notify=True,
            )
        assert [why for _, why in outcomes][:2] == ["", ""]
        assert "has not begun yet" in outcomes[2][1]
        assert await mails() == []

    async def test_a_bulk_change_of_too_many_bookings_changes_nothing(self) -> None:
        booking = await book_for_caller()
        too_many = [booking.reference, *(f"BK-{n}" for n in range(staff_transitions.MAX_BULK))]
        with pytest.raises(InputRejected, match="At most 200"):
            await do(staff_transitions.set_states, too_many, BookingState.CANCELLED, ACTOR, notify=False)
        assert await find(booking.reference) == booking
