"""`python -m tests.bench.calendars`: 50 busy calendars of 2,000 events each, read by the job of one process on SQLite.

Three years of events, one in twenty repeated every week. A second round finds them unchanged. Meanwhile a task measures how
late the event loop is: visitors wait for it.
"""

import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from agency_site import clock
from agency_site.db.engine import dispose_engine, read_scope, session_scope
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.busy_calendars.tables import BusyCalendar
from agency_site.features.booking.calendar.collisions import count_collisions, list_collisions
from agency_site.features.booking.jobs import read_busy_calendars
from agency_site.settings import Settings, settings, variable
from tests.bench.running import heading
from tests.calendar_server import CalendarServer, calendar_server
from tests.servers import fresh_sqlite

CALENDARS, EVENTS, BOOKINGS = 50, 2_000, 500
GOAL_SECONDS = 60.0
_TICK = 0.005


def main() -> int:
    """Print the figures; return 1 if a goal is missed."""
    heading(f"{CALENDARS} calendars of {EVENTS:,} events", "python -m tests.bench.calendars")
    with (
        pytest.MonkeyPatch.context() as patch,
        tempfile.TemporaryDirectory() as folder,
        calendar_server() as server,
    ):
        patch.setitem(Settings.model_config, "env_file", None)
        for name, value in {
            "database_url": fresh_sqlite(Path(folder) / "bench.sqlite3"), "calendar_loopback": "true",
        }.items():  # fmt: skip
            patch.setenv(variable(name), value)
        settings.cache_clear()
        met = asyncio.run(_measure(server))
    settings.cache_clear()
    return 0 if met else 1


async def _measure(server: CalendarServer) -> bool:
    moment = clock.now()
    await _store(server, moment)
    processor = time.process_time()
    first, delay = await _timed(_read_all)
    processor = time.process_time() - processor
    print(
        f"read in {first:.1f} s, {processor / CALENDARS:.2f} s of the processor each; event loop {delay * 1000:.0f} ms late"
    )
    with clock.frozen(moment + timedelta(minutes=6)):
        again, _ = await _timed(_read_all)
    async with read_scope() as session:
        started = time.perf_counter()
        collisions = await count_collisions(session)
        counted = time.perf_counter() - started
        await list_collisions(session)
        listed = time.perf_counter() - started - counted
        times = (
            await (await session.connection()).execute(text("SELECT count(*) FROM busy_times"))
        ).scalar_one()
    print(
        f"unchanged, in {again:.1f} s; {times:,} busy times; {collisions} collisions with {BOOKINGS} bookings counted in "
        f"{counted * 1000:.0f} ms, listed in {listed * 1000:.0f} ms"
    )
    await dispose_engine()
    met = first <= GOAL_SECONDS
    print(f"goal {GOAL_SECONDS:.0f} s: {'met' if met else 'MISSED'}")
    return met


async def _read_all() -> None:
    while await read_busy_calendars():
        pass


async def _timed(work: Callable[[], Awaitable[None]]) -> tuple[float, float]:
    """Return the seconds that the work took, and the 99th percentile of the delay of a tick of the event loop."""
    delays: list[float] = []

    async def watch() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(_TICK)
            delays.append(time.perf_counter() - before - _TICK)

    watcher = asyncio.create_task(watch())
    started = time.perf_counter()
    await work()
    seconds = time.perf_counter() - started
    watcher.cancel()
    return seconds, sorted(delays)[int(len(delays) * 0.99)] if delays else 0.0


async def _store(server: CalendarServer, moment: datetime) -> None:
    async with session_scope() as session:
        for number in range(CALENDARS):
            address = server.serve(f"/{number}.ics", _calendar(number, moment))
            session.add(
                BusyCalendar(
                    name=f"Calendar {number}", address=address, due_at=moment, author="", created_at=moment
                )
            )
        hour = moment.replace(minute=0, second=0, microsecond=0)
        session.add_all(_booking(number, hour + timedelta(hours=1 + number)) for number in range(BOOKINGS))


def _booking(number: int, starts: datetime) -> Booking:
    return Booking(
        reference=f"BK-{number:06}", fullname="A client", email="", phone="", starts_at=starts, minutes=30, token_seed="",
        token_hash=f"{number}", created_at=starts, updated_at=starts,
    )  # fmt: skip


def _calendar(seed: int, moment: datetime) -> str:
    """Return three years of events around `moment` as Google writes them."""
    numbers = random.Random(seed)
    first = moment.astimezone(UTC).replace(hour=5, minute=0) - timedelta(days=900)
    lines = ["BEGIN:VCALENDAR", "PRODID:-//Google Inc//Google Calendar 70.9054//EN", "VERSION:2.0"]
    for number in range(EVENTS):
        starts = first + timedelta(days=numbers.randrange(1100), hours=numbers.randrange(10))
        repeated = ["RRULE:FREQ=WEEKLY"] if number % 20 == 0 else []
        lines += [
            "BEGIN:VEVENT", f"DTSTART:{starts:%Y%m%dT%H%M%SZ}", f"DTEND:{starts + timedelta(hours=1):%Y%m%dT%H%M%SZ}", *repeated,
            f"DTSTAMP:{moment:%Y%m%dT%H%M%SZ}", f"UID:{number}@google.com", "CREATED:20240101T000000Z",
            "DESCRIPTION:A text about the meeting\\, with a link to a document", "SEQUENCE:0", "STATUS:CONFIRMED",
            f"SUMMARY:Meeting {number}", "TRANSP:OPAQUE", "END:VEVENT",
        ]  # fmt: skip
    return "\n".join([*lines, "END:VCALENDAR", ""])


if __name__ == "__main__":
    sys.exit(main())
