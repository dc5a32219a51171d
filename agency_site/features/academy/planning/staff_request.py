"""Forms of staff about course runs and their sessions, parsed with one plain message per field."""

import re
from collections.abc import Mapping
from datetime import date, datetime, time
from ipaddress import ip_address
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BeforeValidator, ValidationInfo, field_validator

from agency_site.characters import clean_amount
from agency_site.content.course_schema import Course
from agency_site.content.courses import course_by_slug
from agency_site.features.academy.runs.rules import (
    LARGEST_CAPACITY,
    LONGEST_SESSION,
    MaterialKind,
    WeeklyPattern,
)
from agency_site.form_input import (
    InputModel,
    line,
    parse_date,
    parse_moment,
    parse_time,
    parse_whole_number,
    person_name,
    text,
)

TRAINER_LENGTH, EMAIL_LENGTH, ROOM_LENGTH, TOPIC_LENGTH = 120, 254, 500, 200

SUBJECT_LENGTH, MESSAGE_LENGTH = 120, 4000

TITLE_LENGTH, ADDRESS_LENGTH = 120, 500

_LARGEST_PRICE = 1_000_000


def _parse_course(value: object) -> str:
    if not isinstance(value, str) or course_by_slug(value) is None:
        raise ValueError("Please choose a course.")
    return value


def _parse_optional_moment(value: object) -> datetime | None:
    return None if value in (None, "") else parse_moment(value)


def _parse_capacity(value: object) -> int | None:
    message = f"Please enter a number of places from 1 to {LARGEST_CAPACITY:,}, or leave it empty."
    return None if value in (None, "") else parse_whole_number(value, LARGEST_CAPACITY, message)


def _parse_price(value: object) -> int | None:
    amount = clean_amount(value) if isinstance(value, str) else value
    message = f"Please enter whole shillings from 1 to {_LARGEST_PRICE:,}, or leave it empty."
    return None if amount in (None, "") else parse_whole_number(amount, _LARGEST_PRICE, message)


def _parse_minutes(value: object) -> int:
    return parse_whole_number(value, LONGEST_SESSION, "Please enter the length in minutes.")


def _parse_trainer(value: object) -> str:
    return person_name(value, "The trainer's name", TRAINER_LENGTH)


def _parse_trainer_email(value: object) -> str | None:
    return line(value, "The trainer's account", EMAIL_LENGTH) or None


def _parse_topic(value: object) -> str:
    return line(value, "The topic", TOPIC_LENGTH)


def _parse_room(value: object) -> str:
    address = line(value, "The address of the room", ROOM_LENGTH)
    return _require_public(address, ", or leave it empty") if address else ""


_PRIVATE_NAMES = frozenset(
    {"localhost", "local", "internal", "intranet", "lan", "home", "corp", "arpa", "test", "invalid"}
)
"""Last parts of host names that no public site has."""

_NAME = re.compile(r"([a-z0-9]([a-z0-9_-]*[a-z0-9])?\.)+([a-z][a-z-]+|xn--[a-z0-9-]+)", re.IGNORECASE)


