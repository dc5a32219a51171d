"""Rules of payments: their states and transitions, when a prompt may be sent again, and what decides about a silent one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum

from agency_site.errors import TooManyRequests, Unavailable, UpstreamFailed
from agency_site.features.checkout.orders.rules import PAYMENT_FAILED


class PaymentState(StrEnum):
    """State of one attempt to pay: one prompt on one phone, or money that came without one. A retry is a new payment."""

    CREATED = "created"
    """Stored, nothing sent."""
    SENDING = "sending"
    """The request to M-Pesa is on its way; a prompt may appear at any moment."""
    PENDING = "pending"
    """M-Pesa accepted the request; the customer decides on the phone."""
    UNKNOWN = "unknown"
    """The request may or may not have arrived: no other is sent before that is known."""
    PAID = "paid"
    """The money was received: all that the order lacked, or a part of it."""
    FAILED = "failed"
    """Rejected for good, or never sent."""
    CANCELLED = "cancelled"
    """Declined on the phone."""
    EXPIRED = "expired"
    """Nobody answered in time, or M-Pesa never reported a result."""
    NEEDS_REVIEW = "needs_review"
    """Revenue may have moved, but not as agreed: staff decide."""
    REFUNDED = "refunded"
    """It was paid, and staff have returned the money. The receipt stays."""


PAYMENT_STATE_NAMES: Mapping[PaymentState, str] = {
    PaymentState.CREATED: "Preparing",
    PaymentState.SENDING: "Sending",
    PaymentState.PENDING: "Prompt sent",
    PaymentState.UNKNOWN: "No response yet",
    PaymentState.PAID: "Paid",
    PaymentState.FAILED: "Failed",
    PaymentState.CANCELLED: "Cancelled",
    PaymentState.EXPIRED: "Expired",
    PaymentState.NEEDS_REVIEW: "Needs review",
    PaymentState.REFUNDED: "Refunded",
}
"""As staff read them."""


class PaymentKind(StrEnum):
    """How the money of a payment comes."""

    PROMPT = "prompt"
    """The payer answers our M-Pesa prompt."""
    PAYBILL = "paybill"
    """The payer pays to our Paybill or Till by hand."""
    CASH = "cash"
    BANK = "bank"


RECEIPT_LABELS: Mapping[PaymentKind, str] = {
    PaymentKind.PROMPT: "M-Pesa receipt",
    PaymentKind.PAYBILL: "M-Pesa receipt",
    PaymentKind.CASH: "Cash receipt",
    PaymentKind.BANK: "Bank reference",
}
"""What the `receipt` of a payment is, in words."""

OPEN = frozenset(
    {PaymentState.CREATED, PaymentState.SENDING, PaymentState.PENDING, PaymentState.UNKNOWN},
)
"""A prompt may be on the phone, now or soon. The database allows an order one such payment by prompt."""


def is_money_here(kind: PaymentKind, state: PaymentState) -> bool:
    """Whether the money of a payment surely is here, so that it can be returned.

    Under review that is only sure of money by hand, whose amount is what was received.
    """
    return state is PaymentState.PAID or (
        state is PaymentState.NEEDS_REVIEW and kind is not PaymentKind.PROMPT
    )


UNPAID_ENDS = frozenset({PaymentState.FAILED, PaymentState.CANCELLED, PaymentState.EXPIRED})
"""Ended without money as far as we know. A success that arrives later still wins."""

RECEIVED = frozenset({PaymentState.PAID, PaymentState.REFUNDED})
"""Money was received: the reconciliation report counts it on that day, also when it was refunded on a later one."""

CLOCKS_DIFFER = timedelta(minutes=10)
"""How far M-Pesa's clock and ours may be apart."""


def is_sensible_part(amount: Decimal, missing: int, price: int) -> bool:
    """Whether M-Pesa shall take a payment by hand for an order: all that is missing, or a part of a tenth of the price or more.

    A smaller part is more likely a mistake.
    """
    is_whole = amount == amount.to_integral_value()
    return is_whole and (amount == missing or Decimal(price) / 10 <= amount < missing)


PAYMENT_TRANSITIONS: Mapping[PaymentState, frozenset[PaymentState]] = {
    # Money that came without a prompt is stored and settled at once.
    PaymentState.CREATED: frozenset(
        {
            PaymentState.SENDING,
            PaymentState.UNKNOWN,
            PaymentState.FAILED,
            PaymentState.PAID,
            PaymentState.NEEDS_REVIEW,
        }
    ),
    # A callback may be faster than our own record that the prompt was accepted.
    PaymentState.SENDING: UNPAID_ENDS
    | {PaymentState.PENDING, PaymentState.UNKNOWN, PaymentState.PAID, PaymentState.NEEDS_REVIEW},
    PaymentState.PENDING: UNPAID_ENDS | {PaymentState.PAID, PaymentState.NEEDS_REVIEW},
    PaymentState.UNKNOWN: UNPAID_ENDS | {PaymentState.PENDING, PaymentState.PAID, PaymentState.NEEDS_REVIEW},
    PaymentState.FAILED: frozenset({PaymentState.PAID, PaymentState.NEEDS_REVIEW}),
    PaymentState.CANCELLED: frozenset({PaymentState.PAID, PaymentState.NEEDS_REVIEW}),
    PaymentState.EXPIRED: frozenset({PaymentState.PAID, PaymentState.NEEDS_REVIEW}),
    # Only where the review waited for what M-Pesa has stated since (`settlement.settle`); otherwise staff decide.
    PaymentState.NEEDS_REVIEW: frozenset({PaymentState.PAID}),
    # From here only staff change the state.
    PaymentState.PAID: frozenset(),
    PaymentState.REFUNDED: frozenset(),
}
"""The automatic transitions (daraja.md, section 6). Nothing follows `paid` automatically."""

