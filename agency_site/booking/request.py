"""What a visitor sends to book: parsed, trimmed and judged, with one plain message per field.

The keys are the specification's (section 4, booking payload): labels without spaces, in lower case.
"""

import re
import unicodedata
from collections.abc import Callable
from datetime import date, time
from typing import Annotated, TypeVar

import phonenumbers
from email_validator import EmailNotValidError, validate_email
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

NAME_LENGTH, EMAIL_LENGTH, PHONE_LENGTH, MESSAGE_LENGTH = 120, 254, 32, 2000

Parsed = TypeVar("Parsed")

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"\d{2}:\d{2}", re.ASCII)


def _text(value: object, what: str, limit: int) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{what} must be text.")
    text = value.strip()
    if len(text) > limit:
        raise ValueError(f"{what} may have at most {limit:,} characters.")
    # A database or a mail header would choke on these; nobody types them.
    if any(unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t" for char in text):
        raise ValueError(f"{what} contains a character that cannot be used.")
    return text


def _line(value: object, what: str, limit: int, ask: str) -> str:
    text = " ".join(_text(value, what, limit).split())
    if not text:
        raise ValueError(ask)
    return text


def _fullname(value: object) -> str:
    return _line(value, "Your name", NAME_LENGTH, "Please enter your full name.")


def _emailaddress(value: object) -> str:
    text = _line(value, "Your e-mail address", EMAIL_LENGTH, "Please enter your e-mail address.")
    try:
        # Mail servers without SMTPUTF8 are common, so the address must be reachable in plain ASCII.
        found = validate_email(text, check_deliverability=False, allow_smtputf8=False)
    except EmailNotValidError:
        raise ValueError("Please enter a valid e-mail address, such as amina@example.com.") from None
    return found.ascii_email or found.normalized


def e164(typed: str) -> str:
    """A telephone number of any country in E.164; without a country code it is Kenyan. Raises ValueError."""
    # The library knows Kenya's own international prefix 000; most people write the world's usual 00.
    dialled = re.sub(r"^00(?=[1-9])", "+", typed)
    try:
        number = phonenumbers.parse(dialled, "KE")
    except phonenumbers.NumberParseException:
        number = phonenumbers.PhoneNumber()
    if not phonenumbers.is_valid_number(number):
        raise ValueError(
            "Please enter a valid phone number, such as 0712 345 678 or, from abroad, +44 20 7946 0958."
        )
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def _phonenumber(value: object) -> str:
    return e164(_line(value, "Your phone number", PHONE_LENGTH, "Please enter your phone number."))


def _message(value: object) -> str:
    if isinstance(value, str):
        value = value.replace("\r\n", "\n").replace("\r", "\n")
    return _text(value, "Your message", MESSAGE_LENGTH)


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


class BookingRequest(BaseModel):
    """A consultation that a visitor asks for."""

    model_config = ConfigDict(frozen=True)

    fullname: Annotated[
        str,
        BeforeValidator(_fullname),
        Field(
            description="Who books", examples=["Amina Odhiambo"], json_schema_extra={"maxLength": NAME_LENGTH}
        ),
    ]
    emailaddress: Annotated[
        str,
        BeforeValidator(_emailaddress),
        Field(
            description="Where the invitation goes",
            examples=["amina@example.com"],
            json_schema_extra={"format": "email", "maxLength": EMAIL_LENGTH},
        ),
    ]
    phonenumber: Annotated[
        str,
        BeforeValidator(_phonenumber),
        Field(
            description="A valid number of any country; without a country code it is Kenyan",
            examples=["0712 345 678"],
            json_schema_extra={"maxLength": PHONE_LENGTH},
        ),
    ]
    message: Annotated[
        str,
        BeforeValidator(_message),
        Field(description="What it is about", json_schema_extra={"maxLength": MESSAGE_LENGTH}),
    ] = ""
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

    @model_validator(mode="before")
    @classmethod
    def _absent_is_blank(cls, given: object) -> object:
        """A missing key reads like an empty box, so that its message asks for it in the same words."""
        if not isinstance(given, dict):
            return given
        return dict.fromkeys(cls.model_fields, "") | {k: "" if v is None else v for k, v in given.items()}
