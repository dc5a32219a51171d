"""Rules of payments: states and transitions, the time of the next prompt, and payments that M-Pesa does not report on."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum

from agency_site.errors import TooManyRequests, Unavailable, UpstreamFailed
from agency_site.features.checkout.coupons.rules import CouponState
from agency_site.features.checkout.orders.rules import PAYMENT_FAILED, OrderState
from agency_site.members import names, steps
from agency_site.places import Vacancy


class PaymentState(StrEnum):
    """State of one attempt to pay: one prompt on one phone, or money that came without one. A retry is a new payment."""

    CREATED = "created"
    """Stored, nothing sent."""
    SENDING = "sending"
    """The request to M-Pesa is on its way; a prompt may appear at any moment."""
    PENDING = "pending"
    """M-Pesa accepted the request; the customer decides on the phone."""
    UNKNOWN = "unknown"
    """The request may or may not have arrived. No other prompt is sent before that is known."""
    PAID = "paid"
    """The money was received: the whole balance of the order, or a part of it."""
    FAILED = "failed"
    """Rejected for good, or never sent."""
    CANCELLED = "cancelled"
    """Declined on the phone."""
    EXPIRED = "expired"
    """The payer did not answer in time, or M-Pesa never reported a result."""
    NEEDS_REVIEW = "needs_review"
    """Money may have been paid, but not as agreed: staff decide."""
    REFUNDED = "refunded"
    """It was paid, and staff have refunded the money. The receipt stays."""


PAYMENT_STATE_NAMES: Mapping[PaymentState, str] = names(
    {
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
)
"""The states as staff read them."""


class PaymentKind(StrEnum):
    """The way in which the money of a payment comes."""

    PROMPT = "prompt"
    """The payer answers our M-Pesa prompt."""
    PAYBILL = "paybill"
    """The payer pays to our Paybill or Till by hand."""
    CASH = "cash"
    BANK = "bank"


PROMPTED = frozenset({PaymentKind.PROMPT})
"""Kinds that ask a phone: whether the payer was charged may be unknown, and at most one such payment of an order is open."""

BY_HAND = frozenset({PaymentKind.PAYBILL, PaymentKind.CASH, PaymentKind.BANK})
"""Kinds whose money has arrived before the payment is stored."""

THROUGH_MPESA = frozenset({PaymentKind.PROMPT, PaymentKind.PAYBILL})
"""Kinds whose receipt is M-Pesa's, so that M-Pesa can return the money."""

KIND_NAMES: Mapping[PaymentKind, str] = names(
    {
        PaymentKind.PROMPT: "M-Pesa prompt",
        PaymentKind.PAYBILL: "Paybill or Till, without a prompt",
        PaymentKind.CASH: "Cash",
        PaymentKind.BANK: "Bank transfer",
    }
)
"""The kinds as staff read them."""

METHOD_NAMES: Mapping[PaymentKind, str] = names(
    {
        PaymentKind.PROMPT: "M-Pesa",
        PaymentKind.PAYBILL: "M-Pesa",
        PaymentKind.CASH: "Cash",
        PaymentKind.BANK: "Bank transfer",
    }
)
"""The kinds as payers read them in documents."""

RECEIPT_LABELS: Mapping[PaymentKind, str] = names(
    {
        PaymentKind.PROMPT: "M-Pesa receipt",
        PaymentKind.PAYBILL: "M-Pesa receipt",
        PaymentKind.CASH: "Cash receipt",
        PaymentKind.BANK: "Bank reference",
    }
)
"""The label of a payment's `receipt`."""

OPEN = frozenset(
    {PaymentState.CREATED, PaymentState.SENDING, PaymentState.PENDING, PaymentState.UNKNOWN},
)
"""A prompt may be on the phone, now or soon. A unique index allows each order one such payment by prompt."""


def has_arrived(kind: PaymentKind, state: PaymentState) -> bool:
    """Return whether the money of a payment has certainly arrived, so that it can be refunded.

    For a payment under review that is certain only of money by hand, because its amount is what was received.
    """
    return state is PaymentState.PAID or (state is PaymentState.NEEDS_REVIEW and kind in BY_HAND)


class Refusal(StrEnum):
    """Why no money can be taken for an order. If several apply, the first counts."""

    SETTLED = "settled"
    """It needs no money."""
    UNDER_REVIEW = "under_review"
    ERASED = "erased"
    """The buyer's personal data is erased."""
    REPLACED = "replaced"
    """Another order of the person for the course has money in it, or may become paid."""
    RUN_CANCELLED = "run_cancelled"
    NO_PLACE = "no_place"
    ENROLMENT_OVER = "enrolment_over"
    COURSE_CLOSED = "course_closed"
    NO_COUPON = "no_coupon"
    """The coupon is used up."""
    COUPON_EXPIRED = "coupon_expired"


