"""Booking over HTTP. Refused input answers 422, a lost slot 409, each with a message fit for the visitor."""

import datetime as dt
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, BeforeValidator, Field

from agency_site.booking import usecases
from agency_site.booking.request import BookingRequest, parse_date
from agency_site.clock import in_nairobi
from agency_site.db.engine import read_scope, session_scope

CONFIRMATION = "Booking confirmed! We will get back to you shortly."

router = APIRouter(prefix="/api", tags=["booking"])


class OfferedSlot(BaseModel):
    """One consultation slot of the day."""

    time: str = Field(description="Start in Nairobi", examples=["09:00"])
    available: bool = Field(description="Whether it can be booked now")


class DaySlots(BaseModel):
    """The slots inside business hours of one day; none when the day is closed or cannot be booked."""

    date: dt.date
    slots: list[OfferedSlot]


class BookingAnswer(BaseModel):
    """A confirmed booking."""

    message: str = Field(examples=[CONFIRMATION])
    reference: str = Field(examples=["BK-7F3K9Q"])
    date: dt.date = Field(description="Day in Nairobi")
    time: str = Field(description="Start in Nairobi", examples=["09:00"])


class SlotLost(BaseModel):
    """Why the slot cannot be had any more."""

    message: str = Field(
        examples=["Sorry, 11:00 on Tuesday 24 November has just been taken. Please choose another time."]
    )


DayAsked = Annotated[
    dt.date,
    BeforeValidator(parse_date),
    Query(description="Day in Nairobi, YYYY-MM-DD", examples=["2026-11-24"]),
]

_LOST: dict[int | str, dict[str, Any]] = {409: {"model": SlotLost, "description": "The slot has been taken"}}


@router.get("/slots", summary="The slots of a day")
async def slots(date: DayAsked) -> DaySlots:
    """Which consultation slots the day has, and which of them are free now."""
    async with read_scope() as session:
        found = await usecases.slots(session, date)
    return DaySlots(date=date, slots=[OfferedSlot(time=s.time, available=s.available) for s in found])


@router.post("/book", status_code=201, summary="Book a consultation", responses=_LOST)
async def book(request: BookingRequest) -> BookingAnswer:
    """Book one slot; confirmation and calendar invitation leave by e-mail."""
    async with session_scope() as session:
        booked = await usecases.book(session, request)
    local = in_nairobi(booked.starts_at)
    return BookingAnswer(
        message=CONFIRMATION, reference=booked.reference, date=local.date(), time=f"{local:%H:%M}"
    )
