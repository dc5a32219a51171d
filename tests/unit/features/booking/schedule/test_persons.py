"""The slots of an agency with persons, and pauses and daily limits with and without them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.content.hours import HOURS
from agency_site.errors import InputRejected
from agency_site.features.booking.schedule.exceptions import ExceptionHours, PolicyOverrides
from agency_site.features.booking.schedule.persons import NO_WISH, Person, Wish, parse_opening, read_week
from agency_site.features.booking.schedule.rules import slot_start
from agency_site.features.booking.schedule.slots import (
    BusySpan,
    Occupancy,
    Policy,
    Slot,
    SlotState,
    Span,
    compute_bookable_day,
    compute_calendar,
    compute_day,
    is_person_free,
    require_possible_wish,
)

NOON = datetime(2026, 11, 20, 9, tzinfo=UTC)
TUESDAY = date(2026, 11, 24)
USUAL = Policy(HOURS, capacity=1, horizon_days=90, closed_on_holidays=True)
LENGTH = timedelta(minutes=30)
ALL_WAYS = frozenset({"karen", "phone", "video"})
WANJIRU = Person(1, "CO-222222", "Wanjiru", 0, ALL_WAYS)
OTIENO = Person(2, "CO-333333", "Otieno", 1, frozenset({"video"}), read_week({"1": "11:00-16:00"}))
BOTH = (WANJIRU, OTIENO)


def at(hour: int, minute: int = 0, day: date = TUESDAY) -> datetime:
    return slot_start(day, time(hour, minute))


def slot_at(hour: int, occupancy: Occupancy, wish: Wish = NO_WISH, policy: Policy = USUAL) -> Slot:
    slot = compute_bookable_day(TUESDAY, NOON, replace(policy, wish=wish), occupancy).slot_at(time(hour))
    assert slot
    return slot


def seats_at(hour: int, occupancy: Occupancy, wish: Wish = NO_WISH, policy: Policy = USUAL) -> set[int]:
    return set(slot_at(hour, occupancy, wish, policy).free_seats)


def test_each_active_person_is_a_seat_of_the_slots_within_own_hours() -> None:
    occupancy = Occupancy(persons=BOTH)
    assert [seats_at(hour, occupancy) for hour in (9, 11, 14, 16)] == [{0}, {0, 1}, {0, 1}, {0}]
    assert [slot_at(hour, occupancy).capacity for hour in (9, 11)] == [1, 2]


@pytest.mark.parametrize(
    ("wish", "seats"),
    [
        (Wish("video"), {0, 1}),
        (Wish("karen"), {0}),
        (Wish("video", OTIENO.reference), {1}),
        (Wish("karen", OTIENO.reference), set()),
        (Wish("", "CO-444444"), set()),
    ],
)
def test_a_choice_leaves_the_seats_of_those_who_fulfil_it(wish: Wish, seats: set[int]) -> None:
    slot = slot_at(11, Occupancy(persons=BOTH), wish)
    assert set(slot.free_seats) == seats
    assert slot.state is (SlotState.FREE if seats else SlotState.TAKEN)


def test_choices_change_nothing_without_persons() -> None:
    assert seats_at(11, Occupancy(), Wish("video", OTIENO.reference)) == {0}
    assert Occupancy().apply_wish(USUAL, Wish("video", OTIENO.reference)) == USUAL


def test_a_calendar_without_the_chosen_way_shows_one_that_is_offered() -> None:
    only_video = Occupancy(persons=(OTIENO,))
    assert only_video.apply_wish(USUAL, Wish("karen", OTIENO.reference)).wish == Wish(
        "video", OTIENO.reference
    )
    assert Occupancy(persons=BOTH).apply_wish(USUAL, Wish("phone", OTIENO.reference)).wish == Wish("phone")


def test_a_person_who_left_or_does_not_offer_the_way_is_rejected_at_the_field() -> None:
    for wish, field in ((Wish("karen", OTIENO.reference), "way"), (Wish("karen", "CO-444444"), "person")):
        with pytest.raises(InputRejected) as rejected:
            require_possible_wish(wish, Occupancy(persons=BOTH))
        assert rejected.value.by_field().keys() == {field}
    with pytest.raises(InputRejected):
        require_possible_wish(Wish("karen", OTIENO.reference), Occupancy())


def test_a_busy_person_is_not_free_and_the_slot_of_busy_persons_says_so() -> None:
    busy = BusySpan(at(10), at(11, 15), WANJIRU.id, "Google calendar of Wanjiru")
    occupancy = Occupancy(persons=BOTH, busy=(busy,))
    assert seats_at(11, occupancy) == {1}
    assert seats_at(9, occupancy) == {0}
    assert slot_at(11, occupancy, Wish("karen")).state is SlotState.BUSY
    assert not is_person_free(WANJIRU, at(11), USUAL, occupancy)
    assert is_person_free(WANJIRU, at(11, 15), USUAL, occupancy)


def test_a_calendar_without_a_person_closes_the_slot_for_all() -> None:
    busy = BusySpan(at(11), at(12), None, "Office")
    for occupancy in (Occupancy(busy=(busy,)), Occupancy(persons=BOTH, busy=(busy,))):
        assert [slot_at(hour, occupancy).state for hour in (9, 11)] == [SlotState.FREE, SlotState.BUSY]


def test_a_booking_without_a_person_leaves_one_person_less() -> None:
    """A booking on seat 7 was made before there were persons."""
    assert seats_at(11, Occupancy({at(11): {7: 30}}, persons=(WANJIRU,))) == set()
    assert seats_at(11, Occupancy({at(11): {7: 30}}, persons=BOTH)) == {0, 1}
    assert seats_at(11, Occupancy({at(11): {7: 30, 0: 30}}, persons=BOTH)) == set()


def test_a_booking_of_a_person_who_left_takes_nobody_else() -> None:
    occupancy = Occupancy({at(11): {7: 30}}, persons=(WANJIRU,), inactive_seats=frozenset({7}))
    assert seats_at(11, occupancy) == {0}


def test_a_schedule_exception_caps_how_many_persons_work() -> None:
    single = ExceptionHours(times=(time(11), time(14)), capacity=1)
    occupancy = Occupancy({at(11): {1: 30}}, exceptions={TUESDAY: single}, persons=BOTH)
    assert seats_at(11, occupancy) == set()
    assert seats_at(14, occupancy) == {0, 1}
    assert slot_at(14, occupancy).capacity == 1


def test_overrides_apply_pause_limit_and_notice_but_not_the_capacity_of_persons() -> None:
    occupancy = Occupancy(persons=BOTH, overrides=PolicyOverrides(9, None, 100, 45, 3))
    rules = occupancy.apply_overrides(USUAL)
    assert (rules.capacity, rules.notice, rules.buffer, rules.daily_limit) == (
        2,
        timedelta(hours=100),
        timedelta(minutes=45),
        3,
    )
    assert slot_at(11, occupancy).state is SlotState.TOO_SOON
    assert compute_day(TUESDAY, NOON, USUAL, occupancy).slots[1].state is SlotState.FREE


def test_misplaced_seats_are_those_of_persons_who_do_not_work_then() -> None:
    slot = slot_at(9, Occupancy(persons=BOTH))
    assert slot.misplaced_seats({0, 1, 7}) == {1, 7}
    assert slot_at(11, Occupancy(persons=BOTH)).misplaced_seats({0, 1}) == frozenset()
    assert slot_at(11, Occupancy()).misplaced_seats({0, 5}) == {5}


def test_the_calendar_names_persons_and_choice() -> None:
    occupancy = Occupancy(persons=BOTH)
    wish = Wish("video", OTIENO.reference)
    calendar = compute_calendar(NOON, occupancy.apply_wish(USUAL, wish), occupancy)
    assert (calendar.persons, calendar.wish) == (BOTH, wish)
    assert [slot.time for slot in calendar.slots_on(TUESDAY) if slot.available] == ["11:00", "14:00"]


@pytest.mark.parametrize("text", ["9-25", "12:00-09:00", "09:00", "09:00-09:00", "25:00-26:00", "x"])
def test_hours_that_are_not_a_period_are_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"Please enter hours|must be later"):
        parse_opening(text)


@given(st.times(), st.times(), st.integers(0, 6), st.integers(0, 24 * 60))
def test_own_hours_contain_exactly_what_begins_and_ends_within_them(
    opens: time, closes: time, weekday: int, minute: int
) -> None:
    opens, closes = opens.replace(second=0, microsecond=0), closes.replace(second=0, microsecond=0)
    if closes <= opens:
        return
    hours = {str(weekday): f"{opens:%H:%M}-{closes:%H:%M}"}
    person = replace(WANJIRU, week=read_week(hours))
    monday = slot_start(date(2026, 11, 23), time.min)
    start = monday + timedelta(days=weekday, minutes=minute)
    first, last = (
        monday + timedelta(days=weekday, hours=edge.hour, minutes=edge.minute) for edge in (opens, closes)
    )
    assert person.works_at(start, LENGTH) is (first <= start and start + LENGTH <= last)


SPANS = st.tuples(st.integers(0, 600), st.integers(1, 120), st.sampled_from([None, 1, 2]))


@given(st.lists(SPANS, max_size=12), st.integers(0, 700), st.integers(1, 90), st.sampled_from([None, 1, 2]))
def test_busy_is_whoever_has_an_overlapping_busy_time(
    times: list[tuple[int, int, int | None]], begins: int, minutes: int, person: int | None
) -> None:
    def span(first: int, length: int) -> Span:
        return Span(at(8) + timedelta(minutes=first), at(8) + timedelta(minutes=first + length))

    busy = tuple(
        BusySpan(span(first, length).starts_at, span(first, length).ends_at, owner, "")
        for first, length, owner in times
    )
    slot = span(begins, minutes)
    expected = any(other.overlaps(slot) for other in busy if other.consultant_id == person)
    assert Occupancy(busy=busy).is_busy(person, slot) is expected


STARTS = st.dictionaries(
    st.integers(0, 32).map(lambda n: at(8) + timedelta(minutes=15 * n)),
    st.dictionaries(st.integers(0, 2), st.just(30), min_size=1),
    max_size=12,
)


@given(STARTS, st.sampled_from([0, 10, 30, 60]), st.sampled_from([None, 1, 2, 3]), st.booleans())
def test_a_free_seat_keeps_pause_and_daily_limit(
    bookings: Mapping[datetime, Mapping[int, int]], pause: int, limit: int | None, with_persons: bool
) -> None:
    policy = replace(USUAL, capacity=3, buffer=timedelta(minutes=pause), daily_limit=limit)
    persons = tuple(Person(n, f"CO-{n}", "", n, ALL_WAYS) for n in range(3)) if with_persons else ()
    occupancy = Occupancy(bookings, persons=persons)
    numbers = Counter(seat for seats in bookings.values() for seat in seats)
    for slot in compute_bookable_day(TUESDAY, NOON, policy, occupancy).slots:
        near = {
            seat
            for start, seats in bookings.items()
            for seat in seats
            if abs(start - slot.starts_at) < LENGTH + policy.buffer
        }
        full = {seat for seat, number in numbers.items() if limit is not None and number >= limit}
        assert set(slot.free_seats) == {0, 1, 2} - near - full
        assert slot.available is bool(slot.free_seats)
