"""The texts about a payment that the payer reads, each with the next step."""

from collections.abc import Mapping

from agency_site.content.course_schema import Course
from agency_site.errors import Conflict
from agency_site.features.checkout.coupons.rules import CouponUsedUp
from agency_site.features.checkout.orders.rules import Balance, RunFull
from agency_site.features.checkout.payments.rules import OPEN, PaymentState, Refusal
from agency_site.features.checkout.payments.tables import Payment
from agency_site.money import kes
from agency_site.mpesa import errors
from agency_site.mpesa.results import result_of

SUBSCRIBER_BUSY = "subscriber-busy"
"""Result code of a payment that M-Pesa refused because another prompt was open on the phone."""

_NOT_SENT: Mapping[type[errors.NotSent], tuple[str, str]] = {
    errors.SubscriberBusy: (
        SUBSCRIBER_BUSY,
        "Another M-Pesa request is still open on this phone. Close it, wait a minute and try again.",
    ),
    errors.Throttled: ("throttled", "M-Pesa is very busy just now. Please wait a minute and try again."),
    errors.Unreachable: ("unreachable", "We could not reach M-Pesa. Please try again in a few minutes."),
    errors.TooLate: (
        "too-late",
        "M-Pesa is very slow just now, so we did not send the request any more. Please wait a minute and try again.",
    ),
    errors.RequestRefused: (
        "request-refused",
        "M-Pesa did not accept the request. Please check the phone number and try again.",
    ),
}
"""Result code and text for each error that proves that no prompt was sent."""

GATEWAY_REFUSED = "gateway-refused"
"""Result code of a payment that M-Pesa rejected for a reason that only staff can fix."""

_CANNOT = (
    GATEWAY_REFUSED,
    "M-Pesa cannot take payments from our site just now. Our staff have been notified. Please try later or contact us.",
)

FREE_TEXT = "You are enrolled. There is nothing to pay."

UNCONFIRMED = "Your place is not booked yet. Please confirm it here to be enrolled. There is nothing to pay."

NOT_ASKED = "This order is not paid yet. You can pay it here with M-Pesa."
"""Explains an unpaid order for which no prompt was sent yet."""

PROMPT_LIVE = (
    "A request may still be open on the phone that was asked to pay. Please wait for its result: paying from another "
    "phone now could charge twice. To pay from another phone at once, place a new order."
)
"""Explains why no prompt is sent to a second phone."""

GAVE_UP = (
    "Please do not pay again. Your phone may still ask for your PIN, and a payment can take a few minutes to reach us: "
    "the result comes by e-mail."
)
"""Explains that the payment page has stopped polling."""

AWAY = "Our site cannot reach its records for a moment. Any payment you have made is safe, and this page continues by itself."
"""Explains why a page that polls has nothing new."""

UNDECIDED = (
    "M-Pesa has not said how the last request ended, and no payment for this order has arrived. The request can no longer "
    "be answered on the phone, so you can try again."
)
"""Explains an order that may be tried again although the result of its last prompt is unknown."""

REPLACED = (
    "You have ordered this course again since then, and that order is paid or is waiting for M-Pesa. "
    "There is nothing to pay here."
)

_NO_PLACE = (
    "The course run of this order has no place left for it, so there is nothing to pay. "
    "Please choose another date, or call us.",
    "The course run has no place left for this order: offer another run or the waiting list, or refund the payment.",
)

_NO_COUPON = (
    "The coupon of this order is used up or has expired, so there is nothing to pay. "
    "Please order again without it, or call us.",
    "The coupon of this order was used up meanwhile: accept the smaller amount, or refund the payment.",
)

REFUSALS: Mapping[Refusal, tuple[str, str]] = {
    Refusal.SETTLED: (
        "This order is settled: there is nothing more to pay.",
        "This order needs no more money. Please refund the payment, or close it with a note.",
    ),
    Refusal.UNDER_REVIEW: (
        "Our staff are checking a payment of this order. Please do not pay again.",
        "A payment of this order is under review. Please decide it first: it may be the same money.",
    ),
    Refusal.ERASED: (
        "The personal data of this order has been erased. Please order again.",
        "The personal data of this order has been erased, so it enrols no learner: please refund the payment.",
    ),
    Refusal.REPLACED: (
        REPLACED,
        "The same person has paid for this course, or is paying for it, in another order: "
        "please refund the payment, or accept it if both are wanted.",
    ),
    Refusal.RUN_CANCELLED: (
        "The course run of this order has been cancelled, so there is nothing to pay. "
        "Please choose another date, or call us.",
        "The course run of this order was cancelled: offer another run, or refund the payment.",
    ),
    Refusal.NO_PLACE: _NO_PLACE,
    Refusal.ENROLMENT_OVER: (
        _NO_PLACE[0],
        "Enrolment in the course run of this order is over: offer another run, or refund the payment.",
    ),
    Refusal.COURSE_CLOSED: (
        "Enrolment in this course is closed, so there is nothing to pay.",
        "Enrolment in this course is closed: accept the learner, or refund the payment.",
    ),
    Refusal.NO_COUPON: _NO_COUPON,
    Refusal.COUPON_EXPIRED: (
        _NO_COUPON[0],
        "The coupon of this order has expired: accept the smaller amount, or refund the payment.",
    ),
}
"""Why no money can be taken for an order, as the buyer and as staff read it."""

_ABOUT_PLACES = frozenset({Refusal.RUN_CANCELLED, Refusal.NO_PLACE, Refusal.ENROLMENT_OVER})

