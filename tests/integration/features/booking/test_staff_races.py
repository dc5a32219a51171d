"""Staff and visitors at the same instant: two editors, and many requests for one seat."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agency_site.errors import Conflict, StaleRecord
from agency_site.features.booking.admin.bookings.record import BOOKINGS
from agency_site.features.booking.bookings import staff_transitions, staff_usecases, usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.business_hours import usecases as business_hours
from agency_site.features.booking.business_hours.staff_request import PolicyOverridesRequest
from agency_site.features.booking.schedule import slots
from tests import records
from tests.integration.features.booking.conftest import TUESDAY, tuesday_at
from tests.integration.features.booking.staff import (
    ACTOR,
    all_bookings,
    book_for_caller,
    do,
    exception_request,
    find,
    history,
)

RequestFactory = Callable[..., BookingRequest]
VISITORS = 100

pytestmark = [pytest.mark.each_database, pytest.mark.usefixtures("database")]


async def attempt(verb: Any, *arguments: Any, **named: Any) -> str:
    return await outcome_of(do(verb, *arguments, **named))


async def outcome_of(work: Awaitable[object]) -> str:
    """Return "done", or the name of the conflict that stopped the work."""
    try:
        await work
    except Conflict as lost:
        return type(lost).__name__
    return "done"


async def set_capacity(version: int, capacity: int) -> None:
    await do(business_hours.save_overrides, PolicyOverridesRequest(capacity=capacity), version, ACTOR)


@pytest.fixture(params=["checking", "careless"])
def checking(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run once with the check before booking, and once without it, when only the index decides."""
    if request.param == "careless":
        monkeypatch.setattr(slots, "free_seats", lambda _occupied, capacity: list(range(capacity)))


@pytest.mark.usefixtures("checking")
@pytest.mark.parametrize("capacity", [1, 3])
async def test_visitors_and_staff_never_share_a_seat(make_request: RequestFactory, capacity: int) -> None:
    await set_capacity(0, 10)
    movers = [await book_for_caller(time=at) for at in ("09:00", "14:00", "16:00") for _ in range(3)]
    cancelled = await book_for_caller(time="11:00")
    await do(staff_transitions.cancel, cancelled.reference, ACTOR, notify=False)
    await set_capacity(1, capacity)
    work = [attempt(usecases.book, make_request(fullname=f"Visitor {n}")) for n in range(VISITORS)]
    # Staff come in between the visitors, not after them.
    for n, mover in enumerate(movers):
        work.insert(10 * n, attempt(staff_usecases.move, mover.reference, tuesday_at(11), ACTOR, notify=True))
    work.insert(3, attempt(staff_transitions.reinstate, cancelled.reference, ACTOR, notify=True))
    outcomes = Counter(await asyncio.gather(*work))
    assert outcomes == {"done": capacity, "SlotTaken": len(work) - capacity}
    seats = [(row.starts_at, row.seat) for row in await all_bookings() if row.state is BookingState.CONFIRMED]
    assert len(set(seats)) == len(seats)
    assert sorted(seat for start, seat in seats if start == tuesday_at(11)) == list(range(capacity))


async def test_one_of_several_parallel_edits_is_saved_and_the_others_conflict() -> None:
    booking = await book_for_caller()
    edits = [
        outcome_of(
            records.edit(BOOKINGS, booking.reference, {"fullname": f"Editor {n}"}, ACTOR, booking.version)
        )
        for n in range(10)
    ]
    assert Counter(await asyncio.gather(*edits)) == {"done": 1, StaleRecord.__name__: 9}
    current = await find(booking.reference)
    assert (current.version, current.fullname[:6]) == (2, "Editor")
    assert len(await history(current)) == 2


async def test_one_of_several_parallel_editors_of_a_new_exception_succeeds() -> None:
    saves = [
        attempt(
            business_hours.save_schedule_exception, exception_request(TUESDAY, capacity=n + 1), 0, ACTOR,
        )
        for n in range(5)
    ]  # fmt: skip
    assert Counter(await asyncio.gather(*saves)) == {"done": 1, StaleRecord.__name__: 4}


@pytest.mark.parametrize("capacity", [1, 2])
async def test_bulk_changes_that_cross_do_not_deadlock(capacity: int) -> None:
    await set_capacity(0, capacity)
    references = []
    for at in ("09:00", "11:00", "14:00", "16:00"):
        for _ in range(3):
            booking = await book_for_caller(time=at)
            await do(staff_transitions.cancel, booking.reference, ACTOR, notify=False)
            references.append(booking.reference)
    crossing = (references, references[::-1], references[::2], references[1::2][::-1])
    outcomes = await asyncio.gather(
        *(
            do(staff_transitions.set_states, batch, BookingState.CONFIRMED, ACTOR, notify=False)
            for batch in crossing
        )
    )
    assert sum(why == "" for outcome in outcomes for _, why in outcome) == 4 * capacity
    seats = [(r.starts_at, r.seat) for r in await all_bookings() if r.state is BookingState.CONFIRMED]
    assert len(set(seats)) == len(seats) == 4 * capacity


async def test_a_bulk_change_and_a_move_of_one_of_its_bookings_do_not_deadlock() -> None:
    cancelled = []
    for at in ("09:00", "11:00", "14:00"):
        booking = await book_for_caller(time=at)
        await do(staff_transitions.cancel, booking.reference, ACTOR, notify=False)
        cancelled.append(booking.reference)
    late = await book_for_caller(time="16:00")
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
