"""Rules of refunds and reversals."""

from enum import StrEnum

from agency_site.features.checkout.payments.rules import PaymentKind, PaymentState, is_money_here


class ReversalState(StrEnum):
    """State of a reversal: M-Pesa's return of a payment."""

    CREATED = "created"
    """The request is on its way, or was when its process ended."""
    PENDING = "pending"
    """M-Pesa has accepted the request."""
    UNKNOWN = "unknown"
    """M-Pesa may have returned the payment: staff find out."""
    DONE = "done"
    FAILED = "failed"
    """Nothing was returned."""


OPEN_REVERSALS = frozenset({ReversalState.CREATED, ReversalState.PENDING, ReversalState.UNKNOWN})
"""The payment may be on its way back. The database allows a payment one of them."""


def can_be_returned(kind: PaymentKind, state: PaymentState, receipt: str | None, refunded: int) -> bool:
    """Whether M-Pesa can return a payment: it came through M-Pesa, and all of it is still here."""
    through_mpesa = kind in (PaymentKind.PROMPT, PaymentKind.PAYBILL) and bool(receipt)
    return through_mpesa and is_money_here(kind, state) and not refunded
