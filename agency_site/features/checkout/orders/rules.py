"""Rules of orders: their states and transitions, prices and quantities, and the phone that pays."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from agency_site.characters import clean_number
from agency_site.content.course_schema import Course
from agency_site.errors import Conflict, FieldError, InputRejected, reject
from agency_site.members import steps
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
    """The order costs nothing, because its course is free or a coupon covers the price; the enrolment exists."""
    NEEDS_REVIEW = "needs_review"
    """A payment is under review."""
    REFUNDED = "refunded"
    """Everything that was paid was refunded; the enrolment, if there was one, has ended."""


CONTACT_EDITED = "contact edited"
"""First line of the event for an edited contact; the old and the new values follow."""

UNPAID_ORDERS = frozenset({OrderState.AWAITING, OrderState.UNPAID})
"""Orders that are waiting for money, or may still be paid."""

SETTLED_ORDERS = frozenset({OrderState.PAID, OrderState.FREE, OrderState.REFUNDED})
"""Orders with nothing left to pay."""


@dataclass(frozen=True)
class Balance:
    """The price of an order and the money received for it over all its payments, in whole shillings."""

    amount: int
    received: int
    refunded: int
    """The part of `received` that was refunded."""

    @property
    def net(self) -> int:
        """The money that was received and not refunded."""
        return self.received - self.refunded

    def missing(self, state: OrderState) -> int:
        """Return the money that an order in that state can still take.

        For a paid order, this is a shortfall that staff have accepted. Refunded money is not owed again.
        """
        if state is OrderState.PAID:
            return max(0, self.amount - self.received) if self.received else 0
        if state in UNPAID_ORDERS or state is OrderState.NEEDS_REVIEW:
            return max(0, self.amount - self.net)
        return 0

    def due(self, state: OrderState) -> int:
        """Return the money that the buyer is asked to pay in that state."""
        return self.missing(state) if state in UNPAID_ORDERS else 0

    @property
    def keeps_places(self) -> bool:
        """True if at least half of the price has arrived, which keeps the places of an unpaid order."""
        return 0 < self.amount <= 2 * self.net

    def has_money(self, state: OrderState) -> bool:
        """Return whether an order in that state is paid, partly paid, under review or free: no other order replaces it."""
        return self.net > 0 if state in UNPAID_ORDERS else state is not OrderState.REFUNDED


ORDER_TRANSITIONS: Mapping[OrderState, frozenset[OrderState]] = steps(
    {
        OrderState.AWAITING: frozenset({OrderState.PAID, OrderState.UNPAID, OrderState.NEEDS_REVIEW}),
        # An unpaid order becomes free once a place in a free course is confirmed with the mailed link.
        OrderState.UNPAID: frozenset(
            {OrderState.AWAITING, OrderState.PAID, OrderState.FREE, OrderState.NEEDS_REVIEW}
        ),
        # Another payment of the order may still arrive as agreed; otherwise staff decide. A free place never waits for them.
        OrderState.NEEDS_REVIEW: frozenset({OrderState.PAID, OrderState.FREE}),
        OrderState.PAID: frozenset(),
        OrderState.FREE: frozenset(),
        OrderState.REFUNDED: frozenset(),
    }
)
"""The automatic transitions of an order."""

STAFF_ORDER_TRANSITIONS: Mapping[OrderState, frozenset[OrderState]] = {
    OrderState.NEEDS_REVIEW: frozenset(
        {OrderState.PAID, OrderState.UNPAID, OrderState.AWAITING, OrderState.REFUNDED}
    ),
    OrderState.PAID: frozenset({OrderState.REFUNDED}),
}
"""The transitions of an order that follow a decision of staff about one of its payments."""


class OrderExists(Conflict):
    """An order for this course with this e-mail address has money in it, or may become paid; another order must name it.

    Reference and token are empty unless the request comes from staff, or from the tab or the HTTP client that created the order.
    """

    def __init__(self, reference: str = "", token: str = "") -> None:
        super().__init__(
            f"Order {reference} for this course is paid, or its payment is still being processed. To pay for the course "
            "again, place a new order that names this one."
            if reference
            else "We cannot send a request for this course with this e-mail address now. Nothing was charged. "
            "We have sent an e-mail to this address that explains why and what to do next."
        )
        self.reference = reference
        self.token = token


class RunFull(Conflict):
    """The chosen course run has too few places left, or no longer accepts learners."""

    def __init__(self) -> None:
        super().__init__(
            "This course run does not have enough places left. Nothing was charged. Please choose another date or fewer places."
        )


@dataclass(frozen=True)
class Discount:
    """The discount of a coupon: a percentage, or whole shillings."""

    percent: int | None
    amount: int | None

    def of(self, total: int) -> int:
        """Return the whole shillings off an order of `total`, at most all of it."""
        off = total * self.percent // 100 if self.percent is not None else self.amount or 0
        return max(0, min(off, total))


@dataclass(frozen=True)
class Quote:
    """The price of an order, computed from the price list and a coupon only."""

    course: Course
    quantity: int
    unit_price: int
    discount: int = 0
    """Whole shillings off by the coupon."""

    @property
    def amount(self) -> int:
        """The total in whole shillings."""
        return self.unit_price * self.quantity - self.discount


def refuse_closed(course: Course) -> InputRejected:
    """Return the error for a new order of a course that takes no new learners."""
    return reject(
        "courseName", f"Enrolment in {course.title} is closed. Please choose another course, or write to us."
    )


def find_unit_price(course: Course, offer: Offer | None) -> int:
    """Return the whole shillings for a place in the offered course run, or in the course if there is no offer."""
    return course.payment_price if offer is None or offer.price is None else offer.price


def compute_quote(
    course: Course,
    quantity: int | None,
    amount: int | None,
    maximum: int,
    offer: Offer | None = None,
    discount: Discount | None = None,
) -> Quote:
    """Return the price of an order, which must equal the `amount` that the payer saw.

    Without a quantity, the quantity is `amount` divided by the price, which must be a whole number; with a coupon it is 1.
    Raises InputRejected with the field.
    """
    if course.free:
        raise reject("courseName", f"{course.title} is free: enrol without paying.")
    price = find_unit_price(course, offer)
    places = quantity or (1 if discount else _derive_quantity(course, price, amount))
    quote = Quote(course, places, price, discount.of(price * places) if discount else 0)
    if amount is not None and amount != quote.amount:
        raise reject(
            "amount", f"The price has to be {kes(quote.amount)}, not {kes(amount)}. Nothing was charged."
        )
    if quote.amount > maximum:
        raise reject("quantity", explain_amount_limit(price, maximum))
    return quote


def _derive_quantity(course: Course, price: int, amount: int | None) -> int:
    if amount is None or amount < price or amount % price:
        raise reject("amount", f"{course.payment_name} costs {kes(price)} a place. Nothing was charged.")
    return amount // price


def explain_amount_limit(unit_price: int, maximum: int) -> str:
    """Return the message for a total above M-Pesa's limit, with the largest quantity that fits."""
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
"""Digits: far more than any class has places, and few enough to show the total."""


