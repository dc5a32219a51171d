"""Helpers of the tests with persons: consultants and calendars of theirs."""

from datetime import datetime
from typing import Any

from agency_site.clock import now
from agency_site.db.engine import session_scope
from agency_site.features.booking.admin.consultants import CONSULTANTS
from agency_site.features.booking.bookings import usecases
from agency_site.features.booking.bookings.request import BookingRequest
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.busy_calendars.tables import BusyCalendar, BusyTime
from agency_site.features.booking.consultants.records import ConsultantRecord, build_record
from agency_site.features.booking.consultants.rules import Way
from agency_site.features.booking.schedule.persons import Wish
from agency_site.features.booking.schedule.tables import BookingPolicyOverrides
from tests import records
from tests.integration.features.booking.staff import ACTOR

ALL_WAYS = {"phone": "on", "karen": "on", "video": "on"}


def consultant_form(name: str, **otherwise: str) -> dict[str, str]:
    """Return the form of a consultant who meets clients in all ways, or of one with the given ways and other fields."""
    chosen = otherwise or ALL_WAYS
    ways = "\n".join(way for way in Way if chosen.get(way))
    others = {field: text for field, text in chosen.items() if field not in ALL_WAYS}
    return {**CONSULTANTS.first_texts(), "name": name, "ways": ways, **others}


async def add_consultant(name: str, **otherwise: str) -> ConsultantRecord:
    """Store a consultant who meets clients in all ways, or one with the given fields of the form."""
    return build_record(await records.create(CONSULTANTS, consultant_form(name, **otherwise), ACTOR))


async def save_consultant(consultant: ConsultantRecord, form: dict[str, str]) -> ConsultantRecord:
    """Save the form of a consultant who was read before."""
    saved = await records.edit(CONSULTANTS, consultant.reference, form, ACTOR, consultant.version)
    return build_record(saved)


async def deactivate_consultant(consultant: ConsultantRecord) -> ConsultantRecord:
    return build_record(
        await records.act(CONSULTANTS, "deactivate", consultant.reference, ACTOR, version=consultant.version)
    )


async def reactivate_consultant(consultant: ConsultantRecord) -> ConsultantRecord:
    return build_record(
        await records.act(CONSULTANTS, "reactivate", consultant.reference, ACTOR, version=consultant.version)
    )


async def override_policy(**values: Any) -> None:
    async with session_scope() as session:
        session.add(BookingPolicyOverrides(author=ACTOR, updated_at=now(), **values))


async def add_busy_time(
    starts_at: datetime, ends_at: datetime, consultant_id: int | None = None, name: str = "Office"
) -> None:
    async with session_scope() as session:
        calendar = BusyCalendar(
            name=name,
            address="https://calendar.example/private.ics",
            consultant_id=consultant_id,
            author=ACTOR,
            created_at=now(),
        )
        session.add(calendar)
        await session.flush()
        assert calendar.id is not None
        session.add(BusyTime(calendar_id=calendar.id, starts_at=starts_at, ends_at=ends_at))


async def book(request: BookingRequest) -> Booking:
    """Book and return the stored booking."""
    async with session_scope() as session:
        created = await usecases.book(session, request)
        return await usecases.find_by_token(session, created.token)


async def do_move(token: str, start: datetime, wish: Wish | None = None) -> Booking:
    async with session_scope() as session:
        return await usecases.move(session, token, start, wish)


def token_of(booking: Any) -> str:
    token = usecases.recover_token(booking)
    assert token
    return token
