"""What is asked, or refused, when a booking is dropped somewhere in the calendar."""

from collections.abc import Callable
from datetime import date

import pytest

from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected, NotFound
from agency_site.features.booking import staff_usecases
from agency_site.features.booking.admin.calendar_move import Question, chosen, question
from agency_site.features.booking.request import BookingRequest, CallerRequest
from agency_site.features.booking.rules import EditedMeanwhile, SlotTaken
from agency_site.features.booking.staff_transitions import cancel

Asks = Callable[..., BookingRequest]
AT_14 = "2026-11-24T14:00+03:00"
STAFF = "front@example.com"


async def book(request: BookingRequest) -> str:
    async with session_scope() as session:
        return (await staff_usecases.book_for(session, request, STAFF, tell=False)).reference


async def ask(reference: str, target: str, version: int = 1) -> Question:
    async with read_scope() as session:
        return await question(session, reference, version, target)


async def test_a_free_time_is_asked_about(database: str, asks: Asks) -> None:
    asked = await ask(await book(asks()), AT_14)
    assert asked.text == "Move Amina Odhiambo to Tuesday 24 November, 14:00?"
    assert (asked.was, asked.target, asked.times) == ("Tuesday 24 November, 11:00", AT_14, [])
    assert asked.tellable


async def test_nobody_can_be_told_without_an_address(database: str) -> None:
    request = CallerRequest.model_validate(
        {"fullname": "Caller", "phonenumber": "0712 345 678", "date": "2026-11-24", "time": "11:00"}
    )
    assert not (await ask(await book(request), AT_14)).tellable


async def test_a_day_stands_for_the_same_time_on_it(database: str, asks: Asks) -> None:
    asked = await ask(await book(asks()), "2026-11-25")
    assert asked.target == "2026-11-25T11:00+03:00"
    assert [time.label for time in asked.times] == ["09:00", "11:00", "14:00", "16:00"]
    other = chosen(asked, "2026-11-25T16:00+03:00")
    assert other
    assert other.text == "Move Amina Odhiambo to Wednesday 25 November, 16:00?"
    assert chosen(asked, "2026-11-26T16:00+03:00") is None


async def test_a_day_without_that_time_offers_its_first_free_one(database: str, asks: Asks) -> None:
    reference = await book(asks(time="14:00"))
    assert (await ask(reference, "2026-11-28")).target == "2026-11-28T09:00+03:00"
    with pytest.raises(Conflict, match="Sunday 29 November has no free time"):
        await ask(reference, "2026-11-29")


async def test_a_taken_time_is_refused(database: str, asks: Asks) -> None:
    await book(asks(time="14:00"))
    with pytest.raises(SlotTaken):
        await ask(await book(asks()), AT_14)


async def test_what_changed_since_it_was_shown_is_refused(database: str, asks: Asks) -> None:
    reference = await book(asks())
    with pytest.raises(EditedMeanwhile):
        await ask(reference, AT_14, version=2)
    async with session_scope() as session:
        await cancel(session, reference, STAFF, tell=False)
    with pytest.raises(Conflict, match="is cancelled, so it cannot be moved"):
        await ask(reference, AT_14, version=2)


@pytest.mark.parametrize(
    "target",
    ["", "x", "2026-11-24T11:00+03:00", "2026-11-24T14:00", "9999-12-31T23:59-12:00", "0001-01-01T00:00+14:00",
     "2026-11-24T10:00+03:00", "2026-11-29T11:00+03:00", "2026-11-17T11:00+03:00"],
)  # fmt: skip
async def test_no_such_time_is_refused(database: str, asks: Asks, target: str) -> None:
    with pytest.raises(InputRejected):
        await ask(await book(asks()), target)


async def test_no_such_booking_is_refused(database: str) -> None:
    with pytest.raises(NotFound):
        await ask("BK-NOSUCH", date(2026, 11, 25).isoformat())
