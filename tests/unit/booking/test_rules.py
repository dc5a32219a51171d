"""Which steps a booking may take, its reference, its token and its reminder."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.booking.rules import (
    REFERENCE_ALPHABET,
    STAFF_STEPS,
    STEPS,
    BookingState,
    SlotTaken,
    may_follow,
    new_reference,
    private_token,
    reminder_due,
    staff_may_set,
    token_hash,
)

NOON = datetime(2026, 11, 20, 9, tzinfo=UTC)
FINAL = {BookingState.CANCELLED}
HOLDS_THE_SLOT = {BookingState.CONFIRMED}
HELD = {BookingState.COMPLETED, BookingState.NO_SHOW}


def test_every_state_is_classified_once() -> None:
    assert sorted([*FINAL, *HOLDS_THE_SLOT, *HELD]) == sorted(BookingState)
    assert set(STEPS) == set(BookingState)


@pytest.mark.parametrize("before", BookingState)
@pytest.mark.parametrize("after", BookingState)
def test_the_steps(before: BookingState, after: BookingState) -> None:
    leaves_the_slot = before in HOLDS_THE_SLOT and after not in HOLDS_THE_SLOT
    corrects_a_slip = {before, after} == HELD
    assert may_follow(before, after) is (leaves_the_slot or corrects_a_slip)


@pytest.mark.parametrize("before", BookingState)
@pytest.mark.parametrize("after", BookingState)
def test_staff_may_also_bring_a_cancelled_booking_back(before: BookingState, after: BookingState) -> None:
    brought_back = before in FINAL and after in HOLDS_THE_SLOT
    assert staff_may_set(before, after) is (may_follow(before, after) or brought_back)
    assert set(STAFF_STEPS) == set(BookingState)


def test_references_have_no_look_alikes() -> None:
    for pair in ("0O", "1I", "1L", "IL", "5S", "2Z", "8B", "UV"):
        assert not set(pair) <= set(REFERENCE_ALPHABET)
    made = {new_reference() for _ in range(200)}
    assert len(made) > 190
    assert all(
        len(ref) == 9 and ref.startswith("BK-") and set(ref[3:]) <= set(REFERENCE_ALPHABET) for ref in made
    )


@given(seed=st.text(min_size=1), secret=st.text(min_size=1), other=st.text(min_size=1))
def test_a_token_takes_both_seed_and_secret(seed: str, secret: str, other: str) -> None:
    seed, secret, other = (part.encode(errors="replace").decode() for part in (seed, secret, other))
    token = private_token(seed, secret)
    assert token == private_token(seed, secret)
    assert (token == private_token(seed, other)) is (_key(secret) == _key(other))
    assert (token == private_token(other, secret)) is (seed == other)
    assert len(token) == 32
    assert token_hash(token) != token


def _key(secret: str) -> bytes:
    """HMAC fills short keys with zeros, so these are the same to it."""
    return secret.encode().rstrip(b"\0")


def test_losing_a_slot_names_it_in_nairobi_time() -> None:
    lost = SlotTaken(datetime(2026, 11, 24, 8, tzinfo=UTC))
    assert lost.message == (
        "Sorry, 11:00 on Tuesday 24 November has just been taken. Please choose another time."
    )
    assert lost.status == 409


@given(ahead=st.integers(1, 10_000), hours=st.integers(1, 200))
def test_a_reminder_is_due_that_many_hours_before_and_never_in_the_past(ahead: int, hours: int) -> None:
    start = NOON + timedelta(minutes=ahead)
    due = reminder_due(start, NOON, hours)
    if ahead <= hours * 60:
        assert due is None
    else:
        assert due == start - timedelta(hours=hours)
        assert due > NOON
