"""The slots of a day and its label."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.clock import NAIROBI
from agency_site.content.hours import HOURS
from agency_site.content.schema import Hours, Opening
from agency_site.errors import InputRejected
from agency_site.features.booking.schedule.rules import SlotTaken, SlotWithdrawn, slot_start
from agency_site.features.booking.schedule.slots import (
    DayKind,
    Occupancy,
    Policy,
    SlotState,
    Span,
    compute_bookable_day,
    compute_calendar,
    compute_day,
    first_and_last_day,
    free_seats,
    require_free_slot,
)
from agency_site.public_holidays import public_holidays

NOON = datetime(2026, 11, 20, 9, tzinfo=UTC)
TODAY = date(2026, 11, 20)
TUESDAY = date(2026, 11, 24)
USUAL = Policy(HOURS, capacity=1, horizon_days=90, closed_on_holidays=True)
NOTHING = Occupancy()

days = st.dates(date(2020, 1, 1), date(2040, 12, 31))
moments = st.datetimes(datetime(2020, 1, 1), datetime(2040, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001


def offered(day: date, now: datetime = NOON, occupancy: Occupancy = NOTHING) -> list[str]:
    return [slot.time for slot in compute_bookable_day(day, now, USUAL, occupancy).slots if slot.available]


def test_a_weekday_has_all_four_slots() -> None:
    assert offered(TUESDAY) == ["09:00", "11:00", "14:00", "16:00"]


def test_saturday_ends_at_one() -> None:
    assert offered(date(2026, 11, 21)) == ["09:00", "11:00"]


def test_slots_that_have_begun_are_not_offered() -> None:
    assert offered(TODAY) == ["14:00", "16:00"]
    assert offered(TODAY, slot_start(TODAY, time(14))) == ["16:00"]
    assert offered(TODAY, slot_start(TODAY, time(14)) - timedelta(microseconds=1)) == ["14:00", "16:00"]


def test_visitors_can_book_until_the_notice_begins() -> None:
    policy, two = replace(USUAL, notice=timedelta(hours=3)), slot_start(TODAY, time(14))
    latest = two - policy.notice
    for moment, state in (
        (latest, SlotState.FREE),
        # The calendar is computed once a minute, and what it offers can be booked.
        (latest + timedelta(seconds=59), SlotState.FREE),
        (latest + timedelta(minutes=1), SlotState.TOO_SOON),
        (two - timedelta(seconds=5), SlotState.TOO_SOON),
        (two, SlotState.BEGUN),
    ):
        slot = compute_bookable_day(TODAY, moment, policy, NOTHING).slot_at(time(14))
        calendar = compute_calendar(moment.replace(second=0, microsecond=0), policy, NOTHING)
        assert slot
        assert slot.state is state
        assert slot in calendar.slots_on(TODAY)


def test_a_day_whose_last_slots_are_too_soon_is_full_and_asks_to_call() -> None:
    day = compute_bookable_day(TODAY, NOON, replace(USUAL, notice=timedelta(hours=5)), NOTHING)
    assert (day.kind, [slot.state for slot in day.slots[2:]]) == (DayKind.FULL, [SlotState.TOO_SOON] * 2)
    with pytest.raises(InputRejected, match="please call us") as refused:
        require_free_slot(day, time(14))
    assert refused.value.by_field().keys() == {"time"}


def test_a_long_notice_covers_the_next_days() -> None:
    policy = replace(USUAL, notice=timedelta(hours=24))
    calendar = compute_calendar(NOON, policy, NOTHING)
    assert calendar.find_day("").date == date(2026, 11, 23)
    assert [slot.available for slot in calendar.slots_on(date(2026, 11, 21))] == [False, False]


def test_staff_need_no_notice() -> None:
    policy = replace(USUAL, notice=timedelta(hours=24))
    day = compute_day(TODAY, slot_start(TODAY, time.min), policy, NOTHING)
    assert [slot.state for slot in day.slots] == [SlotState.FREE] * 4


def test_a_slot_must_end_inside_business_hours() -> None:
    opening = Opening(opens=time(9), closes=time(11, 20))
    hours = Hours(week=(opening,) * 7, slots=(time(11), time(8), time(9)), slot_minutes=30)
    day = compute_bookable_day(TUESDAY, NOON, Policy(hours, 1, 90, closed_on_holidays=True), NOTHING)
    assert [slot.time for slot in day.slots] == ["09:00"]


@pytest.mark.parametrize(
    ("day", "label"),
    [
        (TUESDAY, "Tuesday 24 November 2026, 3 times free"),
        (date(2026, 11, 22), "Sunday 22 November 2026, closed"),
        (date(2026, 12, 12), "Saturday 12 December 2026, Jamhuri Day, closed"),
        (date(2026, 11, 25), "Wednesday 25 November 2026, no times free"),
        (date(2026, 11, 26), "Thursday 26 November 2026, 1 time free"),
        (date(2026, 11, 19), "Thursday 19 November 2026, not bookable"),
        (date(2027, 2, 19), "Friday 19 February 2027, not bookable"),
    ],
)
def test_the_label_of_a_day(day: date, label: str) -> None:
    wednesday, thursday = slot_start(date(2026, 11, 25), time(0)), slot_start(date(2026, 11, 26), time(10))
    occupancy = Occupancy(
        {slot_start(TUESDAY, time(11)): {0: 30}},
        (Span(wednesday, wednesday + timedelta(days=1)), Span(thursday, thursday + timedelta(hours=5))),
    )
    bookable = compute_bookable_day(day, NOON, USUAL, occupancy)
    if day.day == 26:
        minutes_by_seat = {slot_start(day, time(9)): {0: 30}}
        bookable = compute_bookable_day(day, NOON, USUAL, Occupancy(minutes_by_seat, occupancy.blackouts))
    assert bookable.label == label


def test_the_horizon_is_ninety_days_in_nairobi() -> None:
    assert first_and_last_day(NOON, USUAL) == (TODAY, date(2027, 2, 18))
    # 22:00 UTC is already tomorrow in Nairobi.
    assert first_and_last_day(datetime(2026, 11, 20, 22, tzinfo=UTC), USUAL)[0] == date(2026, 11, 21)


def test_holidays_are_computed_for_years_ahead_and_open_when_switched_off() -> None:
    assert public_holidays(2027)[date(2027, 6, 1)] == "Madaraka Day"
    assert public_holidays(2026)[date(2026, 5, 1)] == "Labour Day"
    assert public_holidays(2027)[date(2027, 12, 13)] == "Jamhuri Day (observed)"
    open_anyway = Policy(HOURS, 1, 90, closed_on_holidays=False)
    assert len(compute_bookable_day(date(2026, 12, 12), NOON, open_anyway, NOTHING).slots) == 2


@given(day=days, now=moments)
def test_offered_slots_keep_to_horizon_hours_and_clock(day: date, now: datetime) -> None:
    bookable = compute_bookable_day(day, now, USUAL, NOTHING)
    first, last = first_and_last_day(now, USUAL)
    assert (bookable.kind is DayKind.OUTSIDE) is not (first <= day <= last)
    for slot in bookable.slots:
        local = slot.starts_at.astimezone(NAIROBI)
        opening = HOURS.week[local.weekday()]
        assert opening is not None
        assert local.date() == day
        assert opening.opens <= local.time()
        assert (local + timedelta(minutes=30)).time() <= opening.closes
        assert slot.available is (slot.starts_at > now)
    assert (bookable.kind is DayKind.OPEN) is any(slot.available for slot in bookable.slots)


@given(offset=st.integers(-600, 600), minutes=st.integers(1, 600))
def test_a_blackout_closes_exactly_the_slots_it_overlaps(offset: int, minutes: int) -> None:
    begins = slot_start(TUESDAY, time(11)) + timedelta(minutes=offset)
    blackout = Span(begins, begins + timedelta(minutes=minutes))
    for slot in compute_bookable_day(TUESDAY, NOON, USUAL, Occupancy(blackouts=(blackout,))).slots:
        ends = slot.starts_at + timedelta(minutes=30)
        apart = ends <= blackout.starts_at or blackout.ends_at <= slot.starts_at
        assert (slot.state is SlotState.FREE) is apart


@given(occupied=st.sets(st.integers(0, 60)), capacity=st.integers(1, 50))
def test_seats_never_exceed_the_capacity(occupied: set[int], capacity: int) -> None:
    free = free_seats(occupied, capacity)
    assert free == sorted(set(free) - occupied)
    assert all(0 <= seat < capacity for seat in free)
    assert len(free) <= max(0, capacity - len(occupied))
    if max(occupied, default=0) < capacity:
        assert len(free) == capacity - len(occupied)


@given(
    occupied=st.sets(st.integers(0, 12)), capacity=st.integers(1, 8), cancelled=st.sets(st.integers(0, 12))
)
def test_outdated_seats_never_overfill_a_slot(occupied: set[int], capacity: int, cancelled: set[int]) -> None:
    """One visitor reads before the cancellations, others after. The index then gives each seat once."""
    early_free = free_seats(occupied, capacity)
    occupied_later = (occupied - cancelled) | set(free_seats(occupied - cancelled, capacity))
    assert len(occupied_later | set(early_free)) <= max(capacity, len(occupied))


@pytest.mark.parametrize(
    ("day", "at", "field"),
    [
        (date(2026, 11, 22), time(9), "date"),
        (date(2026, 12, 12), time(9), "date"),
        (date(2026, 11, 19), time(9), "date"),
        (TUESDAY, time(9, 30), "time"),
        (TODAY, time(9), "time"),
    ],
)
def test_a_rejection_names_the_field(day: date, at: time, field: str) -> None:
    with pytest.raises(InputRejected) as refused:
        require_free_slot(compute_bookable_day(day, NOON, USUAL, NOTHING), at)
    assert [error.field for error in refused.value.errors] == [field]
    assert refused.value.message.endswith("Please choose another.")


def test_an_unavailable_slot_is_a_conflict() -> None:
    nine = slot_start(TUESDAY, time(9))
    with pytest.raises(SlotTaken):
        require_free_slot(compute_bookable_day(TUESDAY, NOON, USUAL, Occupancy({nine: {0: 30}})), time(9))
    blackouts = (Span(nine, nine + timedelta(hours=1)),)
    with pytest.raises(SlotWithdrawn):
        require_free_slot(compute_bookable_day(TUESDAY, NOON, USUAL, Occupancy(blackouts=blackouts)), time(9))
    assert require_free_slot(compute_bookable_day(TUESDAY, NOON, USUAL, NOTHING), time(9)).starts_at == nine
