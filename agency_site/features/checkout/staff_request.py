"""What staff type about orders and payments: parsed and validated, with one plain message per field."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import BeforeValidator, ValidationInfo, field_validator

from agency_site.characters import (
    clean_amount,
    clean_number,
    clean_value,
    compact_code,
    plain_dashes,
    trim_punctuation,
)
from agency_site.clock import now
from agency_site.content.course_schema import Course
from agency_site.content.courses import course_by_slug
from agency_site.errors import FieldError, InputRejected
from agency_site.features.checkout.request import (
    COUPON_LENGTH,
    NAME_LENGTH,
    REFERENCE_LENGTH,
    CompanyName,
    CompanyPin,
    check_company,
    read_coupon_code,
)
from agency_site.features.checkout.rules import (
    MOST_PERCENT,
    Discount,
    PaymentKind,
    PaymentState,
    parse_payer_phone,
)
from agency_site.form_input import (
    CLIENTS,
    ClientAddress,
    ClientNumber,
    Typed,
    email_address,
    field_text,
    line,
    name_line,
    parse_moment,
    person_name,
    read_form,
    whole_number,
)
from agency_site.ids import parse_reference
from agency_site.pdf.wide_fonts import check_printable

REASON_LENGTH, NOTE_LENGTH, REFUND_LENGTH, RECEIPT_LENGTH = 400, 4_000, 40, 32
AMOUNT_LENGTH, AMOUNT_DIGITS = 20, 9
_RECEIPT = re.compile(r"[A-Z0-9]{10}")
_REFERENCE = re.compile(r"[A-Z0-9][A-Z0-9 ./-]*")


def _first_name(value: object) -> str:
    what = "The first name"
    return check_printable(person_name(value, what, NAME_LENGTH, "Please enter the first name."), what)


def _last_name(value: object) -> str:
    what = "The last name"
    name = check_printable(name_line(value, what, NAME_LENGTH), what)
    return name if trim_punctuation(name) else ""


class Contact(Typed):
    """The contact of an order, as staff edit it."""

    first_name: Annotated[str, BeforeValidator(_first_name)]
    last_name: Annotated[str, BeforeValidator(_last_name)] = ""
    """Empty: the person has one name."""
    email: ClientAddress
    phone: ClientNumber
    company_name: CompanyName = ""
    company_pin: CompanyPin = ""


def _parse_choice(value: object) -> tuple[Course, str]:
    slug, _, run = value.partition(" ") if isinstance(value, str) else ("", "", "")
    course = course_by_slug(slug)
    if course is None or course.free:
        raise ValueError("Please choose a course that has a price.")
    return course, parse_run(run)


_MOST_PLACES = 9_999


def _parse_places(value: object) -> int:
    return whole_number(value, _MOST_PLACES, "Please enter how many places.")


def _parse_coupon_code(value: object) -> str:
    return read_coupon_code(line(value, "The code", COUPON_LENGTH))


class ChargeRequest(Contact):
    """What a client buys, as staff type it."""

    choice: Annotated[tuple[Course, str], BeforeValidator(_parse_choice)]
    """The course and, if one is chosen, the reference of its run: the slug, a space and the reference."""
    quantity: Annotated[int, BeforeValidator(_parse_places)]
    coupon: Annotated[str, BeforeValidator(_parse_coupon_code)] = ""


_CODE = re.compile(r"[A-Z0-9][A-Z0-9-]{2,19}")
_MOST_USES = 100_000


def _parse_code(value: object) -> str:
    typed = read_coupon_code(value) if isinstance(value, str) else ""
    if not _CODE.fullmatch(typed):
        raise ValueError("A code has 3 to 20 letters, digits and dashes.")
    return typed


def _parse_discount(value: object) -> Discount:
    typed = clean_number(value) if isinstance(value, str) else ""
    typed = clean_amount(typed) if not typed.endswith("%") else "".join(typed.split())
    number = typed.removesuffix("%")
    if not (number.isascii() and number.isdecimal() and len(number) <= AMOUNT_DIGITS and int(number)):
        raise ValueError("Please enter a percentage such as 10%, or whole shillings such as 1,500.")
    if not typed.endswith("%"):
        return Discount(None, int(number))
    if int(number) > MOST_PERCENT:
        raise ValueError(f"At most {MOST_PERCENT}%.")
    return Discount(int(number), None)


def _parse_coupon_course(value: object) -> str:
    if value not in (None, "") and (not isinstance(value, str) or course_by_slug(value) is None):
        raise ValueError("Please choose a course.")
    return str(value or "")


def parse_run(value: object) -> str:
    return parse_reference(line(value, "The reference", REFERENCE_LENGTH))


def _parse_optional_moment(value: object) -> datetime | None:
    return None if value in (None, "") else parse_moment(value)


def _parse_uses(value: object) -> int | None:
    typed = clean_number(value) if isinstance(value, str) else ""
    message = f"A number of uses from 1 to {_MOST_USES:,}, or nothing."
    return whole_number(typed, _MOST_USES, message) if typed else None


class CouponRequest(Typed):
    """A coupon as staff type it."""

    code: Annotated[str, BeforeValidator(_parse_code)]
    discount: Annotated[Discount, BeforeValidator(_parse_discount)]
    course_slug: Annotated[str, BeforeValidator(_parse_coupon_course)] = ""
    run_reference: Annotated[str, BeforeValidator(parse_run)] = ""
    valid_from: Annotated[datetime | None, BeforeValidator(_parse_optional_moment)] = None
    valid_until: Annotated[datetime | None, BeforeValidator(_parse_optional_moment)] = None
    uses: Annotated[int | None, BeforeValidator(_parse_uses)] = None

    @field_validator("valid_until")
    @classmethod
    def _ends_after_it_begins(cls, until: datetime | None, others: ValidationInfo) -> datetime | None:
        begins = others.data.get("valid_from")
        if begins and until and begins >= until:
            raise ValueError("The coupon must end after it begins.")
        return until


@dataclass(frozen=True)
class ReviewDecision:
    """What staff found out about a payment under review."""

    outcome: PaymentState
    """Paid, or failed: no money for this order."""
    reason: str
    receipt: str
    """M-Pesa's receipt number; empty unless paid, and where the payment has one."""
    paid_at: datetime | None = None
    """When the payer paid; none: that is not known."""


