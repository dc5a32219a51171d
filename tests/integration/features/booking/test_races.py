"""Many visitors at the same instant: the database decides, and no seat is confirmed twice."""

import asyncio
from collections import Counter
from collections.abc import Callable

import pytest
from sqlalchemy.exc import IntegrityError

from agency_site.db.engine import read_scope, session_scope
from agency_site.db.event_log import list_events
from agency_site.errors import Conflict
from agency_site.features.booking.bookings import seats, usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking, BookingEvent
from agency_site.features.booking.schedule.rules import SlotTaken
from agency_site.mail.usecases import list_newest_messages
from tests.integration.features.booking.conftest import confirmed_bookings, tuesday_at

RequestFactory = Callable[..., BookingRequest]
CROWD = 20

pytestmark = [pytest.mark.each_database, pytest.mark.usefixtures("database")]


async def book(request: BookingRequest) -> usecases.CreatedBooking | Conflict:
    try:
        async with session_scope() as session:
            return await usecases.book(session, request)
    except Conflict as lost:
        return lost


async def move(token: str, hour: int) -> str:
    try:
        async with session_scope() as session:
            await usecases.move(session, token, tuesday_at(hour))
    except Conflict as lost:
        return type(lost).__name__
    return "moved"


async def cancel(token: str) -> str:
    try:
        async with session_scope() as session:
            await usecases.cancel(session, token)
    except Conflict as lost:
        return type(lost).__name__
    return "cancelled"


@pytest.mark.parametrize("capacity", [1, 2, 5])
async def test_a_slot_takes_exactly_its_capacity(
    make_request: RequestFactory, configure: Callable[..., object], capacity: int
) -> None:
    configure(booking_capacity=capacity)
    outcomes = await asyncio.gather(*(book(make_request(fullname=f"Visitor {n}")) for n in range(CROWD)))
    kinds = Counter(type(outcome) for outcome in outcomes)
    assert kinds == {usecases.CreatedBooking: capacity, SlotTaken: CROWD - capacity}
    assert sorted(row.seat for row in await confirmed_bookings()) == list(range(capacity))
    async with read_scope() as session:
        assert len(await list_newest_messages(session)) == 2 * capacity


async def test_one_of_many_moves_to_a_slot_succeeds(
    make_request: RequestFactory, configure: Callable[..., object]
) -> None:
    configure(booking_capacity=10)
    results = [await book(make_request(time=time)) for time in ("09:00", "14:00", "16:00") for _ in range(3)]
    configure(booking_capacity=1)
    tokens = [result.token for result in results if isinstance(result, usecases.CreatedBooking)]
    outcomes = Counter(await asyncio.gather(*(move(token, 11) for token in tokens)))
    assert outcomes == {"moved": 1, "SlotTaken": 8}
    at_eleven = [row for row in await confirmed_bookings() if row.starts_at == tuesday_at(11)]
    assert [row.sequence for row in at_eleven] == [1]
    assert len(await confirmed_bookings()) == 9


async def test_two_bookings_that_swap_slots_never_share_one(make_request: RequestFactory) -> None:
    first, second = await book(make_request(time="09:00")), await book(make_request(time="11:00"))
    assert isinstance(first, usecases.CreatedBooking)
    assert isinstance(second, usecases.CreatedBooking)
    outcomes = await asyncio.gather(move(first.token, 11), move(second.token, 9))
    assert set(outcomes) <= {"moved", "SlotTaken"}
    assert len({row.starts_at for row in await confirmed_bookings()}) == 2


async def test_one_booking_moved_many_times_at_once_ends_in_one_slot(make_request: RequestFactory) -> None:
    booking = await book(make_request())
    assert isinstance(booking, usecases.CreatedBooking)
    hours = [9, 14, 16]
    assert await asyncio.gather(*(move(booking.token, hour) for hour in hours)) == ["moved"] * 3
    (row,) = await confirmed_bookings()
    assert row.sequence == 3
    async with read_scope() as session:
        events = await list_events(session, BookingEvent, (row).id)
    assert [event.after for event in events][:-1] == [event.before for event in events][1:]


async def test_a_booking_is_cancelled_once(make_request: RequestFactory) -> None:
    booking = await book(make_request())
    assert isinstance(booking, usecases.CreatedBooking)
    outcomes = Counter(await asyncio.gather(*(cancel(booking.token) for _ in range(CROWD))))
    assert outcomes == {"cancelled": 1, "Conflict": CROWD - 1}
    assert await confirmed_bookings() == []


async def test_a_reference_that_exists_is_replaced_by_another(
    make_request: RequestFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = iter(["222222", "222222", "333333"])
    for module in (usecases, seats):
        monkeypatch.setattr(module, "new_reference", lambda prefix: f"{prefix}-{next(drawn)}")
    results = [await book(make_request(time=time)) for time in ("09:00", "11:00")]
    assert [result.reference for result in results if isinstance(result, usecases.CreatedBooking)] == [
        "BK-222222",
        "BK-333333",
    ]
    async with read_scope() as session:
        assert "BK-333333" in (await list_newest_messages(session))[0].text


async def test_the_database_itself_refuses_a_second_confirmed_booking(make_request: RequestFactory) -> None:
    await book(make_request())
    (row,) = await confirmed_bookings()
    copy = row.model_dump(exclude={"id"}) | {"reference": "BK-222222", "token_hash": "other"}
    with pytest.raises(IntegrityError):
        async with session_scope() as session:
            session.add(Booking(**copy))
    async with session_scope() as session:
        session.add(Booking(**copy | {"state": BookingState.CANCELLED}))
    assert len(await confirmed_bookings()) == 1