@dataclass(frozen=True)
class OrderFacts:
    """The facts of an order that decide whether money can be taken for it."""

    state: OrderState
    missing: int
    """`Balance.missing`, in whole shillings."""
    is_erased: bool
    is_replaced: bool
    is_open: bool
    """The course takes learners."""
    has_part: bool
    """A part of the price has arrived."""
    vacancy: Vacancy
    coupon: CouponState


_VACANCY_REFUSALS = {
    Vacancy.CANCELLED: Refusal.RUN_CANCELLED,
    Vacancy.FULL: Refusal.NO_PLACE,
    Vacancy.ENDED: Refusal.ENROLMENT_OVER,
}

_COUPON_REFUSALS = {CouponState.USED_UP: Refusal.NO_COUPON, CouponState.EXPIRED: Refusal.COUPON_EXPIRED}


def find_refusals(facts: OrderFacts) -> frozenset[Refusal]:
    """Return all reasons why no money can be taken for the order now; empty if it can be."""
    if not facts.missing:
        return frozenset({Refusal.SETTLED})
    if facts.state is OrderState.PAID:
        # Its learners are enrolled; staff have accepted less than the price.
        return frozenset()
    # Who has paid a part, or has a place, is no new learner.
    is_closed = not facts.is_open and not facts.has_part and facts.vacancy is not Vacancy.KEPT
    reasons = {
        Refusal.UNDER_REVIEW: facts.state is OrderState.NEEDS_REVIEW,
        Refusal.ERASED: facts.is_erased,
        Refusal.REPLACED: facts.is_replaced,
        Refusal.COURSE_CLOSED: is_closed,
        _VACANCY_REFUSALS.get(facts.vacancy): facts.vacancy in _VACANCY_REFUSALS,
        _COUPON_REFUSALS.get(facts.coupon): facts.coupon in _COUPON_REFUSALS,
    }
    return frozenset(reason for reason, applies in reasons.items() if applies and reason)


def choose_refusal(refusals: Collection[Refusal]) -> Refusal | None:
    """Return the reason that counts, or None if there is none."""
    return next((refusal for refusal in Refusal if refusal in refusals), None)


UNRECORDABLE = frozenset({Refusal.SETTLED, Refusal.UNDER_REVIEW})
"""Reasons against recording money that staff have received: it is not needed, or may be recorded already."""

_NOT_OF_ARRIVED = frozenset(
    {Refusal.SETTLED, Refusal.UNDER_REVIEW, Refusal.ENROLMENT_OVER, Refusal.COUPON_EXPIRED}
)
"""Reasons that do not count against money that has arrived: it is certain, unlike the payment under review, and it may have been
sent in time. `settle` itself handles what an order does not need."""


def choose_arrival_refusal(kind: PaymentKind, refusals: Collection[Refusal]) -> Refusal | None:
    """Return why money that has arrived must be decided by staff, or None.

    The payer of a prompt was asked while nothing spoke against it. Later on only what would sell a place twice counts.
    """
    excused = {Refusal.ERASED, Refusal.COURSE_CLOSED} if kind in PROMPTED else set()
    return choose_refusal(frozenset(refusals) - _NOT_OF_ARRIVED - excused)


UNPAID_ENDS = frozenset({PaymentState.FAILED, PaymentState.CANCELLED, PaymentState.EXPIRED})
"""States of payments that ended without money, as far as is known. A later success still counts."""

RECEIVED = frozenset({PaymentState.PAID, PaymentState.REFUNDED})
"""States of payments whose money was received. Reports count the payment on that day, even if it was refunded later."""

CLOCKS_DIFFER = timedelta(minutes=10)
"""The largest accepted difference between M-Pesa's clock and ours."""


def is_sensible_part(amount: Decimal, missing: int, price: int) -> bool:
    """Return whether M-Pesa should accept this amount by hand: the whole balance, or a part of at least a tenth of the price.

    A smaller part is more likely a mistake.
    """
    is_whole = amount == amount.to_integral_value()
    return is_whole and (amount == missing or Decimal(price) / 10 <= amount < missing)


PAYMENT_TRANSITIONS: Mapping[PaymentState, frozenset[PaymentState]] = steps(
    {
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
        PaymentState.UNKNOWN: UNPAID_ENDS
        | {PaymentState.PENDING, PaymentState.PAID, PaymentState.NEEDS_REVIEW},
        PaymentState.FAILED: frozenset({PaymentState.PAID, PaymentState.NEEDS_REVIEW}),
        PaymentState.CANCELLED: frozenset({PaymentState.PAID, PaymentState.NEEDS_REVIEW}),
        PaymentState.EXPIRED: frozenset({PaymentState.PAID, PaymentState.NEEDS_REVIEW}),
        # Only if the review was waiting for a fact that M-Pesa has stated since (`settlement.settle`); otherwise staff decide.
        PaymentState.NEEDS_REVIEW: frozenset({PaymentState.PAID}),
        # From here only staff change the state.
        PaymentState.PAID: frozenset(),
        PaymentState.REFUNDED: frozenset(),
    }
)
"""The automatic transitions (daraja.md, section 6). Nothing follows `paid` automatically."""