@dataclass(frozen=True)
class ManualPayment:
    """Money for an order that came without a prompt of ours."""

    kind: PaymentKind
    amount: int
    """Whole shillings."""
    receipt: str
    """M-Pesa's receipt number, the bank's reference or the number of our own receipt for cash."""
    paid_at: datetime
    note: str = ""
    """Why another amount than the order lacks is accepted, or anything else; empty: nothing."""
    in_full: bool = False
    """Less than the order lacks is accepted as all of it."""


@dataclass(frozen=True)
class Refund:
    """How staff returned money of a payment, outside of this site."""

    reference: str
    reason: str
    amount: int | None = None
    """Whole shillings; none: all that is left of the payment."""
    returned_at: datetime | None = None
    """On which day reports count it; none: now."""


def read_contact(form: Mapping[str, str]) -> Contact:
    """The contact that staff typed. Raises InputRejected naming each field at fault."""
    contact = read_form(Contact, form, "Please check the contact's details.")
    check_company(contact.company_name, contact.company_pin, fields=("company_name", "company_pin"))
    return contact


def read_charge(form: Mapping[str, str]) -> ChargeRequest:
    """What a client buys. Raises InputRejected naming each field at fault."""
    charge = read_form(ChargeRequest, form)
    check_company(charge.company_name, charge.company_pin, fields=("company_name", "company_pin"))
    return charge


def read_decision(form: Mapping[str, str]) -> ReviewDecision:
    """The decision about a payment, which may have a receipt. Raises InputRejected for `outcome`, `reason` or `receipt`."""
    chosen = form.get("outcome", "")
    if chosen not in (PaymentState.PAID, PaymentState.FAILED):
        raise reject("outcome", "Please say whether the payment was received.")
    outcome, reason = PaymentState(chosen), read_reason(form)
    typed = outcome is PaymentState.PAID and compact_code(form.get("receipt", ""))
    receipt = read_receipt_number(form) if typed else ""
    return ReviewDecision(outcome, reason, receipt)


MANUAL_KINDS = (PaymentKind.PAYBILL, PaymentKind.CASH, PaymentKind.BANK)


def read_manual_payment(form: Mapping[str, str]) -> ManualPayment:
    """The payment. Raises InputRejected for `kind`, `amount`, `receipt`, `paid_at` or `note`."""
    if form.get("kind", "") not in MANUAL_KINDS:
        raise reject("kind", "Please say how the money came.")
    kind = PaymentKind(form["kind"])
    amount = read_amount(form, "amount")
    receipt = read_receipt_number(form) if kind is PaymentKind.PAYBILL else _read_own_receipt(form)
    return ManualPayment(
        kind, amount, receipt, read_past(form, "paid_at"), read_optional_note(form), read_in_full(form)
    )


def _read_own_receipt(form: Mapping[str, str]) -> str:
    ask = "Please enter the bank's reference, or the number of your receipt."
    return read_own_reference(form, "receipt", RECEIPT_LENGTH, ask)


_LONG_AGO = timedelta(days=366)
"""A mistyped year would change a report that is long closed."""


def read_past(form: Mapping[str, str], name: str) -> datetime:
    try:
        at = parse_moment(form.get(name, ""))
    except ValueError as invalid:
        raise reject(name, str(invalid)) from None
    if at > now():
        raise reject(name, "This moment is still to come.")
    if at < now() - _LONG_AGO:
        raise reject(name, "This is more than a year ago. Please check the year.")
    return at


