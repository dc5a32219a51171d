"""The effect of schedule exceptions, policy overrides and misplaced bookings on the slots of a day."""

from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.content.hours import HOURS
from agency_site.errors import InputRejected
from agency_site.features.booking.schedule.exceptions import (
    ExceptionHours,
    PolicyOverrides,
    deserialize_times,
    excess_seats,
    parse_starts,
    serialize_times,
)
from agency_site.features.booking.schedule.rules import SlotTaken, slot_start
from agency_site.features.booking.schedule.slots import (
    Day,
    DayKind,
    Occupancy,
    Policy,
    SlotState,
    Span,
    compute_bookable_day,
    compute_day,
    require_free_slot,
)

NOON = datetime(2026, 11, 20, 9, tzinfo=UTC)
TODAY, TUESDAY, SUNDAY = date(2026, 11, 20), date(2026, 11, 24), date(2026, 11, 22)
JAMHURI = date(2026, 12, 12)
USUAL = Policy(HOURS, capacity=1, horizon_days=90, closed_on_holidays=True)
HALF_AN_HOUR = timedelta(minutes=30)

minutes = st.integers(0, 24 * 60 - 30)
times = st.sets(st.integers(0, 46).map(lambda half: time(half // 2, half % 2 * 30)), max_size=12)
exceptions = st.builds(
    ExceptionHours,
    closed=st.booleans(),
    times=times.map(lambda starts: tuple(sorted(starts))),
    capacity=st.none() | st.integers(1, 50),
    reason=st.sampled_from(["", "Team day"]),
)
overrides = st.builds(
    PolicyOverrides, capacity=st.none() | st.integers(1, 50), closed_on_holidays=st.none() | st.booleans()
)


def day_of(day: date, exception: ExceptionHours | None = None, **facts: object) -> Day:
    facts.setdefault("exceptions", {day: exception} if exception else {})
    return compute_bookable_day(day, NOON, USUAL, Occupancy(**facts))  # type: ignore[arg-type]


def offered(day: Day) -> list[str]:
    return [slot.time for slot in day.slots if slot.available]


class TestScheduleExceptions:
    def test_a_closed_day_has_its_reason(self) -> None:
        closed = day_of(TUESDAY, ExceptionHours(closed=True, reason="Team day"))
        assert (closed.kind, closed.slots) == (DayKind.CLOSED, ())
        assert closed.label == "Tuesday 24 November 2026, Team day, closed"
        with pytest.raises(InputRejected, match=r"We are closed on Tuesday 24 November \(Team day\)\."):
            require_free_slot(closed, time(11))

    def test_a_closed_day_without_a_reason_is_like_any_closed_day(self) -> None:
        assert day_of(TUESDAY, ExceptionHours(closed=True)).label == "Tuesday 24 November 2026, closed"

    def test_own_times_replace_the_usual_ones(self) -> None:
        assert offered(day_of(TUESDAY, ExceptionHours(times=(time(8), time(18, 30))))) == ["08:00", "18:30"]

    @pytest.mark.parametrize("day", [SUNDAY, JAMHURI])
    def test_own_times_open_sundays_and_public_holidays(self, day: date) -> None:
        assert offered(day_of(day)) == []
        assert offered(day_of(day, ExceptionHours(times=(time(10),)))) == ["10:00"]

    def test_a_holiday_opened_without_times_has_those_of_its_weekday(self) -> None:
        assert offered(day_of(JAMHURI, ExceptionHours())) == ["09:00", "11:00"]

    def test_an_exception_beyond_the_horizon_cannot_be_booked(self) -> None:
        assert day_of(date(2027, 2, 19), ExceptionHours(times=(time(10),))).kind is DayKind.OUTSIDE

    def test_the_capacity_of_an_exception_takes_priority_over_override_and_setting(self) -> None:
        eleven = {slot_start(TUESDAY, time(11)): {0: 30, 1: 30}}
        assert "11:00" not in offered(day_of(TUESDAY, minutes_by_seat=eleven))
        assert "11:00" in offered(
            day_of(TUESDAY, minutes_by_seat=eleven, overrides=PolicyOverrides(capacity=3))
        )
        exception = ExceptionHours(capacity=2)
        assert "11:00" not in offered(
            day_of(TUESDAY, exception, minutes_by_seat=eleven, overrides=PolicyOverrides(capacity=3))
        )

    @given(day=st.dates(TODAY, date(2027, 2, 18)), exception=exceptions, chosen=overrides)
    def test_an_exception_has_exactly_the_hours_that_staff_entered(
        self, day: date, exception: ExceptionHours, chosen: PolicyOverrides
    ) -> None:
        bookable = compute_bookable_day(
            day, NOON, USUAL, Occupancy(exceptions={day: exception}, overrides=chosen)
        )
        if exception.closed:
            assert (bookable.kind, bookable.slots) == (DayKind.CLOSED, ())
        elif exception.times:
            assert [slot.time for slot in bookable.slots] == [f"{at:%H:%M}" for at in exception.times]
        else:
            assert [slot.time for slot in bookable.slots] in (
                [],
                ["09:00", "11:00"],
                ["09:00", "11:00", "14:00", "16:00"],
            )
        capacity = exception.capacity or chosen.capacity or 1
        assert all(slot.free_seats == tuple(range(capacity)) for slot in bookable.slots)
        assert all(slot.available is (slot.starts_at > NOON) for slot in bookable.slots)

    @given(day=st.dates(TODAY, date(2027, 2, 18)), other=exceptions)
    def test_an_exception_does_not_change_other_days(self, day: date, other: ExceptionHours) -> None:
        beside = Occupancy(exceptions={day + timedelta(days=1): other, day - timedelta(days=1): other})
        assert compute_bookable_day(day, NOON, USUAL, beside) == compute_bookable_day(
            day, NOON, USUAL, Occupancy()
        )


class TestPolicyOverrides:
    def test_holidays_open_and_close_over_the_setting(self) -> None:
        open_anyway = Policy(HOURS, 1, 90, closed_on_holidays=False)
        assert len(offered(day_of(JAMHURI, overrides=PolicyOverrides(closed_on_holidays=False)))) == 2
        closed = Occupancy(overrides=PolicyOverrides(closed_on_holidays=True))
        assert compute_bookable_day(JAMHURI, NOON, open_anyway, closed).kind is DayKind.HOLIDAY

    @given(capacity=st.integers(1, 50), occupied=st.sets(st.integers(0, 49)))
    def test_a_slot_never_offers_more_than_the_chosen_capacity(
        self, capacity: int, occupied: set[int]
    ) -> None:
        nine = slot_start(TUESDAY, time(9))
        slot = day_of(
            TUESDAY,
            minutes_by_seat={nine: dict.fromkeys(occupied, 30)},
            overrides=PolicyOverrides(capacity=capacity),
        ).slots[0]
        assert slot.capacity == capacity
        assert not set(slot.free_seats) & occupied
        assert len(slot.free_seats) <= max(0, capacity - len(occupied))
        assert slot.available is bool(slot.free_seats)

    @given(capacity=st.integers(1, 50), occupied=st.sets(st.integers(0, 49)))
    def test_only_seats_beyond_the_capacity_are_misplaced(self, capacity: int, occupied: set[int]) -> None:
        over = excess_seats(occupied, capacity)
        assert len(occupied - over) == min(len(occupied), capacity)
        assert all(fitting < excess for fitting in occupied - over for excess in over)


class TestMisplacedBookings:
    @given(start=minutes)
    def test_a_seat_is_taken_by_an_overlapping_booking(self, start: int) -> None:
        booked_start = slot_start(TUESDAY, time(start // 60, start % 60))
        for slot in day_of(TUESDAY, minutes_by_seat={booked_start: {0: 30}}).slots:
            assert slot.available is (abs(slot.starts_at - booked_start) >= HALF_AN_HOUR)

    @given(length=st.integers(1, 1440), start=minutes)
    def test_a_seat_is_taken_for_as_long_as_its_booking_was_when_it_was_made(
        self, length: int, start: int
    ) -> None:
        booked_start = slot_start(TUESDAY, time(start // 60, start % 60))
        for slot in day_of(TUESDAY, minutes_by_seat={booked_start: {0: length}}).slots:
            after = booked_start + timedelta(minutes=length) <= slot.starts_at
            assert slot.available is (after or slot.starts_at + HALF_AN_HOUR <= booked_start)

    def test_an_overlapping_booking_blocks_only_its_seat(self) -> None:
        minutes_by_seat = {slot_start(TUESDAY, time(10, 45)): {1: 30}}
        (slot,) = (
            s
            for s in day_of(TUESDAY, ExceptionHours(capacity=3), minutes_by_seat=minutes_by_seat).slots
            if s.time == "11:00"
        )
        assert slot.free_seats == (0, 2)

    def test_a_booking_that_moves_does_not_block_itself(self) -> None:
        booked_start = slot_start(TUESDAY, time(10, 45))
        left = Occupancy({booked_start: {0: 30}}).without_seat(booked_start, 0)
        assert require_free_slot(compute_bookable_day(TUESDAY, NOON, USUAL, left), time(11))
        with pytest.raises(SlotTaken):
            require_free_slot(day_of(TUESDAY, minutes_by_seat={booked_start: {0: 30}}), time(11))


class TestDaysForStaff:
    def test_days_past_and_far_ahead_have_their_slots(self) -> None:
        for day in (date(2026, 11, 17), date(2028, 11, 21)):
            assert [slot.time for slot in compute_day(day, NOON, USUAL, Occupancy()).slots] == [
                "09:00", "11:00", "14:00", "16:00",
            ]  # fmt: skip

    @given(begun_by=st.datetimes(datetime(2026, 11, 23), datetime(2026, 11, 26), timezones=st.just(UTC)))  # noqa: DTZ001
    def test_past_slots_are_marked_as_begun(self, begun_by: datetime) -> None:
        for slot in compute_day(TUESDAY, begun_by, USUAL, Occupancy()).slots:
            assert (slot.state is SlotState.BEGUN) is (slot.starts_at <= begun_by)

    def test_a_blackout_closes_own_times_too(self) -> None:
        ten = slot_start(SUNDAY, time(10))
        exception = ExceptionHours(times=(time(10), time(11)))
        blackouts = (Span(ten, ten + timedelta(minutes=60)),)
        assert offered(day_of(SUNDAY, exception, blackouts=blackouts)) == ["11:00"]


class TestStoredTimes:
    @given(starts=times)
    def test_stored_times_are_read_in_order(self, starts: set[time]) -> None:
        ordered = parse_starts([f" {at:%H:%M} " for at in starts], HALF_AN_HOUR)
        assert ordered == tuple(sorted(starts)) == deserialize_times(serialize_times(ordered))

    @given(first=minutes, second=minutes)
    def test_overlapping_times_are_rejected(self, first: int, second: int) -> None:
        texts = [f"{at // 60:02}:{at % 60:02}" for at in (first, second)]
        if abs(first - second) >= 30:
            assert len(parse_starts(texts, HALF_AN_HOUR)) == 2
        else:
            with pytest.raises(ValueError, match="30 minutes apart"):
                parse_starts(texts, HALF_AN_HOUR)

    @pytest.mark.parametrize("wrong", ["", "nine", "25:00", "9", "09:00:00.5x", "09-00"])
    def test_an_invalid_time_is_rejected_by_name(self, wrong: str) -> None:
        with pytest.raises(ValueError, match="not a time of day"):
            parse_starts([wrong], HALF_AN_HOUR)

    def test_the_last_consultation_must_end_before_midnight(self) -> None:
        assert parse_starts(["23:30"], HALF_AN_HOUR) == (time(23, 30),)
        with pytest.raises(ValueError, match="before midnight"):
            parse_starts(["23:31"], HALF_AN_HOUR)
