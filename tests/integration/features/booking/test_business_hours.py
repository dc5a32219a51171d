"""Blackouts, special days and policy overrides: what visitors are offered, and which bookings no longer fit."""

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
    booked_for,
    do,
    free_times,
    special_day,
)

Asks = Callable[..., BookingRequest]
SUNDAY, JAMHURI = date(2026, 11, 22), date(2026, 12, 12)

pytestmark = pytest.mark.usefixtures("database")


async def special(day: date, version: int = 0, **hours: Any) -> Any:
    return await do(business_hours.save_schedule_exception, special_day(day, **hours), version, ACTOR)


async def choose(version: int = 0, **overrides: Any) -> Any:
    return await do(business_hours.save_overrides, PolicyOverridesRequest(**overrides), version, ACTOR)


async def block(begins: datetime, ends: datetime, reason: str = "") -> Any:
    request = BlackoutRequest(starts_at=begins, ends_at=ends, reason=reason)
    return await do(business_hours.add_blackout, request, ACTOR)


class TestBlackouts:
    async def test_a_blackout_closes_slots_until_it_is_removed(self, asks: Asks) -> None:
        made = await booked_for(time="11:00")
        begins = tuesday_at(11) + timedelta(minutes=20)
        stored = await block(begins, tuesday_at(15), " Fire  drill ")
        assert [one.reference for one in stored.affected] == [made.reference]
        assert (stored.record.reason, stored.record.author) == ("Fire drill", ACTOR)
        assert await free_times() == ["09:00", "16:00"]
        with pytest.raises(SlotWithdrawn):
            await do(usecases.book, asks(time="14:00"))
        assert (await all_bookings())[0].state is BookingState.CONFIRMED
        async with read_scope() as session:
            assert await business_hours.list_blackouts(session) == (stored.record,)
            assert await business_hours.list_blackouts(session, since=tuesday_at(15)) == ()
        await do(business_hours.remove_blackout, stored.record.id)
        assert await free_times() == ["09:00", "14:00", "16:00"]
        with pytest.raises(NotFound):
            await do(business_hours.remove_blackout, stored.record.id)

    async def test_a_blackout_without_bookings_affects_none(self) -> None:
        await booked_for(time="11:00")
        stored = await block(tuesday_at(11) + timedelta(minutes=30), tuesday_at(15))
        assert stored.affected == ()

    @pytest.mark.parametrize(("begins", "ends"), [(0, 0), (1, 0), (-5, -4)])
    async def test_no_time_and_past_time_are_refused(self, begins: int, ends: int) -> None:
        moment = clock.now()
        with pytest.raises(InputRejected) as refused:
            await block(moment + timedelta(hours=begins), moment + timedelta(hours=ends))
        assert list(refused.value.by_field()) == ["ends_at"]


