"""How an order stands, for its private page, the waiting payment page and the receipt. Reading only."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import NotFound
from agency_site.features.checkout.emails import receipt_facts
from agency_site.features.checkout.messages import FREE_TEXT, REPLACED, UNDECIDED, detail_of
from agency_site.features.checkout.orders import attempt_of, is_replaced
from agency_site.features.checkout.receipt import ReceiptFacts
from agency_site.features.checkout.rules import BOOKED, OPEN, OrderState, PaymentState, retry_at
from agency_site.features.checkout.tables import Order, Payment
from agency_site.features.checkout.transitions import newest_payment
from agency_site.ids import token_hash
from agency_site.settings import settings

VALID, INVALID = "payment valid", "payment invalid"
"""What the specification lets the waiting page read (section 7)."""
LONGEST_ID = 128
_NO_RECEIPT = "There is no receipt for this order yet."
_RETURNED = "This order's payment was given back: its receipt holds no longer."


class ShownState(StrEnum):
    """What visitors and the API are told of a payment (readings, HTTP interface)."""

    PENDING = "pending"
    PAID = "paid"
    FAILED = "failed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


class Stage(StrEnum):
    """The one thing that an order's page says, and that the payment page shows instead of its form."""

    WAITING = "waiting"
    """A prompt may be live, or M-Pesa has not said how it ended."""
    REVIEW = "review"
    """Staff check a payment of it."""
    ENROLLED = "enrolled"
    """Paid, or free."""
    PAYABLE = "payable"
    """Not paid, and another attempt can meet no live prompt."""
    REPLACED = "replaced"
    """Not paid, and another order of the same person for the course is paid or may be."""
    REFUNDED = "refunded"
    """The money went back."""
    ERASED = "erased"
    """Not paid, and its person's data is gone: it cannot be paid any more."""


SHOWN: Mapping[PaymentState, ShownState] = {
    PaymentState.CREATED: ShownState.PENDING,
    PaymentState.SENDING: ShownState.PENDING,
    PaymentState.PENDING: ShownState.PENDING,
    PaymentState.UNKNOWN: ShownState.PENDING,
    PaymentState.NEEDS_REVIEW: ShownState.PENDING,
    PaymentState.PAID: ShownState.PAID,
    PaymentState.FAILED: ShownState.FAILED,
    PaymentState.CANCELLED: ShownState.CANCELLED,
    PaymentState.EXPIRED: ShownState.EXPIRED,
    PaymentState.REFUNDED: ShownState.CANCELLED,
}
"""What is not decided, or is being checked by a person, is pending. The API knows no state of its own for money given
back; its detail says so."""


@dataclass(frozen=True)
class PaymentStatus:
    """One look at one payment."""

    status: str
    """`payment valid` once paid, else `payment invalid`."""
    state: ShownState
    detail: str
    """What happened and what to do next."""

    @property
    def paid(self) -> bool:
        """Whether the money is ours."""
        return self.state is ShownState.PAID

    @property
    def final(self) -> bool:
        """Whether the wait is over; a success that arrives later still counts."""
        return self.state is not ShownState.PENDING


@dataclass(frozen=True)
class OrderView:
    """All that the private order page shows."""

    reference: str
    first_name: str
    email: str
    course_slug: str
    course_name: str
    quantity: int
    unit_price: int
    amount: int
    free: bool
    created_at: datetime
    status: PaymentStatus
    payment_state: PaymentState | None
    """The exact state of the payment that counts; none for a free course."""
    payer: str
    """The phone that pays, with its middle hidden, such as 254712***678; empty for a free course."""
    receipt: str
    """M-Pesa's receipt number; empty while not known."""
    paid_at: datetime | None
    refunded_at: datetime | None
    retry_at: datetime | None
    """From when it may be tried again; none: not as things stand."""
    stage: Stage
    detail: str
    """What happened and what to do next, at this moment."""

    @property
    def paid(self) -> bool:
        """Whether the money is ours and the receipt can be downloaded."""
        return self.paid_at is not None


_HEADINGS = {
    Stage.WAITING: "Waiting for M-Pesa",
    Stage.REVIEW: "Our staff are checking your payment",
    Stage.ENROLLED: "You are enrolled",
    Stage.REPLACED: "You have ordered this course again",
    Stage.REFUNDED: "Your payment was given back",
    Stage.ERASED: "This order is closed",
}
_UNPAID_HEADINGS = {
    ShownState.PENDING: "No payment has arrived",
    ShownState.FAILED: "The payment did not go through",
    ShownState.CANCELLED: "The payment was cancelled",
    ShownState.EXPIRED: "No payment has arrived",
}


def heading_of(order: OrderView) -> str:
    """What an order's page says first."""
    return _HEADINGS.get(order.stage) or _UNPAID_HEADINGS[order.status.state]


def tone_of(order: OrderView) -> str:
    """How that is shown: `success`, `error` or `info`."""
    if order.stage is Stage.ENROLLED:
        return "success"
    return "error" if order.stage is Stage.PAYABLE else "info"


