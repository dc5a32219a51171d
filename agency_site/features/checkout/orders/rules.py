"""Rules of orders: their states and transitions, prices and quantities, and the phone that pays."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from agency_site.characters import clean_number
from agency_site.content.course_schema import Course
from agency_site.errors import Conflict, FieldError, InputRejected
from agency_site.money import kes
from agency_site.phone_numbers import format_phone_number, parse_kenyan_mobile
from agency_site.places import Offer


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

UNPAID_ORDERS = frozenset({OrderState.AWAITING, OrderState.UNPAID})
"""Money for them is awaited, or may still come."""

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


@dataclass(frozen=True)
class Discount:
    """What a coupon takes off: a percentage, or whole shillings."""

    percent: int | None
    amount: int | None

    def of(self, total: int) -> int:
        """Whole shillings off an order of `total`, at most all of it."""
        off = total * self.percent // 100 if self.percent is not None else self.amount or 0
        return max(0, min(off, total))


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


PAYMENT_FAILED = "Payment failed. Please try again."
"""The text of the specification for every payment request that fails (section 8)."""


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
