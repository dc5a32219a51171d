"""Helpers of the tests of staff: bookings for callers, and reading stored rows."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlmodel import col, select

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.booking.bookings import staff_usecases, usecases
from agency_site.features.booking.bookings.records import BookingRecord
from agency_site.features.booking.bookings.staff_request import ClientBookingRequest
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.business_hours.staff_request import ScheduleExceptionRequest
from agency_site.mail.usecases import list_newest_messages
from tests.integration.features.booking.conftest import TUESDAY

ACTOR = "wanjiru@mwanga.example"


def caller(**otherwise: object) -> ClientBookingRequest:
    """Return a valid request for a caller on Tuesday at 11:00, with the changes of a test."""
    return ClientBookingRequest.model_validate(
        {
            "fullname": "Brian Kiptoo",
            "emailaddress": "brian@example.com",
            "phonenumber": "0733 111 222",
            "message": "",
            "date": TUESDAY.isoformat(),
            "time": "11:00",
            **otherwise,
        }
    )


def exception_request(day: date, **hours: Any) -> ScheduleExceptionRequest:
    """Return a request for a schedule exception, with times such as `["09:00"]`."""
    return ScheduleExceptionRequest(day=day, **{**hours, "times": " ".join(hours.get("times", ()))})


async def book_for_caller(notify: bool = False, **otherwise: object) -> BookingRecord:
    """Book for a caller and return the booking."""
    async with session_scope() as session:
        booking = await staff_usecases.book_for_client(session, caller(**otherwise), ACTOR, notify=notify)
        return await staff_usecases.find(session, booking.reference)


async def do(verb: Any, *arguments: Any, **named: Any) -> Any:
    """Call a use case in its own session."""
    async with session_scope() as session:
        return await verb(session, *arguments, **named)


async def find(reference: str) -> BookingRecord:
    async with read_scope() as session:
        return await staff_usecases.find(session, reference)


async def row_of(reference: str) -> Booking:
    async with read_scope() as session:
        return (await session.exec(select(Booking).where(Booking.reference == reference))).one()


async def all_bookings() -> Sequence[Booking]:
    async with read_scope() as session:
        return (await session.exec(select(Booking).order_by(col(Booking.id)))).all()


async def history(booking: BookingRecord) -> list[tuple[str, str, str]]:
    """Return the actor, event and note of each entry."""
    async with read_scope() as session:
        return [
            (line.actor, str(line.what), line.note)
            for line in await staff_usecases.list_history(session, booking.id)
        ]


async def mails() -> list[tuple[str, str]]:
    """Return the kind and recipient of all mails, oldest first."""
    async with read_scope() as session:
        return [(mail.kind, mail.to) for mail in reversed(await list_newest_messages(session))]


async def free_times(day: date = TUESDAY) -> list[str]:
    """Return the times that visitors can book."""
    async with read_scope() as session:
        return [slot.time for slot in await usecases.list_slots(session, day) if slot.available]