STAFF_TRANSITIONS: Mapping[PaymentState, frozenset[PaymentState]] = steps(
    {
        PaymentState.NEEDS_REVIEW: frozenset({PaymentState.PAID, PaymentState.FAILED, PaymentState.REFUNDED}),
        PaymentState.PAID: frozenset({PaymentState.REFUNDED}),
    }
)
"""The transitions that staff decide."""


class PaymentFailed(UpstreamFailed):
    """No prompt was sent and nothing was charged; `reason` explains why to the payer."""

    def __init__(self, reason: str, reference: str = "", token: str = "") -> None:
        super().__init__(PAYMENT_FAILED)
        self.reason = reason
        self.reference = reference
        self.token = token
        """Opens the private order page."""


class PaymentUncertain(UpstreamFailed):
    """M-Pesa did not answer, so a prompt may have been sent. Another attempt now could charge twice."""

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
    """The database was down before anything was sent."""

    status = Unavailable.status
    retry_after = Unavailable.retry_after

    def __init__(self) -> None:
        super().__init__(
            "Our site cannot reach its records for a moment. Nothing was sent to your phone and nothing was charged. "
            "Please try again in a minute."
        )


class PaymentUnread(PaymentUncertain):
    """The database was down after a prompt may have been sent."""

    status = Unavailable.status
    retry_after = Unavailable.retry_after


class TooManyPrompts(TooManyRequests):
    """The phone has reached its limit of prompts."""


def format_account_reference(reference: str, attempt: int) -> str:
    """Return the account reference that M-Pesa shows: at most 12 capital letters and digits (daraja.md, section 2.1)."""
    return f"{reference.replace('-', '')}{attempt}"


@dataclass(frozen=True)
class PromptLimit:
    """The largest number of prompts to one phone within a period."""

    most: int
    period: timedelta


def compute_prompt_wait(
    prompt_times: Sequence[datetime], limits: Sequence[PromptLimit], moment: datetime
) -> timedelta:
    """Return the time that a phone must wait for its next prompt; `prompt_times` of its past ones are newest first."""
    free_at = [
        prompt_times[limit.most - 1] + limit.period
        for limit in limits
        if len(prompt_times) >= limit.most and prompt_times[limit.most - 1] + limit.period > moment
    ]
    return max(free_at) - moment if free_at else timedelta(0)


SEND_WITHIN = timedelta(seconds=30)
"""The deadline for writing the request to the connection, after its payment was stored. Later it is not sent at all."""


@dataclass(frozen=True)
class Attempt:
    """The facts of a payment that decide whether another prompt may follow."""

    state: PaymentState
    stored_at: datetime
    sent_at: datetime | None
    """The time at which its request was written to the connection, if that is known."""
    queries: int
    """The number of status queries that M-Pesa has answered."""
    success_seen: bool
    """A status query has reported a success that is not confirmed yet."""
    failure_seen: bool = False
    """A status query has reported a failure, which M-Pesa's books or a callback have to confirm."""


_SILENCE = timedelta(minutes=15)
"""A prompt is open for about a minute (daraja.md, section 6). After this time, and several answers that report no payment, it
cannot be paid any more."""

SILENT_QUERIES = 3


def find_silence_end(attempt: Attempt, prompt_window: timedelta) -> datetime:
    """Return the time after which a prompt can no longer be answered, and a payment would have been reported."""
    latest = attempt.sent_at or attempt.stored_at + SEND_WITHIN
    return latest + compute_silence(prompt_window)


def compute_silence(prompt_window: timedelta) -> timedelta:
    """Return how long after it was sent a prompt may still be answered, or its payment be reported."""
    return max(_SILENCE, prompt_window)


def find_retry_time(attempt: Attempt, prompt_window: timedelta) -> datetime | None:
    """Return the time from which another prompt cannot charge twice; None if that is not certain in the current state.

    A payment that can be queried must have ended, or M-Pesa must have reported no payment for a long time. A payment that
    cannot be queried, because the answer to its push was lost, waits for M-Pesa's books or for staff.
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
    """Return the final state of an open payment after its last query: expired if M-Pesa confirmed that, else under review."""
    confirmed = attempt.queries >= SILENT_QUERIES and not (attempt.success_seen or attempt.failure_seen)
    return PaymentState.EXPIRED if confirmed else PaymentState.NEEDS_REVIEW