def parse_quantity(text: str) -> int:
    """Return the number of places; 0 if the text is not a whole number."""
    text = clean_number(text)
    fits = text.isascii() and text.isdecimal() and len(text) <= _LONGEST_QUANTITY
    return int(text) if fits else 0


def find_quantity_error(text: str, unit_price: int, maximum: int) -> str:
    """Return the error message for an entered quantity; empty if it is valid."""
    text, places = clean_number(text), parse_quantity(text)
    too_long = text.isdecimal() and len(text) > _LONGEST_QUANTITY
    # Before a course is chosen there is no price.
    if unit_price and (too_long or places * unit_price > maximum):
        return explain_amount_limit(unit_price, maximum)
    return "" if places else "Please enter the number of places, 1 or more."


PAYMENT_FAILED = "Payment failed. Please try again."
"""The text of the specification for every payment request that fails (section 8)."""


def parse_payer_phone(text: str) -> str:
    """Return the twelve digits of a Kenyan mobile number, 2547… or 2541…, in any spelling that other forms accept.

    Raises InputRejected with the reason.
    """
    if digits := parse_kenyan_mobile(text):
        return digits
    reason = "Please enter a Kenyan mobile number, such as 0712 345 678."
    raise InputRejected(PAYMENT_FAILED, (FieldError("phone", reason),))


def format_after_prefix(text: str) -> str:
    """Return a Kenyan mobile number as it is written after +254, such as `712 345 678`; empty for any other text."""
    return format_phone_number(parse_kenyan_mobile(text)).removeprefix("0")


REFERENCE = "EN"
"""Prefix of references."""

LINK = "order"
"""The purpose of the tokens in private links (`references.private_token`)."""


ERASED = "erased:"


def erase_checkout_id(checkout_request_id: str, secret: str) -> str:
    """Return the keyed digest that replaces M-Pesa's id, which contains the payer's number, when the payer is erased.

    It still identifies a late callback about the prompt. An empty or erased id stays as it is.
    """
    if not checkout_request_id or checkout_request_id.startswith(ERASED):
        return checkout_request_id
    return ERASED + hmac.new(secret.encode(), checkout_request_id.encode(), hashlib.sha256).hexdigest()


def compute_open_key(email: str, course_slug: str) -> str:
    """Return the unique `open_key` of the current order for one e-mail address and one course."""
    return hashlib.sha256(f"{email.casefold()}\n{course_slug}".encode()).hexdigest()


def digest_client(client: str) -> str:
    """Return the digest to store for the secret of a tab or HTTP client; empty if it has none."""
    return hashlib.sha256(client.encode(errors="replace")).hexdigest() if client else ""
