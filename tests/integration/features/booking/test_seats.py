"""What decides the slots of a span, as it is read from the database, and what a move to a seat may run into."""

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
from tests.integration.features.booking.staff import ACTOR, all_bookings, do, special_day

WEDNESDAY = TUESDAY + timedelta(days=1)
MIDNIGHT = datetime(2026, 11, 23, 21, tzinfo=UTC)
"""Where Tuesday begins in Nairobi."""

pytestmark = pytest.mark.usefixtures("database")


@pytest.mark.parametrize("with_bookings", [True, False])
async def test_the_occupancy_of_a_day_is_what_is_stored_about_it_and_nothing_of_the_next(
    asks: Callable[..., BookingRequest], with_bookings: bool
) -> None:
    await do(usecases.book, asks())
    await do(usecases.book, asks(date=WEDNESDAY.isoformat()))
    for day in (TUESDAY, WEDNESDAY):
        request = special_day(day, times=["09:00"], capacity=3, reason="Interviews")
        await do(business_hours.save_schedule_exception, request, 0, ACTOR)
    begins, ends = tuesday_at(14), tuesday_at(15)
    async with session_scope() as session:
        session.add(Blackout(id=7, starts_at=begins, ends_at=ends, reason="Team day"))
    seen = await do(read_occupancy, MIDNIGHT, MIDNIGHT + timedelta(days=1), with_bookings=with_bookings)
    assert seen.minutes_by_seat == ({tuesday_at(11): {0: 30}} if with_bookings else {})
    assert seen.blackouts == (BlackoutSpan(begins, ends, 7, "Team day"),)
    assert seen.exceptions.keys() == {TUESDAY}


async def test_every_seat_of_a_start_is_read_with_the_minutes_of_its_own_booking(
    asks: Callable[..., BookingRequest],
) -> None:
    request = special_day(TUESDAY, times=["11:00"], capacity=12, reason="Interviews")
    await do(business_hours.save_schedule_exception, request, 0, ACTOR)
    for number in range(12):
        await do(usecases.book, asks(emailaddress=f"visitor{number}@example.com"))
    async with session_scope() as session:
        await session.exec(update(Booking).where(col(Booking.seat) >= 10).values(minutes=60))
    seen = await do(read_occupancy, MIDNIGHT, MIDNIGHT + timedelta(days=1))
    assert seen.minutes_by_seat == {tuesday_at(11): {seat: 60 if seat >= 10 else 30 for seat in range(12)}}


async def test_a_slot_inside_a_booking_from_before_slots_were_shortened_is_shown_as_taken(
    asks: Callable[..., BookingRequest],
) -> None:
    await do(usecases.book, asks())
    async with session_scope() as session:
        await session.exec(update(Booking).values(minutes=240))
    async with read_scope() as session:
        slots = await usecases.list_slots(session, TUESDAY)
        (day,) = (await read_schedule(session, TUESDAY, TUESDAY)).days
    assert [slot.time for slot in slots if slot.available] == ["09:00", "16:00"]
    assert [slot.time for slot in day.slots if slot.state is SlotState.FREE] == ["09:00", "16:00"]
    with pytest.raises(SlotTaken):
        await do(usecases.book, asks(time="14:00"))


async def test_a_move_that_the_database_refuses_for_another_reason_than_its_seat_is_an_error(
    asks: Callable[..., BookingRequest],
) -> None:
    await do(usecases.book, asks())
    (booking,) = await all_bookings()
    with pytest.raises(IntegrityError, match="seat_not_negative"):
        await do(reseat_booking, booking, tuesday_at(14), [-1])