STAFF_TRANSITIONS: Mapping[PaymentState, frozenset[PaymentState]] = {
    PaymentState.NEEDS_REVIEW: frozenset({PaymentState.PAID, PaymentState.FAILED, PaymentState.REFUNDED}),
    PaymentState.PAID: frozenset({PaymentState.REFUNDED}),
}
"""The transitions that staff decide."""


class PaymentFailed(UpstreamFailed):
    """No prompt was sent and nothing was charged; `reason` says why, in words for the payer."""

    def __init__(self, reason: str, reference: str = "", token: str = "") -> None:
        super().__init__(PAYMENT_FAILED)
        self.reason = reason
        self.reference = reference
        self.token = token
        """Opens the private order page."""


class PaymentUncertain(UpstreamFailed):
    """M-Pesa did not answer: a prompt may have been sent. Trying again now could charge twice."""

    def __init__(self, reference: str, token: str) -> None:
        super().__init__(PAYMENT_FAILED)
        self.reason = (
            "M-Pesa has not answered, so a request may still reach your phone. Please do not pay again yet: "
            "we find out whether you were charged, and the result comes by e-mail."
        )
        self.reference = reference
        self.token = token
        """Opens the private order page."""


class PaymentNotStored(PaymentFailed):
    """The database was away before anything was sent."""

    status = Unavailable.status
    retry_after = Unavailable.retry_after

    def __init__(self) -> None:
        super().__init__(
            "Our site cannot reach its records for a moment. Nothing was sent to your phone and nothing was charged. "
            "Please try again in a minute."
        )


class PaymentUnread(PaymentUncertain):
    """The database was away after a prompt may have been sent."""

    status = Unavailable.status
    retry_after = Unavailable.retry_after


class TooManyPrompts(TooManyRequests):
    """The phone has been sent as many prompts as one phone may get for now."""


def format_account_reference(reference: str, attempt: int) -> str:
    """What M-Pesa shows of an order's payment: at most 12 capital letters and digits (daraja.md, section 2.1)."""
    return f"{reference.replace('-', '')}{attempt}"


@dataclass(frozen=True)
class PromptLimit:
    """At most so many prompts on one phone within one period."""

    most: int
    period: timedelta


def compute_prompt_wait(
    sent: Sequence[datetime], limits: Sequence[PromptLimit], moment: datetime
) -> timedelta:
    """How long a phone must wait for its next prompt; `sent` are the times of its past ones, newest first."""
    free_at = [
        sent[limit.most - 1] + limit.period
        for limit in limits
        if len(sent) >= limit.most and sent[limit.most - 1] + limit.period > moment
    ]
    return max(free_at) - moment if free_at else timedelta(0)


SEND_WITHIN = timedelta(seconds=30)
"""So soon after a payment was stored its request is written to the connection, or never."""


@dataclass(frozen=True)
class Attempt:
    """What decides whether another prompt may follow a payment."""

    state: PaymentState
    stored_at: datetime
    sent_at: datetime | None
    """When its request was written to the connection, where that is known."""
    queries: int
    """How many status queries M-Pesa has answered."""
    success_seen: bool
    """A status query has reported a success that is not confirmed yet."""
    failure_seen: bool = False
    """A status query has reported a failure, which M-Pesa's books or a callback have to confirm."""


_SILENCE = timedelta(minutes=15)
"""A prompt is open for a minute or so (daraja.md, section 6). After this long, and several answers that report no payment,
it cannot be paid any more."""

SILENT_QUERIES = 3


def find_silence_end(attempt: Attempt, prompt_window: timedelta) -> datetime:
    """When a prompt cannot be answered any more, however late it was sent, and its payment would be known."""
    latest = attempt.sent_at or attempt.stored_at + SEND_WITHIN
    return latest + max(_SILENCE, prompt_window)


def find_retry_time(attempt: Attempt, prompt_window: timedelta) -> datetime | None:
    """From when another prompt can neither meet an open one nor pay twice; none: not in the present state.

    A payment that M-Pesa can be asked about has to be decided, or M-Pesa must have reported no payment for long. One
    that it cannot be asked about, because its answer was lost, waits for M-Pesa's books or for a person.
    """
    if attempt.success_seen:
        return None
    if attempt.state in UNPAID_ENDS:
        return attempt.stored_at
    if attempt.state in _UNDECIDED and attempt.queries >= SILENT_QUERIES and not attempt.failure_seen:
        return find_silence_end(attempt, prompt_window)
    return None


_UNDECIDED = frozenset({PaymentState.PENDING, PaymentState.UNKNOWN})


def decide_unresolved(attempt: Attempt) -> PaymentState:
    """What becomes of an open payment when nobody asks M-Pesa any more: without its word that there is none, a review."""
    confirmed = attempt.queries >= SILENT_QUERIES and not (attempt.success_seen or attempt.failure_seen)
    return PaymentState.EXPIRED if confirmed else PaymentState.NEEDS_REVIEW
