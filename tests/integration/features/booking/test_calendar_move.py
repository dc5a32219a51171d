"""The dialog, or the error, after a booking was dropped in the calendar."""

from collections.abc import Callable
from datetime import date

import pytest

from agency_site.db.engine import read_scope, session_scope
from agency_site.errors import Conflict, InputRejected, NotFound, StaleRecord
from agency_site.features.booking.admin.calendar.move import MoveDialog, choose_time, open_move_dialog
from agency_site.features.booking.bookings import staff_usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.staff_request import ClientBookingRequest
from agency_site.features.booking.bookings.staff_transitions import cancel
from agency_site.features.booking.schedule.rules import SlotTaken

RequestFactory = Callable[..., BookingRequest]
AT_14 = "2026-11-24T14:00+03:00"
STAFF = "front@example.com"


async def book(request: BookingRequest) -> str:
    request = ClientBookingRequest.model_validate(request.model_dump())
    async with session_scope() as session:
        return (await staff_usecases.book_for_client(session, request, STAFF, notify=False)).reference


async def open_dialog(reference: str, target: str, version: int = 1) -> MoveDialog:
    async with read_scope() as session:
        return await open_move_dialog(session, reference, version, target)


async def test_a_free_time_opens_the_dialog(database: str, make_request: RequestFactory) -> None:
    dialog = await open_dialog(await book(make_request()), AT_14)
    assert dialog.text == "Move Amina Odhiambo to Tuesday 24 November, 14:00?"
    assert (dialog.current_time, dialog.target, dialog.times) == ("Tuesday 24 November, 11:00", AT_14, [])
    assert dialog.has_email


async def test_the_dialog_says_that_a_client_has_no_address(database: str) -> None:
    request = ClientBookingRequest.model_validate(
        {"fullname": "Caller", "phonenumber": "0712 345 678", "date": "2026-11-24", "time": "11:00"}
    )
    assert not (await open_dialog(await book(request), AT_14)).has_email


async def test_a_booking_keeps_its_time_on_another_day(database: str, make_request: RequestFactory) -> None:
    dialog = await open_dialog(await book(make_request()), "2026-11-25")
    assert dialog.target == "2026-11-25T11:00+03:00"
    assert [time.label for time in dialog.times] == ["09:00", "11:00", "14:00", "16:00"]
    other = choose_time(dialog, "2026-11-25T16:00+03:00")
    assert other.text == "Move Amina Odhiambo to Wednesday 25 November, 16:00?"
    assert choose_time(dialog, "2026-11-26T16:00+03:00") is dialog


async def test_a_day_without_that_time_offers_its_first_free_one(
    database: str, make_request: RequestFactory
) -> None:
    reference = await book(make_request(time="14:00"))
    assert (await open_dialog(reference, "2026-11-28")).target == "2026-11-28T09:00+03:00"
    with pytest.raises(Conflict, match="Sunday 29 November has no free time"):
        await open_dialog(reference, "2026-11-29")


async def test_a_taken_time_is_refused(database: str, make_request: RequestFactory) -> None:
    await book(make_request(time="14:00"))
    with pytest.raises(SlotTaken):
        await open_dialog(await book(make_request()), AT_14)


async def test_a_booking_that_changed_since_it_was_shown_is_refused(
    database: str, make_request: RequestFactory
) -> None:
    reference = await book(make_request())
    with pytest.raises(StaleRecord):
        await open_dialog(reference, AT_14, version=2)
    async with session_scope() as session:
        await cancel(session, reference, STAFF, notify=False)
    with pytest.raises(Conflict, match="is cancelled, so it cannot be moved"):
        await open_dialog(reference, AT_14, version=2)


@pytest.mark.parametrize(
    "target",
    ["", "x", "2026-11-24T11:00+03:00", "2026-11-24T14:00", "9999-12-31T23:59-12:00", "0001-01-01T00:00+14:00",
     "2026-11-24T10:00+03:00", "2026-11-29T11:00+03:00", "2026-11-17T11:00+03:00"],
)  # fmt: skip
async def test_no_such_time_is_refused(database: str, make_request: RequestFactory, target: str) -> None:
    with pytest.raises(InputRejected):
        await open_dialog(await book(make_request()), target)


async def test_no_such_booking_is_refused(database: str) -> None:
    with pytest.raises(NotFound):
        await open_dialog("BK-NOSUCH", date(2026, 11, 25).isoformat())
