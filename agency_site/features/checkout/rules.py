"""States and transitions of orders and payments; prices, phone numbers, the errors that a payer sees. No I/O."""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from agency_site.characters import clean_number
from agency_site.content.course_schema import Course
from agency_site.errors import (
    Conflict,
    FieldError,
    InputRejected,
    TooManyRequests,
    Unavailable,
    UpstreamFailed,
)
from agency_site.money import kes
from agency_site.phone_numbers import format_phone_number, parse_kenyan_mobile
from agency_site.places import Offer


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


class OrderState(StrEnum):
    """State of an order, over all its payments."""

    AWAITING = "awaiting"
    """A payment is open."""
    UNPAID = "unpaid"
    """No payment is open, and less than the price has been received; another may follow."""
    PAID = "paid"
    """Paid in full; the enrolment exists."""
    FREE = "free"
    """The order costs nothing, as its course or with a coupon of all; the enrolment exists."""
    NEEDS_REVIEW = "needs_review"
    """A payment is under review."""
    REFUNDED = "refunded"
    """All that was paid was returned; the enrolment, if there was one, has ended."""


CONTACT_EDITED = "contact edited"
"""Begins the reason of an event that edits the contact of an order: the old and the new values follow, line by line."""
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


def can_be_returned(kind: PaymentKind, state: PaymentState, receipt: str | None, refunded: int) -> bool:
    """Whether M-Pesa can return a payment: it came through M-Pesa, and all of it is still here."""
    through_mpesa = kind in (PaymentKind.PROMPT, PaymentKind.PAYBILL) and bool(receipt)
    return through_mpesa and is_money_here(kind, state) and not refunded


UNPAID_ENDS = frozenset({PaymentState.FAILED, PaymentState.CANCELLED, PaymentState.EXPIRED})
"""Ended without money as far as we know. A success that arrives later still wins."""

RECEIVED = frozenset({PaymentState.PAID, PaymentState.REFUNDED})
"""Money was received: the reconciliation report counts it on that day, also when it was refunded on a later one."""

UNPAID_ORDERS = frozenset({OrderState.AWAITING, OrderState.UNPAID})
"""Money for them is awaited, or may still come."""

CLOCKS_DIFFER = timedelta(minutes=10)
"""How far M-Pesa's clock and ours may be apart."""

SETTLED_ORDERS = frozenset({OrderState.PAID, OrderState.FREE, OrderState.REFUNDED})
"""Nothing remains to be paid."""


@dataclass(frozen=True)
class Balance:
    """What an order costs and what has been received for it, over all its payments, in whole shillings."""

    amount: int
    received: int
    refunded: int
    """Of what was received."""

    @property
    def kept(self) -> int:
        """What was received and not returned."""
        return self.received - self.refunded

    def missing(self, state: OrderState) -> int:
        """What an order in that state can still take.

        A paid order lacks what staff have accepted as missing. Money that was returned is not owed again.
        """
        if state is OrderState.PAID:
            return max(0, self.amount - self.received) if self.received else 0
        if state in UNPAID_ORDERS or state is OrderState.NEEDS_REVIEW:
            return max(0, self.amount - self.kept)
        return 0

    def due(self, state: OrderState) -> int:
        """What the buyer is asked for while the order is in that state."""
        return self.missing(state) if state in UNPAID_ORDERS else 0

    @property
    def keeps_places(self) -> bool:
        """Whether a part of the price is here that keeps the places: at least half of it."""
        return 0 < self.amount <= 2 * self.kept


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

ORDER_TRANSITIONS: Mapping[OrderState, frozenset[OrderState]] = {
    OrderState.AWAITING: frozenset({OrderState.PAID, OrderState.UNPAID, OrderState.NEEDS_REVIEW}),
    # Free once a place in a free course is confirmed by the mailed link.
    OrderState.UNPAID: frozenset(
        {OrderState.AWAITING, OrderState.PAID, OrderState.FREE, OrderState.NEEDS_REVIEW}
    ),
    # Another payment of the order may still arrive as agreed; otherwise staff decide.
    OrderState.NEEDS_REVIEW: frozenset({OrderState.PAID}),
    OrderState.PAID: frozenset(),
    OrderState.FREE: frozenset(),
    OrderState.REFUNDED: frozenset(),
}
"""The automatic transitions of an order."""

