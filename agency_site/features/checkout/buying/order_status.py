"""The state of an order for its private page, the payment page and the documents. This module only reads."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Literal

from sqlalchemy import func
from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.found_rows import find_one
from agency_site.errors import NotFound
from agency_site.features.checkout.buying.orders import is_unconfirmed
from agency_site.features.checkout.documents.facts import CreditNoteDetails, InvoiceDetails, ReceiptDetails
from agency_site.features.checkout.orders.rules import SETTLED_ORDERS, UNPAID_ORDERS, Balance, OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.claims import find_refusal
from agency_site.features.checkout.payments.documents import (
    build_credit_note,
    build_invoice,
    build_receipt,
    can_add_company,
)
from agency_site.features.checkout.payments.messages import (
    FREE_TEXT,
    IN_REVIEW,
    NOT_ASKED,
    REFUSALS,
    UNCONFIRMED,
    UNDECIDED,
    describe_part,
    describe_payment,
    describe_refusal,
)
from agency_site.features.checkout.payments.queries import (
    describe_attempt,
    find_balance,
    find_counting_payment,
    find_newest_prompt,
    list_counting_payments,
    list_order_refunds,
)
from agency_site.features.checkout.payments.rules import (
    OPEN,
    RECEIPT_LABELS,
    UNPAID_ENDS,
    PaymentKind,
    PaymentState,
    Refusal,
    find_retry_time,
)
from agency_site.features.checkout.payments.settlement import find_run
from agency_site.features.checkout.payments.tables import Payment
from agency_site.ids import parse_reference, token_hash
from agency_site.members import ByMember
from agency_site.phone_numbers import format_phone_number
from agency_site.places import UNKNOWN_ORDER, RunStart
from agency_site.settings import settings

VALID, INVALID = "payment valid", "payment invalid"
"""Status texts of the specification (section 7)."""

_LONGEST_ID = 128

_NO_RECEIPT = "There is no receipt for this order yet."

_NO_INVOICE = "There is no invoice for this order, because it names no company."

_NO_CREDIT_NOTE = "This order has no credit note with this number."

_RETURNED = "The payment for this order was refunded, so there is no receipt any more."


class ShownState(StrEnum):
    """The state of a payment that visitors and the API see (readings, HTTP interface)."""

    PENDING = "pending"
    PAID = "paid"
    FAILED = "failed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


class Stage(StrEnum):
    """The state of an order as its page, and the payment page after an order, show it."""

    WAITING = "waiting"
    """A prompt may be open, or M-Pesa has not reported its result yet."""
    REVIEW = "review"
    """Staff are checking one of its payments."""
    ENROLLED = "enrolled"
    """Paid, or free."""
    UNCONFIRMED = "unconfirmed"
    """A place in a free course, which the person has yet to confirm."""
    PAYABLE = "payable"
    """Not paid, and no prompt can be open: another attempt is safe."""
    STOPPED = "stopped"
    """Not paid in full, and it cannot be now: its run is cancelled or full, its coupon is used up, or its course is closed."""
    REPLACED = "replaced"
    """Not paid, and another order of the same person for the course is paid or may become paid."""
    REFUNDED = "refunded"
    """The money was returned."""
    ERASED = "erased"
    """Not paid, and its personal data is erased: it cannot be paid any more."""


SHOWN: Mapping[PaymentState, ShownState] = ByMember(
    {
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
    },
    # A payment in a state of a later release is not decided here.
    lambda _state: ShownState.PENDING,
)
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
    """The content of the private order page."""

    reference: str
    course_slug: str
    course_name: str
    run: RunStart | None
    """The course run in which the learners are or, before they are enrolled, the chosen one."""
    quantity: int
    company: str
    """The company that pays; empty if the buyer pays."""
    company_pin: str
    takes_company: bool
    """The buyer can still say that a company pays."""
    amount: int
    discount: int
    """Whole shillings that a coupon has taken off."""
    coupon: str
    """The code of the coupon; empty without one."""
    free: bool
    created_at: datetime
    status: PaymentStatus
    payer: str
    """The phone that pays, with its middle hidden, such as `0712 *** 678`; empty for a free course."""
    receipt: str
    """The receipt number; empty while it is not known."""
    receipt_label: str
    """The kind of that number, such as `M-Pesa receipt`."""
    paid_at: datetime | None
    received: int
    """Whole shillings received for the order, over all its payments."""
    refunded: int
    """Whole shillings returned of them."""
    due: int
    """What remains to be paid now."""
    credit_notes: int
    """The number of credit notes."""
    surplus: int
    """Whole shillings received after the order was paid, which staff have to refund."""
    retry_at: datetime | None
    """The time from which the buyer may try again; None if that is not possible in this state."""
    stage: Stage
    detail: str
    """What happened and what to do next, at this moment."""

    @property
    def paid(self) -> bool:
        """True if the money has arrived and the receipt can be downloaded."""
        return self.paid_at is not None

    @property
    def has_part(self) -> bool:
        """True if money has arrived that was not returned."""
        return self.received > self.refunded


_HEADINGS = {
    Stage.WAITING: "Waiting for M-Pesa",
    Stage.UNCONFIRMED: "Confirm your place",
    Stage.REVIEW: "Our staff are checking your payment",
    Stage.ENROLLED: "You are enrolled",
    Stage.REPLACED: "You have ordered this course again",
    Stage.REFUNDED: "Your payment was refunded",
    Stage.ERASED: "This order is closed",
}

_UNPAID_HEADINGS = {
    ShownState.PENDING: "No payment has arrived",
    ShownState.FAILED: "The payment did not go through",
    ShownState.CANCELLED: "The payment was cancelled",
    ShownState.EXPIRED: "No payment has arrived",
}


def choose_heading(order: OrderView) -> str:
    """Return the heading of an order's page."""
    if heading := _HEADINGS.get(order.stage):
        return heading
    if order.stage is Stage.STOPPED:
        return "Please do not pay the rest" if order.has_part else "This order cannot be paid any more"
    return "Part of the price has arrived" if order.has_part else _UNPAID_HEADINGS[order.status.state]


