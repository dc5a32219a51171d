"""What staff decide about a payment: parsed and validated, with one plain message per field."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from agency_site.characters import compact_code
from agency_site.features.checkout.orders.staff_request import read_reason, read_receipt_number, reject
from agency_site.features.checkout.payments.rules import PaymentState


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


def read_decision(form: Mapping[str, str]) -> ReviewDecision:
    """The decision about a payment, which may have a receipt. Raises InputRejected for `outcome`, `reason` or `receipt`."""
    chosen = form.get("outcome", "")
    if chosen not in (PaymentState.PAID, PaymentState.FAILED):
        raise reject("outcome", "Please say whether the payment was received.")
    outcome, reason = PaymentState(chosen), read_reason(form)
    typed = outcome is PaymentState.PAID and compact_code(form.get("receipt", ""))
    receipt = read_receipt_number(form) if typed else ""
    return ReviewDecision(outcome, reason, receipt)
