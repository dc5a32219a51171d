"""Requests of staff about business hours, parsed and validated, with one error message per field."""

import re
from datetime import UTC, date, datetime, time
from functools import partial
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from agency_site.characters import clean_number
from agency_site.features.booking.schedule.exceptions import (
    MAX_BUFFER_MINUTES,
    MAX_CAPACITY,
    MAX_DAILY_LIMIT,
    MAX_NOTICE_HOURS,
    parse_starts,
)
from agency_site.features.booking.schedule.slots import booking_policy
from agency_site.form_input import InputModel, line, parse_date, parse_moment

SCHEDULE_REASON_LENGTH = 200


def _parse_schedule_reason(value: object) -> str:
    return line(value, "The reason", SCHEDULE_REASON_LENGTH)


def _parse_moment(value: object) -> datetime:
    return value if isinstance(value, datetime) else parse_moment(value).astimezone(UTC)


def _parse_times(value: object) -> tuple[time, ...]:
    """Parse starts that are separated by spaces or commas."""
    texts = re.split(r"[\s,;]+", clean_number(value)) if isinstance(value, str) else ()
    return parse_starts((text for text in texts if text), booking_policy().length)


def _parse_optional_number(value: object, *, least: int, most: int) -> int | None:
    """Return a whole number in the range. None for an empty field."""
    text = clean_number(value) if isinstance(value, str) else "" if value is None else str(value)
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,3}", text) or not least <= int(text) <= most:
        raise ValueError(f"Please enter a number from {least} to {most}, or leave the field empty.")
    return int(text)


def _parse_holidays(value: object) -> bool | None:
    return value if isinstance(value, bool) else {"closed": True, "open": False}.get(str(value))


_Moment = Annotated[datetime, BeforeValidator(_parse_moment)]

_ScheduleReason = Annotated[str, BeforeValidator(_parse_schedule_reason)]

_Capacity = Annotated[
    int | None, BeforeValidator(partial(_parse_optional_number, least=1, most=MAX_CAPACITY))
]

_NoticeHours = Annotated[
    int | None, BeforeValidator(partial(_parse_optional_number, least=0, most=MAX_NOTICE_HOURS))
]

_BufferMinutes = Annotated[
    int | None, BeforeValidator(partial(_parse_optional_number, least=0, most=MAX_BUFFER_MINUTES))
]

_DailyLimit = Annotated[
    int | None, BeforeValidator(partial(_parse_optional_number, least=1, most=MAX_DAILY_LIMIT))
]


class BlackoutRequest(InputModel):
    """A period to block."""

    starts_at: _Moment
    ends_at: _Moment
    reason: _ScheduleReason = ""


class ScheduleExceptionRequest(InputModel):
    """The hours of one date. Times and capacity of a closed day are ignored."""

    day: Annotated[date, BeforeValidator(parse_date)]
    closed: Annotated[bool, BeforeValidator(lambda value: value in (True, "closed"))] = Field(
        default=False, alias="state"
    )
    times: Annotated[tuple[time, ...], BeforeValidator(_parse_times)] = ()
    capacity: _Capacity = None
    reason: _ScheduleReason = ""

    @model_validator(mode="before")
    @classmethod
    def _drop_hours_of_closed_day(cls, fields: Any) -> Any:
        if isinstance(fields, dict) and fields.get("state") == "closed":
            return {name: value for name, value in fields.items() if name not in ("times", "capacity")}
        return fields


class PolicyOverridesRequest(InputModel):
    """The values that override the settings. None leaves the setting."""

    capacity: _Capacity = Field(default=None, alias="usual")
    closed_on_holidays: Annotated[bool | None, BeforeValidator(_parse_holidays)] = Field(
        default=None, alias="holidays"
    )
    notice_hours: _NoticeHours = None
    buffer_minutes: _BufferMinutes = None
    daily_limit: _DailyLimit = None