def choose_tone(order: OrderView) -> Literal["success", "error", "info"]:
    """Return the tone of that heading."""
    if order.stage is Stage.ENROLLED:
        return "success"
    is_no_problem = order.has_part or order.detail == NOT_ASKED
    return "error" if order.stage is Stage.PAYABLE and not is_no_problem else "info"


def _describe_status(payment: Payment) -> PaymentStatus:
    """Return the state of a payment as visitors see it."""
    paid = payment.state is PaymentState.PAID
    return PaymentStatus(VALID if paid else INVALID, SHOWN[payment.state], describe_payment(payment))


async def find_payment_status(session: AsyncSession, merchant_request_id: str) -> PaymentStatus:
    """The state of the payment of that MerchantRequestID. Raises NotFound."""
    valid = 0 < len(merchant_request_id) <= _LONGEST_ID and merchant_request_id.isprintable()
    payment = await _find_by_merchant_id(session, merchant_request_id) if valid else None
    if payment is None:
        raise NotFound("There is no payment with this ID.")
    status = _describe_status(payment)
    if payment.state not in UNPAID_ENDS:
        return status
    order = await session.get_one(Order, payment.order_id)
    refusal = await find_refusal(session, order)
    return replace(status, detail=REFUSALS[refusal][0]) if refusal else status


async def _find_by_merchant_id(session: AsyncSession, merchant_request_id: str) -> Payment | None:
    wanted = select(Payment).where(Payment.merchant_request_id == merchant_request_id)
    return (await session.exec(wanted)).one_or_none()


async def find_order(session: AsyncSession, token: str) -> OrderView:
    """The order of a private link. Raises NotFound."""
    order, payment = await _find_by_token(session, token)
    prompt = await find_newest_prompt(session, order)
    balance = await find_balance(session, order)
    refusal = await find_refusal(session, order)
    stage = _find_stage(order, prompt, balance, refusal)
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
        status=_describe_order(order, payment),
        payer=format_phone_number(f"{payment.phone[:6]}***{payment.phone[-3:]}")
        if payment and payment.phone
        else "",
        receipt=(payment.receipt or "") if payment else "",
        receipt_label=RECEIPT_LABELS[payment.kind if payment else PaymentKind.PROMPT],
        paid_at=(payment.paid_at or payment.settled_at)
        if payment and payment.state is PaymentState.PAID
        else None,
        received=balance.received,
        refunded=balance.refunded,
        due=0 if refusal else balance.due(order.state),
        credit_notes=len(await list_order_refunds(session, order)),
        surplus=await _find_surplus(session, order),
        retry_at=_find_retry(order, prompt),
        stage=stage,
        detail=_describe(stage, order, payment, prompt, balance, refusal),
    )


_STAGES: Mapping[OrderState, Stage] = {
    OrderState.PAID: Stage.ENROLLED,
    OrderState.FREE: Stage.ENROLLED,
    OrderState.NEEDS_REVIEW: Stage.REVIEW,
    OrderState.REFUNDED: Stage.REFUNDED,
}


async def _find_surplus(session: AsyncSession, order: Order) -> int:
    """Return the money under review that arrived after the order was settled."""
    if order.state not in SETTLED_ORDERS:
        return 0
    in_review = select(func.coalesce(func.sum(Payment.amount), 0)).where(
        Payment.order_id == order.id, Payment.state == PaymentState.NEEDS_REVIEW
    )
    return int((await session.exec(in_review)).one())


def _find_stage(order: Order, prompt: Payment | None, balance: Balance, refusal: Refusal | None) -> Stage:
    """Return the stage of the order; its newest `prompt` decides whether it can be paid again."""
    if not is_unconfirmed(order) and (decided := _STAGES.get(order.state)):
        return decided
    if not order.email:
        return Stage.ERASED
    retry = _find_retry(order, prompt)
    if prompt and (retry is None or retry > now()):
        return Stage.WAITING
    if refusal is Refusal.REPLACED and not balance.net:
        return Stage.REPLACED
    if is_unconfirmed(order):
        return Stage.UNCONFIRMED
    return Stage.STOPPED if refusal else Stage.PAYABLE