_ABOUT_COUPONS = frozenset({Refusal.NO_COUPON, Refusal.COUPON_EXPIRED})


def explain_refusal(refusal: Refusal) -> Conflict:
    """Return the error for a buyer who cannot be asked for money."""
    if refusal in _ABOUT_PLACES:
        return RunFull()
    return CouponUsedUp() if refusal in _ABOUT_COUPONS else Conflict(REFUSALS[refusal][0])


def explain_unpayable(refusal: Refusal) -> str:
    """Return why staff cannot ask the buyer for money."""
    return f"This order cannot be paid. {REFUSALS[refusal][1]}"


BROKEN = "Something went wrong on our side. If your phone asks for your PIN, check your e-mail before you try again."
"""Explains an unexpected failure, after which it is unknown whether a prompt was sent."""

UNEXPECTED = "unexpected"
"""Result code of a payment whose sending failed unexpectedly."""


def get_not_sent_code(error: errors.NotSent) -> str:
    """Return the result code of a request that certainly reached no phone."""
    return _NOT_SENT.get(type(error), _CANNOT)[0]


CHECKED_UNPAID = "checked-unpaid"
"""Result code of a payment for which staff found no money."""

_CHECKED = (
    CHECKED_UNPAID,
    "Our staff have checked this payment: no money for this order has reached us. You can try again.",
)

UNRESOLVED = "unresolved"
"""Result code of a payment whose end M-Pesa never reported."""

INCOMPLETE = "incomplete"
"""Result code of a payment whose success M-Pesa reported without its amount or its receipt."""

_UNRESOLVED = (
    "We could not find out from M-Pesa whether you were charged. Please do not pay again: our staff will check M-Pesa's "
    "statement and write to you."
)

_TEXT_BY_CODE = dict((*_NOT_SENT.values(), _CANNOT, _CHECKED))

IN_REVIEW = (
    "M-Pesa has reported a payment that does not quite fit this order, so our staff are checking it and will "
    "write to you. Please do not pay again."
)
"""Explains an order of which a payment is under review."""

_OPEN_TEXT = (
    "We are waiting for M-Pesa. If your phone asks for your PIN, enter it there. Please do not pay again: "
    "the result comes by e-mail."
)

_STATE_TEXT: Mapping[PaymentState, str] = {
    PaymentState.CREATED: _OPEN_TEXT,
    PaymentState.SENDING: _OPEN_TEXT,
    PaymentState.PENDING: _OPEN_TEXT,
    PaymentState.UNKNOWN: (
        "M-Pesa has not told us whether its request reached your phone. Please do not pay again yet: if you "
        "entered your PIN, the payment will be found and the result comes by e-mail."
    ),
    PaymentState.PAID: "Your payment has arrived. You are enrolled; the confirmation comes by e-mail.",
    PaymentState.EXPIRED: "No payment has arrived for this request. You can try again.",
    PaymentState.NEEDS_REVIEW: IN_REVIEW,
    PaymentState.REFUNDED: (
        "We have refunded your payment, and your place in the course has been released. If the money has not "
        "reached you, please contact us."
    ),
}

_CONFIRMING_FAILURE = (
    "M-Pesa says that this request was not completed, but its own report has not reached us. We are checking M-Pesa's "
    "records to be sure that no money was taken. Please do not pay again yet: you get the result by e-mail, usually "
    "within the hour."
)

_CONFIRMING = (
    "M-Pesa says that you have paid. We are confirming it; the result comes by e-mail. Do not pay again."
)


def describe_payment(payment: Payment) -> str:
    """Return what happened to a payment and what to do next, for the payer."""
    if (
        payment.state in (PaymentState.FAILED, PaymentState.CANCELLED, PaymentState.EXPIRED)
        and payment.result_code
    ):
        return _TEXT_BY_CODE.get(payment.result_code) or result_of(payment.result_code).text
    if payment.state is PaymentState.NEEDS_REVIEW and payment.result_code == UNRESOLVED:
        return _UNRESOLVED
    if payment.success_seen_at and payment.state is PaymentState.PENDING:
        return _CONFIRMING
    if payment.failure_seen_at and payment.state in OPEN:
        return _CONFIRMING_FAILURE
    return _STATE_TEXT.get(payment.state) or "The payment did not go through. You can try again."


def describe_part(balance: Balance) -> str:
    """Return the paid part, such as `KES 7,500 of KES 15,000 has arrived. KES 7,500 remains to be paid.`"""
    left = kes(balance.amount - balance.net)
    return f"{kes(balance.net)} of {kes(balance.amount)} has arrived. {left} remains to be paid."


def describe_refusal(refusal: Refusal, balance: Balance) -> str:
    """Return why an order cannot be paid and, if a part of its price has arrived, what happens with it."""
    text = REFUSALS[refusal][0]
    if not balance.net:
        return text
    arrived = f"{kes(balance.net)} of {kes(balance.amount)} has arrived."
    return f"{arrived} {text} Our staff will write to you about the money that has arrived."


def describe_second_payment(amount: int) -> str:
    """Return the message to the buyer about money that the order did not need."""
    return (
        f"We have received another {kes(amount)} for this order, which was paid already. "
        "Our staff have been notified and will refund it or write to you."
    )


def explain_price(course: Course, price: int) -> str:
    """Return an explanation if the course page shows another price than `price` (readings, 6); empty if it does not."""
    if course.detail_price == price:
        return ""
    return f"The course page shows {kes(course.detail_price)}. The amount charged is the one shown here: {kes(price)} a place."
