"""`python -m tests.integration.features.booking.racing KIND SEED`: one process of the races in `test_overlaps.py` and
`test_person_races.py`.

It writes the results of its attempts as one JSON value.
"""

import asyncio
import json
import random
import sys
from collections import Counter
from datetime import datetime, time, timedelta
from typing import Any

from agency_site.clock import now, today
from agency_site.db.engine import dispose_engine, session_scope
from agency_site.errors import Conflict, InputRejected
from agency_site.features.booking.bookings import usecases
from agency_site.features.booking.bookings.records import find_booking
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.seats import insert_booking, reseat_booking
from agency_site.features.booking.bookings.staff_usecases import assign_person
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.business_hours import usecases as business_hours
from agency_site.features.booking.business_hours.staff_request import BlackoutRequest
from agency_site.features.booking.consultants.records import list_active
from agency_site.features.booking.schedule.rules import slot_start

ATTEMPTS = 40
DAYS = [day for day in (today() + timedelta(days=n) for n in range(1, 40)) if day.weekday() < 5][:12]
STARTS = ("09:00", "11:00", "14:00", "16:00")


def request(day: object, start: str) -> BookingRequest:
    return BookingRequest.model_validate({
        "fullname": "Amina Odhiambo", "emailaddress": "amina@example.com", "phonenumber": "0712 345 678",
        "message": "", "date": str(day), "time": start,
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


async def book_move_and_assign(chance: random.Random) -> dict[str, int]:
    """Book on few days, and often move, cancel or hand over a booking of one's own."""
    outcomes: Counter[str] = Counter()
    own: list[usecases.CreatedBooking] = []
    for _ in range(ATTEMPTS):
        result = await attempt(usecases.book, request(chance.choice(DAYS[:4]), chance.choice(STARTS)))
        if isinstance(result, usecases.CreatedBooking):
            own.append(result)
        outcomes[result if isinstance(result, str) else "booked"] += 1
        if own and chance.random() < 0.5:
            outcomes[await change(chance, chance.choice(own))] += 1
    return outcomes


async def change(chance: random.Random, booking: usecases.CreatedBooking) -> str:
    """Change a booking in one of three ways and return the result."""
    match chance.randrange(4):
        case 0:
            result, verb = await attempt(usecases.cancel, booking.token), "cancelled"
        case 1:
            result, verb = await attempt(assign_anyone, booking.reference, chance), "assigned"
        case _:
            start = slot_start(chance.choice(DAYS[:4]), time.fromisoformat(chance.choice(STARTS)))
            result, verb = await attempt(usecases.move, booking.token, start), "moved"
    return result if isinstance(result, str) else verb


async def assign_anyone(session: Any, reference: str, chance: random.Random) -> None:
    booking = await find_booking(session, reference)
    if persons := await list_active(session):
        person = chance.choice(persons).reference
        await assign_person(session, reference, booking.version, person, "wanjiru@mwanga.example")


async def book_one_day(chance: random.Random) -> dict[str, int]:
    outcomes: Counter[str] = Counter()
    # Four slots, often enough for every one of them to be full in the end.
    for start in (*STARTS, *STARTS, *chance.sample(STARTS, 2)):
        result = await attempt(usecases.book, request(DAYS[0], start))
        outcomes[result if isinstance(result, str) else "booked"] += 1
    return outcomes


KINDS = {
    "persons": book_move_and_assign,
    "one-day": book_one_day,
    "overlap": take_overlapping_starts,
    "book": book,
    "blackout": black_out,
}


async def main(kind: str, seed: str) -> None:
    sys.stdout.write(json.dumps(await KINDS[kind](random.Random(seed))))
    await dispose_engine()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
