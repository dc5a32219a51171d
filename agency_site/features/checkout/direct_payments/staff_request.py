"""The form for a payment without a prompt, parsed and validated, with one plain message per field."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from agency_site.errors import reject
from agency_site.features.checkout.orders.staff_request import (
    REASON_LENGTH,
    RECEIPT_LENGTH,
    read_amount,
    read_own_reference,
    read_past,
    read_receipt_number,
)
from agency_site.features.checkout.payments.rules import BY_HAND, THROUGH_MPESA, PaymentKind
from agency_site.form_input import field_text


@dataclass(frozen=True)
class ManualPayment:
    """Money for an order that came without a prompt."""

    kind: PaymentKind
    amount: int
    """Whole shillings."""
    receipt: str
    """M-Pesa's receipt number, the bank's reference or the number of our own receipt for cash."""
    paid_at: datetime
    note: str = ""
    """The reason why another amount than the balance is accepted, or any other note; may be empty."""
    in_full: bool = False
    """Less than the balance is accepted as the full price."""


MANUAL_KINDS = tuple(kind for kind in PaymentKind if kind in BY_HAND)


def read_manual_payment(form: Mapping[str, str]) -> ManualPayment:
    """Return the payment. Raises InputRejected for `kind`, `amount`, `receipt`, `paid_at` or `note`."""
    if form.get("kind", "") not in MANUAL_KINDS:
        raise reject("kind", "Please choose how the money was received.")
    kind = PaymentKind(form["kind"])
    amount = read_amount(form, "amount")
    receipt = read_receipt_number(form) if kind in THROUGH_MPESA else _read_own_receipt(form)
    return ManualPayment(
        kind, amount, receipt, read_past(form, "paid_at"), read_optional_note(form), read_in_full(form)
    )


def _read_own_receipt(form: Mapping[str, str]) -> str:
    ask = "Please enter the bank's reference, or the number of your receipt."
    return read_own_reference(form, "receipt", RECEIPT_LENGTH, ask)


def read_optional_note(form: Mapping[str, str]) -> str:
    """Return a note, which may be empty. Raises InputRejected for the field `note`."""
    return " ".join(field_text(form.get("note", ""), "note", "The note", REASON_LENGTH).split())


def read_in_full(form: Mapping[str, str]) -> bool:
    """Return whether staff accept the amount as the full price."""
    return form.get("in_full", "") != ""
