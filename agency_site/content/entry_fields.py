"""The fields that staff fill in for an entry: text, as a form sends it, and how each is checked."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from agency_site.characters import clean_amount, is_blank
from agency_site.form_input import parse_date, parse_moment, parse_time
from agency_site.picture_addresses import OWN_PICTURE

Fields = Mapping[str, str]
"""The text of each field by its name. Several lines are separated by line breaks; a tick is "yes" or empty."""
YES = "yes"
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


@dataclass(frozen=True)
class EntryField:
    """One field."""

    name: str
    label: str
    control: Control = Control.LINE
    is_required: bool = True
    least: int = 0
    longest: int = 200
    """Characters of a text; the largest number. `least` is also the width of a picture in pixels, and twice its height."""
    options: tuple[str, ...] = ()
    hint: str = ""
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

    def _describe_length(self, length: int) -> str:
        if length > self.longest:
            return f"“{self.label}” may have at most {self.longest:,} characters; it has {length:,}."
        return f"“{self.label}” needs at least {self.least} characters; it has {length}."


_LENGTH_CHECKED = frozenset(
    {Control.LINE, Control.TEXT, Control.TEXT_MESSAGE, Control.MARKDOWN, Control.LINES, Control.ADDRESS}
)


def find_problems(fields: tuple[EntryField, ...], values: Fields) -> dict[str, str]:
    """Return the problem of each field that has one, by its name."""
    problems = {field.name: field.find_problem(values.get(field.name, "")) for field in fields}
    return {name: problem for name, problem in problems.items() if problem}


def _find_problem(field: EntryField, value: str) -> str:
    try:
        _CHECKS.get(field.control, _accept)(field, value)
    except ValueError as problem:
        return str(problem)
    return ""


def _accept(_field: EntryField, _value: str) -> None:
    """Accept any text."""


def read_number(value: str) -> int:
    """Return a whole number as people write it, such as `15,000`. Raises ValueError."""
    digits = clean_amount(value)
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _DIGITS):
        raise ValueError(value)
    return int(digits)


def _check_number(field: EntryField, value: str) -> None:
    try:
        is_accepted = field.least <= read_number(value) <= field.longest
    except ValueError:
        is_accepted = False
    if not is_accepted:
        raise ValueError(f"Please enter a whole number from {field.least:,} to {field.longest:,}.")


def _check_choices(field: EntryField, value: str) -> None:
    unknown = [line for line in split_lines(value) if line not in field.options]
    if unknown:
        raise ValueError(f"“{unknown[0]}” is not in the list.")


def _matches(pattern: re.Pattern[str], message: str) -> Callable[[EntryField, str], None]:
    def check(_field: EntryField, value: str) -> None:
        if not pattern.fullmatch(value.strip()):
            raise ValueError(message)

    return check


def _check_choice(field: EntryField, value: str) -> None:
    if value not in field.options:
        raise ValueError("Please choose one of the list.")


_CHECKS: Mapping[Control, Callable[[EntryField, str], object]] = {
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


def split_lines(value: str) -> tuple[str, ...]:
    """Return the lines of a field that are not blank."""
    return tuple(line.strip() for line in value.splitlines() if line.strip())