STAFF_ORDER_TRANSITIONS: Mapping[OrderState, frozenset[OrderState]] = {
    OrderState.NEEDS_REVIEW: frozenset(
        {OrderState.PAID, OrderState.UNPAID, OrderState.AWAITING, OrderState.REFUNDED}
    ),
    OrderState.PAID: frozenset({OrderState.REFUNDED}),
}
"""What an order may become when staff decide about one of its payments."""


PAYMENT_FAILED = "Payment failed. Please try again."
"""The text of the specification for every payment request that fails (section 8)."""


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


class OrderExists(Conflict):
    """An order for this course with this e-mail address is paid, or may still be; another one must name it.

    Reference and token are empty unless the request comes from the tab or the HTTP client that made that order.
    """

    def __init__(self, reference: str = "", token: str = "") -> None:
        super().__init__(
            f"Order {reference} for this course is paid or its payment is not decided yet. To pay for the course "
            "once more, place a new order that names this one."
            if reference
            else "We cannot send a request for this course with this e-mail address now. Nothing was charged. "
            "We have written to the address: the mail says why, and how to go on."
        )
        self.reference = reference
        self.token = token


class RunFull(Conflict):
    """The chosen course run has fewer places left than are wanted, or takes no learners any more."""

    def __init__(self) -> None:
        super().__init__(
            "This course run has not as many places left. Nothing was charged. Please choose another date or fewer places."
        )


class TooManyPrompts(TooManyRequests):
    """The phone has been sent as many prompts as one phone may get for now."""


class CouponUsedUp(Conflict):
    """The coupon of the order has no use left, or its time is over."""

    def __init__(self) -> None:
        super().__init__(
            "The coupon of this order is used up, or its time is over. Nothing was charged. Please order again without it."
        )


MOST_PERCENT = 100


@dataclass(frozen=True)
class Discount:
    """What a coupon takes off: a percentage, or whole shillings."""

    percent: int | None
    amount: int | None

    def of(self, total: int) -> int:
        """Whole shillings off an order of `total`, at most all of it."""
        off = total * self.percent // 100 if self.percent is not None else self.amount or 0
        return max(0, min(off, total))


class Period(Protocol):
    """What may be used between two moments, unless it was ended."""

    valid_from: datetime | None
    valid_until: datetime | None
    ended_at: datetime | None


def is_valid_coupon_time(coupon: Period, moment: datetime) -> bool:
    """Whether the coupon may be used at that moment."""
    begun = coupon.valid_from is None or coupon.valid_from <= moment
    over = coupon.valid_until is not None and coupon.valid_until <= moment
    return begun and not over and coupon.ended_at is None


@dataclass(frozen=True)
class Quote:
    """The price of an order, from the price list and a coupon alone."""

    course: Course
    quantity: int
    unit_price: int
    discount: int = 0
    """Whole shillings that a coupon takes off."""

    @property
    def amount(self) -> int:
        """The total in whole shillings."""
        return self.unit_price * self.quantity - self.discount


def find_unit_price(course: Course, offer: Offer | None) -> int:
    """Whole shillings a place, in the course run on offer or in none."""
    return course.payment_price if offer is None or offer.price is None else offer.price


def compute_quote(
    course: Course,
    quantity: int | None,
    amount: int | None,
    maximum: int,
    offer: Offer | None = None,
    discount: Discount | None = None,
) -> Quote:
    """The price of an order; `amount` is the one that the payer saw, and must agree.

    Without a quantity, `amount` must be the price times a whole number, and that number is the quantity; with a coupon it is 1.
    Raises InputRejected naming the field at fault.
    """
    if course.free:
        raise _reject("courseName", f"{course.title} is free: enrol without paying.")
    price = find_unit_price(course, offer)
    places = quantity or (1 if discount else _derive_quantity(course, price, amount))
    quote = Quote(course, places, price, discount.of(price * places) if discount else 0)
    if amount is not None and amount != quote.amount:
        raise _reject(
            "amount", f"The price has to be {kes(quote.amount)}, not {kes(amount)}. Nothing was charged."
        )
    if quote.amount > maximum:
        raise _reject("quantity", explain_amount_limit(price, maximum))
    return quote


