"""Reading the occupancy of a period, and errors of a move to a seat."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError
from sqlmodel import col

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.booking.bookings import usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.seats import read_occupancy, reseat_booking
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.business_hours import usecases as business_hours
from agency_site.features.booking.calendar.schedule import read_schedule
from agency_site.features.booking.schedule.rules import SlotTaken
from agency_site.features.booking.schedule.slots import BlackoutSpan, SlotState
from agency_site.features.booking.schedule.tables import Blackout
from tests.integration.features.booking.conftest import TUESDAY, tuesday_at
from tests.integration.features.booking.staff import ACTOR, all_bookings, do, exception_request

WEDNESDAY = TUESDAY + timedelta(days=1)
MIDNIGHT = datetime(2026, 11, 23, 21, tzinfo=UTC)
"""The beginning of Tuesday in Nairobi."""

pytestmark = [pytest.mark.each_database, pytest.mark.usefixtures("database")]


@pytest.mark.parametrize("with_bookings", [True, False])
async def test_the_occupancy_of_a_day_contains_nothing_of_the_next_day(
    make_request: Callable[..., BookingRequest], with_bookings: bool
) -> None:
    await do(usecases.book, make_request())
    await do(usecases.book, make_request(date=WEDNESDAY.isoformat()))
    for day in (TUESDAY, WEDNESDAY):
        request = exception_request(day, times=["09:00"], capacity=3, reason="Interviews")
        await do(business_hours.save_schedule_exception, request, 0, ACTOR)
    begins, ends = tuesday_at(14), tuesday_at(15)
    async with session_scope() as session:
        session.add(Blackout(id=7, starts_at=begins, ends_at=ends, reason="Team day"))
    occupancy = await do(read_occupancy, MIDNIGHT, MIDNIGHT + timedelta(days=1), with_bookings=with_bookings)
    assert occupancy.minutes_by_seat == ({tuesday_at(11): {0: 30}} if with_bookings else {})
    assert occupancy.blackouts == (BlackoutSpan(begins, ends, 7, "Team day"),)
    assert occupancy.exceptions.keys() == {TUESDAY}


async def test_every_seat_of_a_start_is_read_with_the_minutes_of_its_own_booking(
    make_request: Callable[..., BookingRequest],
) -> None:
    request = exception_request(TUESDAY, times=["11:00"], capacity=12, reason="Interviews")
    await do(business_hours.save_schedule_exception, request, 0, ACTOR)
    for number in range(12):
        await do(usecases.book, make_request(emailaddress=f"visitor{number}@example.com"))
    async with session_scope() as session:
        await session.exec(update(Booking).where(col(Booking.seat) >= 10).values(minutes=60))
    occupancy = await do(read_occupancy, MIDNIGHT, MIDNIGHT + timedelta(days=1))
    assert occupancy.minutes_by_seat == {
        tuesday_at(11): {seat: 60 if seat >= 10 else 30 for seat in range(12)}
    }


async def test_a_slot_inside_a_booking_from_before_slots_were_shortened_is_shown_as_taken(
    make_request: Callable[..., BookingRequest],
) -> None:
    await do(usecases.book, make_request())
    async with session_scope() as session:
        await session.exec(update(Booking).values(minutes=240))
    async with read_scope() as session:
        slots = await usecases.list_slots(session, TUESDAY)
        (day,) = (await read_schedule(session, TUESDAY, TUESDAY)).days
    assert [slot.time for slot in slots if slot.available] == ["09:00", "16:00"]
    assert [slot.time for slot in day.slots if slot.state is SlotState.FREE] == ["09:00", "16:00"]
    with pytest.raises(SlotTaken):
        await do(usecases.book, make_request(time="14:00"))


async def test_an_error_other_than_a_seat_conflict_is_raised_by_a_move(
    make_request: Callable[..., BookingRequest],
) -> None:
    await do(usecases.book, make_request())
    (booking,) = await all_bookings()
    with pytest.raises(IntegrityError, match="seat_not_negative"):
        await do(reseat_booking, booking, tuesday_at(14), [-1])
