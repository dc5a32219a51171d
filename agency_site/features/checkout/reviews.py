"""Decisions of staff about money: payments under review, missing receipts, refunds.

Each use case locks the order first, like everything that changes an order or its payments (`transitions`).
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import format_moment, now
from agency_site.errors import NotFound, StaleRecord
from agency_site.features.checkout import emails
from agency_site.features.checkout.coupons import release_use
from agency_site.features.checkout.invoice import build_credit_note
from agency_site.features.checkout.messages import CHECKED_UNPAID
from agency_site.features.checkout.rules import (
    OPEN_REVERSALS,
    RECEIVED,
    UNPAID_ORDERS,
    OrderState,
    PaymentState,
    ReversalState,
    is_money_here,
)
from agency_site.features.checkout.settlement import describe_sale, enrol, is_receipt_used, mail_unpaid
from agency_site.features.checkout.staff_request import Refund, ReviewDecision, reject
from agency_site.features.checkout.tables import (
    CallbackInbox,
    Order,
    Payment,
    PaymentRefund,
    ReportedReturn,
    Reversal,
    UnassignedTransaction,
)
from agency_site.features.checkout.transitions import (
    give_up_places,
    list_order_refunds,
    lock_payment,
    note,
    transition_payment,
)
from agency_site.mail.usecases import enqueue
from agency_site.money import kes
from agency_site.places import places


async def resolve_review(
    session: AsyncSession, payment_id: int, version: int, decision: ReviewDecision, actor: str
) -> Order:
    """Decide a payment under review; `version` is that of the order which staff saw.

    A payment keeps the receipt that M-Pesa or staff have stated. PAID enrols if nobody was yet, and sends the confirmation.
    FAILED leaves the order payable again. Raises NotFound, InputRejected for `receipt`, and StaleRecord when the order has
    changed since.
    """
    order, payment = await lock_known_payment(session, payment_id)
    if order.version != version or payment.state is not PaymentState.NEEDS_REVIEW:
        raise StaleRecord(f"order {order.reference}", order)
    order.updated_at = now()
    if decision.outcome is PaymentState.PAID:
        await _accept(session, order, payment, decision, actor)
    else:
        await _dismiss(session, order, payment, decision.reason, actor)
    await session.flush()
    return order


async def _accept(
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


async def _find_booked_time(session: AsyncSession, receipt: str) -> datetime | None:
    """When M-Pesa booked the transaction of that receipt; none: its books have not shown it."""
    booked = select(UnassignedTransaction.booked_at).where(UnassignedTransaction.receipt == receipt)
    return (await session.exec(booked)).first()


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


_NOT_POLLED: dict[str, Any] = {"due_at": None, "leased_until": None}


async def enter_receipt(session: AsyncSession, payment_id: int, receipt: str, actor: str) -> Order:
    """Add M-Pesa's receipt to a paid payment that only status queries have reported: they state none.

    A receipt that staff mistyped may be replaced by the one that M-Pesa has stated since. Raises NotFound,
    InputRejected for `receipt`, and StaleRecord when the payment has its receipt or is not paid.
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
    note(session, order, payment, actor, why)
    await session.flush()
    return order


async def record_refund(session: AsyncSession, payment_id: int, refund: Refund, actor: str) -> Order:
    """Record that a paid payment, or a part of it, has been returned outside of this site, and mail the payer.

    A refund that is recorded already changes nothing. A reversal whose end nobody knows is done with it.
    Raises NotFound, InputRejected for `refund_reference`, `refund_amount` or `returned_at`, StaleRecord when the payment is
    not paid, or M-Pesa is about to return it.
    """
    order, payment = await lock_known_payment(session, payment_id)
    if await _is_recorded(session, payment, refund):
        return order
    in_review = payment.state is PaymentState.NEEDS_REVIEW
    # What M-Pesa has returned was here.
    returned = in_review and await find_reported_return(session, payment)
    if not (returned or is_money_here(payment.kind, payment.state)):
        raise StaleRecord("", order, "Only a paid payment can be refunded.")
    if in_review and refund.amount not in (None, payment.amount):
        raise reject("refund_amount", "Return all of it, or first decide that the payment was received.")
    reversal = await find_open_reversal(session, payment)
    if reversal and reversal.state is not ReversalState.UNKNOWN:
        raise StaleRecord("", order, BEING_RETURNED)
    if reversal and refund.amount not in (None, reversal.amount):
        raise reject(
            "refund_amount", "M-Pesa was asked to return all of it. Was it not returned? Record that first."
        )
    await return_money(session, order, payment, refund, actor)
    if reversal:
        reversal.state, reversal.reference = ReversalState.DONE, refund.reference
        reversal.settled_at, reversal.due_at = now(), None
    await session.flush()
    return order


BEING_RETURNED = "M-Pesa has been asked to return this payment: its result appears here."


async def find_open_reversal(session: AsyncSession, payment: Payment) -> Reversal | None:
    """The reversal by which the payment may be on its way back; the order must be locked."""
    wanted = select(Reversal).where(
        Reversal.payment_id == payment.id, col(Reversal.state).in_(OPEN_REVERSALS)
    )
    return (await session.exec(wanted.execution_options(populate_existing=True))).one_or_none()


def is_unrecorded() -> ColumnElement[bool]:
    """Reported returns of which no refund is recorded."""
    recorded = select(PaymentRefund.id).where(PaymentRefund.reference == ReportedReturn.receipt)
    return ~recorded.exists()


