"""What an order and a payment may become; prices, phone numbers, the errors that a payer sees. No I/O."""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from agency_site.content.course_schema import Course
from agency_site.errors import Conflict, FieldError, InputRejected, TooManyRequests, UpstreamFailed


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
    REFUNDED = "refunded"
    """It was paid, and staff have given the money back. The receipt stays."""


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
    REFUNDED = "refunded"
    """It was paid, the money is given back, and the enrolment has ended."""


OPEN = frozenset(
    {PaymentState.CREATED, PaymentState.SENDING, PaymentState.PENDING, PaymentState.UNKNOWN},
)
"""A prompt may be live or about to be. The database allows an order one such payment."""

UNPAID_ENDS = frozenset({PaymentState.FAILED, PaymentState.CANCELLED, PaymentState.EXPIRED})
"""Ended without money as far as we know. A success that arrives later still wins."""

BOOKED = frozenset({PaymentState.PAID, PaymentState.REFUNDED})
"""Money came in: the books count it on the day it came, also when it went back on a later one."""

SETTLED_ORDERS = frozenset({OrderState.PAID, OrderState.FREE, OrderState.REFUNDED})
"""Nothing is to be paid any more."""

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
    # From here only a person leads on.
    PaymentState.NEEDS_REVIEW: frozenset(),
    PaymentState.PAID: frozenset(),
    PaymentState.REFUNDED: frozenset(),
}
"""Which state may follow which by itself (daraja.md, section 6). Nothing follows `paid` by itself."""

STAFF_STEPS: Mapping[PaymentState, frozenset[PaymentState]] = {
    PaymentState.NEEDS_REVIEW: frozenset({PaymentState.PAID, PaymentState.FAILED}),
    PaymentState.PAID: frozenset({PaymentState.REFUNDED}),
}
"""What a person may decide."""

ORDER_STEPS: Mapping[OrderState, frozenset[OrderState]] = {
    OrderState.AWAITING: frozenset({OrderState.PAID, OrderState.UNPAID, OrderState.NEEDS_REVIEW}),
    OrderState.UNPAID: frozenset({OrderState.AWAITING, OrderState.PAID, OrderState.NEEDS_REVIEW}),
    # Another payment of the order may still arrive as agreed; otherwise a person decides.
    OrderState.NEEDS_REVIEW: frozenset({OrderState.PAID}),
    OrderState.PAID: frozenset(),
    OrderState.FREE: frozenset(),
    OrderState.REFUNDED: frozenset(),
}
"""Which state of an order may follow which by itself."""

STAFF_ORDER_STEPS: Mapping[OrderState, frozenset[OrderState]] = {
    OrderState.NEEDS_REVIEW: frozenset({OrderState.PAID, OrderState.UNPAID, OrderState.AWAITING}),
    OrderState.PAID: frozenset({OrderState.REFUNDED}),
}
"""What of an order may follow a person's decision about one of its payments."""


def before(target: PaymentState) -> frozenset[PaymentState]:
    """The states from which a payment may become `target`: the condition of every state-changing update."""
    return frozenset(state for state, following in PAYMENT_STEPS.items() if target in following)


def decided_before(target: PaymentState) -> frozenset[PaymentState]:
    """The states from which a person may lead a payment to `target`."""
    return frozenset(state for state, following in STAFF_STEPS.items() if target in following)


PAYMENT_FAILED = "Payment failed. Please try again."
"""The specification's text for every payment request that fails (section 8)."""


class PaymentFailed(UpstreamFailed):
    """No prompt was sent and nothing was charged; `reason` says why, in words for the payer."""

    def __init__(self, reason: str, reference: str = "", token: str = "") -> None:
        super().__init__(PAYMENT_FAILED)
        self.reason = reason
        self.reference = reference
        self.token = token
        """Opens the private order page."""


