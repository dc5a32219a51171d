"""Refunds that staff have made outside of this site, or that M-Pesa has made."""

import asyncio

from sqlalchemy import ColumnElement
from sqlmodel import col, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import format_moment, now
from agency_site.errors import StaleRecord, reject
from agency_site.features.checkout.coupons.usecases import release_use
from agency_site.features.checkout.orders.rules import UNPAID_ORDERS, OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments import emails
from agency_site.features.checkout.payments.documents import build_credit_note
from agency_site.features.checkout.payments.queries import list_order_refunds, lock_known_payment
from agency_site.features.checkout.payments.rules import PaymentState, has_arrived
from agency_site.features.checkout.payments.tables import Payment, PaymentRefund
from agency_site.features.checkout.payments.transitions import (
    NOT_POLLED,
    give_up_places,
    record_event,
    transition_payment,
)
from agency_site.features.checkout.refunds.rules import OPEN_REVERSALS, ReversalState
from agency_site.features.checkout.refunds.staff_request import Refund
from agency_site.features.checkout.refunds.tables import ReportedRefund, Reversal
from agency_site.features.checkout.reviews.usecases import reject_duplicate
from agency_site.mail.usecases import enqueue
from agency_site.money import kes
from agency_site.places import places


async def record_refund(session: AsyncSession, payment_id: int, refund: Refund, actor: str) -> Order:
    """Record that a paid payment, or a part of it, was refunded outside of this site, and mail the payer.

    A refund that is recorded already changes nothing. It also ends a reversal with an unknown result.
    Raises NotFound, InputRejected for `refund_reference`, `refund_amount` or `returned_at`, and StaleRecord if the payment is
    not paid, or M-Pesa has been asked to refund it.
    """
    order, payment = await lock_known_payment(session, payment_id)
    if await _is_recorded(session, payment, refund):
        return order
    in_review = payment.state is PaymentState.NEEDS_REVIEW
    # A payment that M-Pesa has reversed must have arrived before.
    reported_return = in_review and await find_reported_refund(session, payment)
    if not (reported_return or has_arrived(payment.kind, payment.state)):
        raise StaleRecord("", order, "Only a paid payment can be refunded.")
    if in_review and refund.amount not in (None, payment.amount):
        raise reject(
            "refund_amount", "Please refund the full amount, or first decide that the payment was received."
        )
    reversal = await find_open_reversal(session, payment)
    if reversal and reversal.state is not ReversalState.UNKNOWN:
        raise StaleRecord("", order, BEING_RETURNED)
    if reversal and refund.amount not in (None, reversal.amount):
        raise reject(
            "refund_amount",
            "M-Pesa was asked to refund the full amount. If it did not, please record that first.",
        )
    await refund_payment(session, order, payment, refund, actor)
    if reversal:
        reversal.state, reversal.reference = ReversalState.DONE, refund.reference
        reversal.settled_at, reversal.due_at = now(), None
    await session.flush()
    return order


BEING_RETURNED = "M-Pesa has been asked to refund this payment. The result will appear here."


async def find_open_reversal(session: AsyncSession, payment: Payment) -> Reversal | None:
    """Return the reversal that may still refund the payment, or None. The order must be locked."""
    wanted = select(Reversal).where(
        Reversal.payment_id == payment.id, col(Reversal.state).in_(OPEN_REVERSALS)
    )
    return (await session.exec(wanted.execution_options(populate_existing=True))).one_or_none()


def is_unrecorded() -> ColumnElement[bool]:
    """Return the condition of reported reversals without a recorded refund."""
    recorded = select(PaymentRefund.id).where(PaymentRefund.reference == ReportedRefund.receipt)
    return ~recorded.exists()


async def find_reported_refund(session: AsyncSession, payment: Payment) -> ReportedRefund | None:
    """Return a reported reversal of the payment that staff have neither recorded nor explained, or None."""
    waiting = select(ReportedRefund).where(
        ReportedRefund.payment_id == payment.id, col(ReportedRefund.closed_at).is_(None), is_unrecorded()
    )
    return (await session.exec(waiting.order_by(col(ReportedRefund.id)))).first()


