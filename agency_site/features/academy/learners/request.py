"""Names and addresses of learners as buyers and staff enter them."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Annotated

from pydantic import BeforeValidator

from agency_site.characters import is_blank
from agency_site.errors import FieldError, InputRejected
from agency_site.features.academy.learners.rules import LearnerChange
from agency_site.form_input import (
    CHECK_FIELDS,
    InputModel,
    TextReminders,
    email_address,
    full_name,
    parse_optional_phone,
    read_form,
)
from agency_site.pdf.wide_fonts import check_printable

_LEARNERS = "the learner's"

_TWICE = "Another place already has this address: each learner needs their own."


def _learner_name(value: object) -> str:
    return check_printable(full_name(value, _LEARNERS), f"{_LEARNERS.capitalize()} name")


class LearnerRequest(InputModel):
    """Name and address of the person who takes a place."""

    fullname: Annotated[str, BeforeValidator(_learner_name)]
    email: Annotated[str, BeforeValidator(partial(email_address, whose=_LEARNERS))]
    phone: Annotated[str, BeforeValidator(partial(parse_optional_phone, whose=_LEARNERS))] = ""
    """In E.164; empty if the learner wants no text messages."""
    sms_reminders: TextReminders = False


def _parse_change(value: object) -> LearnerChange:
    if not isinstance(value, str) or value not in list(LearnerChange):
        raise ValueError("Please choose whether it is the same person.")
    return LearnerChange(value)


class LearnerEdit(LearnerRequest):
    """The learner of a place as staff enter them, and what kind of change it is."""

    change: Annotated[LearnerChange, BeforeValidator(_parse_change)]


def name_field(number: int) -> str:
    """Return the name of the form field for the learner's name in the place of that number."""
    return f"name-{number}"


def email_field(number: int) -> str:
    """Return the name of the form field for the learner's e-mail address."""
    return f"email-{number}"


def phone_field(number: int) -> str:
    """Return the name of the form field for the learner's phone number."""
    return f"phone-{number}"


def reminders_field(number: int) -> str:
    """Return the name of the tick box for reminders by SMS."""
    return f"sms-{number}"


def parse_learners(form: Mapping[str, str], numbers: Iterable[int]) -> dict[int, LearnerRequest | None]:
    """Return the learners that the form has for places of these numbers. A place without a name has None.

    Raises InputRejected with one message for each field that is wrong.
    """
    learners: dict[int, LearnerRequest | None] = {}
    errors: list[FieldError] = []
    for number in numbers:
        fields = {"fullname": name_field(number), "email": email_field(number), "phone": phone_field(number)}
        if not set(fields.values()) & form.keys():
            continue
        entered = {name: form.get(field, "") for name, field in fields.items()}
        # Without a learner the tick alone means nothing.
        is_empty = all(map(is_blank, entered.values()))
        entered["sms_reminders"] = form.get(reminders_field(number), "")
        try:
            learners[number] = None if is_empty else read_form(LearnerRequest, entered)
        except InputRejected as rejected:
            fields["sms_reminders"] = reminders_field(number)
            errors += (FieldError(fields[error.field], error.message) for error in rejected.errors)
    if errors:
        raise InputRejected(CHECK_FIELDS, tuple(errors))
    return learners


def reject_repeated(addresses: Mapping[int, str]) -> None:
    """Raise InputRejected if two places have the same address. `addresses` has those of all places, by number."""
    first = {
        address.lower(): number for number, address in sorted(addresses.items(), reverse=True) if address
    }
    twice = [
        FieldError(email_field(number), _TWICE)
        for number, address in addresses.items()
        if address and first[address.lower()] != number
    ]
    if twice:
        raise InputRejected(CHECK_FIELDS, tuple(twice))
