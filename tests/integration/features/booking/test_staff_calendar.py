"""The calendar of staff and the counts of the dashboard, with their numbers of statements."""

from collections.abc import Callable
from datetime import date, time, timedelta

import pytest

from agency_site import clock
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.booking.bookings import staff_transitions, usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.business_hours import usecases as business_hours
from agency_site.features.booking.business_hours.staff_request import BlackoutRequest, PolicyOverridesRequest
from agency_site.features.booking.calendar.schedule import (
    MAX_SCHEDULE_DAYS,
    ScheduleDay,
    count_bookings,
    find_opening_day,
    read_schedule,
)
from agency_site.features.booking.schedule.rules import slot_start
from agency_site.features.booking.schedule.slots import DayKind, SlotState
from agency_site.settings import settings
from tests.integration.features.booking.conftest import TUESDAY, tuesday_at
from tests.integration.features.booking.staff import ACTOR, book_for_caller, do, exception_request
from tests.statements import statements

RequestFactory = Callable[..., BookingRequest]
MONDAY, NEXT_SUNDAY = date(2026, 11, 23), date(2026, 11, 29)

pytestmark = pytest.mark.usefixtures("database")


async def week() -> dict[date, ScheduleDay]:
    async with read_scope() as session:
        return {day.date: day for day in (await read_schedule(session, MONDAY, NEXT_SUNDAY)).days}


async def test_a_week_shows_slots_bookings_and_exceptions(make_request: RequestFactory) -> None:
    await do(
        business_hours.save_overrides, PolicyOverridesRequest(capacity=2, closed_on_holidays=None), 0, ACTOR
    )
    booking = await do(usecases.book, make_request())
    cancelled = await book_for_caller(time="11:00")
    await do(staff_transitions.cancel, cancelled.reference, ACTOR, notify=False)
    blackout = await do(
        business_hours.add_blackout,
        BlackoutRequest(starts_at=tuesday_at(14), ends_at=tuesday_at(15), reason="Fire drill"),
        ACTOR,
    )
    await do(
        business_hours.save_schedule_exception,
        exception_request(NEXT_SUNDAY, closed=False, times=["10:00"], capacity=5, reason="Open day"), 0, ACTOR,
    )  # fmt: skip
    with statements() as executed:
        async with read_scope() as session:
            view = await read_schedule(session, MONDAY, NEXT_SUNDAY)
    assert len(executed) <= 2
    days = {day.date: day for day in view.days}
    assert list(days) == [MONDAY + timedelta(days=n) for n in range(7)]
    assert [(slot.time, slot.bookings, slot.capacity, slot.state) for slot in days[TUESDAY].slots] == [
        ("09:00", 0, 2, SlotState.FREE),
        ("11:00", 1, 2, SlotState.FREE),
        ("14:00", 0, 2, SlotState.BLACKED_OUT),
        ("16:00", 0, 2, SlotState.FREE),
    ]
    assert {(b.reference, b.state, b.is_offered) for b in days[TUESDAY].bookings} == {
        (booking.reference, BookingState.CONFIRMED, True),
        (cancelled.reference, BookingState.CANCELLED, True),
    }
    sunday = days[NEXT_SUNDAY]
    assert (sunday.kind, sunday.is_exception, sunday.note) == (DayKind.OPEN, True, "Open day")
    assert [(slot.time, slot.capacity) for slot in sunday.slots] == [("10:00", 5)]
    assert [(span.identity, span.reason) for span in view.blackouts] == [(blackout.record.id, "Fire drill")]


async def test_a_booking_on_a_day_that_was_closed_later_is_shown_as_not_offered() -> None:
    booking = await book_for_caller()
    await do(
        business_hours.save_schedule_exception,
        exception_request(TUESDAY, closed=True, times=[], capacity=None, reason="Team day"), 0, ACTOR,
    )  # fmt: skip
    day = (await week())[TUESDAY]
    assert (day.kind, day.note, day.slots) == (DayKind.CLOSED, "Team day", ())
    assert [(row.reference, row.is_offered) for row in day.bookings] == [(booking.reference, False)]


async def opening_day(today: date) -> date:
    """Return the day on which the calendar opens at noon of `today`."""
    with clock.frozen(slot_start(today, time(12))):
        async with read_scope() as session:
            return await find_opening_day(session)


async def test_the_calendar_opens_on_today_or_on_the_next_day_with_slots() -> None:
    assert await opening_day(TUESDAY) == TUESDAY
    assert await opening_day(NEXT_SUNDAY) == NEXT_SUNDAY + timedelta(days=1)


