"""What a visitor sends to book, parsed with one plain message per field.

The keys are the specification's (section 4, booking payload): labels without spaces, in lower case.
"""

import re
from collections.abc import Callable
from datetime import date, time
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field

from agency_site.form_input import EmailAddress, FullName, PhoneNumber, Typed, text

MESSAGE_LENGTH = 2000

Parsed = TypeVar("Parsed")

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"\d{2}:\d{2}", re.ASCII)


def _parse_message(value: object) -> str:
    return text(value, "Your message", MESSAGE_LENGTH)


def parse_date(value: object) -> date:
    """A date written YYYY-MM-DD. Raises ValueError with a message for the visitor."""
    try:
        day = value if type(value) is date else _parse_iso(value, _DATE, date.fromisoformat)
        # Dates at the ends of the calendar overflow when they are converted to UTC.
        if 2000 <= day.year < 2200:
            return day
    except ValueError:
        pass
    raise ValueError("Please choose a date, written as in 2026-11-24.")


def parse_time(value: object) -> time:
    """A time of day written HH:MM. Raises ValueError with a message for the visitor."""
    try:
        return value if isinstance(value, time) else _parse_iso(value, _TIME, time.fromisoformat)
    except ValueError:
        raise ValueError("Please choose a time, written as in 09:00.") from None


def _parse_iso(value: object, pattern: re.Pattern[str], parse: Callable[[str], Parsed]) -> Parsed:
    if not isinstance(value, str) or not pattern.fullmatch(value.strip()):
        raise ValueError(value)
    return parse(value.strip())


_Message = Annotated[
    str,
    BeforeValidator(_parse_message),
    Field(description="What it is about", json_schema_extra={"maxLength": MESSAGE_LENGTH}),
]


def column_of(field: str) -> str:
    """The column of a field of `BookingDetails`: the specification names two of them otherwise."""
    return {"emailaddress": "email", "phonenumber": "phone"}.get(field, field)


class BookingDetails(Typed):
    """Who books a consultation, and what about."""

    fullname: FullName
    emailaddress: EmailAddress
    phonenumber: PhoneNumber
    message: _Message = ""

    def columns(self) -> dict[str, Any]:
        """The values by the columns of the table."""
        return {column_of(name): getattr(self, name) for name in BookingDetails.model_fields}


class BookingRequest(BookingDetails):
    """A consultation that a visitor books."""

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
