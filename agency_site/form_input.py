"""Parsers of form input: each value is trimmed and checked, with one plain message for each error.

The functions serve as pydantic `BeforeValidator`s; each raises ValueError with words fit for the visitor. `read_form`
applies them.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from functools import partial
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from agency_site.characters import (
    APOSTROPHES,
    clean_name,
    clean_number,
    clean_value,
    drop_invisible,
    drop_turns,
    is_blank,
    plain_dashes,
    trim_punctuation,
)
from agency_site.clock import NAIROBI, in_nairobi
from agency_site.email_addresses import address_spellings, parse_email_address, stored_address
from agency_site.errors import FieldError, InputRejected, rejection
from agency_site.person_names import check_name
from agency_site.phone_numbers import local_number, parse_phone_number, searched_digits

NAME_LENGTH, EMAIL_LENGTH, PHONE_LENGTH = 120, 254, 32
CHECK_FIELDS = "Please check the marked fields."
YES = "yes"
"""Value of a tick box that is ticked."""
Shape = TypeVar("Shape", bound=BaseModel)


def text(value: object, what: str, limit: int, ask: str = "") -> str:
    """Return text of several lines, at most `limit` characters. `what` is its name; `ask` the message if it is blank."""
    if not isinstance(value, str):
        raise ValueError(f"{what} must be text.")
    cleaned = drop_turns(value.replace("\r\n", "\n").replace("\r", "\n").strip())
    if is_blank(cleaned):
        cleaned = ""
    if ask and not cleaned:
        raise ValueError(ask)
    if len(cleaned) > limit:
        raise ValueError(f"{what} may have at most {limit:,} characters.")
    # Databases and mail headers fail on these characters; people do not type them.
    if any(unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t" for char in cleaned):
        raise ValueError(f"{what} contains a character that cannot be used.")
    return cleaned


def field_text(value: object, field: str, what: str, limit: int, ask: str = "") -> str:
    """Return the `text` of a form with a single box called `field`. Raises InputRejected for that field."""
    try:
        return text(value, what, limit, ask)
    except ValueError as error:
        raise InputRejected(str(error), (FieldError(field, str(error)),)) from None


def line(value: object, what: str, limit: int, ask: str = "") -> str:
    """Return the `text` on one line, with single spaces."""
    return " ".join(text(value, what, limit, ask).split())


def machine_line(value: object, what: str, limit: int, ask: str = "") -> str:
    """Return a line that a machine reads, such as an address or a code, cleaned by `characters.clean_value`."""
    return line(clean_value(value) if isinstance(value, str) else value, what, limit, ask)


def name_line(value: object, what: str, limit: int, ask: str = "") -> str:
    """Return a name on one line, cleaned by `characters.clean_name`."""
    return line(clean_name(value) if isinstance(value, str) else value, what, limit, ask)


def person_name(value: object, what: str, limit: int, ask: str = "") -> str:
    """Return the name of a person: it has a letter of any script and contains no address or phone number."""
    name = check_name(name_line(value, what, limit, ask), what)
    if name and not any(map(str.isalpha, name)):
        raise ValueError(f"{what} needs at least one letter.")
    return name


_YOURS, CLIENTS = "your", "the client's"
"""The owner of the details in a message: the visitor who types or, in the back office, the client of the record."""


def full_name(value: object, whose: str = _YOURS) -> str:
    """Return a person's name. Raises ValueError if it contains an address or a phone number."""
    return person_name(value, f"{whose.capitalize()} name", NAME_LENGTH, f"Please enter {whose} full name.")


def email_address(value: object, whose: str = _YOURS) -> str:
    """Return an e-mail address that every mail server can reach."""
    ask = f"Please enter {whose} e-mail address."
    address = machine_line(value, f"{whose.capitalize()} e-mail address", EMAIL_LENGTH, ask)
    try:
        return parse_email_address(address)
    except ValueError:
        raise ValueError("Please enter a valid e-mail address, such as amina@example.com.") from None


