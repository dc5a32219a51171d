"""Requests of staff about bookings, parsed and validated, with one error message per field."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from agency_site.characters import is_blank
from agency_site.features.booking.bookings.request import (
    MESSAGE_LENGTH,
    BookingDetails,
    BookingRequest,
    ChosenService,
    ChosenWay,
)
from agency_site.features.booking.consultants.rules import Way
from agency_site.form_input import (
    CLIENTS,
    EMAIL_LENGTH,
    ClientName,
    ClientNumber,
    InputModel,
    email_address,
    line,
    text,
)

NOTE_LENGTH = 2000

CANCELLATION_REASON_LENGTH = 500


def _parse_optional_email(value: object) -> str:
    return "" if isinstance(value, str) and is_blank(value) else email_address(value, CLIENTS)


def _parse_message(value: object) -> str:
    return text(value, "The client's message", MESSAGE_LENGTH)


def _parse_note(value: object) -> str:
    return text(value, "The note", NOTE_LENGTH, "Please write the note first.")


def _parse_cancellation_reason(value: object) -> str:
    return line(value, "The reason", CANCELLATION_REASON_LENGTH)


_Message = Annotated[str, BeforeValidator(_parse_message)]

_OptionalEmail = Annotated[
    str, BeforeValidator(_parse_optional_email), Field(json_schema_extra={"maxLength": EMAIL_LENGTH})
]


class ClientDetails(BookingDetails):
    """The details of a client and a booking. The e-mail address is optional."""

    fullname: ClientName
    emailaddress: _OptionalEmail = ""
    phonenumber: ClientNumber
    message: _Message = ""
    service: ChosenService = ""
    way: ChosenWay = Way.KAREN

    def columns(self) -> dict[str, Any]:
        return super().columns() | {"service": self.service, "way": self.way}


class ClientBookingRequest(ClientDetails, BookingRequest):
    """A consultation that staff book for a client who calls or walks in."""


class NoteRequest(InputModel):
    """A note about a booking."""

    note: Annotated[str, BeforeValidator(_parse_note)]


class CancellationRequest(InputModel):
    """A cancellation by staff. The client does not read the reason."""

    reason: Annotated[str, BeforeValidator(_parse_cancellation_reason)] = ""
