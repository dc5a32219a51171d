"""The form of a consultant, parsed and validated, with one error message per field."""

from calendar import day_name
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from agency_site.characters import is_blank, plain_dashes
from agency_site.features.booking.consultants.rules import Way
from agency_site.features.booking.schedule.persons import parse_opening
from agency_site.form_input import (
    NAME_LENGTH,
    InputModel,
    email_address,
    line,
    machine_line,
    person_name,
)

LINK_LENGTH = 500
WEEKDAYS = tuple(name.lower() for name in day_name)
"""The fields of the person's own hours, Monday first."""


def _parse_name(value: object) -> str:
    return person_name(value, "The name", NAME_LENGTH, "Please enter the person's name.")


def _parse_optional_email(value: object) -> str:
    return "" if isinstance(value, str) and is_blank(value) else email_address(value, "the person's")


def _parse_link(value: object) -> str:
    address = machine_line(value, "The address of the meeting room", LINK_LENGTH)
    if not address:
        return ""
    try:
        parts = urlsplit(address)
        is_usable = parts.scheme == "https" and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        is_usable = False
    if not is_usable or " " in address or "\\" in address:
        raise ValueError("Please enter an address that begins with https://, or leave it empty.")
    return address


def _parse_hours(value: object) -> str:
    opening = parse_opening(plain_dashes(line(value, "The hours", 40)).replace(" ", ""))
    return f"{opening.opens:%H:%M}-{opening.closes:%H:%M}" if opening else ""


def _parse_tick(value: object) -> bool:
    return value is True or (isinstance(value, str) and value not in ("", "false"))


_Hours = Annotated[str, BeforeValidator(_parse_hours)]
_Tick = Annotated[bool, BeforeValidator(_parse_tick)]


class ConsultantRequest(InputModel):
    """A person who takes consultations. Without hours on any day, the person works in all business hours."""

    name: Annotated[str, BeforeValidator(_parse_name)]
    email: Annotated[str, BeforeValidator(_parse_optional_email)] = ""
    video_link: Annotated[str, BeforeValidator(_parse_link)] = ""
    phone: _Tick = False
    karen: _Tick = False
    video: _Tick = Field(default=False, validate_default=True)
    monday: _Hours = ""
    tuesday: _Hours = ""
    wednesday: _Hours = ""
    thursday: _Hours = ""
    friday: _Hours = ""
    saturday: _Hours = ""
    sunday: _Hours = ""

    @field_validator("video")
    @classmethod
    def _require_way(cls, video: Any, others: ValidationInfo) -> Any:
        if not (video or others.data.get("phone") or others.data.get("karen")):
            raise ValueError("Please choose at least one way to meet clients.")
        return video

    def columns(self) -> dict[str, Any]:
        """Return the values by column of the table."""
        hours = {str(number): getattr(self, day) for number, day in enumerate(WEEKDAYS)}
        return {
            "name": self.name,
            "email": self.email,
            "video_link": self.video_link,
            "ways": " ".join(way for way in Way if getattr(self, way)),
            "hours": {number: opening for number, opening in hours.items() if opening},
        }