class TestSpecialDays:
    async def test_a_closed_day_takes_no_bookings_and_keeps_those_it_has(self, asks: Asks) -> None:
        made = await booked_for()
        stored = await special(TUESDAY, closed=True, reason="Team day")
        assert [one.reference for one in stored.affected] == [made.reference]
        assert await free_times() == []
        with pytest.raises(InputRejected, match=r"We are closed on Tuesday 24 November \(Team day\)"):
            await do(usecases.book, asks())
        async with read_scope() as session:
            day = (await usecases.read_calendar(session)).find_day(TUESDAY.isoformat())
        assert (day.kind, day.label) == (DayKind.CLOSED, "Tuesday 24 November 2026, Team day, closed")
        assert (await all_bookings())[0].state is BookingState.CONFIRMED

    @pytest.mark.parametrize("day", [SUNDAY, JAMHURI])
    async def test_visitors_book_sundays_and_holidays_that_staff_open(self, asks: Asks, day: date) -> None:
        await special(day, times=["10:30", "09:00"])
        assert await free_times(day) == ["09:00", "10:30"]
        made = await do(usecases.book, asks(date=day.isoformat(), time="10:30"))
        assert made.starts_at == slot_start(day, time(10, 30))

    async def test_a_visitor_can_move_to_one(self, asks: Asks) -> None:
        await special(SUNDAY, times=["10:30"])
        made = await do(usecases.book, asks())
        moved = await do(usecases.move, made.token, slot_start(SUNDAY, time(10, 30)))
        assert moved.starts_at == slot_start(SUNDAY, time(10, 30))

    async def test_its_capacity_holds_for_that_day_only(self, asks: Asks) -> None:
        await special(TUESDAY, capacity=2)
        await do(usecases.book, asks())
        await do(usecases.book, asks())
        with pytest.raises(SlotTaken):
            await do(usecases.book, asks())
        await do(usecases.book, asks(date="2026-11-25"))
        with pytest.raises(SlotTaken):
            await do(usecases.book, asks(date="2026-11-25"))

    async def test_removing_it_restores_the_hours_of_the_weekday(self, asks: Asks) -> None:
        stored = await special(TUESDAY, times=["10:45", "20:00"])
        late, early = await booked_for(time="20:00"), await booked_for(time="10:45")
        gone = await do(business_hours.remove_schedule_exception, TUESDAY, stored.record.version)
        assert [one.reference for one in gone.affected] == [early.reference, late.reference]
        # The consultation that lasts until 11:15 takes the only seat from 11:00.
        assert await free_times() == ["09:00", "14:00", "16:00"]
        with pytest.raises(SlotTaken):
            await do(usecases.book, asks())

    async def test_a_booking_outside_the_usual_times_can_move_into_them(self, asks: Asks) -> None:
        stored = await special(TUESDAY, times=["10:45", "13:45"])
        made = await do(usecases.book, asks(time="10:45"))
        by_hand = await booked_for(time="13:45")
        await do(business_hours.remove_schedule_exception, TUESDAY, stored.record.version)
        assert (await do(usecases.move, made.token, tuesday_at(11))).starts_at == tuesday_at(11)
        await do(staff_usecases.move, by_hand.reference, tuesday_at(14), ACTOR, notify=False)
        assert await free_times() == ["09:00", "16:00"]

    async def test_the_second_of_two_editors_is_shown_the_first_ones(self) -> None:
        first = await special(TUESDAY, closed=True)
        for version in (0, 7):
            with pytest.raises(StaleRecord) as refused:
                await special(TUESDAY, version, times=["08:00"])
            assert refused.value.current == first.record
        second = await special(TUESDAY, 1, times=["08:00"])
        assert (second.record.version, second.record.times) == (2, (time(8),))
        with pytest.raises(StaleRecord) as refused:
            await do(business_hours.remove_schedule_exception, TUESDAY, 1)
        assert refused.value.current == second.record
        await do(business_hours.remove_schedule_exception, TUESDAY, 2)
        with pytest.raises(StaleRecord, match="removed") as refused:
            await special(TUESDAY, 2, closed=True)
        assert refused.value.current is None

    async def test_they_are_listed_by_date(self) -> None:
        later, sooner = await special(JAMHURI), await special(SUNDAY, times=["09:00"])
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
            await special(**{"day": TUESDAY, **wrong})
        assert list(refused.value.by_field()) == [field]


class TestPolicyOverrides:
    async def test_the_capacity_is_raised_and_lowered_without_settings(self, asks: Asks) -> None:
        raised = await choose(capacity=3)
        made = [await do(usecases.book, asks()) for _ in range(3)]
        with pytest.raises(SlotTaken):
            await do(usecases.book, asks())
        lowered = await choose(raised.record.version, capacity=1)
        rows = {row.reference: row.seat for row in await all_bookings()}
        assert sorted(rows[one.reference] for one in lowered.affected) == [1, 2]
        assert {row.state for row in await all_bookings()} == {BookingState.CONFIRMED}
        assert len(made) == 3

    async def test_none_goes_back_to_the_setting(self, asks: Asks, configure: Callable[..., object]) -> None:
        configure(booking_capacity=2)
        await choose(capacity=1)
        await do(usecases.book, asks())
        with pytest.raises(SlotTaken):
            await do(usecases.book, asks())
        assert (await choose(1)).affected == ()
        await do(usecases.book, asks())

    async def test_holidays_open_and_close_without_settings(self, asks: Asks) -> None:
        await choose(closed_on_holidays=False)
        made = await do(usecases.book, asks(date=JAMHURI.isoformat()))
        closed = await choose(1, closed_on_holidays=True)
        assert [one.reference for one in closed.affected] == [made.reference]
        assert await free_times(JAMHURI) == []

    async def test_the_second_of_two_editors_is_shown_the_first_ones(self) -> None:
        async with read_scope() as session:
            assert (await business_hours.read_overrides(session)).version == 0
        first = await choose(capacity=4)
        for version in (0, 2):
            with pytest.raises(StaleRecord) as refused:
                await choose(version, capacity=5)
            assert refused.value.current == first.record
