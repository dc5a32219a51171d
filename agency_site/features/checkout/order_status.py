"""The state of an order for its private page, the waiting payment page and the receipt. Reading only."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import func
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import NotFound
from agency_site.features.checkout.emails import build_receipt
from agency_site.features.checkout.invoice import InvoiceDetails, build_invoice, can_add_company
from agency_site.features.checkout.messages import (
    FREE_TEXT,
    REPLACED,
    UNDECIDED,
    describe_payment,
)
from agency_site.features.checkout.orders import describe_attempt, is_replaced
from agency_site.features.checkout.receipt import ReceiptDetails
from agency_site.features.checkout.rules import (
    OPEN,
    RECEIPT_LABELS,
    RECEIVED,
    UNPAID_ORDERS,
    OrderState,
    PaymentKind,
    PaymentState,
    find_retry_time,
)
from agency_site.features.checkout.settlement import find_run
from agency_site.features.checkout.tables import Order, Payment
from agency_site.features.checkout.transitions import find_counting_payment
from agency_site.ids import parse_reference, token_hash
from agency_site.places import UNKNOWN_ORDER, RunStart
from agency_site.settings import settings

VALID, INVALID = "payment valid", "payment invalid"
"""The texts of the specification for the waiting page (section 7)."""
_LONGEST_ID = 128
_NO_RECEIPT = "There is no receipt for this order yet."
_NO_INVOICE = "There is no invoice for this order: no company is named in it."
_RETURNED = "This order's payment was given back: its receipt holds no longer."


class ShownState(StrEnum):
    """The state of a payment that visitors and the API see (readings, HTTP interface)."""

    PENDING = "pending"
    PAID = "paid"
    FAILED = "failed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


class Stage(StrEnum):
    """The one thing that an order's page says, and that the payment page shows instead of its form."""

    WAITING = "waiting"
    """A prompt may be open, or M-Pesa has not reported its result."""
    REVIEW = "review"
    """Staff check a payment of it."""
    ENROLLED = "enrolled"
    """Paid, or free."""
    PAYABLE = "payable"
    """Not paid, and another attempt can meet no open prompt."""
    REPLACED = "replaced"
    """Not paid, and another order of the same person for the course is paid or may be."""
    REFUNDED = "refunded"
    """The money was returned."""
    ERASED = "erased"
    """Not paid, and its personal data is erased: it cannot be paid any more."""


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
"""Undecided payments and those under review are pending. The API has no state of its own for refunds; its detail says
so."""


@dataclass(frozen=True)
class PaymentStatus:
    """The state of one payment."""

    status: str
    """`payment valid` once paid, else `payment invalid`."""
    state: ShownState
    detail: str
    """What happened and what to do next."""


@dataclass(frozen=True)
class OrderView:
    """All that the private order page shows."""

    reference: str
    course_slug: str
    course_name: str
    run: RunStart | None
    """The course run in which the learners are or, before they are enrolled, the chosen one."""
    quantity: int
    company: str
    """The company that pays; empty: none."""
    company_pin: str
    takes_company: bool
    """The buyer can still say that a company pays."""
    amount: int
    discount: int
    """Whole shillings that a coupon has taken off."""
    coupon: str
    """Its code; empty: none."""
    free: bool
    created_at: datetime
    status: PaymentStatus
    payer: str
    """The phone that pays, with its middle hidden, such as 254712***678; empty for a free course."""
    receipt: str
    """Its receipt number; empty while not known."""
    receipt_label: str
    """What that number is, such as `M-Pesa receipt`."""
    paid_at: datetime | None
    refunded: int
    """Whole shillings returned of it."""
    retry_at: datetime | None
    """From when it may be tried again; none: not in the present state."""
    stage: Stage
    detail: str
    """What happened and what to do next, at this moment."""

    @property
    def paid(self) -> bool:
        """Whether the money has come and the receipt can be downloaded."""
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


def choose_heading(order: OrderView) -> str:
    """The heading of an order's page."""
    return _HEADINGS.get(order.stage) or _UNPAID_HEADINGS[order.status.state]


def choose_tone(order: OrderView) -> str:
    """The tone in which it is shown: `success`, `error` or `info`."""
    if order.stage is Stage.ENROLLED:
        return "success"
    return "error" if order.stage is Stage.PAYABLE else "info"


def _describe_status(payment: Payment) -> PaymentStatus:
    """What a visitor may know of a payment."""
    paid = payment.state is PaymentState.PAID
    return PaymentStatus(VALID if paid else INVALID, SHOWN[payment.state], describe_payment(payment))


async def find_payment_status(session: AsyncSession, merchant_request_id: str) -> PaymentStatus:
    """The state of the payment of that MerchantRequestID. Raises NotFound."""
    valid = 0 < len(merchant_request_id) <= _LONGEST_ID and merchant_request_id.isprintable()
    payment = await _find_by_merchant_id(session, merchant_request_id) if valid else None
    if payment is None:
        raise NotFound("We know no payment of this id.")
    return _describe_status(payment)


