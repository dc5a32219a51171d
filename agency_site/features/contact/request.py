"""Requests of the two forms, parsed and validated, with one error message per field.

The keys are those of the specification (section 3, contact form and plan sign-up form).
"""

from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel

from agency_site.content.hosting import plans
from agency_site.features.contact.domain_names import domain_name
from agency_site.form_input import (
    NAME_LENGTH,
    EmailAddress,
    FullName,
    PhoneNumber,
    line,
    machine_line,
    person_name,
    text,
)
from agency_site.visits.request import FromVisit

SUBJECT_LENGTH, MESSAGE_LENGTH, DOMAIN_LENGTH = 160, 5000, 253


def _optional_name(value: object) -> str:
    return person_name(value, "Your name", NAME_LENGTH)


def _message(value: object) -> str:
    return text(value, "Your message", MESSAGE_LENGTH, "Please write your message.")


def _domain_type(value: object) -> object:
    if value not in ("new", "existing"):
        raise ValueError("Please say whether the domain is new or existing.")
    return value


def _domain_name(value: object) -> str:
    return domain_name(machine_line(value, "The domain name", DOMAIN_LENGTH, "Please enter the domain name."))


def _plan(value: object) -> str:
    """Return the plan's name; upper and lower case are accepted."""
    names = {plan.name.lower(): plan.name for plan in plans()}
    if not isinstance(value, str) or value.strip().lower() not in names:
        raise ValueError("Please choose one of our plans.")
    return names[value.strip().lower()]


class _Enquiry(FromVisit):
    model_config = ConfigDict(alias_generator=to_camel)


class ContactMessage(_Enquiry):
    """A message of the contact form; only the fields that a reply needs are required."""

    name: Annotated[str, BeforeValidator(_optional_name)]
    email: EmailAddress
    subject: Annotated[str, BeforeValidator(lambda value: line(value, "The subject", SUBJECT_LENGTH))]
    message: Annotated[str, BeforeValidator(_message)]


class PlanSignup(_Enquiry):
    """A sign-up for a hosting plan; every field is required (specification, section 5)."""

    full_name: FullName
    email: EmailAddress
    phone: PhoneNumber
    domain_type: Annotated[Literal["new", "existing"], BeforeValidator(_domain_type)]
    domain_name: Annotated[str, BeforeValidator(_domain_name)]
    plan: Annotated[str, BeforeValidator(_plan)]


def subject_from_address(value: str) -> str:
    """Return the subject that a link to the contact page proposes, or an empty text if it is not a short line."""
    try:
        return line(value, "The subject", SUBJECT_LENGTH)
    except ValueError:
        return ""
