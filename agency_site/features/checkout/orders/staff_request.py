"""Forms of staff about orders and payments, parsed and validated, with one plain message per field."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationInfo

from agency_site.characters import clean_amount, clean_value, compact_code, plain_dashes
from agency_site.clock import now
from agency_site.errors import InputRejected, reject
from agency_site.features.checkout.orders.request import (
    NAME_LENGTH,
    REFERENCE_LENGTH,
    CompanyName,
    CompanyPin,
    check_company,
    parse_last_name,
)
from agency_site.features.checkout.orders.rules import parse_payer_phone
from agency_site.form_input import (
    CLIENTS,
    ClientAddress,
    ClientNumber,
    InputModel,
    Tick,
    email_address,
    field_text,
    line,
    parse_moment,
    person_name,
    read_form,
)
from agency_site.ids import parse_reference
from agency_site.pdf.wide_fonts import check_printable

REASON_LENGTH, NOTE_LENGTH, REFUND_LENGTH, RECEIPT_LENGTH = 400, 4_000, 40, 32

AMOUNT_LENGTH, AMOUNT_DIGITS = 20, 9

_RECEIPT = re.compile(r"[A-Z0-9]{10}")

_RECEIPT_IN_TEXT = re.compile(r"\b(?=[A-Z]*[0-9])[A-Z][A-Z0-9]{9}\b")
"""A receipt beside other words: it begins with a letter, unlike phone numbers, and has a digit, unlike words."""

_REFERENCE = re.compile(r"[A-Z0-9][A-Z0-9 ./-]*")


def _parse_first_name(value: object) -> str:
    what = "The first name"
    return check_printable(person_name(value, what, NAME_LENGTH, "Please enter the first name."), what)


CLIENT_HAS_ONE_NAME = "The client has one name"
"""The label of the tick box with which staff leave the last name empty."""


def _parse_last_name(value: object, fields: ValidationInfo) -> str:
    return parse_last_name(value, fields, "The last name", "Please enter the last name", CLIENT_HAS_ONE_NAME)


class Contact(InputModel):
    """The contact of an order as staff enter it."""

    first_name: Annotated[str, BeforeValidator(_parse_first_name)]
    one_name: Annotated[Tick, Field(exclude=True)] = False
    """Whether the person has only one name. It is read before the last name, and not stored."""
    last_name: Annotated[str, BeforeValidator(_parse_last_name)] = ""
    email: ClientAddress
    phone: ClientNumber
    company_name: CompanyName = ""
    company_pin: CompanyPin = ""


def parse_run(value: object) -> str:
    return parse_reference(line(value, "The reference", REFERENCE_LENGTH))


def read_contact(form: Mapping[str, str]) -> Contact:
    """Return the contact that staff entered. Raises InputRejected with each invalid field."""
    contact = read_form(Contact, form, "Please check the contact's details.")
    check_company(contact.company_name, contact.company_pin, fields=("company_name", "company_pin"))
    return contact


_LONG_AGO = timedelta(days=366)
"""The oldest accepted age: a mistyped year would change the report of a closed year."""


def read_past(form: Mapping[str, str], name: str) -> datetime:
    try:
        at = parse_moment(form.get(name, ""))
    except ValueError as invalid:
        raise reject(name, str(invalid)) from None
    if at > now():
        raise reject(name, "This time is in the future.")
    if at < now() - _LONG_AGO:
        raise reject(name, "This is more than a year ago. Please check the year.")
    return at


def read_payer(form: Mapping[str, str]) -> str:
    """Return the phone for a new prompt in twelve digits; empty for that of the last prompt. Raises InputRejected for `phone`."""
    text = clean_value(form.get("phone", ""))
    try:
        return parse_payer_phone(text) if text else ""
    except InputRejected as rejected:
        raise reject("phone", rejected.errors[0].message) from None


def read_order_reference(form: Mapping[str, str]) -> str:
    """Return the order reference that staff entered. Raises InputRejected for the field `order`."""
    ask = "Please enter the order's reference."
    return parse_reference(read_reference(form, "order", REFERENCE_LENGTH, ask))


def read_amount(form: Mapping[str, str], field: str) -> int:
    """Return an amount of at least one shilling. Raises InputRejected for the field."""
    digits = clean_amount(form.get(field, ""))
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= AMOUNT_DIGITS and int(digits)):
        raise reject(field, "Please enter whole shillings, such as 5,000.")
    return int(digits)


def read_receipt_number(form: Mapping[str, str]) -> str:
    """Return M-Pesa's receipt number, ten capital letters and digits (daraja.md, section 3.1), without spaces.

    A pasted text, such as M-Pesa's message, may contain it once. Raises InputRejected for the field `receipt`.
    """
    text = form.get("receipt", "")
    number = compact_code(text)
    if _RECEIPT.fullmatch(number):
        return number
    numbers = set(_RECEIPT_IN_TEXT.findall(clean_value(text).upper()))
    if len(numbers) != 1:
        raise reject("receipt", "An M-Pesa receipt has ten letters and digits, such as UKA1B2C3D4.")
    return str(numbers.pop())


def read_reason(form: Mapping[str, str]) -> str:
    """Return the reason for a decision of staff. Raises InputRejected for the field `reason`."""
    ask = "Please give the reason: it is kept with the payment."
    return read_line(form, "reason", "The reason", REASON_LENGTH, ask)


def read_closing_note(form: Mapping[str, str]) -> str:
    """Return the explanation of a discrepancy. Raises InputRejected for the field `note`."""
    ask = "Please explain the discrepancy: the note is kept in the report."
    return read_line(form, "note", "The note", REASON_LENGTH, ask)


def read_note(form: Mapping[str, str]) -> str:
    """Return a note about an order. Raises InputRejected for the field `note`."""
    return field_text(form.get("note", ""), "note", "The note", NOTE_LENGTH, "Please write the note.")


def read_address(form: Mapping[str, str]) -> str:
    """Return another e-mail address for a mail; empty if none was entered. Raises InputRejected for the field `address`."""
    text = form.get("address", "")
    if not clean_value(text):
        return ""
    try:
        return email_address(text, CLIENTS)
    except ValueError as invalid:
        raise reject("address", str(invalid)) from None


def read_reference(form: Mapping[str, str], field: str, limit: int, ask: str) -> str:
    cleaned = {field: plain_dashes(clean_value(form.get(field, "")))}
    return read_line(cleaned, field, "The reference", limit, ask).upper()


def read_own_reference(form: Mapping[str, str], field: str, limit: int, ask: str) -> str:
    """Return a reference (the bank's, M-Pesa's or our own) in capitals. Raises InputRejected for the field."""
    reference = read_reference(form, field, limit, ask)
    if not _REFERENCE.fullmatch(reference):
        raise reject(field, "A reference has letters, digits, spaces, dots, dashes and slashes only.")
    return reference


def read_line(form: Mapping[str, str], field: str, what: str, limit: int, ask: str) -> str:
    return " ".join(field_text(form.get(field, ""), field, what, limit, ask).split())
