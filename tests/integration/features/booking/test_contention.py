"""100 visitors over two real server processes want the same slot.

Two mechanisms prevent double bookings: each process checks before it books, and the partial unique index rejects the
rest. The test runs with both, and with `careless` processes that never check, so that the index alone
is left.
Observed after `DROP INDEX uq_bookings_confirmed_seat`, answers of 100 visitors:

                 checking, PostgreSQL    checking, SQLite    careless, either
    with index   1 x 201, 99 x 409       1 x 201, 99 x 409   1 x 201, 99 x 409
    without      2, 3 and 6 x 201        1 x 201, 99 x 409   100 x 201, 100 bookings stored
                 in three runs

SQLite needs no index when processes check: a writing session takes the write lock before it reads.
"""

import asyncio
from collections import Counter
from datetime import timedelta

import httpx
import pytest
from sqlmodel import select

from agency_site.clock import today
from agency_site.db.engine import read_scope
from agency_site.features.booking.bookings.tables import Booking
from tests.api_servers import SITE_API, api_servers

pytestmark = pytest.mark.each_database

VISITORS = 100
CARELESS = "tests.integration.features.booking.careless:create_careless_api"


@pytest.fixture(autouse=True)
def at_noon() -> None:
    """The servers use the real clock, so this test does too."""


@pytest.mark.parametrize("factory", [SITE_API, CARELESS], ids=["checking", "careless"])
async def test_of_a_hundred_visitors_over_two_processes_one_gets_the_slot(
    database: str, factory: str
) -> None:
    # No payment is made here, so no process needs the M-Pesa simulator.
    with api_servers(2, database, factory=factory, mpesa_base_url="http://127.0.0.1:9") as sites:
        async with httpx.AsyncClient(timeout=60, limits=httpx.Limits(max_connections=VISITORS)) as client:
            day, time = await first_free_slot(client, sites)
            answers = await asyncio.gather(
                *(
                    client.post(f"{sites[n % 2]}/api/book", json=visitor(n) | {"date": day, "time": time})
                    for n in range(VISITORS)
                )
            )
            assert Counter(answer.status_code for answer in answers) == {201: 1, 409: VISITORS - 1}
            messages = {answer.json()["message"] for answer in answers if answer.status_code == 409}
            assert len(messages) == 1
            assert "has just been taken" in messages.pop()
            if factory == SITE_API:
                assert all([time not in await free_times(client, site, day) for site in sites])
    async with read_scope() as session:
        stored = (await session.exec(select(Booking))).all()
    won = next(answer.json() for answer in answers if answer.status_code == 201)
    assert [row.reference for row in stored] == [won["reference"]]


def visitor(number: int) -> dict[str, str]:
    return {
        "fullname": f"Visitor {number}",
        "emailaddress": f"visitor{number}@example.com",
        "phonenumber": "0712 345 678",
    }


async def free_times(client: httpx.AsyncClient, site: str, day: str) -> list[str]:
    answer = (await client.get(f"{site}/api/slots", params={"date": day})).json()
    return [slot["time"] for slot in answer["slots"] if slot["available"]]


async def first_free_slot(client: httpx.AsyncClient, sites: list[str]) -> tuple[str, str]:
    """A slot from tomorrow on that every process offers; the requests also warm each of them up."""
    for ahead in range(1, 15):
        day = (today() + timedelta(days=ahead)).isoformat()
        offers = [await free_times(client, site, day) for site in sites]
        if all(offers):
            assert all(offer == offers[0] for offer in offers)
            return day, offers[0][0]
    raise AssertionError("no free slot within a fortnight")
