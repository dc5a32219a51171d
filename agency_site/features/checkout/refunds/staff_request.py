"""The form for a refund, parsed and validated, with one plain message per field."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from agency_site.characters import clean_number
from agency_site.features.checkout.orders.staff_request import (
    REFUND_LENGTH,
    read_amount,
    read_own_reference,
    read_past,
    read_reason,
)


@dataclass(frozen=True)
class Refund:
    """A refund that staff have made outside of this site."""

    reference: str
    reason: str
    amount: int | None = None
    """Whole shillings; None for the rest of the payment."""
    returned_at: datetime | None = None
    """The time of the refund, for the reports of that day; None for now."""


def read_refund_reference(form: Mapping[str, str]) -> str:
    """Return the reference of a refund in capitals. Raises InputRejected for `refund_reference`."""
    ask = "Please enter the refund's reference."
    return read_own_reference(form, "refund_reference", REFUND_LENGTH, ask)


def read_refund(form: Mapping[str, str]) -> Refund:
    """Return the refund. Raises InputRejected for `refund_amount`, `refund_reference`, `returned_at` or `reason`.

    The reference of M-Pesa's reversal or a bank transfer is stored in capitals.
    """
    amount = read_amount(form, "refund_amount") if clean_number(form.get("refund_amount", "")) else None
    reference = read_refund_reference(form)
    returned_at = read_past(form, "returned_at") if form.get("returned_at") else None
    return Refund(reference, read_reason(form), amount, returned_at)
