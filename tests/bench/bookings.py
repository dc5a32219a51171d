"""Bookings per second through `POST /api/book` with 100 clients at once, beside bare inserts into the same table.

The bare insert is the floor: the same row, the same index, one transaction each, by the same number of tasks, in this
process, with nothing around it. Their ratio says what HTTP, checks, mails and history cost.
"""

import asyncio
import itertools
import json
import os
import re
import secrets
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import httpx

from agency_site import clock
from agency_site.db.engine import dispose_engine, session_scope
from agency_site.features.booking.bookings.rules import REFERENCE, BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.schedule.rules import slot_start
from agency_site.features.booking.schedule.slots import (
    DayKind,
    Occupancy,
    booking_policy,
    compute_bookable_day,
)
from agency_site.ids import new_reference
from agency_site.settings import Settings, settings
from tests.api_servers import api_servers
from tests.servers import Postgres, fresh_sqlite

CLIENTS, BOOKINGS, CAPACITY = 100, 2000, 50

Call = Callable[[int], Awaitable[None]]
"""Does the work of one number."""


@dataclass(frozen=True)
class Measured:
    """Seconds that each call took, and all of them together."""

    name: str
    seconds: list[float]
    total: float

    @property
    def rate(self) -> float:
        """Calls per second."""
        return len(self.seconds) / self.total

    def __str__(self) -> str:
        ordered = sorted(self.seconds)
        median, p95 = statistics.median(ordered), ordered[int(len(ordered) * 0.95) - 1]
        return (
            f"{self.name:<34} {self.rate:8.0f}/s   median {median * 1000:7.1f} ms   p95 {p95 * 1000:7.1f} ms"
        )


def places() -> Iterator[tuple[date, str]]:
    """Slots of the coming year, each as often as it has seats."""
    day = clock.today()
    while True:
        day += timedelta(days=1)
        bookable_day = compute_bookable_day(day, clock.now(), booking_policy(), Occupancy())
        if bookable_day.kind is DayKind.OPEN:
            yield from ((day, slot.time) for slot in bookable_day.slots for _ in range(CAPACITY))


async def measure(name: str, workers: list[Call]) -> Measured:
    """Let all workers share `BOOKINGS` calls, each worker one at a time."""
    numbers = iter(range(BOOKINGS))
    durations: list[float] = []

    async def work(call: Call) -> None:
        for number in numbers:
            started_at = time.perf_counter()
            await call(number)
            durations.append(time.perf_counter() - started_at)

    started_at = time.perf_counter()
    await asyncio.gather(*(work(call) for call in workers))
    return Measured(name, durations, time.perf_counter() - started_at)


@asynccontextmanager
async def visitor(port: int, chosen: list[tuple[date, str]]) -> AsyncIterator[Call]:
    """A visitor with a connection of their own, who books the place of the number given.

    HTTP is spoken by hand: a client library would take more of the processors than the server that is measured.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    async def book(number: int) -> None:
        day, at = chosen[number]
        body = json.dumps(
            {"fullname": "Bench Visitor", "emailaddress": f"bench{number}@example.com", "phonenumber": "0712 345 678",
             "date": day.isoformat(), "time": at}
        )  # fmt: skip
        writer.write(
            f"POST /api/book HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        answer = await reader.readexactly(int(re.findall(r"content-length: (\d+)", head)[0]))
        assert head.startswith("http/1.1 201 "), (head, answer)

    try:
        yield book
    finally:
        writer.close()


async def insert(number: int) -> None:
    """One insert of a booking's row and nothing else."""
    moment = clock.now()
    async with session_scope() as session:
        session.add(
            Booking(
                reference=f"{new_reference(REFERENCE)}{number % 10_000}",
                state=BookingState.CONFIRMED,
                fullname="Bench Visitor",
                email="bench@example.com",
                phone="+254712345678",
                seat=1000 + number,
                token_seed="bench",
                starts_at=slot_start(clock.today(), booking_policy().hours.slots[0]),
                token_hash=secrets.token_hex(32),
                created_at=moment,
                updated_at=moment,
            )
        )


async def bench(kind: str, url: str) -> None:
    """Measure one database and print."""
    Settings.model_config["env_file"] = None
    os.environ["AGENCY_DATABASE_URL"] = url
    settings.cache_clear()
    chosen = list(itertools.islice(places(), 0, BOOKINGS * 3, 3))
    with api_servers(
        1, url, booking_capacity=CAPACITY, booking_horizon_days=366, rate_limit_forms="1000000/minute"
    ) as (address,):
        async with httpx.AsyncClient(base_url=address) as client:
            (await client.get("/readyz")).raise_for_status()
        port = httpx.URL(address).port or 80
        async with AsyncExitStack() as stack:
            visitors = [await stack.enter_async_context(visitor(port, chosen)) for _ in range(CLIENTS)]
            booked = await measure(f"{kind}: POST /api/book", visitors)
    inserted = await measure(f"{kind}: bare insert", [insert] * CLIENTS)
    print(booked)
    print(inserted)
    print(f"{'':<34} one booking costs {inserted.rate / booked.rate:.1f} bare inserts\n")
    await dispose_engine()


async def main() -> None:
    """Both databases, one after the other, in one run."""
    print(f"{BOOKINGS} bookings, {CLIENTS} clients at once, one server process\n")
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        await bench("SQLite", fresh_sqlite(Path(folder, "bench.sqlite3")))
        await bench("PostgreSQL", stack.enter_context(Postgres.started()).fresh_database())


if __name__ == "__main__":
    asyncio.run(main())
