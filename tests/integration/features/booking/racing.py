"""`python -m tests.integration.features.booking.racing KIND SEED`: one process of the races in `test_overlaps.py`.

It writes the results of its attempts as one JSON value.
"""

import asyncio
import json
import random
import sys
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from agency_site.clock import now, today
from agency_site.db.engine import dispose_engine, session_scope
from agency_site.errors import Conflict, InputRejected
from agency_site.features.booking.bookings import usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.seats import insert_booking, reseat_booking
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.business_hours import usecases as business_hours
from agency_site.features.booking.business_hours.staff_request import BlackoutRequest

ATTEMPTS = 40
DAYS = [day for day in (today() + timedelta(days=n) for n in range(1, 40)) if day.weekday() < 5][:12]
STARTS = ("09:00", "11:00", "14:00", "16:00")


def request(day: object, time: str) -> BookingRequest:
    return BookingRequest.model_validate({
        "fullname": "Amina Odhiambo", "emailaddress": "amina@example.com", "phonenumber": "0712 345 678",
        "message": "", "date": str(day), "time": time,
    })  # fmt: skip


def any_start(chance: random.Random) -> datetime:
    """Return one of 12 starts, ten minutes apart."""
    begins = now().replace(hour=8, minute=0, second=0, microsecond=0) + timedelta(days=3)
    return begins + timedelta(minutes=10 * chance.randrange(12))


async def attempt(verb: Any, *arguments: Any) -> Any:
    """Return the result of the use case, or the name of its error."""
    try:
        async with session_scope() as session:
            return await verb(session, *arguments)
    except (Conflict, InputRejected) as lost:
        return type(lost).__name__


async def take_overlapping_starts(chance: random.Random) -> dict[str, int]:
    """Book and move without the check for overlapping starts, as after a change of the slots."""
    outcomes: Counter[str] = Counter()
    for _ in range(ATTEMPTS):
        booking, _ = usecases.build_booking(request(today(), "09:00"), any_start(chance))
        error = await attempt(insert_booking, booking, [0, 1])
        outcomes[error or "booked"] += 1
        if error is None:
            move_error = await attempt(move_or_delete, booking.id, any_start(chance), chance.random() < 0.7)
            outcomes[move_error or "moved"] += 1
    return outcomes


async def move_or_delete(session: Any, identity: int, start: datetime, delete: bool) -> None:
    booking = await session.get_one(Booking, identity, with_for_update=True)
    if delete:
        await session.delete(booking)
    else:
        await reseat_booking(session, booking, start, [1, 0])


async def book(chance: random.Random) -> dict[str, int]:
    outcomes: Counter[str] = Counter()
    for _ in range(ATTEMPTS):
        result = await attempt(usecases.book, request(chance.choice(DAYS), chance.choice(STARTS)))
        outcomes[result if isinstance(result, str) else "booked"] += 1
    return outcomes


async def black_out(chance: random.Random) -> list[dict[str, object]]:
    """Add blackouts and return each with the references of the bookings that it reported."""
    reports: list[dict[str, object]] = []
    for day in chance.sample(DAYS, len(DAYS) // 2):
        begins = now().replace(year=day.year, month=day.month, day=day.day, hour=0, minute=0)
        blackout = BlackoutRequest(starts_at=begins, ends_at=begins + timedelta(days=1), reason="Team day")
        change = await attempt(business_hours.add_blackout, blackout, "wanjiru@mwanga.example")
        reports.append({"day": str(day), "affected": [booking.reference for booking in change.affected]})
        await asyncio.sleep(0.02)
    return reports


KINDS = {"overlap": take_overlapping_starts, "book": book, "blackout": black_out}


async def main(kind: str, seed: str) -> None:
    sys.stdout.write(json.dumps(await KINDS[kind](random.Random(seed))))
    await dispose_engine()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