async def refund_payment(
    session: AsyncSession, order: Order, payment: Payment, refund: Refund, actor: str
) -> None:
    """Store a refund of a payment that has arrived, and mail the payer. The order must be locked.

    The receipt stays. Once its full amount is refunded, the payment is refunded, and so is the order unless another payment
    pays for it; its enrolment then ends. Raises InputRejected for `refund_reference` or `refund_amount`.
    """
    row = await _add_refund(session, payment, refund, actor)
    why = f"{kes(row.amount)} refunded as {row.reference}: {row.reason}"
    if payment.refunded < payment.amount:
        record_event(session, order, payment, actor, why)
    else:
        await transition_payment(
            session, order, payment, PaymentState.REFUNDED, actor=actor, why=why, by_staff=True, **NOT_POLLED
        )
    order.updated_at = now()
    session.add(order)
    if order.state is OrderState.REFUNDED:
        await _end_order(session, order)
    if order.state in UNPAID_ORDERS:
        await give_up_places(session, order)
    if order.email:
        number = len(await list_order_refunds(session, order))
        credit_note = build_credit_note(order, payment, row, number)
        assert order.id is not None
        enrolment = await places().find_enrolment(session, order.id)
        left = enrolment.places if enrolment and not enrolment.ended_at else 0
        message = await asyncio.to_thread(emails.report_refund, order, payment, row, credit_note, left)
        await enqueue(session, message, key=f"refund:{row.id}")
    await session.flush()


async def _is_recorded(session: AsyncSession, payment: Payment, refund: Refund) -> bool:
    """Return whether the payment has exactly that refund. Raises InputRejected if another refund has its reference."""
    wanted = select(PaymentRefund).where(PaymentRefund.reference == refund.reference)
    row = (await session.exec(wanted)).one_or_none()
    if row and (row.payment_id != payment.id or refund.amount not in (None, row.amount)):
        raise reject("refund_reference", _REFERENCE_USED)
    return row is not None


async def _add_refund(session: AsyncSession, payment: Payment, refund: Refund, actor: str) -> PaymentRefund:
    """Store a refund and add it to the sum of its payment. A constraint keeps that sum within the amount of the payment."""
    assert payment.id is not None
    left = payment.amount - payment.refunded
    amount = refund.amount or left
    if amount > left:
        raise reject("refund_amount", f"Only {kes(left)} of this payment can still be refunded.")
    if (
        refund.returned_at
        and payment.paid_at
        and refund.returned_at < payment.paid_at.replace(second=0, microsecond=0)
    ):
        raise reject("returned_at", f"This is before the payment: {format_moment(payment.paid_at)}.")
    if (
        await session.exec(select(Payment.id).where(Payment.receipt == refund.reference))
    ).first() is not None:
        raise reject("refund_reference", "This is the receipt of a payment. A refund has its own reference.")
    row = PaymentRefund(
        payment_id=payment.id,
        amount=amount,
        reference=refund.reference,
        reason=refund.reason,
        refunded_at=refund.returned_at or now(),
        refunded_by=actor,
    )
    async with reject_duplicate("refund_reference", _REFERENCE_USED, session):
        session.add(row)
    await session.exec(
        update(Payment).where(col(Payment.id) == payment.id).values(refunded=col(Payment.refunded) + amount)
    )
    await session.refresh(payment)
    return row


_REFERENCE_USED = "Another refund has this reference already."


async def _end_order(session: AsyncSession, order: Order) -> None:
    # Without the key, the next order for the same course is a new one.
    order.open_key = None
    session.add(order)
    assert order.id is not None
    if await places().find_enrolment(session, order.id):
        await places().end_enrolment(session, order.id, now())
    else:
        await places().release_places(session, order.id)
        await release_use(session, order.id)
