"""Rules of refunds and reversals."""

from datetime import timedelta
from enum import StrEnum

from agency_site.features.checkout.payments.rules import (
    THROUGH_MPESA,
    PaymentKind,
    PaymentState,
    has_arrived,
)

RESULT_WITHIN = timedelta(minutes=15)
"""The time after which staff are asked to find out a missing result."""


class ReversalState(StrEnum):
    """State of a reversal, M-Pesa's refund of a payment."""

    CREATED = "created"
    """The request is being sent, or its process was killed meanwhile."""
    PENDING = "pending"
    """M-Pesa has accepted the request."""
    UNKNOWN = "unknown"
    """M-Pesa may have refunded the payment: staff find out."""
    DONE = "done"
    FAILED = "failed"
    """Nothing was refunded."""


OPEN_REVERSALS = frozenset({ReversalState.CREATED, ReversalState.PENDING, ReversalState.UNKNOWN})
"""States in which M-Pesa may refund the payment. A unique index allows each payment one such reversal."""


def can_be_returned(kind: PaymentKind, state: PaymentState, receipt: str | None, refunded: int) -> bool:
    """Return whether M-Pesa can refund a payment: it came through M-Pesa, and no part of it was refunded."""
    through_mpesa = kind in THROUGH_MPESA and bool(receipt)
    return through_mpesa and has_arrived(kind, state) and not refunded
