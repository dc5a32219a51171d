"""The request of the booking form, parsed and validated, with one error message per field.

The keys are those of the specification (section 4, booking payload): labels without spaces, in lower case.
"""

import re
from datetime import date, time
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from agency_site.features.booking.bookings.rules import SERVICE_NAMES
from agency_site.features.booking.consultants.rules import REFERENCE, Way
from agency_site.features.booking.schedule.persons import Wish
from agency_site.form_input import (
    EmailAddress,
    FullName,
    InputModel,
    PhoneNumber,
    TextReminders,
    line,
    parse_date,
    parse_time,
    text,
)
from agency_site.ids import ALPHABET, LENGTH
from agency_site.visits.request import FromVisit

MESSAGE_LENGTH = 2000


def _parse_message(value: object) -> str:
    return text(value, "Your message", MESSAGE_LENGTH)


_Message = Annotated[
    str,
    BeforeValidator(_parse_message),
    Field(description="Topic of the consultation", json_schema_extra={"maxLength": MESSAGE_LENGTH}),
]


def _parse_service(value: object) -> str:
    slug = line(value, "The service", 80)
    if slug and slug not in SERVICE_NAMES:
        raise ValueError("Please choose one of the services, or none.")
    return slug


def _parse_way(value: object) -> Way:
    try:
        # A program that knows nothing of ways books as all did before there were any.
        return Way(line(value or "", "The way", 80) or Way.KAREN)
    except ValueError:
        raise ValueError("Please choose how to meet: in Karen, by phone or by video.") from None


def parse_person(value: object) -> str:
    """Return the reference of a person; empty for any. Raises ValueError with a message for the visitor."""
    reference = line(value, "The person", 80)
    if reference and not re.fullmatch(rf"{REFERENCE}-[{ALPHABET}]{{{LENGTH}}}", reference):
        raise ValueError("Please choose a person of the list, or any.")
    return reference


ChosenService = Annotated[
    str,
    BeforeValidator(_parse_service),
    Field(
        description="Slug of the service to discuss; empty for none",
        json_schema_extra={"enum": ["", *SERVICE_NAMES]},
    ),
]

ChosenWay = Annotated[Way, BeforeValidator(_parse_way), Field(description="In Karen, by phone or by video")]

ChosenPerson = Annotated[
    str,
    BeforeValidator(parse_person),
    Field(
        description="Reference of a person of `GET /api/consultants`; empty for any", examples=["CO-7F3K9Q"]
    ),
]


def column_of(field: str) -> str:
    """Return the column of a field of `BookingDetails`; the specification has other names for two of them."""
    return {"emailaddress": "email", "phonenumber": "phone"}.get(field, field)


class BookingDetails(InputModel):
    """The client and the topic of a consultation."""

    fullname: FullName
    emailaddress: EmailAddress
    phonenumber: PhoneNumber
    message: _Message = ""

    def columns(self) -> dict[str, Any]:
        """Return the values by column of the table."""
        return {column_of(name): getattr(self, name) for name in BookingDetails.model_fields}


class BookingRequest(FromVisit, BookingDetails):
    """A consultation that a visitor books."""

    smsreminders: TextReminders = False

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
    service: ChosenService = ""
    way: ChosenWay = Way.KAREN
    person: ChosenPerson = ""

    def columns(self) -> dict[str, Any]:
        return super().columns() | {"service": self.service, "way": self.way}

    @property
    def wish(self) -> Wish:
        """The choices that decide who can take the consultation."""
        return Wish(self.way, self.person)
