"""What staff type about orders and payments: parsed, trimmed and judged, with one plain message per field."""

import re
from typing import Annotated

from pydantic import BeforeValidator

from agency_site.errors import FieldError, InputRejected
from agency_site.features.checkout.request import NAME_LENGTH
from agency_site.form_input import (
    CLIENTS,
    ClientAddress,
    ClientNumber,
    Typed,
    email_address,
    line,
    read_form,
    text,
)

REASON_LENGTH, NOTE_LENGTH, REFUND_LENGTH = 400, 4_000, 40
_RECEIPT = re.compile(r"[A-Z0-9]{10}")
_REFUND = re.compile(r"[A-Z0-9][A-Z0-9 ./-]*")


def _first_name(value: object) -> str:
    return line(value, "The first name", NAME_LENGTH, "Please enter the first name.")


def _last_name(value: object) -> str:
    return line(value, "The last name", NAME_LENGTH, "Please enter the last name.")


class Contact(Typed):
    """Who an order belongs to, as staff correct it."""

    first_name: Annotated[str, BeforeValidator(_first_name)]
    last_name: Annotated[str, BeforeValidator(_last_name)]
    email: ClientAddress
    phone: ClientNumber


def contact(first_name: str, last_name: str, email: str, phone: str) -> Contact:
    """The contact that staff typed. Raises InputRejected naming each field at fault."""
    typed = {"first_name": first_name, "last_name": last_name, "email": email, "phone": phone}
    return read_form(Contact, typed, "Please check the contact's details.")


def receipt_number(typed: str) -> str:
    """M-Pesa's receipt number: ten capital letters and digits (daraja.md, section 3.1); spaces and case are mended.

    Raises InputRejected for the field `receipt`.
    """
    found = "".join(typed.split()).upper()
    if not _RECEIPT.fullmatch(found):
        raise refused("receipt", "An M-Pesa receipt has ten letters and digits, such as UKA1B2C3D4.")
    return found


def refund_number(typed: str) -> str:
    """What the money went back under, in capitals. Raises InputRejected for the field `refund_reference`."""
    found = _line(
        "refund_reference", typed, "The reference", REFUND_LENGTH, "Please enter the refund's reference."
    )
    if not _REFUND.fullmatch(found.upper()):
        raise refused(
            "refund_reference", "A reference has letters, digits, spaces, dots, dashes and strokes only."
        )
    return found.upper()


def reason_given(typed: str) -> str:
    """Why staff decide as they do. Raises InputRejected for the field `reason`."""
    return _line("reason", typed, "The reason", REASON_LENGTH, "Please give the reason: the books keep it.")


def closing_note(typed: str) -> str:
    """What explains a difference. Raises InputRejected for the field `note`."""
    return _line("note", typed, "The note", REASON_LENGTH, "Please say what explains it: the books keep it.")


def note_text(typed: str) -> str:
    """A note about an order. Raises InputRejected for the field `text`."""
    try:
        return text(typed, "The note", NOTE_LENGTH, "Please write the note.")
    except ValueError as invalid:
        raise refused("note", str(invalid)) from None


def corrected_address(typed: str) -> str:
    """Another e-mail address for a mail. Raises InputRejected for the field `address`."""
    try:
        return email_address(typed, CLIENTS)
    except ValueError as invalid:
        raise refused("address", str(invalid)) from None


def _line(field: str, typed: str, what: str, limit: int, ask: str) -> str:
    try:
        return line(typed, what, limit, ask)
    except ValueError as invalid:
        raise refused(field, str(invalid)) from None


def refused(field: str, message: str) -> InputRejected:
    """Input that does not fit, for one field."""
    return InputRejected(message, (FieldError(field, message),))