async def _find_by_merchant_id(session: AsyncSession, merchant_request_id: str) -> Payment | None:
    wanted = select(Payment).where(Payment.merchant_request_id == merchant_request_id)
    return (await session.exec(wanted)).one_or_none()


async def find_order(session: AsyncSession, token: str) -> OrderView:
    """The order of a private link. Raises NotFound."""
    order, payment = await _find_by_token(session, token)
    stage = await _find_stage(session, order, payment)
    return OrderView(
        reference=order.reference,
        course_slug=order.course_slug,
        course_name=order.course_name,
        run=await find_run(session, order),
        quantity=order.quantity,
        company=order.company_name,
        company_pin=order.company_pin,
        takes_company=can_add_company(order),
        amount=order.amount,
        discount=order.discount,
        coupon=order.coupon_code,
        free=order.state is OrderState.FREE,
        created_at=order.created_at,
        status=_describe_status(payment) if payment else PaymentStatus(VALID, ShownState.PAID, FREE_TEXT),
        payer=f"{payment.phone[:6]}***{payment.phone[-3:]}" if payment and payment.phone else "",
        receipt=(payment.receipt or "") if payment else "",
        receipt_label=RECEIPT_LABELS[payment.kind if payment else PaymentKind.PROMPT],
        paid_at=(payment.paid_at or payment.settled_at)
        if payment and payment.state is PaymentState.PAID
        else None,
        refunded=payment.refunded if payment else 0,
        retry_at=_find_retry(order, payment),
        stage=stage,
        detail=_describe(stage, payment),
    )


_STAGES: Mapping[OrderState, Stage] = {
    OrderState.PAID: Stage.ENROLLED,
    OrderState.FREE: Stage.ENROLLED,
    OrderState.NEEDS_REVIEW: Stage.REVIEW,
    OrderState.REFUNDED: Stage.REFUNDED,
}


async def _find_stage(session: AsyncSession, order: Order, payment: Payment | None) -> Stage:
    if decided := _STAGES.get(order.state):
        return decided
    if not order.email:
        return Stage.ERASED
    retry = _find_retry(order, payment)
    if retry is None or retry > now():
        return Stage.WAITING
    return Stage.REPLACED if await is_replaced(session, order) else Stage.PAYABLE


def _describe(stage: Stage, payment: Payment | None) -> str:
    if payment is None:
        return FREE_TEXT
    if stage is Stage.REPLACED:
        return REPLACED
    if stage is Stage.PAYABLE and payment.state in OPEN:
        return UNDECIDED
    return describe_payment(payment)


async def find_receipt(session: AsyncSession, token: str) -> ReceiptDetails:
    """What the receipt of a paid order states. Raises NotFound for an unknown token and an unpaid order."""
    return await _build_receipt(session, *await _find_by_token(session, token))


async def find_invoice(session: AsyncSession, token: str) -> InvoiceDetails:
    """What the invoice of an order with a company states. Raises NotFound for an unknown token and for any other order."""
    order, _ = await _find_by_token(session, token)
    return await _build_invoice(session, order)


async def find_invoice_for_staff(session: AsyncSession, reference: str) -> InvoiceDetails:
    """The same for staff, by the order's reference. Raises NotFound likewise."""
    return await _build_invoice(session, await _find_by_reference(session, reference))


async def _build_invoice(session: AsyncSession, order: Order) -> InvoiceDetails:
    if not order.company_name:
        raise NotFound(_NO_INVOICE)
    kept = func.coalesce(func.sum(Payment.amount - Payment.refunded), 0)
    received = select(kept).where(Payment.order_id == order.id, col(Payment.state).in_(RECEIVED))
    paid = int((await session.exec(received)).one())
    return build_invoice(order, paid, await find_run(session, order))


async def find_receipt_for_staff(session: AsyncSession, reference: str) -> ReceiptDetails:
    """The same for staff, by the order's reference. Raises NotFound likewise."""
    order = await _find_by_reference(session, reference)
    return await _build_receipt(session, order, await find_counting_payment(session, order))


async def _find_by_reference(session: AsyncSession, reference: str) -> Order:
    wanted = select(Order).where(Order.reference == parse_reference(reference))
    order = (await session.exec(wanted)).one_or_none()
    if order is None:
        raise NotFound("There is no order of this reference.")
    return order


async def _build_receipt(session: AsyncSession, order: Order, payment: Payment | None) -> ReceiptDetails:
    if payment is None or payment.state is not PaymentState.PAID:
        raise NotFound(_NO_RECEIPT if payment is None or payment.state not in RECEIVED else _RETURNED)
    return build_receipt(order, payment, await find_run(session, order))


async def _find_by_token(session: AsyncSession, token: str) -> tuple[Order, Payment | None]:
    order = (await session.exec(select(Order).where(Order.token_hash == token_hash(token)))).one_or_none()
    if order is None:
        raise NotFound(UNKNOWN_ORDER)
    return order, await find_counting_payment(session, order)


def _find_retry(order: Order, payment: Payment | None) -> datetime | None:
    erased = not order.email
    if payment is None or erased or order.state not in UNPAID_ORDERS:
        return None
    return find_retry_time(describe_attempt(payment), settings().mpesa_prompt_window)
