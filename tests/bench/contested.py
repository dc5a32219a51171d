"""Processes race for the same few slots: they book, move and cancel while staff black days out. No seat may be sold twice.

`python -m tests.bench.contested --database postgresql --capacity 3 --attempts 1000000`. While the processes work, and at the
end, the stored bookings are looked at for seats that are held twice or that no slot has, and for bookings that a blackout
has not reported.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi, now, today
from agency_site.db.engine import dispose_engine, read_scope, session_scope
from agency_site.errors import Conflict, InputRejected
from agency_site.features.booking.bookings import usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.rules import BookingState
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.business_hours import usecases as business_hours
from agency_site.features.booking.business_hours.staff_request import BlackoutRequest
from agency_site.features.booking.schedule.slots import (
    DayKind,
    Occupancy,
    booking_policy,
    compute_bookable_day,
)
from agency_site.settings import settings
from tests.api_servers import ROOT
from tests.bench.running import heading
from tests.servers import Postgres, fresh_sqlite

_PROCESSES, _DAYS = 4, 3
_LOOK_EVERY = 5.0


def _starts() -> list[datetime]:
    """All slots of the next few days that have any."""
    results: list[datetime] = []
    day, open_days = today(), 0
    while open_days < _DAYS:
        day += timedelta(days=1)
        offered = compute_bookable_day(day, now(), booking_policy(), Occupancy())
        if offered.kind is DayKind.OPEN:
            open_days += 1
            results += [slot.starts_at for slot in offered.slots]
    return results


class Racer:
    """One process."""

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)
        self._starts = _starts()
        self._tokens: list[str] = []
        self.counts: Counter[str] = Counter()

    async def race(self, attempts: int) -> None:
        """Attempt to book, move or cancel, `attempts` times."""
        acts = (self._book, self._move, self._cancel, self._black_out)
        for _ in range(attempts):
            [act] = self._chance.choices(acts, (60, 20, 20, 0.2))
            try:
                self.counts[await act()] += 1
            except (Conflict, InputRejected) as refused:
                self.counts[type(refused).__name__] += 1

    async def _book(self) -> str:
        local = in_nairobi(self._chance.choice(self._starts))
        request = BookingRequest.model_validate({
            "fullname": "Amina Odhiambo", "emailaddress": "amina@example.com", "phonenumber": "0712 345 678",
            "message": "", "date": f"{local:%F}", "time": f"{local:%H:%M}",
        })  # fmt: skip
        created = await _write(lambda session: usecases.book(session, request))
        self._tokens.append(created.token)
        return "booked"

    async def _move(self) -> str:
        if not self._tokens:
            return "nothing to move"
        token, start = self._chance.choice(self._tokens), self._chance.choice(self._starts)
        await _write(lambda session: usecases.move(session, token, start))
        return "moved"

    async def _cancel(self) -> str:
        if not self._tokens:
            return "nothing to cancel"
        token = self._tokens.pop(self._chance.randrange(len(self._tokens)))
        await _write(lambda session: usecases.cancel(session, token))
        return "cancelled"

    async def _black_out(self) -> str:
        begins = self._chance.choice(self._starts)
        blackout = BlackoutRequest(
            starts_at=begins, ends_at=begins + booking_policy().length, reason="Team meeting"
        )
        change = await _write(
            lambda session: business_hours.add_blackout(session, blackout, "wanjiru@mwanga.example")
        )
        reported = {booking.reference for booking in change.affected}
        async with read_scope() as session:
            held = await _confirmed(session, col(Booking.starts_at) == begins)
        await _write(lambda session: business_hours.remove_blackout(session, change.record.id))
        missed = [booking for booking in held if booking.reference not in reported]
        return f"MISSED by a blackout: {len(missed)}" if missed else "blacked out"


async def _write(work: Callable[[AsyncSession], Awaitable[Any]]) -> Any:
    async with session_scope() as session:
        return await work(session)


async def _confirmed(session: AsyncSession, *conditions: Any) -> list[Booking]:
    query = select(Booking).where(col(Booking.state) == BookingState.CONFIRMED, *conditions)
    return list(await session.exec(query.order_by(col(Booking.seat), col(Booking.starts_at))))


async def _find_sold_twice(capacity: int) -> int:
    """Seats that two bookings hold at the same time, or that do not exist."""
    async with read_scope() as session:
        rows = await _confirmed(session)
    overlapping = sum(
        first.seat == second.seat and first.starts_at + timedelta(minutes=first.minutes) > second.starts_at
        for first, second in pairwise(rows)
    )
    return overlapping + sum(row.seat >= capacity for row in rows)


async def _run(database: str, capacity: int, attempts: int) -> bool:
    """Return whether no seat was sold twice."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(Postgres.started()) if database == "postgresql" else None
        url = server.fresh_database() if server else fresh_sqlite(folder / "contested.sqlite3")
        os.environ |= {"AGENCY_DATABASE_URL": url, "AGENCY_BOOKING_CAPACITY": str(capacity)}
        settings.cache_clear()
        command = [
            sys.executable,
            "-m",
            "tests.bench.contested",
            "--race",
            str(attempts // _PROCESSES),
            "--seed",
        ]
        started_at = time.monotonic()
        running = [
            subprocess.Popen([*command, str(seed)], cwd=ROOT, stdout=subprocess.PIPE)  # noqa: ASYNC220
            for seed in range(_PROCESSES)
        ]
        twice = 0
        while any(process.poll() is None for process in running):
            twice += await _find_sold_twice(capacity)
            await asyncio.sleep(_LOOK_EVERY)
        twice += await _find_sold_twice(capacity)
        await dispose_engine()
    seconds = time.monotonic() - started_at
    counts: Counter[str] = Counter()
    for process in running:
        assert process.stdout is not None
        counts.update(json.load(process.stdout))
    print(f"{database}, capacity {capacity}: {counts.total():,} attempts by {_PROCESSES} processes, "
          f"{counts.total() / seconds:.0f}/s, {twice} seats sold twice")  # fmt: skip
    print(dict(counts.most_common()))
    return twice == 0 and not any(name.startswith("MISSED") for name in counts)


async def _race(attempts: int, seed: int) -> None:
    racer = Racer(seed)
    await racer.race(attempts)
    print(json.dumps(racer.counts))
    await dispose_engine()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.contested", description=__doc__)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--capacity", type=int, default=1)
    parser.add_argument("--attempts", type=int, default=100_000)
    parser.add_argument("--race", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=0, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.race:
        asyncio.run(_race(arguments.race, arguments.seed))
        sys.exit()
    heading("Contested bookings", f"python -m tests.bench.contested --database {arguments.database}")
    sys.exit(not asyncio.run(_run(arguments.database, arguments.capacity, arguments.attempts)))