def _require_public(address: str, instead: str = "") -> str:
    """Return the address if learners can open it from anywhere. Raises ValueError."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        is_https = parts.scheme == "https" and bool(host) and parts.port != 0
    except ValueError:
        is_https = False
    if not is_https or " " in address or "\\" in address:
        raise ValueError(f"Please enter an address that begins with https://{instead}.")
    if "@" in parts.netloc:
        raise ValueError(
            "Please enter an address without a user name and password: all learners of the run would see them."
        )
    if not _is_public(host):
        raise ValueError("Please enter an address on a public site: learners cannot open this one.")
    return address


def _is_public(host: str) -> bool:
    """Return whether a host name or an IP address can be reached from anywhere."""
    try:
        return ip_address(host).is_global
    except ValueError:
        pass
    try:
        name = host.rstrip(".").encode("idna").decode()
    except UnicodeError:
        return False
    # What ends in digits is an IP address in another form, such as 127.1 or 0x7f.1.
    return bool(_NAME.fullmatch(name)) and name.rpartition(".")[2].lower() not in _PRIVATE_NAMES


def _parse_title(value: object) -> str:
    return line(value, "The title", TITLE_LENGTH, "Please enter a title.")


def _parse_address(value: object) -> str:
    return _require_public(line(value, "The address", ADDRESS_LENGTH, "Please enter an address."))


def _parse_kind(value: object) -> MaterialKind:
    if not isinstance(value, str) or value not in list(MaterialKind):
        raise ValueError("Please choose a kind.")
    return MaterialKind(value)


def _parse_subject(value: object) -> str:
    return line(value, "The subject", SUBJECT_LENGTH, "Please enter a subject.")


def _parse_message(value: object) -> str:
    return text(value, "The message", MESSAGE_LENGTH, "Please write a message.")


def _parse_weekdays(value: object) -> frozenset[int]:
    days = frozenset(day for day in value if day in range(7)) if isinstance(value, frozenset) else frozenset()
    if not days:
        raise ValueError("Please tick at least one day.")
    return days


_Minutes = Annotated[int, BeforeValidator(_parse_minutes)]

_OptionalMoment = Annotated[datetime | None, BeforeValidator(_parse_optional_moment)]


class RunRequest(InputModel):
    """The form of a course run. Sessions have their own forms."""

    course_slug: Annotated[str, BeforeValidator(_parse_course)]
    starts_at: Annotated[datetime, BeforeValidator(parse_moment)]
    """The planned start, which is used until the run has sessions."""
    trainer: Annotated[str, BeforeValidator(_parse_trainer)] = ""
    trainer_email: Annotated[str | None, BeforeValidator(_parse_trainer_email)] = None
    """Address of the trainer's staff account."""
    room: Annotated[str, BeforeValidator(_parse_room)] = ""
    capacity: Annotated[int | None, BeforeValidator(_parse_capacity)] = None
    price: Annotated[int | None, BeforeValidator(_parse_price)] = None
    enrol_from: _OptionalMoment = None
    enrol_until: _OptionalMoment = None

    @field_validator("price")
    @classmethod
    def _reject_price_of_free_course(cls, price: int | None, others: ValidationInfo) -> int | None:
        course = course_by_slug(others.data.get("course_slug", ""))
        if price is not None and course and course.free:
            raise ValueError("A free course has no price: please leave it empty.")
        return price

    @field_validator("enrol_until")
    @classmethod
    def _require_end_after_begin(cls, until: datetime | None, others: ValidationInfo) -> datetime | None:
        begins, starts_at = others.data.get("enrol_from"), others.data.get("starts_at")
        if begins and until and begins >= until:
            raise ValueError("Enrolment must end after it begins.")
        if begins and starts_at and until is None and begins >= starts_at:
            raise ValueError("Enrolment would begin after the course starts. Please enter when it ends.")
        return until

    @property
    def course(self) -> Course:
        """The course of the run."""
        course_record = course_by_slug(self.course_slug)
        assert course_record is not None
        return course_record


class PatternRequest(InputModel):
    """The form of the weekly pattern from which sessions are generated."""

    first_day: Annotated[date, BeforeValidator(parse_date)]
    at: Annotated[time, BeforeValidator(parse_time)]
    minutes: _Minutes
    weekdays: Annotated[frozenset[int], BeforeValidator(_parse_weekdays)]

    @property
    def pattern(self) -> WeeklyPattern:
        return WeeklyPattern(self.first_day, self.weekdays, self.at, self.minutes)


class SessionRequest(InputModel):
    """The form of one session."""

    starts_at: Annotated[datetime, BeforeValidator(parse_moment)]
    minutes: _Minutes
    topic: Annotated[str, BeforeValidator(_parse_topic)] = ""


class RunMessageRequest(InputModel):
    """The form of a message to all learners of a run."""

    subject: Annotated[str, BeforeValidator(_parse_subject)]
    text: Annotated[str, BeforeValidator(_parse_message)]


class MaterialRequest(InputModel):
    """The form of a handout or a recording."""

    kind: Annotated[MaterialKind, BeforeValidator(_parse_kind)]
    title: Annotated[str, BeforeValidator(_parse_title)]
    address: Annotated[str, BeforeValidator(_parse_address)]


def weekday_name(day: int) -> str:
    """Return the name of the checkbox of a day of the week."""
    return f"weekday-{day}"


def collect_weekdays(form: Mapping[str, object]) -> frozenset[int]:
    """Return the days of the week that are ticked in a form."""
    return frozenset(day for day in range(7) if form.get(weekday_name(day)))
