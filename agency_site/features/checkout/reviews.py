"""Decisions of staff about money: payments under review, missing receipts, refunds.

Each use case locks the order first, like everything that changes an order or its payments (`transitions`).
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import NotFound, StaleRecord
from agency_site.features.checkout.messages import CHECKED_UNPAID
from agency_site.features.checkout.records import OrderDetail
from agency_site.features.checkout.rules import RECEIVED, OrderState, PaymentState
from agency_site.features.checkout.settlement import describe_sale, enrol, is_receipt_used, mail_unpaid
from agency_site.features.checkout.staff_request import Refund, ReviewDecision, reject
from agency_site.features.checkout.staff_usecases import load_order_detail
from agency_site.features.checkout.tables import CallbackInbox, Order, Payment
from agency_site.features.checkout.transitions import (
    lock_payment,
    note,
    transition_payment,
)
from agency_site.places import places


async def resolve_review(
    session: AsyncSession, payment_id: int, version: int, decision: ReviewDecision, actor: str
) -> OrderDetail:
    """Decide a payment under review; `version` is that of the order which staff saw.

    PAID enrols if nobody was yet, and sends the confirmation. FAILED leaves the order payable again. Raises NotFound,
    InputRejected for `receipt`, and StaleRecord when the order has changed since.
    """
    order, payment = await _lock_payment(session, payment_id)
    if order.version != version or payment.state is not PaymentState.NEEDS_REVIEW:
        raise StaleRecord(f"order {order.reference}", await load_order_detail(session, order))
    order.updated_at = now()
    if decision.outcome is PaymentState.PAID:
        await _accept(session, order, payment, decision, actor)
    else:
        await _dismiss(session, order, payment, decision.reason, actor)
    await session.flush()
    return await load_order_detail(session, order)


async def _accept(
    session: AsyncSession, order: Order, payment: Payment, decision: ReviewDecision, actor: str
) -> None:
    receipt = decision.receipt
    if payment.receipt and payment.receipt != receipt:
        raise reject("receipt", f"M-Pesa itself states the receipt {payment.receipt} for this payment.")
    await _require_unused(session, payment, receipt)
    async with _reject_duplicate(
        "receipt", f"The receipt {receipt} already belongs to another payment.", session
    ):
        await transition_payment(
            session,
            order,
            payment,
            PaymentState.PAID,
            actor=actor,
            why=f"accepted: {decision.reason}",
            by_staff=True,
            receipt=receipt,
            settled_at=now(),
            **_NOT_POLLED,
        )
    assert order.id is not None
    if order.state is OrderState.PAID and await places().find(session, order.id) is None:
        if not await places().reserve(session, describe_sale(order), paid=True):
            note(
                session,
                order,
                payment,
                actor,
                "no place was left in the course run: the learners are to be placed",
            )
        await enrol(session, order, payment)
    else:
        note(session, order, payment, actor, "the order was settled already: this payment is to be refunded")


async def _dismiss(session: AsyncSession, order: Order, payment: Payment, why: str, actor: str) -> None:
    await transition_payment(
        session,
        order,
        payment,
        PaymentState.FAILED,
        actor=actor,
        why=f"no money for this order: {why}",
        by_staff=True,
        settled_at=now(),
        result_code=CHECKED_UNPAID,
        # A success that a query once reported would keep the order from being paid again.
        success_seen_at=None,
        **_NOT_POLLED,
    )
    await mail_unpaid(session, order, payment)


_NOT_POLLED = {"due_at": None, "leased_until": None}


async def enter_receipt(session: AsyncSession, payment_id: int, receipt: str, actor: str) -> OrderDetail:
    """Add M-Pesa's receipt to a paid payment that only status queries have reported: they state none.

    A receipt that staff mistyped may be replaced by the one that M-Pesa has stated since. Raises NotFound,
    InputRejected for `receipt`, and StaleRecord when the payment has its receipt or is not paid.
    """
    order, payment = await _lock_payment(session, payment_id)
    mistyped = payment.receipt and await _is_only_stated(session, payment, receipt)
    if payment.state not in RECEIVED or (payment.receipt and not mistyped):
        raise StaleRecord("", await load_order_detail(session, order), "This payment needs no receipt.")
    await _require_unused(session, payment, receipt)
    why = f"receipt {receipt} entered" + (f" instead of {payment.receipt}" if mistyped else "")
    async with _reject_duplicate(
        "receipt", f"The receipt {receipt} already belongs to another payment.", session
    ):
        payment.receipt = receipt
        session.add(payment)
        await session.flush()
    order.updated_at = now()
    session.add(order)
    note(session, order, payment, actor, why)
    await session.flush()
    return await load_order_detail(session, order)


async def record_refund(session: AsyncSession, payment_id: int, refund: Refund, actor: str) -> OrderDetail:
    """Record that the whole of a paid payment has been refunded outside of this site.

    The receipt stays. Unless another payment still pays for it, the order is refunded and its enrolment has ended.
    Raises NotFound, InputRejected for `refund_reference`, StaleRecord when the payment is not paid.
    """
    number = refund.reference
    order, payment = await _lock_payment(session, payment_id)
    if payment.state is not PaymentState.PAID:
        raise StaleRecord("", await load_order_detail(session, order), "Only a paid payment can be refunded.")
    if (await session.exec(select(Payment.id).where(Payment.receipt == number))).first() is not None:
        raise reject(
            "refund_reference", "This is the receipt of a payment to us. A refund has one of its own."
        )
    async with _reject_duplicate("refund_reference", "Another refund has this reference already.", session):
        await transition_payment(
            session,
            order,
            payment,
            PaymentState.REFUNDED,
            actor=actor,
            why=f"refunded as {number}: {refund.reason}",
            by_staff=True,
            refund_reference=number,
            refund_reason=refund.reason,
            refunded_at=now(),
            **_NOT_POLLED,
        )
    order.updated_at = now()
    session.add(order)
    if order.state is OrderState.REFUNDED:
        await _end_order(session, order)
    await session.flush()
    return await load_order_detail(session, order)


async def _end_order(session: AsyncSession, order: Order) -> None:
    # Whoever orders the same again gets a new order.
    order.open_key = None
    session.add(order)
    assert order.id is not None
    await places().end(session, order.id, now())


async def _lock_payment(session: AsyncSession, payment_id: int) -> tuple[Order, Payment]:
    if await session.get(Payment, payment_id) is None:
        raise NotFound("There is no such payment.")
    return await lock_payment(session, payment_id)


async def _is_only_stated(session: AsyncSession, payment: Payment, receipt: str) -> bool:
    """Whether M-Pesa has stated that receipt, and no other, on this payment's path."""
    stated = select(CallbackInbox.receipt).where(
        CallbackInbox.attempt_key == payment.attempt_key, CallbackInbox.receipt != ""
    )
    return set(await session.exec(stated)) == {receipt} != {payment.receipt}


async def _require_unused(session: AsyncSession, payment: Payment, receipt: str) -> None:
    if await is_receipt_used(session, payment, receipt):
        raise reject("receipt", f"The receipt {receipt} already belongs to another payment.")
    refunds = select(Payment.id).where(col(Payment.refund_reference) == receipt)
    if (await session.exec(refunds)).first() is not None:
        raise reject("receipt", f"{receipt} is the reference of a refund.")


@asynccontextmanager
async def _reject_duplicate(field: str, message: str, session: AsyncSession) -> AsyncIterator[None]:
    """Two staff who enter the same number for two orders at once both see it unused; the database refuses one."""
    try:
        async with session.begin_nested():
            yield
    except IntegrityError:
        raise reject(field, message) from None
