"""The declaration of a value that people fill in: label, control, parser, limits and words, said once.

A record's forms, lists, facts, histories and conflicts follow from its fields. A form sends text: `Field.find_problem` checks it,
`Field.parse` returns the value that is stored, and `Field.text_of` the text of a stored value.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from enum import StrEnum
from typing import Any

from agency_site.characters import clean_amount, is_blank
from agency_site.clock import in_nairobi
from agency_site.errors import InputRejected
from agency_site.form_input import (
    YES,
    email_address,
    line,
    moment_field_value,
    parse_date,
    parse_moment,
    parse_time,
    phone_number,
    text,
)
from agency_site.phone_numbers import format_phone_number
from agency_site.picture_addresses import OWN_PICTURE

Fields = Mapping[str, str]
"""The text of each field by its name. Several lines are separated by line breaks; a tick is "yes" or empty."""
Options = Sequence[tuple[str, str]]
"""Value and label of each option of a choice."""
_DIGITS = 9
_WEB_ADDRESS = re.compile(r"https://(?:[\w-]+\.)*[\w-]+\.?(?::\d{1,5})?(?:[/?#]\S*)?")
_LINK = re.compile(rf"/(?![/\\])\S*|{_WEB_ADDRESS.pattern}")
_ADDRESS = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class Control(StrEnum):
    """The control with which staff fill in a field."""

    LINE = "line"
    TEXT = "text"
    TEXT_MESSAGE = "text_message"
    """A text with a count of the SMS that it needs."""
    MARKDOWN = "markdown"
    LINES = "lines"
    """One value a line."""
    NUMBER = "number"
    DATE = "date"
    TIME = "time"
    MOMENT = "moment"
    TICK = "tick"
    CHOICE = "choice"
    CHOICES = "choices"
    """Values of a list, one a line."""
    PICTURE = "picture"
    WEB_ADDRESS = "web_address"
    LINK = "link"
    """A path of this site, or an https address."""
    ADDRESS = "address"
    """The last part of a page's address."""
    EMAIL = "email"
    PHONE = "phone"
    OTHER = "other"
    """A control that the page draws itself; the form leaves it out."""


@dataclass(frozen=True)
class Field:
    """One field."""

    name: str
    label: str
    control: Control = Control.LINE
    is_required: bool = True
    least: int = 0
    longest: int = 200
    """Characters of a text; the largest number. `least` is also the width of a picture in pixels, and twice its height."""
    options: tuple[str, ...] = ()
    """Values of a choice that are their own labels."""
    hint: str = ""
    empty: str = ""
    """The meaning of an empty field, such as `no end`: the form and the page of the record show it."""
    choices: Callable[[], Options] | None = None
    """Returns the options of a choice, if they have labels of their own."""
    read_choices: Callable[[Any, Any], Awaitable[Options]] | None = None
    """Returns the options that a database session has for a record, or for a new one if that is None."""
    parser: Callable[[str], Any] | None = None
    """Returns the value of a text. Raises ValueError with a message for the form. None for the parser of the control."""
    get: Callable[[Any], Any] | None = None
    """Returns the value that a row stores; None for the attribute `name`."""
    set: Callable[[Any, Any], None] | None = None
    """Stores a value in a row; None for the attribute `name`."""
    text: Callable[[Any], str] | None = None
    """Returns the text of a value as the form shows it; None for the text of the control."""
    columns: tuple[str, ...] = ()
    """The columns that store the value, if they are not the one of the same name."""
    words: Callable[[Any], str] | None = None
    """Returns a value as staff read it; None for the words of the control."""
    typing: str = ""
    """What is typed, for the keyboards of phones (`ui.forms.Kind`)."""
    rows: int = 0
    """The rows of a control with several lines; 0 for those of the control."""
    group: str = ""
    """The heading of the fields with the same one, which the form shows side by side."""
    group_hint: str = ""
    is_fixed: bool = False
    """Only a new record can have the field filled in."""
    first: str = ""
    """The text in the form of a new record."""
    is_price: bool = False
    """A number of shillings."""
    is_past: bool = False
    """A date that is not later than the day of publication."""
    describes: str = ""
    """The name of the picture that this text describes."""

    def find_problem(self, value: str) -> str:
        """Return what is wrong with the text of this field; empty if nothing is."""
        if is_blank(value):
            return f"Please fill in “{self.label}”." if self.is_required else ""
        if problem := _find_problem(self, value):
            return problem
        if self.control in _LENGTH_CHECKED and not self.least <= len(value) <= self.longest:
            return self._describe_length(len(value))
        return ""

    def parse(self, value: str) -> Any:
        """Return the value of this field for a text of a form. Raises ValueError with a message."""
        if self.parser:
            return self.parser(value)
        cleaned = _CLEANERS.get(self.control, text)(value, self.label, max(self.longest, len(value)))
        if problem := self.find_problem(cleaned):
            raise ValueError(problem)
        return _PARSERS.get(self.control, str)(cleaned)

    def value_in(self, row: Any) -> Any:
        """Return the value that a row stores."""
        return self.get(row) if self.get else getattr(row, self.name)

    def store(self, row: Any, value: Any) -> None:
        """Store a value in a row."""
        if self.set:
            self.set(row, value)
        else:
            setattr(row, self.name, value)

    def text_of(self, value: Any) -> str:
        """Return the text with which a form shows a value; `parse` reads it back."""
        return self.text(value) if self.text else value_text(value)

    def words_of(self, value: Any) -> str:
        """Return a value as staff read it; empty for no value."""
        if self.words:
            return self.words(value)
        if self.control in (Control.CHOICE, Control.CHOICES):
            labels = dict(self.list_options())
            return ", ".join(labels.get(part, part) for part in split_lines(value_text(value)))
        if self.control is Control.TICK:
            return "Yes" if value else "No"
        return value_words(value)

    def list_options(self) -> Options:
        """Return value and label of each option that is known without a database."""
        return self.choices() if self.choices else [(option, option) for option in self.options]

    def _describe_length(self, length: int) -> str:
        if length > self.longest:
            return f"“{self.label}” may have at most {self.longest:,} characters; it has {length:,}."
        return f"“{self.label}” needs at least {self.least} characters; it has {length}."