class PaymentUncertain(UpstreamFailed):
    """M-Pesa did not answer: a prompt may be out. Trying again now could charge twice."""

    def __init__(self, reference: str, token: str) -> None:
        super().__init__(PAYMENT_FAILED)
        self.reason = (
            "M-Pesa has not answered, so a request may still reach your phone. Please do not pay again yet: "
            "check again in a minute or two, and try again when the page offers it. The result comes by e-mail."
        )
        self.reference = reference
        self.token = token
        """Opens the private order page."""


class OrderExists(Conflict):
    """An order for this course with this e-mail address is paid, or may still be; another one must name it.

    Reference and token are empty unless the request comes from the tab or the HTTP client that made that order.
    """

    def __init__(self, reference: str = "", token: str = "") -> None:
        super().__init__(
            f"Order {reference} for this course is paid or its payment is not decided yet. To pay for the course "
            "once more, place a new order that names this one."
            if reference
            else "There is an order for this course with this e-mail address already, paid or waiting for M-Pesa. "
            "Nothing was charged. We have sent its link to that address: it shows the state, and another order "
            "can be placed from there."
        )
        self.reference = reference
        self.token = token


class TooManyPrompts(TooManyRequests):
    """The phone has been sent as many prompts as one phone may get for now."""


@dataclass(frozen=True)
class Quote:
    """What an order costs, worked out from the price list alone."""

    course: Course
    quantity: int

    @property
    def amount(self) -> int:
        """The total in whole shillings."""
        return self.course.payment_price * self.quantity


def kes(amount: int) -> str:
    """Such as `KES 30,000`."""
    return f"KES {amount:,}"


def largest_quantity(unit_price: int, maximum: int) -> int:
    """The most places that one payment of at most `maximum` shillings can carry."""
    return maximum // unit_price


def quote(course: Course, quantity: int | None, amount: int | None, maximum: int) -> Quote:
    """The price of an order; `amount` is what the payer was shown and must agree.

    Without a quantity, `amount` must be the price times a whole number, and that number is the quantity.
    Raises InputRejected naming the field at fault.
    """
    if course.free:
        raise _refusal("courseName", f"{course.title} is free: enrol without paying.")
    found = Quote(course, quantity or _quantity_of(course, amount))
    if amount is not None and amount != found.amount:
        raise _refusal(
            "amount", f"The price has to be {kes(found.amount)}, not {kes(amount)}. Nothing was charged."
        )
    if found.amount > maximum:
        raise _refusal("quantity", too_much(course.payment_price, maximum))
    return found


def _quantity_of(course: Course, amount: int | None) -> int:
    price = course.payment_price
    if amount is None or amount < price or amount % price:
        raise _refusal("amount", f"{course.payment_name} costs {kes(price)} a place. Nothing was charged.")
    return amount // price


def too_much(unit_price: int, maximum: int) -> str:
    """Why a total above M-Pesa's limit is refused, with the largest quantity that fits."""
    fits = largest_quantity(unit_price, maximum)
    places = (
        f"At most {fits} {'place fits' if fits == 1 else 'places fit'}"
        if fits
        else "This course does not fit"
    )
    return (
        f"M-Pesa takes at most {kes(maximum)} in one payment. {places} into one payment; "
        "for a larger group, please contact us."
    )


def _refusal(field: str, message: str) -> InputRejected:
    return InputRejected(message, (FieldError(field, message),))


_SPACES_AND_DASHES = re.compile(r"[\s\u2010-\u2015\u2212-]+")
_KENYAN_MOBILE = re.compile(r"254[17][0-9]{8}")


