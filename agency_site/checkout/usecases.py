"""What a visitor does: pay for a course, try again, enrol in a free course.

An order and its payment are stored before anything is sent, no transaction is open while M-Pesa is called,
and what it answered is stored afterwards. However often and wherever the same press arrives, the database
lets one order and one open payment come of it.
"""

from dataclasses import dataclass

from sqlmodel import select

from agency_site.checkout.emails import known_token
from agency_site.checkout.enrolling import enrol
from agency_site.checkout.history import Scope, lock_order, newest_payment
from agency_site.checkout.orders import Opened, Wanted, order_for, payment_for
from agency_site.checkout.pushing import UNANSWERED, answered, push
from agency_site.checkout.request import CheckoutRequest, Enrollee, contact_phone
from agency_site.checkout.rules import (
    SETTLED_ORDERS,
    OrderState,
    PaymentFailed,
    PaymentState,
    PaymentUncertain,
    normalise_payer_phone,
)
from agency_site.checkout.tables import Order, Payment
from agency_site.checkout.wording import detail_of
from agency_site.errors import Conflict, FieldError, InputRejected, NotFound
from agency_site.mpesa.contract import Gateway
from agency_site.references import token_hash
from agency_site.settings import settings

STARTED = "STK Push initiated successfully"
"""The specification's words where M-Pesa sends none (section 8)."""


@dataclass(frozen=True)
class StartedPayment:
    """A payment whose prompt M-Pesa has accepted: new, or the one that the same press made before."""

    reference: str
    token: str
    """Opens the private order page; empty when it cannot be made again, because the secret key has changed since."""
    amount: int
    state: PaymentState
    customer_message: str
    merchant_request_id: str
    checkout_request_id: str


@dataclass(frozen=True)
class Enrolled:
    """A place in a free course."""

    reference: str
    token: str
    """Opens the private order page; empty when it cannot be made again, as above."""
    course: str


async def start_payment(
    scope: Scope, gateway: Gateway, request: CheckoutRequest, *, contact: str = ""
) -> StartedPayment:
    """Send the prompt for a course; the same press again returns the same payment and sends nothing.

    `contact` is the contact's own number where another phone pays. Raises InputRejected for input that does
    not fit, PaymentFailed when surely no prompt was sent, PaymentUncertain when one may be out.
    """
    quoted = request.quoted(settings().mpesa_maximum_amount)
    payer = request.payer()
    reach = contact_phone(contact) if contact else f"+{payer}"
    wanted = Wanted(request, quoted.course, quoted.quantity, reach, payer)
    async with scope() as session:
        order, _ = await order_for(session, wanted)
        opened = await payment_for(session, order, payer)
    return await _carried_out(scope, gateway, opened)


async def retry_payment(scope: Scope, gateway: Gateway, token: str, phone: str = "") -> StartedPayment:
    """Try to pay an order again, from its private page; `phone` where another one pays this time.

    While an earlier prompt may be live, its payment is returned and nothing is sent. Raises NotFound for an
    unknown token, Conflict when the order is paid or under review, and what `start_payment` raises.
    """
    payer = normalise_payer_phone(phone) if phone else ""
    async with scope() as session:
        order_id = (await session.exec(select(Order.id).where(Order.token_hash == token_hash(token)))).first()
        if order_id is None:
            raise NotFound("We have no order under this address.")
        order = await lock_order(session, order_id)
        newest = await newest_payment(session, order)
        if newest is None or order.state in SETTLED_ORDERS:
            raise Conflict("This order is settled: there is nothing more to pay.")
        if order.state is OrderState.NEEDS_REVIEW:
            raise Conflict("Our staff are checking a payment of this order. Please do not pay again.")
        if not order.email:
            raise Conflict("The personal data of this order has been erased. Please order again.")
        opened = await payment_for(session, order, payer or newest.phone)
    return await _carried_out(scope, gateway, opened)


async def enrol_free(scope: Scope, enrollee: Enrollee) -> Enrolled:
    """Enrol in a course that costs nothing (readings, 7). Raises InputRejected when it is not free."""
    course = enrollee.course()
    if not course.free:
        reason = "This course has a price; please pay for it with M-Pesa."
        raise InputRejected(reason, (FieldError("courseName", reason),))
    contact = contact_phone(enrollee.phone)
    async with scope() as session:
        order, fresh = await order_for(session, Wanted(enrollee, course, 1, contact, contact))
        if fresh:
            await enrol(session, order, None)
    return Enrolled(order.reference, known_token(order) or "", order.course_name)


async def _carried_out(scope: Scope, gateway: Gateway, opened: Opened) -> StartedPayment:
    assert opened.payment.id is not None
    if opened.fresh:
        await push(scope, gateway, opened.order, opened.payment)
    return _outcome(*await answered(scope, opened.payment.id))


def _outcome(order: Order, payment: Payment) -> StartedPayment:
    token = known_token(order) or ""
    if not payment.merchant_request_id:
        if payment.state is PaymentState.FAILED:
            raise PaymentFailed(detail_of(payment), order.reference, token)
        if payment.state in UNANSWERED | {PaymentState.UNKNOWN, PaymentState.EXPIRED}:
            raise PaymentUncertain(order.reference, token)
    return StartedPayment(
        reference=order.reference,
        token=token,
        amount=order.amount,
        state=payment.state,
        customer_message=payment.customer_message or STARTED,
        merchant_request_id=payment.merchant_request_id or "",
        checkout_request_id=payment.checkout_request_id or "",
    )
