"""Names and addresses of learners as buyers and staff enter them."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Annotated

from pydantic import BeforeValidator

from agency_site.characters import is_blank
from agency_site.errors import FieldError, InputRejected
from agency_site.features.academy.learners.rules import LearnerChange
from agency_site.form_input import CHECK_FIELDS, InputModel, email_address, full_name, read_form
from agency_site.pdf.wide_fonts import check_printable

_LEARNERS = "the learner's"

_TWICE = "Another place already has this address: each learner needs their own."


def _learner_name(value: object) -> str:
    return check_printable(full_name(value, _LEARNERS), f"{_LEARNERS.capitalize()} name")


class LearnerRequest(InputModel):
    """Name and address of the person who takes a place."""

    fullname: Annotated[str, BeforeValidator(_learner_name)]
    email: Annotated[str, BeforeValidator(partial(email_address, whose=_LEARNERS))]


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


def parse_learners(form: Mapping[str, str], numbers: Iterable[int]) -> dict[int, LearnerRequest | None]:
    """Return the learners that the form has for places of these numbers. A place without a name has None.

    Raises InputRejected with one message for each field that is wrong.
    """
    learners: dict[int, LearnerRequest | None] = {}
    errors: list[FieldError] = []
    for number in numbers:
        if not {name_field(number), email_field(number)} & form.keys():
            continue
        entered = {"fullname": form.get(name_field(number), ""), "email": form.get(email_field(number), "")}
        try:
            learners[number] = (
                read_form(LearnerRequest, entered) if not all(map(is_blank, entered.values())) else None
            )
        except InputRejected as rejected:
            fields = {"fullname": name_field(number), "email": email_field(number)}
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