async def test_the_calendar_opens_on_a_closed_day_that_has_bookings() -> None:
    for version, closed in enumerate((False, True)):
        request = exception_request(
            NEXT_SUNDAY, closed=closed, times=[] if closed else ["10:00"], capacity=None, reason=""
        )
        await do(business_hours.save_schedule_exception, request, version, ACTOR)
        if not closed:
            await book_for_caller(date=NEXT_SUNDAY.isoformat(), time="10:00")
    assert await opening_day(NEXT_SUNDAY) == NEXT_SUNDAY


async def test_open_holidays_have_names_too() -> None:
    jamhuri = date(2026, 12, 12)
    for version, closed in enumerate((True, False)):
        await do(
            business_hours.save_overrides,
            PolicyOverridesRequest(capacity=None, closed_on_holidays=closed),
            version,
            ACTOR,
        )
        async with read_scope() as session:
            (day,) = (await read_schedule(session, jamhuri, jamhuri)).days
        assert day.holiday == "Jamhuri Day"
        assert (day.kind is DayKind.HOLIDAY) is closed


async def test_past_days_are_over_and_this_morning_is_not() -> None:
    today = clock.today()
    async with read_scope() as session:
        before, now = (await read_schedule(session, today - timedelta(days=1), today)).days
    assert {slot.state for slot in before.slots} == {SlotState.BEGUN}
    assert {slot.state for slot in now.slots} == {SlotState.FREE}


async def test_a_request_for_too_many_days_returns_the_first() -> None:
    async with read_scope() as session:
        view = await read_schedule(session, MONDAY, MONDAY + timedelta(days=4000))
        assert await read_schedule(session, NEXT_SUNDAY, MONDAY) == type(view)((), ())
    assert len(view.days) == MAX_SCHEDULE_DAYS


async def test_counts_name_every_day_and_state_with_one_statement(make_request: RequestFactory) -> None:
    await do(
        business_hours.save_overrides, PolicyOverridesRequest(capacity=3, closed_on_holidays=None), 0, ACTOR
    )
    first, *_ = [await book_for_caller(time=at) for at in ("09:00", "11:00", "11:00")]
    await book_for_caller(date="2026-11-25", time="16:00")
    await do(staff_transitions.cancel, first.reference, ACTOR, notify=False)
    with statements() as executed:
        async with read_scope() as session:
            counts = await count_bookings(session, MONDAY, NEXT_SUNDAY)
    assert len(executed) == 1
    assert [day.total for day in counts.days] == [0, 3, 1, 0, 0, 0, 0]
    assert counts.days[1].states == {
        BookingState.CONFIRMED: 2,
        BookingState.CANCELLED: 1,
        BookingState.COMPLETED: 0,
        BookingState.NO_SHOW: 0,
    }
    assert counts.states[BookingState.CONFIRMED] == 3


async def test_midnight_in_nairobi_separates_the_days() -> None:
    await do(
        business_hours.save_schedule_exception,
        exception_request(TUESDAY, closed=False, times=["00:00", "23:30"], capacity=None, reason=""), 0, ACTOR,
    )  # fmt: skip
    for at in ("00:00", "23:30"):
        await book_for_caller(time=at)
    async with read_scope() as session:
        counts = await count_bookings(session, MONDAY, TUESDAY + timedelta(days=1))
    assert [day.total for day in counts.days] == [0, 2, 0]
    assert [b.starts_at for b in (await week())[TUESDAY].bookings] == [
        slot_start(TUESDAY, time(0)),
        slot_start(TUESDAY, time(23, 30)),
    ]


@pytest.mark.each_database
async def test_a_visitors_booking_takes_eight_selects_and_six_inserts(make_request: RequestFactory) -> None:
    await do(
        business_hours.save_overrides, PolicyOverridesRequest(capacity=2, closed_on_holidays=None), 0, ACTOR
    )
    with statements() as executed:
        async with session_scope() as session:
            await usecases.book(session, make_request())
    # PostgreSQL takes the shared lock in its own statement, because a statement reads a snapshot from before its lock.
    locks = [statement for statement in executed if "pg_advisory_xact_lock_shared" in statement]
    assert len(locks) == (1 if "postgresql" in settings().database_url else 0)
    rest = [statement for statement in executed if statement not in locks]
    words = [statement.split()[0] for statement in rest]
    seat_and_event = ["SELECT", "INSERT", "INSERT"]
    # The channel, whether the address is confirmed, and the mail.
    mail = ["SELECT", "SELECT", "INSERT"]
    # What is known about the number, whether the site or the number is at its limit, the text message and its short link.
    text = ["SELECT", "SELECT", "SELECT", "INSERT", "INSERT"]
    # The notice to staff, and whether such notices come in a burst or are too many for a day.
    staff = ["INSERT", "SELECT", "SELECT"]
    assert words == [*seat_and_event, *mail, *text, *staff]
