"""Transitions of a booking, its reference, its token and its reminder."""

from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.features.booking.bookings.rules import (
    SOON,
    STAFF_TRANSITIONS,
    TRANSITIONS,
    BookingState,
    can_follow,
    can_staff_set,
    is_soon,
    reminder_due,
)
from agency_site.features.booking.schedule.rules import SlotTaken, SlotWithdrawn, slot_start

NOON = datetime(2026, 11, 20, 9, tzinfo=UTC)
FINAL = {BookingState.CANCELLED}
HOLDS_THE_SLOT = {BookingState.CONFIRMED}
OUTCOMES = {BookingState.COMPLETED, BookingState.NO_SHOW}


def test_every_state_is_classified_once() -> None:
    assert sorted([*FINAL, *HOLDS_THE_SLOT, *OUTCOMES]) == sorted(BookingState)
    assert set(TRANSITIONS) == set(BookingState)


@pytest.mark.parametrize("before", BookingState)
@pytest.mark.parametrize("after", BookingState)
def test_a_confirmed_booking_may_end_and_an_outcome_may_be_corrected(
    before: BookingState, after: BookingState
) -> None:
    frees_slot = before in HOLDS_THE_SLOT and after not in HOLDS_THE_SLOT
    corrects_outcome = {before, after} == OUTCOMES
    assert can_follow(before, after) is (frees_slot or corrects_outcome)


@pytest.mark.parametrize("before", BookingState)
@pytest.mark.parametrize("after", BookingState)
def test_staff_may_also_reinstate_a_cancelled_booking(before: BookingState, after: BookingState) -> None:
    is_reinstated = before in FINAL and after in HOLDS_THE_SLOT
    assert can_staff_set(before, after) is (can_follow(before, after) or is_reinstated)
    assert set(STAFF_TRANSITIONS) == set(BookingState)


def test_a_taken_slot_is_named_in_nairobi_time() -> None:
    lost = SlotTaken(datetime(2026, 11, 24, 8, tzinfo=UTC))
    assert lost.message == (
        "Sorry, 11:00 on Tuesday 24 November has just been taken. Please choose another time."
    )
    assert (lost.status, lost.starts_at) == (409, datetime(2026, 11, 24, 8, tzinfo=UTC))
    assert SlotWithdrawn(lost.starts_at).message == (
        "Sorry, 11:00 on Tuesday 24 November is no longer free. Please choose another time."
    )


def test_a_slot_begins_at_its_nairobi_time_and_is_stored_in_utc() -> None:
    start = slot_start(date(2026, 11, 24), time(11))
    assert (start, start.tzinfo) == (datetime(2026, 11, 24, 8, tzinfo=UTC), UTC)


def test_a_reminder_that_would_be_due_this_moment_is_too_late() -> None:
    assert reminder_due(NOON + SOON, NOON, 24) is None
    assert reminder_due(NOON + timedelta(hours=24), NOON, 24) == NOON + timedelta(hours=22)


@given(ahead=st.integers(1, 10_000), hours=st.integers(1, 200))
def test_the_next_reminder_is_due_that_many_hours_before_then_two_and_never_in_the_past(
    ahead: int, hours: int
) -> None:
    start = NOON + timedelta(minutes=ahead)
    due = reminder_due(start, NOON, hours)
    if ahead > hours * 60:
        assert due == start - timedelta(hours=hours) > NOON
    elif hours > 2 and ahead > 120:
        assert due == start - SOON > NOON
    else:
        assert due is None


@given(hours=st.integers(1, 200))
def test_no_two_reminders_of_a_booking_are_of_the_same_kind(hours: int) -> None:
    start, moment = NOON + timedelta(days=20), NOON
    kinds = []
    while due := reminder_due(start, moment, hours):
        kinds.append(is_soon(start, due))
        moment = due
    assert len(set(kinds)) == len(kinds) == (2 if hours > 2 else 1)
    assert kinds[-1] is True