def _derive_quantity(course: Course, price: int, amount: int | None) -> int:
    if amount is None or amount < price or amount % price:
        raise _reject("amount", f"{course.payment_name} costs {kes(price)} a place. Nothing was charged.")
    return amount // price


def explain_amount_limit(unit_price: int, maximum: int) -> str:
    """Why a total above M-Pesa's limit is rejected, with the largest quantity that fits."""
    fits = maximum // unit_price
    places = (
        f"At most {fits} {'place fits' if fits == 1 else 'places fit'}"
        if fits
        else "This course does not fit"
    )
    return (
        f"M-Pesa takes at most {kes(maximum)} in one payment. {places} into one payment; "
        "for a larger group, please contact us."
    )


_LONGEST_QUANTITY = 6
"""Digits, far beyond any class, so that the total stays readable."""


def parse_quantity(typed: str) -> int:
    """The number of places; 0 for anything but a whole number."""
    typed = clean_number(typed)
    fits = typed.isascii() and typed.isdecimal() and len(typed) <= _LONGEST_QUANTITY
    return int(typed) if fits else 0


def find_quantity_error(typed: str, unit_price: int, maximum: int) -> str:
    """What is wrong with a quantity as somebody typed it; empty: nothing."""
    typed, places = clean_number(typed), parse_quantity(typed)
    too_long = typed.isdecimal() and len(typed) > _LONGEST_QUANTITY
    if too_long or places * unit_price > maximum:
        return explain_amount_limit(unit_price, maximum)
    return "" if places else "Please enter the number of places, 1 or more."


def _reject(field: str, message: str) -> InputRejected:
    return InputRejected(message, (FieldError(field, message),))


def parse_payer_phone(typed: str) -> str:
    """The twelve digits of a Kenyan mobile number, 2547… or 2541….

    Every spelling that other forms take is read here too. Raises InputRejected with the reason.
    """
    if digits := parse_kenyan_mobile(typed):
        return digits
    reason = "Please enter a Kenyan mobile number, such as 0712 345 678."
    raise InputRejected(PAYMENT_FAILED, (FieldError("phone", reason),))


def format_after_prefix(typed: str) -> str:
    """A Kenyan mobile number as people type it after a shown +254, such as `712 345 678`; empty for any other text."""
    return format_phone_number(parse_kenyan_mobile(typed)).removeprefix("0")


REFERENCE = "EN"
"""Prefix of references."""
LINK = "order"
"""The purpose of the tokens in private links (`references.private_token`)."""


def format_account_reference(reference: str, attempt: int) -> str:
    """What M-Pesa shows of an order's payment: at most 12 capital letters and digits (daraja.md, section 2.1)."""
    return f"{reference.replace('-', '')}{attempt}"


ERASED = "erased:"


def erased_id(checkout_request_id: str, secret: str) -> str:
    """A keyed digest that replaces M-Pesa's id, which contains the payer's number, once that is erased.

    A late callback about the prompt is recognised by it; an empty or erased id stays as it is.
    """
    if not checkout_request_id or checkout_request_id.startswith(ERASED):
        return checkout_request_id
    return ERASED + hmac.new(secret.encode(), checkout_request_id.encode(), hashlib.sha256).hexdigest()


def compute_open_key(email: str, course_slug: str) -> str:
    """The digest in `open_key` of the present order of one e-mail address for one course: no two orders may have it."""
    return hashlib.sha256(f"{email.casefold()}\n{course_slug}".encode()).hexdigest()


def digest_client(client: str) -> str:
    """What is stored of the secret of the tab or HTTP client that creates an order; empty where it has none."""
    return hashlib.sha256(client.encode(errors="replace")).hexdigest() if client else ""


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
