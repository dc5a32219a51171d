"""The form with which a visitor registers for a webinar."""

from typing import Annotated

from pydantic import BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel

from agency_site.content.webinars import upcoming
from agency_site.form_input import (
    PHONE_LENGTH,
    EmailAddress,
    FullName,
    machine_line,
    phone_number,
)
from agency_site.visits.request import FromVisit


def _upcoming_webinar(value: object) -> str:
    if value not in [webinar.id for webinar in upcoming()]:
        raise ValueError("Please choose one of our upcoming webinars.")
    return str(value)


def _optional_phone(value: object) -> str:
    return phone_number(value) if machine_line(value, "Your phone number", PHONE_LENGTH) else ""


class RegistrationRequest(FromVisit):
    """The registration of one person for one webinar."""

    model_config = ConfigDict(alias_generator=to_camel)

    webinar: Annotated[str, BeforeValidator(_upcoming_webinar)]
    """The webinar's id in content."""
    full_name: FullName
    email: EmailAddress
    phone: Annotated[str, BeforeValidator(_optional_phone)]
