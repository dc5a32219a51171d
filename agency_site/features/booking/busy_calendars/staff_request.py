"""Requests of staff about busy calendars, parsed and validated, with one error message per field."""

from typing import Annotated

from pydantic import BeforeValidator

from agency_site.features.booking.busy_calendars.rules import MAX_ADDRESS, parse_calendar_address
from agency_site.form_input import InputModel, line, machine_line
from agency_site.settings import settings

NAME_LENGTH = 120


def _parse_name(value: object) -> str:
    return line(value, "The name", NAME_LENGTH, "Please enter a name, such as Google calendar of Wanjiru.")


def _parse_address(value: object) -> str:
    address = machine_line(
        value, "The address", MAX_ADDRESS, "Please enter the calendar's private iCalendar address."
    )
    return parse_calendar_address(address, allows_http=settings().calendar_loopback)


class BusyCalendarRequest(InputModel):
    """A calendar to read."""

    name: Annotated[str, BeforeValidator(_parse_name)]
    address: Annotated[str, BeforeValidator(_parse_address)]
    person: str = ""
    """The reference of the person whose consultations it closes; empty for those of all."""