def phone_number(value: object, whose: str = _YOURS) -> str:
    """Return a phone number of any country in E.164; without a country code it is Kenyan."""
    ask = f"Please enter {whose} phone number."
    digits = machine_line(value, f"{whose.capitalize()} phone number", PHONE_LENGTH, ask)
    if number := parse_phone_number(digits):
        return number
    raise ValueError(
        "Please enter a valid phone number, such as 0712 345 678 or, from abroad, +44 20 7946 0958."
    )


_NUMBER_LENGTH = 9
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"\d{2}:\d{2}", re.ASCII)
Parsed = TypeVar("Parsed")


def parse_whole_number(value: object, most: int, message: str) -> int:
    """Return a typed number from 1 to `most`. Raises ValueError with the message."""
    digits = clean_number(value) if isinstance(value, str) else ""
    if not (
        digits.isascii() and digits.isdecimal() and len(digits) <= _NUMBER_LENGTH and 1 <= int(digits) <= most
    ):
        raise ValueError(message)
    return int(digits)


def parse_date(value: object) -> date:
    """Return a date written YYYY-MM-DD. Raises ValueError with a message for the visitor."""
    try:
        day = value if type(value) is date else _parse_iso(value, _DATE, date.fromisoformat)
    except ValueError:
        raise ValueError("Please choose a date, written as in 2026-11-24.") from None
    # Dates at the ends of the calendar would overflow in the conversion to UTC.
    if not 2000 <= day.year < 2200:
        raise ValueError("Please choose a date from 2000 to 2199.")
    return day


def parse_time(value: object) -> time:
    """Return a time of day written HH:MM. Raises ValueError with a message for the visitor."""
    try:
        return value if isinstance(value, time) else _parse_iso(value, _TIME, time.fromisoformat)
    except ValueError:
        raise ValueError("Please choose a time, written as in 09:00.") from None


def _parse_iso(value: object, pattern: re.Pattern[str], parse: Callable[[str], Parsed]) -> Parsed:
    if not isinstance(value, str) or not pattern.fullmatch(value.strip()):
        raise ValueError(value)
    return parse(value.strip())


def parse_moment(value: object) -> datetime:
    """Return the moment of a `datetime-local` field, in Nairobi time. Raises ValueError with a message for staff."""
    day, _, at = value.partition("T") if isinstance(value, str) else ("", "", "")
    try:
        return datetime.combine(parse_date(day), parse_time(at), NAIROBI)
    except ValueError:
        raise ValueError("Please enter a day and a time.") from None


def moment_field_value(moment: datetime | None) -> str:
    """Return the value of a `datetime-local` field that `parse_moment` reads as this moment; empty for None."""
    return f"{in_nairobi(moment):%Y-%m-%dT%H:%M}" if moment else ""


_SEARCH_LENGTH = 600
"""In characters. PostgreSQL refuses index entries of more than 2,704 bytes, and folding can turn one letter into eighteen."""


def search_text(*parts: str) -> str:
    """Return the text that searches of a list compare: the folded parts; a Kenyan phone number also as people dial it.

    It is indexed, so its length is limited: put the most telling part first.
    """
    spelt = (spelling for part in parts if "@" in part for spelling in address_spellings(part)[1:])
    return fold(" ".join((*parts, *filter(None, map(local_number, parts)), *spelt)))[:_SEARCH_LENGTH]


_NO_APOSTROPHES = str.maketrans("", "", APOSTROPHES)


def fold(text: str) -> str:
    """Return `text` in lower case without accents, apostrophes and invisible characters, with single spaces.

    Different spellings of a word become equal.
    """
    plain = drop_invisible(text).translate(_NO_APOSTROPHES)
    if not plain.isascii():
        # Some letters have a capital only in their compatibility form.
        parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", plain).casefold())
        plain = "".join(char for char in parts if not unicodedata.combining(char))
    return " ".join(plain.translate(_NO_APOSTROPHES).casefold().split())


