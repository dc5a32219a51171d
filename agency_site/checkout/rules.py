"""What an order and a payment may become; prices, phone numbers, the errors that a payer sees. No I/O."""

from collections.abc import Mapping
from enum import StrEnum


class PaymentState(StrEnum):
    """Where one push stands. One payment is one prompt on one phone; a retry is a new payment."""

    CREATED = "created"
    """Stored, nothing sent."""
    SENDING = "sending"
    """The request to M-Pesa is on its way; a prompt may appear at any moment."""
    PENDING = "pending"
    """M-Pesa took the request; the customer decides on the phone."""
    UNKNOWN = "unknown"
    """The request may or may not have arrived: nobody may send another until the prompt window has passed."""
    PAID = "paid"
    """The money is ours, in the right amount."""
    FAILED = "failed"
    """Refused for good, or never sent."""
    CANCELLED = "cancelled"
    """Declined on the phone."""
    EXPIRED = "expired"
    """Nobody answered in time, or M-Pesa never told how it ended."""
    NEEDS_REVIEW = "needs_review"
    """Money may have moved, but not as agreed: a person decides."""


class OrderState(StrEnum):
    """Where an order stands, over all its payments."""

    AWAITING = "awaiting"
    """A payment is open."""
    UNPAID = "unpaid"
    """The last payment ended without money; it may be tried again."""
    PAID = "paid"
    """Paid in full; the enrolment exists."""
    FREE = "free"
    """The course costs nothing; the enrolment exists."""
    NEEDS_REVIEW = "needs_review"
    """A payment waits for a person to decide."""


OPEN = frozenset(
    {PaymentState.CREATED, PaymentState.SENDING, PaymentState.PENDING, PaymentState.UNKNOWN},
)
"""A prompt may be live or about to be. The database allows an order one such payment."""

UNPAID_ENDS = frozenset({PaymentState.FAILED, PaymentState.CANCELLED, PaymentState.EXPIRED})
"""Ended without money as far as we know. A success that arrives later still wins."""

PAYMENT_STEPS: Mapping[PaymentState, frozenset[PaymentState]] = {
    PaymentState.CREATED: frozenset({PaymentState.SENDING, PaymentState.UNKNOWN, PaymentState.FAILED}),
    # A callback may be faster than our own record of the accepted push.
    PaymentState.SENDING: UNPAID_ENDS
    | {PaymentState.PENDING, PaymentState.UNKNOWN, PaymentState.PAID, PaymentState.NEEDS_REVIEW},
    PaymentState.PENDING: UNPAID_ENDS | {PaymentState.PAID, PaymentState.NEEDS_REVIEW},
    PaymentState.UNKNOWN: UNPAID_ENDS | {PaymentState.PENDING, PaymentState.PAID, PaymentState.NEEDS_REVIEW},
    PaymentState.FAILED: frozenset({PaymentState.PAID, PaymentState.NEEDS_REVIEW}),
    PaymentState.CANCELLED: frozenset({PaymentState.PAID, PaymentState.NEEDS_REVIEW}),
    PaymentState.EXPIRED: frozenset({PaymentState.PAID, PaymentState.NEEDS_REVIEW}),
    PaymentState.NEEDS_REVIEW: frozenset({PaymentState.PAID, PaymentState.FAILED}),
    PaymentState.PAID: frozenset(),
}
"""Which state may follow which (daraja.md, section 6). Nothing ever follows `paid`."""

ORDER_STEPS: Mapping[OrderState, frozenset[OrderState]] = {
    OrderState.AWAITING: frozenset({OrderState.PAID, OrderState.UNPAID, OrderState.NEEDS_REVIEW}),
    OrderState.UNPAID: frozenset({OrderState.AWAITING, OrderState.PAID, OrderState.NEEDS_REVIEW}),
    OrderState.NEEDS_REVIEW: frozenset({OrderState.PAID, OrderState.UNPAID}),
    OrderState.PAID: frozenset(),
    OrderState.FREE: frozenset(),
}
"""Which state of an order may follow which."""


def before(target: PaymentState) -> frozenset[PaymentState]:
    """The states from which a payment may become `target`: the condition of every state-changing update."""
    return frozenset(state for state, following in PAYMENT_STEPS.items() if target in following)