_LENGTH_CHECKED = frozenset(
    {Control.LINE, Control.TEXT, Control.TEXT_MESSAGE, Control.MARKDOWN, Control.LINES, Control.ADDRESS}
)


def parse_with(read: Callable[[Fields], Any], name: str) -> Callable[[str], Any]:
    """Return the parser of a field for a function that reads the field `name` of a form and raises InputRejected."""

    def parse(text: str) -> Any:
        try:
            return read({name: text})
        except InputRejected as rejected:
            raise ValueError(rejected.errors[0].message) from None

    return parse


def find_problems(fields: tuple[Field, ...], values: Fields) -> dict[str, str]:
    """Return the problem of each field that has one, by its name."""
    problems = {field.name: field.find_problem(values.get(field.name, "")) for field in fields}
    return {name: problem for name, problem in problems.items() if problem}


def _find_problem(field: Field, value: str) -> str:
    try:
        _CHECKS.get(field.control, _accept)(field, value)
    except ValueError as problem:
        return str(problem)
    return ""


def _accept(_field: Field, _value: str) -> None:
    """Accept any text."""


def read_number(value: str) -> int:
    """Return a whole number as people write it, such as `15,000`. Raises ValueError."""
    digits = clean_amount(value)
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _DIGITS):
        raise ValueError(value)
    return int(digits)


def _check_number(field: Field, value: str) -> None:
    try:
        is_accepted = field.least <= read_number(value) <= field.longest
    except ValueError:
        is_accepted = False
    if not is_accepted:
        raise ValueError(f"Please enter a whole number from {field.least:,} to {field.longest:,}.")


def _check_choices(field: Field, value: str) -> None:
    options = dict(field.list_options())
    unknown = [line for line in split_lines(value) if line not in options]
    if unknown:
        raise ValueError(f"“{unknown[0]}” is not in the list.")


def _matches(pattern: re.Pattern[str], message: str) -> Callable[[Field, str], None]:
    def check(_field: Field, value: str) -> None:
        if not pattern.fullmatch(value.strip()):
            raise ValueError(message)

    return check


def _check_choice(field: Field, value: str) -> None:
    if not field.read_choices and value not in dict(field.list_options()):
        raise ValueError("Please choose one of the list.")


_CHECKS: Mapping[Control, Callable[[Field, str], object]] = {
    Control.NUMBER: _check_number,
    Control.DATE: lambda _field, value: parse_date(value),
    Control.TIME: lambda _field, value: parse_time(value),
    Control.MOMENT: lambda _field, value: parse_moment(value),
    Control.CHOICE: _check_choice,
    Control.CHOICES: _check_choices,
    Control.PICTURE: _matches(OWN_PICTURE, "Please choose a picture of the library."),
    Control.WEB_ADDRESS: _matches(_WEB_ADDRESS, "Please enter an address that begins with https://."),
    Control.LINK: _matches(
        _LINK, "Please enter a path of this site, such as /book, or an address with https://."
    ),
    Control.ADDRESS: _matches(_ADDRESS, "Please use small letters, digits and hyphens only."),
}


def _parse_optional(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    return lambda value: parse(value) if value else None


_CLEANERS: Mapping[Control, Callable[[object, str, int], str]] = {Control.LINE: line}
_PARSERS: Mapping[Control, Callable[[str], Any]] = {
    Control.NUMBER: _parse_optional(read_number),
    Control.DATE: _parse_optional(parse_date),
    Control.TIME: _parse_optional(parse_time),
    Control.MOMENT: _parse_optional(parse_moment),
    Control.TICK: bool,
    Control.EMAIL: lambda value: email_address(value, "the") if value else "",
    Control.PHONE: lambda value: phone_number(value, "the") if value else "",
    Control.CHOICES: lambda value: split_lines(value),
}


def value_text(value: object) -> str:
    """Return the text of a value as the control of its type sends it."""
    match value:
        case None | False:
            return ""
        case True:
            return YES
        case tuple() | list():
            return "\n".join(str(part) for part in value)
        case datetime():
            return moment_field_value(value)
        case time():
            return f"{value:%H:%M}"
    return str(value)


def value_words(value: object) -> str:
    """Return a value as staff read it: moments in Nairobi time, numbers and phone numbers with spaces or commas."""
    match value:
        case datetime():
            return f"{in_nairobi(value):%a %-d %b %Y, %H:%M}"
        case date():
            return f"{value:%a %-d %b %Y}"
        case bool() | None:
            return ""
        case int():
            return f"{value:,}"
        case str() if value.startswith("+"):
            return format_phone_number(value)
    return value_text(value)


def split_lines(value: str) -> tuple[str, ...]:
    """Return the lines of a field that are not blank."""
    return tuple(line.strip() for line in value.splitlines() if line.strip())
