"""Blackouts, schedule exceptions and policy overrides: the offered times, and the bookings that no longer fit."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any

import pytest

from agency_site import clock
from agency_site.db.engine import read_scope
from agency_site.errors import InputRejected, NotFound, StaleRecord
from agency_site.features.booking.bookings import staff_usecases, usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.business_hours import usecases as business_hours
from agency_site.features.booking.business_hours.staff_request import BlackoutRequest, PolicyOverridesRequest
from agency_site.features.booking.schedule.rules import SlotTaken, SlotWithdrawn, slot_start
from agency_site.features.booking.schedule.slots import DayKind
from tests.integration.features.booking.conftest import TUESDAY, tuesday_at
from tests.integration.features.booking.staff import (
    ACTOR,
    all_bookings,
    book_for_caller,
    do,
    exception_request,
    free_times,
)

RequestFactory = Callable[..., BookingRequest]
SUNDAY, JAMHURI = date(2026, 11, 22), date(2026, 12, 12)

pytestmark = pytest.mark.usefixtures("database")


async def save_exception(day: date, version: int = 0, **hours: Any) -> Any:
    return await do(business_hours.save_schedule_exception, exception_request(day, **hours), version, ACTOR)


async def save_overrides(version: int = 0, **overrides: Any) -> Any:
    return await do(business_hours.save_overrides, PolicyOverridesRequest(**overrides), version, ACTOR)


async def add_blackout(begins: datetime, ends: datetime, reason: str = "") -> Any:
    request = BlackoutRequest(starts_at=begins, ends_at=ends, reason=reason)
    return await do(business_hours.add_blackout, request, ACTOR)


class TestBlackouts:
    async def test_a_blackout_closes_slots_until_it_is_removed(self, make_request: RequestFactory) -> None:
        booking = await book_for_caller(time="11:00")
        begins = tuesday_at(11) + timedelta(minutes=20)
        change = await add_blackout(begins, tuesday_at(15), " Fire  drill ")
        assert [other.reference for other in change.affected] == [booking.reference]
        assert (change.record.reason, change.record.author) == ("Fire drill", ACTOR)
        assert await free_times() == ["09:00", "16:00"]
        with pytest.raises(SlotWithdrawn):
            await do(usecases.book, make_request(time="14:00"))
        assert (await all_bookings())[0].state is BookingState.CONFIRMED
        async with read_scope() as session:
            assert await business_hours.list_blackouts(session) == (change.record,)
            assert await business_hours.list_blackouts(session, since=tuesday_at(15)) == ()
        await do(business_hours.remove_blackout, change.record.id)
        assert await free_times() == ["09:00", "14:00", "16:00"]
        with pytest.raises(NotFound):
            await do(business_hours.remove_blackout, change.record.id)

    async def test_a_blackout_without_bookings_affects_none(self) -> None:
        await book_for_caller(time="11:00")
        change = await add_blackout(tuesday_at(11) + timedelta(minutes=30), tuesday_at(15))
        assert change.affected == ()

    @pytest.mark.parametrize(("begins", "ends"), [(0, 0), (1, 0), (-5, -4)])
    async def test_an_empty_or_past_period_is_rejected(self, begins: int, ends: int) -> None:
        moment = clock.now()
        with pytest.raises(InputRejected) as refused:
            await add_blackout(moment + timedelta(hours=begins), moment + timedelta(hours=ends))
        assert list(refused.value.by_field()) == ["ends_at"]


class TestScheduleExceptions:
    async def test_a_closed_day_takes_no_bookings_and_keeps_those_it_has(
        self, make_request: RequestFactory
    ) -> None:
        booking = await book_for_caller()
        change = await save_exception(TUESDAY, closed=True, reason="Team day")
        assert [other.reference for other in change.affected] == [booking.reference]
        assert await free_times() == []
        with pytest.raises(InputRejected, match=r"We are closed on Tuesday 24 November \(Team day\)"):
            await do(usecases.book, make_request())
        async with read_scope() as session:
            day = (await usecases.read_calendar(session)).find_day(TUESDAY.isoformat())
        assert (day.kind, day.label) == (DayKind.CLOSED, "Tuesday 24 November 2026, Team day, closed")
        assert (await all_bookings())[0].state is BookingState.CONFIRMED

    @pytest.mark.parametrize("day", [SUNDAY, JAMHURI])
    async def test_visitors_book_sundays_and_holidays_that_staff_open(
        self, make_request: RequestFactory, day: date
    ) -> None:
        await save_exception(day, times=["10:30", "09:00"])
        assert await free_times(day) == ["09:00", "10:30"]
        booking = await do(usecases.book, make_request(date=day.isoformat(), time="10:30"))
        assert booking.starts_at == slot_start(day, time(10, 30))

    async def test_a_visitor_can_move_to_a_day_with_its_own_hours(self, make_request: RequestFactory) -> None:
        await save_exception(SUNDAY, times=["10:30"])
        booking = await do(usecases.book, make_request())
        moved = await do(usecases.move, booking.token, slot_start(SUNDAY, time(10, 30)))
        assert moved.starts_at == slot_start(SUNDAY, time(10, 30))

    async def test_the_capacity_of_an_exception_applies_to_its_day_only(
        self, make_request: RequestFactory
    ) -> None:
        await save_exception(TUESDAY, capacity=2)
        await do(usecases.book, make_request())
        await do(usecases.book, make_request())
        with pytest.raises(SlotTaken):
            await do(usecases.book, make_request())
        await do(usecases.book, make_request(date="2026-11-25"))
        with pytest.raises(SlotTaken):
            await do(usecases.book, make_request(date="2026-11-25"))

    async def test_removing_an_exception_restores_the_hours_of_the_weekday(
        self, make_request: RequestFactory
    ) -> None:
        change = await save_exception(TUESDAY, times=["10:45", "20:00"])
        late, early = await book_for_caller(time="20:00"), await book_for_caller(time="10:45")
        change = await do(business_hours.remove_schedule_exception, TUESDAY, change.record.version)
        assert [other.reference for other in change.affected] == [early.reference, late.reference]
        # The consultation that lasts until 11:15 takes the only seat from 11:00.
        assert await free_times() == ["09:00", "14:00", "16:00"]
        with pytest.raises(SlotTaken):
            await do(usecases.book, make_request())

    async def test_a_booking_outside_the_usual_times_can_move_into_them(
        self, make_request: RequestFactory
    ) -> None:
        change = await save_exception(TUESDAY, times=["10:45", "13:45"])
        booking = await do(usecases.book, make_request(time="10:45"))
        by_hand = await book_for_caller(time="13:45")
        await do(business_hours.remove_schedule_exception, TUESDAY, change.record.version)
        assert (await do(usecases.move, booking.token, tuesday_at(11))).starts_at == tuesday_at(11)
        await do(staff_usecases.move, by_hand.reference, tuesday_at(14), ACTOR, notify=False)
        assert await free_times() == ["09:00", "16:00"]

    async def test_the_second_of_two_editors_is_rejected_with_the_current_record(self) -> None:
        first = await save_exception(TUESDAY, closed=True)
        for version in (0, 7):
            with pytest.raises(StaleRecord) as refused:
                await save_exception(TUESDAY, version, times=["08:00"])
            assert refused.value.current == first.record
        second = await save_exception(TUESDAY, 1, times=["08:00"])
        assert (second.record.version, second.record.times) == (2, (time(8),))
        with pytest.raises(StaleRecord) as refused:
            await do(business_hours.remove_schedule_exception, TUESDAY, 1)
        assert refused.value.current == second.record
        await do(business_hours.remove_schedule_exception, TUESDAY, 2)
        with pytest.raises(StaleRecord, match="removed") as refused:
            await save_exception(TUESDAY, 2, closed=True)
        assert refused.value.current is None

    async def test_exceptions_are_listed_by_date(self) -> None:
        later, sooner = await save_exception(JAMHURI), await save_exception(SUNDAY, times=["09:00"])
        async with read_scope() as session:
            assert await business_hours.list_schedule_exceptions(session) == (sooner.record, later.record)
            assert await business_hours.list_schedule_exceptions(session, JAMHURI) == (later.record,)

    @pytest.mark.parametrize(
        ("wrong", "field"),
        [
            ({"day": date(2026, 11, 19)}, "day"),
            ({"day": SUNDAY}, "times"),
        ],
    )
    async def test_errors_name_their_field(self, wrong: dict[str, Any], field: str) -> None:
        with pytest.raises(InputRejected) as refused:
            await save_exception(**{"day": TUESDAY, **wrong})
        assert list(refused.value.by_field()) == [field]


class TestPolicyOverrides:
    async def test_the_capacity_is_raised_and_lowered_without_settings(
        self, make_request: RequestFactory
    ) -> None:
        raised = await save_overrides(capacity=3)
        bookings = [await do(usecases.book, make_request()) for _ in range(3)]
        with pytest.raises(SlotTaken):
            await do(usecases.book, make_request())
        lowered = await save_overrides(raised.record.version, capacity=1)
        rows = {row.reference: row.seat for row in await all_bookings()}
        assert sorted(rows[other.reference] for other in lowered.affected) == [1, 2]
        assert {row.state for row in await all_bookings()} == {BookingState.CONFIRMED}
        assert len(bookings) == 3

    async def test_an_empty_override_returns_to_the_setting(
        self, make_request: RequestFactory, configure: Callable[..., object]
    ) -> None:
        configure(booking_capacity=2)
        await save_overrides(capacity=1)
        await do(usecases.book, make_request())
        with pytest.raises(SlotTaken):
            await do(usecases.book, make_request())
        assert (await save_overrides(1)).affected == ()
        await do(usecases.book, make_request())

    async def test_holidays_open_and_close_without_settings(self, make_request: RequestFactory) -> None:
        await save_overrides(closed_on_holidays=False)
        booking = await do(usecases.book, make_request(date=JAMHURI.isoformat()))
        closed = await save_overrides(1, closed_on_holidays=True)
        assert [other.reference for other in closed.affected] == [booking.reference]
        assert await free_times(JAMHURI) == []

    async def test_the_second_of_two_editors_is_rejected_with_the_current_record(self) -> None:
        async with read_scope() as session:
            assert (await business_hours.read_overrides(session)).version == 0
        first = await save_overrides(capacity=4)
        for version in (0, 2):
            with pytest.raises(StaleRecord) as refused:
                await save_overrides(version, capacity=5)
            assert refused.value.current == first.record
