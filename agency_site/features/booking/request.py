"""What a visitor sends to book: parsed, trimmed and judged, with one plain message per field.

The keys are the specification's (section 4, booking payload): labels without spaces, in lower case.
"""

import re
from collections.abc import Callable
from datetime import date, time
from typing import Annotated, TypeVar

from pydantic import BeforeValidator, Field

from agency_site.form_input import (
    CLIENTS,
    EMAIL_LENGTH,
    ClientName,
    ClientNumber,
    EmailAddress,
    FullName,
    PhoneNumber,
    Typed,
    email_address,
    text,
)

MESSAGE_LENGTH = 2000

Parsed = TypeVar("Parsed")

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"\d{2}:\d{2}", re.ASCII)


def _message(value: object) -> str:
    return text(value, "Your message", MESSAGE_LENGTH)


def _clients_message(value: object) -> str:
    return text(value, "The client's message", MESSAGE_LENGTH)


def _address_if_any(value: object) -> str:
    return "" if isinstance(value, str) and not value.strip() else email_address(value, CLIENTS)


def parse_date(value: object) -> date:
    """A date written YYYY-MM-DD. Raises ValueError with a message for the visitor."""
    try:
        day = value if type(value) is date else _iso(value, _DATE, date.fromisoformat)
        # The ends of the calendar cannot be turned into UTC.
        if 2000 <= day.year < 2200:
            return day
    except ValueError:
        pass
    raise ValueError("Please choose a date, written as in 2026-11-24.")


def parse_time(value: object) -> time:
    """A time of day written HH:MM. Raises ValueError with a message for the visitor."""
    try:
        return value if isinstance(value, time) else _iso(value, _TIME, time.fromisoformat)
    except ValueError:
        raise ValueError("Please choose a time, written as in 09:00.") from None


def _iso(value: object, shape: re.Pattern[str], parse: Callable[[str], Parsed]) -> Parsed:
    if not isinstance(value, str) or not shape.fullmatch(value.strip()):
        raise ValueError(value)
    return parse(value.strip())


MessageText = Annotated[
    str,
    BeforeValidator(_message),
    Field(description="What it is about", json_schema_extra={"maxLength": MESSAGE_LENGTH}),
]
ClientMessage = Annotated[str, BeforeValidator(_clients_message)]
AddressIfAny = Annotated[
    str, BeforeValidator(_address_if_any), Field(json_schema_extra={"maxLength": EMAIL_LENGTH})
]


class BookingRequest(Typed):
    """A consultation that a visitor asks for."""

    fullname: FullName
    """Who books."""
    emailaddress: EmailAddress
    """Where the invitation goes."""
    phonenumber: PhoneNumber
    message: MessageText = ""
    date: Annotated[
        date, BeforeValidator(parse_date), Field(description="Day in Nairobi", examples=["2026-11-24"])
    ]
    time: Annotated[
        time,
        BeforeValidator(parse_time),
        Field(
            description="Start of the slot in Nairobi",
            examples=["09:00"],
            json_schema_extra={"format": "slot", "pattern": r"^\d{2}:\d{2}$"},
        ),
    ]


class CallerRequest(BookingRequest):
    """A consultation that staff book for somebody who calls or walks in, perhaps without an e-mail address."""

    fullname: ClientName
    emailaddress: AddressIfAny = ""
    phonenumber: ClientNumber
    message: ClientMessage = ""


class BookingDetails(Typed):
    """Who a booking is for and what it is about, as staff correct it."""

    fullname: ClientName
    emailaddress: AddressIfAny = ""
    phonenumber: ClientNumber
    message: ClientMessage = ""