async def find_reported_return(session: AsyncSession, payment: Payment) -> ReportedReturn | None:
    """A return of the payment that M-Pesa reports and that staff have neither recorded nor explained."""
    waiting = select(ReportedReturn).where(
        ReportedReturn.payment_id == payment.id, col(ReportedReturn.closed_at).is_(None), is_unrecorded()
    )
    return (await session.exec(waiting.order_by(col(ReportedReturn.id)))).first()


async def return_money(
    session: AsyncSession, order: Order, payment: Payment, refund: Refund, actor: str
) -> None:
    """Store a refund of a payment whose money is here and whose order is locked, and mail the payer.

    The receipt stays. Once all of it is returned the payment is refunded, and unless another payment still pays for it so is the
    order, whose enrolment then ends. Raises InputRejected for `refund_reference` or `refund_amount`.
    """
    row = await _add_refund(session, payment, refund, actor)
    why = f"{kes(row.amount)} refunded as {row.reference}: {row.reason}"
    if payment.refunded < payment.amount:
        note(session, order, payment, actor, why)
    else:
        await transition_payment(
            session, order, payment, PaymentState.REFUNDED, actor=actor, why=why, by_staff=True, **_NOT_POLLED
        )
    order.updated_at = now()
    session.add(order)
    if order.state is OrderState.REFUNDED:
        await _end_order(session, order)
    if order.state in UNPAID_ORDERS:
        await give_up_places(session, order)
    if order.email:
        number = len(await list_order_refunds(session, order))
        note_details = build_credit_note(order, payment, row, number)
        assert order.id is not None
        enrolment = await places().find(session, order.id)
        left = enrolment.places if enrolment and not enrolment.ended_at else 0
        message = await asyncio.to_thread(emails.report_refund, order, payment, row, note_details, left)
        await enqueue(session, message, key=f"refund:{row.id}")
    await session.flush()


async def _is_recorded(session: AsyncSession, payment: Payment, refund: Refund) -> bool:
    """Whether the payment has that very refund. Raises InputRejected where another one has its reference."""
    wanted = select(PaymentRefund).where(PaymentRefund.reference == refund.reference)
    row = (await session.exec(wanted)).one_or_none()
    if row and (row.payment_id != payment.id or refund.amount not in (None, row.amount)):
        raise reject("refund_reference", _REFERENCE_USED)
    return row is not None


async def _add_refund(session: AsyncSession, payment: Payment, refund: Refund, actor: str) -> PaymentRefund:
    """Store a refund and add it to the sum of its payment, which the database keeps within what was charged."""
    assert payment.id is not None
    left = payment.amount - payment.refunded
    amount = refund.amount or left
    if amount > left:
        raise reject("refund_amount", f"No more than {kes(left)} of this payment is left.")
    if (
        refund.returned_at
        and payment.paid_at
        and refund.returned_at < payment.paid_at.replace(second=0, microsecond=0)
    ):
        raise reject("returned_at", f"The payment came later: {format_moment(payment.paid_at)}.")
    if (
        await session.exec(select(Payment.id).where(Payment.receipt == refund.reference))
    ).first() is not None:
        raise reject(
            "refund_reference", "This is the receipt of a payment to us. A refund has one of its own."
        )
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
    # Whoever orders the same again gets a new order.
    order.open_key = None
    session.add(order)
    assert order.id is not None
    if await places().find(session, order.id):
        await places().end(session, order.id, now())
    else:
        await places().release(session, order.id)
        await release_use(session, order.id)


async def lock_known_payment(session: AsyncSession, payment_id: int) -> tuple[Order, Payment]:
    """As `lock_payment`. Raises NotFound."""
    if await session.get(Payment, payment_id) is None:
        raise NotFound("There is no such payment.")
    return await lock_payment(session, payment_id)


async def _is_only_stated(session: AsyncSession, payment: Payment, receipt: str) -> bool:
    """Whether M-Pesa has stated that receipt, and no other, on this payment's path."""
    stated = select(CallbackInbox.receipt).where(
        CallbackInbox.attempt_key == payment.attempt_key, CallbackInbox.receipt != ""
    )
    return set(await session.exec(stated)) == {receipt} != {payment.receipt}


async def require_unused(session: AsyncSession, payment: Payment, receipt: str) -> None:
    """Raises InputRejected for `receipt` where another payment or a refund has that number, or that money was returned."""
    if await is_receipt_used(session, payment, receipt):
        raise reject("receipt", f"The receipt {receipt} already belongs to another payment.")
    refunds = select(PaymentRefund.id).where(PaymentRefund.reference == receipt)
    if (await session.exec(refunds)).first() is not None:
        raise reject("receipt", f"{receipt} is the reference of a refund.")
    # Staff may be about to record its return.
    returned = select(UnassignedTransaction.returned_as).where(UnassignedTransaction.receipt == receipt)
    if returned_as := (await session.exec(returned.with_for_update())).first():
        raise reject("receipt", was_returned(receipt, returned_as))


def was_returned(receipt: str, returned_as: str) -> str:
    return f"{receipt} was returned to its payer as {returned_as}."


@asynccontextmanager
async def reject_duplicate(field: str, message: str, session: AsyncSession) -> AsyncIterator[None]:
    """Two staff who enter the same number for two orders at once both see it unused; the database refuses one."""
    try:
        async with session.begin_nested():
            yield
    except IntegrityError:
        raise reject(field, message) from None
