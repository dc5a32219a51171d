"""Decisions of staff about payments under review and missing receipts.

Each use case locks the order first, like every change of an order or its payments (`transitions`).
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

from sqlalchemy.exc import IntegrityError
from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import StaleRecord, reject
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.messages import CHECKED_UNPAID
from agency_site.features.checkout.payments.queries import describe_sale, lock_known_payment
from agency_site.features.checkout.payments.rules import RECEIVED, PaymentState
from agency_site.features.checkout.payments.settlement import (
    enrol,
    is_receipt_used,
    mail_unpaid,
)
from agency_site.features.checkout.payments.tables import CallbackInbox, Payment, PaymentRefund
from agency_site.features.checkout.payments.transitions import NOT_POLLED, record_event, transition_payment
from agency_site.features.checkout.reviews.staff_request import ReviewDecision
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.places import places


async def resolve_review(
    session: AsyncSession, payment_id: int, version: int, decision: ReviewDecision, actor: str
) -> Order:
    """Decide a payment under review; `version` is the one of the order that staff saw.

    A payment keeps the receipt that M-Pesa or staff have stated. PAID enrols the learners unless they are, and sends the
    confirmation. FAILED makes the order payable again. Raises NotFound, InputRejected for `receipt`, and StaleRecord if the
    order has changed since.
    """
    order, payment = await lock_known_payment(session, payment_id)
    if order.version != version or payment.state is not PaymentState.NEEDS_REVIEW:
        raise StaleRecord(f"order {order.reference}", order)
    order.updated_at = now()
    if decision.outcome is PaymentState.PAID:
        await _accept_payment(session, order, payment, decision, actor)
    else:
        await _dismiss_payment(session, order, payment, decision.reason, actor)
    await session.flush()
    return order


async def _accept_payment(
    session: AsyncSession, order: Order, payment: Payment, decision: ReviewDecision, actor: str
) -> None:
    receipt = decision.receipt or payment.receipt
    if not receipt:
        raise reject("receipt", "Please enter the M-Pesa receipt.")
    if payment.receipt and payment.receipt != receipt:
        raise reject("receipt", f"M-Pesa itself states the receipt {payment.receipt} for this payment.")
    await require_unused(session, payment, receipt)
    async with reject_duplicate(
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
            paid_at=decision.paid_at or await _find_booked_time(session, receipt),
            **NOT_POLLED,
        )
    assert order.id is not None
    if order.state is OrderState.PAID and await places().find_enrolment(session, order.id) is None:
        if not await places().reserve_places(session, describe_sale(order), paid=True):
            record_event(
                session,
                order,
                payment,
                actor,
                "no place was left in the course run: the learners are to be placed",
            )
        await enrol(session, order, payment)
    else:
        record_event(
            session, order, payment, actor, "the order was settled already: this payment is to be refunded"
        )


async def _find_booked_time(session: AsyncSession, receipt: str) -> datetime | None:
    """Return the time at which M-Pesa booked the transaction with that receipt; None if its books have not shown it."""
    booked = select(UnassignedTransaction.booked_at).where(UnassignedTransaction.receipt == receipt)
    return (await session.exec(booked)).first()


async def _dismiss_payment(
    session: AsyncSession, order: Order, payment: Payment, why: str, actor: str
) -> None:
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
        # Without this, the success that a query once reported would block another attempt to pay the order.
        success_seen_at=None,
        **NOT_POLLED,
    )
    await mail_unpaid(session, order, payment)


async def enter_receipt(session: AsyncSession, payment_id: int, receipt: str, actor: str) -> Order:
    """Add M-Pesa's receipt to a paid payment that only status queries have reported, which state no receipt.

    A receipt that staff mistyped may be replaced by the one that M-Pesa has stated since. Raises NotFound,
    InputRejected for `receipt`, and StaleRecord if the payment has its receipt already or is not paid.
    """
    order, payment = await lock_known_payment(session, payment_id)
    mistyped = payment.receipt and await _is_only_stated(session, payment, receipt)
    if payment.state not in RECEIVED or (payment.receipt and not mistyped):
        raise StaleRecord("", order, "This payment needs no receipt.")
    await require_unused(session, payment, receipt)
    why = f"receipt {receipt} entered" + (f" instead of {payment.receipt}" if mistyped else "")
    async with reject_duplicate(
        "receipt", f"The receipt {receipt} already belongs to another payment.", session
    ):
        payment.receipt = receipt
        session.add(payment)
        await session.flush()
    order.updated_at = now()
    session.add(order)
    record_event(session, order, payment, actor, why)
    await session.flush()
    return order


async def _is_only_stated(session: AsyncSession, payment: Payment, receipt: str) -> bool:
    """Return whether M-Pesa's callbacks for this payment state that receipt and no other."""
    stated = select(CallbackInbox.receipt).where(
        CallbackInbox.attempt_key == payment.attempt_key, CallbackInbox.receipt != ""
    )
    return set(await session.exec(stated)) == {receipt} != {payment.receipt}


async def require_unused(session: AsyncSession, payment: Payment, receipt: str) -> None:
    """Raise InputRejected for `receipt` if another payment or a refund has that number, or that money was refunded."""
    if await is_receipt_used(session, payment, receipt):
        raise reject("receipt", f"The receipt {receipt} already belongs to another payment.")
    refunds = select(PaymentRefund.id).where(PaymentRefund.reference == receipt)
    if (await session.exec(refunds)).first() is not None:
        raise reject("receipt", f"{receipt} is the reference of a refund.")
    # Locked, because another member of staff may be recording its refund at this moment.
    returned = select(UnassignedTransaction.refund_reference).where(UnassignedTransaction.receipt == receipt)
    if refund_reference := (await session.exec(returned.with_for_update())).first():
        raise reject("receipt", explain_returned(receipt, refund_reference))


def explain_returned(receipt: str, refund_reference: str) -> str:
    return f"{receipt} was refunded to the payer as {refund_reference}."


@asynccontextmanager
async def reject_duplicate(field: str, message: str, session: AsyncSession) -> AsyncIterator[None]:
    """Turn a violation of a unique constraint into an error of the form.

    Two members of staff may enter the same number at the same time: both checks pass, and only the database refuses one.
    """
    try:
        async with session.begin_nested():
            yield
    except IntegrityError:
        raise reject(field, message) from None
