"""Requests of staff about bookings, parsed and validated, with one error message per field."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from agency_site.characters import is_blank
from agency_site.features.booking.bookings.request import MESSAGE_LENGTH, BookingRequest
from agency_site.form_input import CLIENTS, EMAIL_LENGTH, ClientName, ClientNumber, email_address, text


def _parse_optional_email(value: object) -> str:
    return "" if isinstance(value, str) and is_blank(value) else email_address(value, CLIENTS)


def _parse_message(value: object) -> str:
    return text(value, "The client's message", MESSAGE_LENGTH)


class ClientBookingRequest(BookingRequest):
    """A consultation that staff book for a client who calls or walks in. The e-mail address is optional."""

    fullname: ClientName
    emailaddress: Annotated[
        str, BeforeValidator(_parse_optional_email), Field(json_schema_extra={"maxLength": EMAIL_LENGTH})
    ] = ""
    phonenumber: ClientNumber
    message: Annotated[str, BeforeValidator(_parse_message)] = ""
