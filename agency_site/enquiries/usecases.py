"""Taking in what visitors write."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from agency_site.enquiries.request import ContactMessage, PlanSignup
from agency_site.errors import rejection

CHECK_FIELDS = "Please check the marked fields."

Enquiry = TypeVar("Enquiry", bound=BaseModel)


def take_message(form: Mapping[str, Any]) -> ContactMessage:
    """The message that was typed into the contact form. Raises InputRejected with one message per field at fault."""
    return _taken(ContactMessage, form)


def take_signup(form: Mapping[str, Any]) -> PlanSignup:
    """The sign-up that was typed into the plan form. Raises InputRejected with one message per field at fault."""
    return _taken(PlanSignup, form)


def _taken(shape: type[Enquiry], form: Mapping[str, Any]) -> Enquiry:
    try:
        return shape.model_validate(dict(form))
    except ValidationError as invalid:
        raise rejection(CHECK_FIELDS, invalid) from None
