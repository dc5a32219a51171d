"""Bookings behind PgBouncer, where each transaction may get another connection of PostgreSQL."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable

import pytest

from agency_site.db.engine import dispose_engine, session_scope
from agency_site.features.booking.bookings import usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.schedule.rules import SlotTaken
from tests.servers import Postgres, pgbouncer

CAPACITY, CROWD = 10, 200
TIMES = ("09:00", "11:00", "14:00", "16:00")


@pytest.fixture
async def pooled(postgres: Postgres, configure: Callable[..., object]) -> AsyncIterator[None]:
    """The settings point at PgBouncer with fewer connections to PostgreSQL than the site has to it."""
    with postgres.empty_database() as direct, pgbouncer(direct, connections=2) as address:
        configure(database_url=address, database_prepares="false", booking_capacity=CAPACITY)
        yield
        await dispose_engine()


@pytest.mark.usefixtures("pooled")
async def test_slots_take_exactly_their_capacity(make_request: Callable[..., BookingRequest]) -> None:
    async def book(number: int) -> str:
        request = make_request(fullname=f"Visitor {number}", time=TIMES[number % len(TIMES)])
        try:
            async with session_scope() as session:
                await usecases.book(session, request)
        except SlotTaken:
            return "taken"
        return "booked"

    outcomes = Counter(await asyncio.gather(*(book(number) for number in range(CROWD))))
    assert outcomes == {"booked": CAPACITY * len(TIMES), "taken": CROWD - CAPACITY * len(TIMES)}