def _describe_order(order: Order, payment: Payment | None) -> PaymentStatus:
    if payment:
        return _describe_status(payment)
    if order.state is OrderState.FREE:
        return PaymentStatus(VALID, ShownState.PAID, FREE_TEXT)
    return PaymentStatus(INVALID, ShownState.PENDING, NOT_ASKED)


def _describe(
    stage: Stage,
    order: Order,
    payment: Payment | None,
    prompt: Payment | None,
    balance: Balance,
    refusal: Refusal | None,
) -> str:
    if refusal and stage in (Stage.REPLACED, Stage.STOPPED):
        return describe_refusal(refusal, balance)
    if stage is Stage.UNCONFIRMED:
        return UNCONFIRMED
    if order.state in UNPAID_ORDERS:
        return _describe_unpaid(stage, prompt, balance)
    if stage is Stage.REVIEW:
        return describe_payment(prompt) if prompt and prompt.state is PaymentState.NEEDS_REVIEW else IN_REVIEW
    return describe_payment(payment) if payment else FREE_TEXT


def _describe_unpaid(stage: Stage, prompt: Payment | None, balance: Balance) -> str:
    """Describe an unpaid order: a part that has arrived matters more than a prompt that has ended."""
    if balance.net and stage is not Stage.WAITING:
        return describe_part(balance)
    if prompt is None:
        return NOT_ASKED
    undecided = stage is Stage.PAYABLE and prompt.state in OPEN
    return UNDECIDED if undecided else describe_payment(prompt)


async def find_receipt(session: AsyncSession, token: str) -> ReceiptDetails:
    """Return the facts of an order's receipt. Raises NotFound for an unknown token and an order without paid payments."""
    order, _ = await _find_by_token(session, token)
    return await _build_receipt(session, order)


async def find_invoice(session: AsyncSession, token: str) -> InvoiceDetails:
    """Return the facts of an order's invoice. Raises NotFound for an unknown token and an order without a company."""
    order, _ = await _find_by_token(session, token)
    return await _build_invoice(session, order)


async def find_invoice_for_staff(session: AsyncSession, reference: str) -> InvoiceDetails:
    """Return the facts of the invoice by the order's reference. Raises NotFound."""
    return await _build_invoice(session, await _find_by_reference(session, reference))


async def _build_invoice(session: AsyncSession, order: Order) -> InvoiceDetails:
    if not order.company_name:
        raise NotFound(_NO_INVOICE)
    balance, run = await find_balance(session, order), await find_run(session, order)
    return build_invoice(order, balance, run, await find_refusal(session, order))


async def find_credit_note(session: AsyncSession, token: str, number: int) -> CreditNoteDetails:
    """Return the facts of the credit note for the order's refund with that number. Raises NotFound."""
    order, _ = await _find_by_token(session, token)
    return await _build_credit_note(session, order, number)


async def find_credit_note_for_staff(session: AsyncSession, reference: str, number: int) -> CreditNoteDetails:
    """Return the facts of the credit note by the order's reference. Raises NotFound."""
    return await _build_credit_note(session, await _find_by_reference(session, reference), number)


async def _build_credit_note(session: AsyncSession, order: Order, number: int) -> CreditNoteDetails:
    refunds = await list_order_refunds(session, order)
    if not 0 < number <= len(refunds):
        raise NotFound(_NO_CREDIT_NOTE)
    return build_credit_note(order, *refunds[number - 1], number)


async def find_receipt_for_staff(session: AsyncSession, reference: str) -> ReceiptDetails:
    """Return the facts of the receipt by the order's reference. Raises NotFound."""
    return await _build_receipt(session, await _find_by_reference(session, reference))


async def _find_by_reference(session: AsyncSession, reference: str) -> Order:
    wanted = select(Order).where(Order.reference == parse_reference(reference))
    return await find_one(session, wanted, "There is no order with this reference.")


async def _build_receipt(session: AsyncSession, order: Order) -> ReceiptDetails:
    payments = await list_counting_payments(session, order)
    if not payments:
        returned = (await find_balance(session, order)).received
        raise NotFound(_RETURNED if returned else _NO_RECEIPT)
    return build_receipt(order, payments, await find_run(session, order))


async def _find_by_token(session: AsyncSession, token: str) -> tuple[Order, Payment | None]:
    order = await find_one(session, select(Order).where(Order.token_hash == token_hash(token)), UNKNOWN_ORDER)
    return order, await find_counting_payment(session, order)


def _find_retry(order: Order, payment: Payment | None) -> datetime | None:
    erased = not order.email
    if payment is None or erased or order.state not in UNPAID_ORDERS:
        return None
    return find_retry_time(describe_attempt(payment), settings().mpesa_prompt_window)
