"""Staff and visitors at the same instant: two editors, and all after one seat."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from agency_site.errors import Conflict, StaleRecord
from agency_site.features.booking.bookings import staff_transitions, staff_usecases, usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.staff_request import ClientDetails
from agency_site.features.booking.business_hours import usecases as business_hours
from agency_site.features.booking.business_hours.staff_request import PolicyOverridesRequest
from agency_site.features.booking.schedule import slots
from tests.integration.features.booking.conftest import TUESDAY, tuesday_at
from tests.integration.features.booking.staff import (
    ACTOR,
    all_bookings,
    booked_for,
    do,
    find,
    history,
    special_day,
)

Asks = Callable[..., BookingRequest]
VISITORS = 100

pytestmark = pytest.mark.usefixtures("database")


async def attempt(verb: Any, *arguments: Any, **named: Any) -> str:
    try:
        await do(verb, *arguments, **named)
    except Conflict as lost:
        return type(lost).__name__
    return "done"


async def choose(version: int, capacity: int) -> None:
    await do(business_hours.save_overrides, PolicyOverridesRequest(capacity=capacity), version, ACTOR)


@pytest.fixture(params=["checking", "careless"])
def checking(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once with the check before booking, once as if every seat were free: then the index alone decides."""
    if request.param == "careless":
        monkeypatch.setattr(slots, "free_seats", lambda _taken, capacity: list(range(capacity)))


@pytest.mark.usefixtures("checking")
@pytest.mark.parametrize("capacity", [1, 3])
async def test_visitors_and_staff_never_share_a_seat(asks: Asks, capacity: int) -> None:
    await choose(0, 10)
    movers = [await booked_for(time=at) for at in ("09:00", "14:00", "16:00") for _ in range(3)]
    cancelled = await booked_for(time="11:00")
    await do(staff_transitions.cancel, cancelled.reference, ACTOR, notify=False)
    await choose(1, capacity)
    work = [attempt(usecases.book, asks(fullname=f"Visitor {n}")) for n in range(VISITORS)]
    # Staff come in between the visitors, not after them.
    for n, mover in enumerate(movers):
        work.insert(10 * n, attempt(staff_usecases.move, mover.reference, tuesday_at(11), ACTOR, notify=True))
    work.insert(3, attempt(staff_transitions.reinstate, cancelled.reference, ACTOR, notify=True))
    outcomes = Counter(await asyncio.gather(*work))
    assert outcomes == {"done": capacity, "SlotTaken": len(work) - capacity}
    seats = [(row.starts_at, row.seat) for row in await all_bookings() if row.state is BookingState.CONFIRMED]
    assert len(set(seats)) == len(seats)
    assert sorted(seat for start, seat in seats if start == tuesday_at(11)) == list(range(capacity))


async def test_of_parallel_editors_one_is_done_and_the_others_get_a_conflict() -> None:
    made = await booked_for()
    edits = [
        attempt(
            staff_usecases.edit_details, made.reference, made.version,
            ClientDetails(fullname=f"Editor {n}", phonenumber=made.phone), ACTOR,
        )
        for n in range(10)
    ]  # fmt: skip
    assert Counter(await asyncio.gather(*edits)) == {"done": 1, StaleRecord.__name__: 9}
    current = await find(made.reference)
    assert (current.version, current.fullname[:6]) == (2, "Editor")
    assert len(await history(current)) == 2


async def test_of_parallel_editors_of_a_new_special_day_one_is_done() -> None:
    saves = [
        attempt(
            business_hours.save_schedule_exception, special_day(TUESDAY, capacity=n + 1), 0, ACTOR,
        )
        for n in range(5)
    ]  # fmt: skip
    assert Counter(await asyncio.gather(*saves)) == {"done": 1, StaleRecord.__name__: 4}


@pytest.mark.parametrize("capacity", [1, 2])
async def test_bulk_changes_that_cross_do_not_deadlock(capacity: int) -> None:
    await choose(0, capacity)
    made = []
    for at in ("09:00", "11:00", "14:00", "16:00"):
        for _ in range(3):
            one = await booked_for(time=at)
            await do(staff_transitions.cancel, one.reference, ACTOR, notify=False)
            made.append(one.reference)
    crossing = (made, made[::-1], made[::2], made[1::2][::-1])
    outcomes = await asyncio.gather(
        *(
            do(staff_transitions.set_states, some, BookingState.CONFIRMED, ACTOR, notify=False)
            for some in crossing
        )
    )
    assert sum(why == "" for outcome in outcomes for _, why in outcome) == 4 * capacity
    seats = [(r.starts_at, r.seat) for r in await all_bookings() if r.state is BookingState.CONFIRMED]
    assert len(set(seats)) == len(seats) == 4 * capacity


async def test_a_bulk_change_and_a_move_of_one_of_its_bookings_take_turns() -> None:
    cancelled = []
    for at in ("09:00", "11:00", "14:00"):
        one = await booked_for(time=at)
        await do(staff_transitions.cancel, one.reference, ACTOR, notify=False)
        cancelled.append(one.reference)
    late = await booked_for(time="16:00")
    bulk = do(
        staff_transitions.set_states,
        [*cancelled, late.reference],
        BookingState.CONFIRMED,
        ACTOR,
        notify=False,
    )
    moves = [
        attempt(staff_usecases.move, late.reference, tuesday_at(hour), ACTOR, notify=False)
        for hour in (9, 11, 14)
    ]
    outcomes, *_ = await asyncio.gather(bulk, *moves)
    seats = [r.starts_at for r in await all_bookings() if r.state is BookingState.CONFIRMED]
    assert len(set(seats)) == len(seats) == 3 + (sum(why == "" for _, why in outcomes) == 3)