_PHONE = re.compile(r"(?<![\w@.-])\+?\(?[0-9](?:[ ().\-/_\u2010-\u2015\u2212]*[0-9]){8,14}(?![\w@:])")
"""At least nine digits, so that a day such as 2026-11-20 does not match."""


def search_words(raw: str) -> list[str]:
    """Return the words of a search, folded like `search_text`.

    A phone number becomes one word without the country code or the leading zero: in a stored number both spellings
    end with it. An e-mail address becomes the one that is stored.
    """
    dialled = _PHONE.sub(lambda number: searched_digits(number[0]), clean_value(raw) or raw)
    return [word for part in dialled.split() for word in _read_word(trim_punctuation(part) or part)]


def _read_word(part: str) -> list[str]:
    if is_address(address := stored_address(part)):
        return [address]
    return fold(plain_dashes(part)).split()


_ADDRESS = re.compile(r"[^\s@]+@[^\s@.]+(\.[^\s@.]+)+")


def is_address(word: str) -> bool:
    """Return whether a word of a search is a complete e-mail address."""
    return _ADDRESS.fullmatch(word) is not None


def text_field_info(example: str, limit: int, description: str = "") -> Any:
    """Return the API documentation of a text of at most `limit` characters."""
    extra: dict[str, Any] = {"maxLength": limit}
    return Field(description=description or None, examples=[example], json_schema_extra=extra)


FullName = Annotated[str, BeforeValidator(full_name), text_field_info("Amina Odhiambo", NAME_LENGTH)]
EmailAddress = Annotated[
    str,
    BeforeValidator(email_address),
    Field(examples=["amina@example.com"], json_schema_extra={"format": "email", "maxLength": EMAIL_LENGTH}),
]


def parse_optional_phone(value: object, whose: str = _YOURS) -> str:
    """Return a phone number in E.164; empty for an empty field."""
    is_empty = isinstance(value, str) and is_blank(value)
    return "" if value is None or is_empty else phone_number(value, whose)


PhoneNumber = Annotated[
    str,
    BeforeValidator(phone_number),
    text_field_info(
        "0712 345 678", PHONE_LENGTH, "A valid number of any country; without a country code it is Kenyan"
    ),
]


def _parse_tick(value: object) -> bool:
    if value in (None, "", False):
        return False
    # Browsers send "on" for a box without a value.
    if value is True or value in (YES, "on"):
        return True
    raise ValueError("Please tick the box, or leave it empty.")


Tick = Annotated[bool, BeforeValidator(_parse_tick)]

TextReminders = Annotated[
    Tick,
    Field(description="Consent to reminders by text message (SMS) to this number", examples=[True]),
]

OptionalPhoneNumber = Annotated[str, BeforeValidator(parse_optional_phone)]

ClientName = Annotated[str, BeforeValidator(partial(full_name, whose=CLIENTS))]
ClientAddress = Annotated[str, BeforeValidator(partial(email_address, whose=CLIENTS))]
ClientNumber = Annotated[str, BeforeValidator(partial(phone_number, whose=CLIENTS))]
"""Name, address and number that staff enter for a client."""


class InputModel(BaseModel):
    """Base of forms and JSON bodies. A missing key is treated like an empty box and gets the same message."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _absent_is_blank(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        boxes = {
            field.alias or name: name
            for name, field in cls.model_fields.items()
            if field.annotation is str or (field.is_required() and field.annotation is not int)
        }
        filled = {key: "" if value is None and key in boxes else value for key, value in data.items()}
        return {alias: "" for alias, name in boxes.items() if not {alias, name} & filled.keys()} | filled


def read_form(shape: type[Shape], form: object, message: str = CHECK_FIELDS) -> Shape:
    """Return a form's values; anything but a mapping is an empty form.

    Raises InputRejected with `message` for the form, and one message for each invalid field.
    """
    try:
        return shape.model_validate(dict(form) if isinstance(form, Mapping) else {})
    except ValidationError as invalid:
        raise rejection(message, invalid) from None
