"""The request of the booking form, parsed and validated, with one error message per field.

The keys are those of the specification (section 4, booking payload): labels without spaces, in lower case.
"""

from datetime import date, time
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from agency_site.form_input import (
    EmailAddress,
    FullName,
    InputModel,
    PhoneNumber,
    TextReminders,
    parse_date,
    parse_time,
    text,
)

MESSAGE_LENGTH = 2000


def _parse_message(value: object) -> str:
    return text(value, "Your message", MESSAGE_LENGTH)


_Message = Annotated[
    str,
    BeforeValidator(_parse_message),
    Field(description="Topic of the consultation", json_schema_extra={"maxLength": MESSAGE_LENGTH}),
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


class BookingRequest(BookingDetails):
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