def status_of(payment: Payment) -> PaymentStatus:
    """What a visitor may know of a payment."""
    paid = payment.state is PaymentState.PAID
    return PaymentStatus(VALID if paid else INVALID, SHOWN[payment.state], detail_of(payment))


async def payment_status(session: AsyncSession, merchant_request_id: str) -> PaymentStatus:
    """How the payment of that MerchantRequestID stands. Raises NotFound."""
    known = 0 < len(merchant_request_id) <= LONGEST_ID and merchant_request_id.isprintable()
    payment = await _by_merchant_id(session, merchant_request_id) if known else None
    if payment is None:
        raise NotFound("We know no payment of this id.")
    return status_of(payment)


async def _by_merchant_id(session: AsyncSession, merchant_request_id: str) -> Payment | None:
    wanted = select(Payment).where(Payment.merchant_request_id == merchant_request_id)
    return (await session.exec(wanted)).one_or_none()


async def order_view(session: AsyncSession, token: str) -> OrderView:
    """The order of a private link. Raises NotFound."""
    order, payment = await _by_token(session, token)
    stage = await _stage(session, order, payment)
    return OrderView(
        reference=order.reference,
        first_name=order.first_name,
        email=order.email,
        course_slug=order.course_slug,
        course_name=order.course_name,
        quantity=order.quantity,
        unit_price=order.unit_price,
        amount=order.amount,
        free=order.state is OrderState.FREE,
        created_at=order.created_at,
        status=status_of(payment) if payment else PaymentStatus(VALID, ShownState.PAID, FREE_TEXT),
        payment_state=payment.state if payment else None,
        payer=f"{payment.phone[:6]}***{payment.phone[-3:]}" if payment and payment.phone else "",
        receipt=(payment.receipt or "") if payment else "",
        paid_at=payment.settled_at if payment and payment.state is PaymentState.PAID else None,
        refunded_at=payment.refunded_at if payment else None,
        retry_at=_retry_at(order, payment),
        stage=stage,
        detail=_detail(stage, payment),
    )


_STAGES: Mapping[OrderState, Stage] = {
    OrderState.PAID: Stage.ENROLLED,
    OrderState.FREE: Stage.ENROLLED,
    OrderState.NEEDS_REVIEW: Stage.REVIEW,
    OrderState.REFUNDED: Stage.REFUNDED,
}


async def _stage(session: AsyncSession, order: Order, payment: Payment | None) -> Stage:
    if decided := _STAGES.get(order.state):
        return decided
    if not order.email:
        return Stage.ERASED
    retry = _retry_at(order, payment)
    if retry is None or retry > now():
        return Stage.WAITING
    return Stage.REPLACED if await is_replaced(session, order) else Stage.PAYABLE


def _detail(stage: Stage, payment: Payment | None) -> str:
    if payment is None:
        return FREE_TEXT
    if stage is Stage.REPLACED:
        return REPLACED
    if stage is Stage.PAYABLE and payment.state in OPEN:
        return UNDECIDED
    return detail_of(payment)


async def receipt_of(session: AsyncSession, token: str) -> ReceiptFacts:
    """What the receipt of a paid order states. Raises NotFound for an unknown token and an unpaid order."""
    return _receipt(*await _by_token(session, token))


async def receipt_under(session: AsyncSession, reference: str) -> ReceiptFacts:
    """The same for staff, who know the order by its reference. Raises NotFound likewise."""
    wanted = select(Order).where(Order.reference == reference.strip().upper())
    order = (await session.exec(wanted)).one_or_none()
    if order is None:
        raise NotFound("There is no order of this reference.")
    return _receipt(order, await _paying(session, order))


def _receipt(order: Order, payment: Payment | None) -> ReceiptFacts:
    if payment is None or payment.state is not PaymentState.PAID:
        raise NotFound(_NO_RECEIPT if payment is None or payment.state not in BOOKED else _RETURNED)
    return receipt_facts(order, payment)


async def _by_token(session: AsyncSession, token: str) -> tuple[Order, Payment | None]:
    order = (await session.exec(select(Order).where(Order.token_hash == token_hash(token)))).one_or_none()
    if order is None:
        raise NotFound("We have no order under this address.")
    return order, await _paying(session, order)


async def _paying(session: AsyncSession, order: Order) -> Payment | None:
    """The payment that counts: the one that paid, else the one given back, else the newest."""
    booked = select(Payment).where(Payment.order_id == order.id, col(Payment.state).in_(BOOKED))
    # In the alphabet, paid comes before refunded.
    first = booked.order_by(col(Payment.state), col(Payment.id)).limit(1)
    return (await session.exec(first)).first() or await newest_payment(session, order)


def _retry_at(order: Order, payment: Payment | None) -> datetime | None:
    erased = not order.email
    if payment is None or erased or order.state not in (OrderState.AWAITING, OrderState.UNPAID):
        return None
    return retry_at(attempt_of(payment), timedelta(seconds=settings().mpesa_prompt_window_seconds))
