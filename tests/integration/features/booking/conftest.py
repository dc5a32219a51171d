"""Fixtures of the booking tests: a clock at Friday noon, and booking requests."""

from collections.abc import Callable
from datetime import date, datetime, time

import pytest
from sqlmodel import col, select

from agency_site.db.engine import read_scope
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.schedule.rules import slot_start

TUESDAY = date(2026, 11, 24)


@pytest.fixture(autouse=True)
def at_noon(noon: datetime) -> None:
    """All booking tests happen on Friday 20 November 2026, noon in Nairobi."""
    return


@pytest.fixture
def make_request() -> Callable[..., BookingRequest]:
    """A factory of valid requests for Tuesday at 11:00, with the changes of a test."""

    def build(**otherwise: object) -> BookingRequest:
        return BookingRequest.model_validate(
            {
                "fullname": "Amina Odhiambo",
                "emailaddress": "amina@example.com",
                "phonenumber": "0712 345 678",
                "message": "A new website, please.",
                "date": TUESDAY.isoformat(),
                "time": "11:00",
                **otherwise,
            }
        )

    return build


def tuesday_at(hour: int) -> datetime:
    """Return the UTC start of a slot on Tuesday."""
    return slot_start(TUESDAY, time(hour))


async def confirmed_bookings() -> list[Booking]:
    async with read_scope() as session:
        query = select(Booking).where(col(Booking.state) == BookingState.CONFIRMED)
        return list((await session.exec(query)).all())