def read_optional_note(form: Mapping[str, str]) -> str:
    """A note that may be missing. Raises InputRejected for the field `note`."""
    return " ".join(field_text(form.get("note", ""), "note", "The note", REASON_LENGTH).split())


def read_in_full(form: Mapping[str, str]) -> bool:
    """Whether staff accept the amount as all that the order lacks."""
    return form.get("in_full", "") != ""


def read_payer(form: Mapping[str, str]) -> str:
    """The phone for a new prompt, in twelve digits; empty: that of the last one. Raises InputRejected for the field `phone`."""
    typed = clean_value(form.get("phone", ""))
    try:
        return parse_payer_phone(typed) if typed else ""
    except InputRejected as rejected:
        raise reject("phone", rejected.errors[0].message) from None


def read_order_reference(form: Mapping[str, str]) -> str:
    """The order that staff name. Raises InputRejected for the field `order`."""
    ask = "Please enter the order's reference."
    return parse_reference(read_reference(form, "order", REFERENCE_LENGTH, ask))


def read_refund(form: Mapping[str, str]) -> Refund:
    """The refund. Raises InputRejected for `refund_amount`, `refund_reference`, `returned_at` or `reason`.

    The reference, of M-Pesa's reversal or a bank's transfer, is stored in capitals.
    """
    amount = read_amount(form, "refund_amount") if clean_number(form.get("refund_amount", "")) else None
    ask = "Please enter the refund's reference."
    reference = read_own_reference(form, "refund_reference", REFUND_LENGTH, ask)
    returned_at = read_past(form, "returned_at") if form.get("returned_at") else None
    return Refund(reference, read_reason(form), amount, returned_at)


def read_amount(form: Mapping[str, str], field: str) -> int:
    """An amount from one shilling on, as people write it. Raises InputRejected for the field."""
    typed = clean_amount(form.get(field, ""))
    if not (typed.isascii() and typed.isdecimal() and len(typed) <= AMOUNT_DIGITS and int(typed)):
        raise reject(field, "Please enter whole shillings, such as 5,000.")
    return int(typed)


def read_receipt_number(form: Mapping[str, str]) -> str:
    """M-Pesa's receipt number: ten capital letters and digits (daraja.md, section 3.1); spaces and case are corrected.

    Raises InputRejected for the field `receipt`.
    """
    number = compact_code(form.get("receipt", ""))
    if not _RECEIPT.fullmatch(number):
        raise reject("receipt", "An M-Pesa receipt has ten letters and digits, such as UKA1B2C3D4.")
    return number


def read_reason(form: Mapping[str, str]) -> str:
    """Why staff decide as they do. Raises InputRejected for the field `reason`."""
    ask = "Please give the reason: it is kept with the payment."
    return read_line(form, "reason", "The reason", REASON_LENGTH, ask)


def read_closing_note(form: Mapping[str, str]) -> str:
    """The explanation of a discrepancy. Raises InputRejected for the field `note`."""
    ask = "Please explain the discrepancy: the note is kept in the report."
    return read_line(form, "note", "The note", REASON_LENGTH, ask)


def read_note(form: Mapping[str, str]) -> str:
    """A note about an order. Raises InputRejected for the field `note`."""
    return field_text(form.get("note", ""), "note", "The note", NOTE_LENGTH, "Please write the note.")


def read_address(form: Mapping[str, str]) -> str:
    """Another e-mail address for a mail; empty where none was typed. Raises InputRejected for the field `address`."""
    typed = form.get("address", "")
    if not clean_value(typed):
        return ""
    try:
        return email_address(typed, CLIENTS)
    except ValueError as invalid:
        raise reject("address", str(invalid)) from None


def read_reference(form: Mapping[str, str], field: str, limit: int, ask: str) -> str:
    cleaned = {field: plain_dashes(clean_value(form.get(field, "")))}
    return read_line(cleaned, field, "The reference", limit, ask).upper()


def read_own_reference(form: Mapping[str, str], field: str, limit: int, ask: str) -> str:
    """Return the reference of a bank, of M-Pesa or of our own, in capitals. Raises InputRejected for the field."""
    reference = read_reference(form, field, limit, ask)
    if not _REFERENCE.fullmatch(reference):
        raise reject(field, "A reference has letters, digits, spaces, dots, dashes and slashes only.")
    return reference


def read_line(form: Mapping[str, str], field: str, what: str, limit: int, ask: str) -> str:
    return " ".join(field_text(form.get(field, ""), field, what, limit, ask).split())


def reject(field: str, message: str) -> InputRejected:
    """Input that does not fit, for one field."""
    return InputRejected(message, (FieldError(field, message),))
