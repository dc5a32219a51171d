"""What a visitor does: pay for a course, try again, enrol in a free course.

An order and its payment are stored before anything is sent, no transaction is open while M-Pesa is called,
and what it answered is stored afterwards. However often the same request arrives, the database lets one order and
one open payment come of it.
"""

from dataclasses import dataclass
from datetime import timedelta

from sqlmodel import select

from agency_site.errors import Conflict, FieldError, InputRejected, NotFound
from agency_site.features.checkout import emails
from agency_site.features.checkout.emails import known_token
from agency_site.features.checkout.enrolments import enrol
from agency_site.features.checkout.messages import detail_of
from agency_site.features.checkout.orders import Opened, Wanted, make_present, order_for, payment_for
from agency_site.features.checkout.request import CheckoutRequest, Enrollee, contact_phone
from agency_site.features.checkout.rules import (
    SETTLED_ORDERS,
    OrderExists,
    OrderState,
    PaymentFailed,
    PaymentState,
    PaymentUncertain,
    normalise_payer_phone,
)
from agency_site.features.checkout.stk_push import UNANSWERED, answered, push
from agency_site.features.checkout.tables import Order, Payment
from agency_site.features.checkout.transitions import Scope, lock_order, newest_payment
from agency_site.ids import token_hash
from agency_site.mail.usecases import enqueue_unless_repeated
from agency_site.mpesa.contract import Gateway
from agency_site.settings import settings

STARTED = "STK Push initiated successfully"
"""The specification's words where M-Pesa sends none (section 8)."""


LINK_PAUSE = timedelta(hours=1)
"""Within this time the link of one order is not mailed again because somebody has ordered the same."""


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
    scope: Scope, gateway: Gateway, request: CheckoutRequest, *, contact: str = "", client: str = ""
) -> StartedPayment:
    """Send the prompt for a course; the same request of the same client again returns the same payment.

    `contact` is the contact's own number where another phone pays, `client` the secret of the tab or HTTP client.
    Raises InputRejected for input that does not fit, OrderExists where an earlier order has to be named, Conflict where
    a prompt may be live on another phone, TooManyPrompts, PaymentFailed when surely no prompt was sent, and
    PaymentUncertain when one may be out.
    """
    quoted = request.quoted(settings().mpesa_maximum_amount)
    payer = request.payer()
    reach = contact_phone(contact) if contact else f"+{payer}"
    wanted = Wanted(request, quoted.course, quoted.quantity, reach, payer, client)
    try:
        async with scope() as session:
            order, _ = await order_for(session, wanted)
            opened = await payment_for(session, order, payer)
    except OrderExists as exists:
        await _mail_link(scope, wanted, exists)
        raise
    return await _carried_out(scope, gateway, opened)


async def _mail_link(scope: Scope, wanted: Wanted, exists: OrderExists) -> None:
    """Send the existing order's link to its own address, unless the client that asks has it."""
    if exists.reference:
        return
    async with scope() as session:
        order = (await session.exec(select(Order).where(Order.open_key == wanted.key))).one_or_none()
        if order is not None and order.email:
            key = f"order-exists:{order.reference}"
            await enqueue_unless_repeated(session, emails.order_exists(order), key=key, window=LINK_PAUSE)


async def retry_payment(scope: Scope, gateway: Gateway, token: str, phone: str = "") -> StartedPayment:
    """Try to pay an order again, from its private page; `phone` where another one pays this time.

    While an earlier prompt may be live on the same phone, its payment is returned and nothing is sent. Raises NotFound
    for an unknown token, Conflict when the order is paid or under review, and what `start_payment` raises.
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
        await make_present(session, order)
        opened = await payment_for(session, order, payer or newest.phone)
    return await _carried_out(scope, gateway, opened)


async def enrol_free(scope: Scope, enrollee: Enrollee, *, client: str = "") -> Enrolled:
    """Enrol in a course that costs nothing (readings, 7); `client` as in `start_payment`.

    Raises InputRejected when it is not free, and OrderExists where an earlier order has to be named.
    """
    course = enrollee.course()
    if not course.free:
        reason = "This course has a price; please pay for it with M-Pesa."
        raise InputRejected(reason, (FieldError("courseName", reason),))
    contact = contact_phone(enrollee.phone)
    wanted = Wanted(enrollee, course, 1, contact, contact, client)
    try:
        async with scope() as session:
            order, fresh = await order_for(session, wanted)
            if fresh:
                await enrol(session, order, None)
    except OrderExists as exists:
        await _mail_link(scope, wanted, exists)
        raise
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
