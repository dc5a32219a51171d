"""The form for a decision about a payment, parsed and validated, with one plain message per field."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from agency_site.characters import compact_code
from agency_site.errors import reject
from agency_site.features.checkout.orders.staff_request import read_reason, read_receipt_number
from agency_site.features.checkout.payments.rules import PaymentState


@dataclass(frozen=True)
class ReviewDecision:
    """The decision of staff about a payment under review."""

    outcome: PaymentState
    """Paid, or failed if there is no money for this order."""
    reason: str
    receipt: str
    """M-Pesa's receipt number; empty if the payment has one already, or was not paid."""
    paid_at: datetime | None = None
    """The time of the payment; None if unknown."""


def read_decision(form: Mapping[str, str]) -> ReviewDecision:
    """Return the decision about a payment. Raises InputRejected for `outcome`, `reason` or `receipt`."""
    chosen = form.get("outcome", "")
    if chosen not in (PaymentState.PAID, PaymentState.FAILED):
        raise reject("outcome", "Please say whether the payment was received.")
    outcome, reason = PaymentState(chosen), read_reason(form)
    has_receipt = outcome is PaymentState.PAID and compact_code(form.get("receipt", ""))
    receipt = read_receipt_number(form) if has_receipt else ""
    return ReviewDecision(outcome, reason, receipt)
