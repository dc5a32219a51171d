"""Booking over HTTP. Invalid input returns 422 and a slot that was taken 409, with a message for the visitor."""

import datetime as dt
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, BeforeValidator, Field

from agency_site.antispam.admission import enforce_form_limits, enforce_recipient_limits
from agency_site.antispam.rules import Form
from agency_site.client_address import address_of
from agency_site.clock import in_nairobi
from agency_site.db.engine import read_scope, session_scope
from agency_site.features.booking.booking_page.state import CONFIRMED
from agency_site.features.booking.bookings import usecases
from agency_site.features.booking.bookings.request import BookingRequest, parse_person
from agency_site.features.booking.consultants.records import list_active
from agency_site.features.booking.consultants.rules import Way
from agency_site.features.booking.schedule.persons import Wish
from agency_site.form_input import parse_date
from agency_site.visits.cookie import origin_of

router = APIRouter(prefix="/api", tags=["booking"])


class OfferedSlot(BaseModel):
    """One consultation slot of the day."""

    time: str = Field(description="Start in Nairobi", examples=["09:00"])
    available: bool = Field(description="Whether it can be booked now")


class DaySlots(BaseModel):
    """The slots of one day. A day that is closed or cannot be booked has none."""

    date: dt.date
    slots: list[OfferedSlot]


class BookingConfirmation(BaseModel):
    """A confirmed booking."""

    message: str = Field(examples=[CONFIRMED])
    reference: str = Field(examples=["BK-7F3K9Q"])
    date: dt.date = Field(description="Day in Nairobi")
    time: str = Field(description="Start in Nairobi", examples=["09:00"])
    person: str = Field(
        "", description="The person who takes it; left out if none is named", examples=["Wanjiru Kamau"]
    )


class OfferedPerson(BaseModel):
    """A person who takes consultations."""

    reference: str = Field(examples=["CO-7F3K9Q"])
    name: str = Field(examples=["Wanjiru Kamau"])
    ways: list[Way] = Field(description="The ways in which this person meets clients")


class SlotUnavailable(BaseModel):
    """The reason why the slot can no longer be booked."""

    message: str = Field(
        examples=["Sorry, 11:00 on Tuesday 24 November has just been taken. Please choose another time."]
    )


DayParameter = Annotated[
    dt.date,
    BeforeValidator(parse_date),
    Query(description="Day in Nairobi, YYYY-MM-DD", examples=["2026-11-24"]),
]

_UNAVAILABLE: dict[int | str, dict[str, Any]] = {
    409: {"model": SlotUnavailable, "description": "The slot has been taken"}
}


@router.get("/slots", summary="The slots of a day")
async def slots(
    date: DayParameter,
    way: Annotated[Way | None, Query(description="In Karen, by phone or by video; any if left out")] = None,
    person: Annotated[
        str, BeforeValidator(parse_person), Query(description="Reference of a person; any if left out")
    ] = "",
) -> DaySlots:
    """List the consultation slots of a day, and whether each is free now for the way and the person."""
    async with read_scope() as session:
        day_slots = await usecases.list_slots(session, date, Wish(way or "", person))
    return DaySlots(date=date, slots=[OfferedSlot(time=s.time, available=s.available) for s in day_slots])


@router.get("/consultants", summary="The persons who take consultations")
async def consultants() -> list[OfferedPerson]:
    """List the persons whom a client may choose, by name; none while the agency has named no persons."""
    async with read_scope() as session:
        return [
            OfferedPerson(reference=record.reference, name=record.name, ways=list(record.ways))
            for record in await list_active(session)
        ]


@router.post(
    "/book",
    status_code=201,
    summary="Book a consultation",
    responses=_UNAVAILABLE,
    response_model_exclude_defaults=True,
)
async def book(request: BookingRequest, call: Request) -> BookingConfirmation:
    """Book a slot. Confirmation and invitation are sent by e-mail. A repeated request returns the first booking."""
    await enforce_form_limits(Form.BOOKING, address_of(call), request.emailaddress)
    await enforce_recipient_limits(Form.BOOKING, address_of(call), request.emailaddress)
    async with session_scope() as session:
        booking = await usecases.book_once(session, request.from_visit(origin_of(call)))
    local = in_nairobi(booking.starts_at)
    return BookingConfirmation(
        message=CONFIRMED,
        reference=booking.reference,
        date=local.date(),
        time=f"{local:%H:%M}",
        person=booking.person,
    )