def normalise_payer_phone(typed: str) -> str:
    """The twelve digits of a Kenyan mobile number, 2547… or 2541….

    Spaces, dashes and a leading plus go; a leading 0 becomes 254; nine digits after the shown +254 get 254.
    Operators are not told apart, because numbers move between them. Raises InputRejected with the reason.
    """
    digits = _SPACES_AND_DASHES.sub("", typed).removeprefix("+")
    if digits.startswith("0"):
        digits = "254" + digits[1:]
    elif re.fullmatch(r"[17][0-9]{8}", digits):
        digits = "254" + digits
    if not _KENYAN_MOBILE.fullmatch(digits):
        reason = "Please enter a Kenyan mobile number, such as 0712 345 678."
        raise InputRejected(PAYMENT_FAILED, (FieldError("phone", reason),))
    return digits


def typed_after_prefix(typed: str) -> str:
    """A Kenyan mobile number as it is typed after a shown +254, such as `712 345 678`; empty for any other text."""
    try:
        digits = normalise_payer_phone(typed)
    except InputRejected:
        return ""
    return f"{digits[3:6]} {digits[6:9]} {digits[9:]}"


REFERENCE = "EN"
"""What the references begin with."""
LINK = "order"
"""The purpose of the tokens in private links (`references.private_token`)."""


def account_reference(reference: str) -> str:
    """The reference as M-Pesa shows it: at most 12 capital letters and digits (daraja.md, section 2.1)."""
    return reference.replace("-", "")


ERASED = "erased:"


def erased_id(checkout_request_id: str, secret: str) -> str:
    """What stands for M-Pesa's id, which contains the payer's number, once that is erased: a keyed digest.

    A callback about the prompt that comes late is known by it; what is empty or erased already stays.
    """
    if not checkout_request_id or checkout_request_id.startswith(ERASED):
        return checkout_request_id
    return ERASED + hmac.new(secret.encode(), checkout_request_id.encode(), hashlib.sha256).hexdigest()


def open_key(email: str, course_slug: str) -> str:
    """The digest that the present order of one e-mail address for one course holds: no two orders may."""
    return hashlib.sha256(f"{email.casefold()}\n{course_slug}".encode()).hexdigest()


def client_digest(client: str) -> str:
    """What is stored of the secret of the tab or HTTP client that makes an order; empty where it has none."""
    return hashlib.sha256(client.encode(errors="replace")).hexdigest() if client else ""


@dataclass(frozen=True)
class PromptLimit:
    """At most so many prompts on one phone within one period."""

    most: int
    period: timedelta


def prompts_wait(sent: Sequence[datetime], limits: Sequence[PromptLimit], moment: datetime) -> timedelta:
    """How long a phone must wait for its next prompt; `sent` are the times of its past ones, newest first."""
    free_at = [
        sent[limit.most - 1] + limit.period
        for limit in limits
        if len(sent) >= limit.most and sent[limit.most - 1] + limit.period > moment
    ]
    return max(free_at) - moment if free_at else timedelta(0)


@dataclass(frozen=True)
class Attempt:
    """What decides whether another push may follow a payment."""

    state: PaymentState
    sent_at: datetime
    queries: int
    """How many status queries M-Pesa has answered."""
    success_seen: bool
    """A status query has told of a success that is not confirmed yet."""


SILENCE = timedelta(minutes=15)
"""A prompt lives a minute or so (daraja.md, section 6). After this long, and several answers that told of no
payment, nothing can come of it any more."""
SILENT_QUERIES = 3


def retry_at(attempt: Attempt, prompt_window: timedelta) -> datetime | None:
    """From when another push can neither meet a live prompt nor pay twice; none: not as things stand.

    A payment whose prompt M-Pesa has confirmed can be asked about, so it has to be decided first. One whose
    answer was lost cannot be asked about: there only its prompt's time has to pass (daraja.md, section 2.5).
    """
    if attempt.success_seen:
        return None
    if attempt.state in UNPAID_ENDS:
        return attempt.sent_at
    if attempt.state is PaymentState.UNKNOWN:
        return attempt.sent_at + prompt_window
    if attempt.state is PaymentState.PENDING and attempt.queries >= SILENT_QUERIES:
        return attempt.sent_at + max(SILENCE, prompt_window)
    return None
