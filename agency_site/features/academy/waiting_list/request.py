"""The form with which a visitor joins a waiting list."""

from typing import Annotated

from pydantic import BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel

from agency_site.features.academy.reservations.rules import MOST_WAITING_PLACES
from agency_site.form_input import (
    EmailAddress,
    FullName,
    InputModel,
    OptionalPhoneNumber,
    TextReminders,
    parse_whole_number,
)


def _parse_places(value: object) -> int:
    message = f"Please enter a number of places from 1 to {MOST_WAITING_PLACES}; for more please call us."
    return parse_whole_number(value, MOST_WAITING_PLACES, message)


class WaitingRequest(InputModel):
    """Name and address of a person who joins a waiting list."""

    model_config = ConfigDict(alias_generator=to_camel)

    full_name: FullName
    email: EmailAddress
    phone: OptionalPhoneNumber = ""
    sms_reminders: TextReminders = False
    places: Annotated[int, BeforeValidator(_parse_places)] = 1
    """Places that the person wants together."""
