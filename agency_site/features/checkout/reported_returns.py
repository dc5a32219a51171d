"""Payments that M-Pesa has returned to their payers although no one here has asked for it: a payer has a payment reversed.

Statements and callbacks show them. Each is stored once, by the receipt of the return, and reported to staff. It is a discrepancy
until a refund with that receipt is recorded, or staff explain it; no money of the order changes before that.
"""

from collections.abc import Collection, Iterable
from decimal import ROUND_UP, Decimal

from sqlalchemy import ColumnElement
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.features.checkout import emails
from agency_site.features.checkout.reviews import find_open_reversal
from agency_site.features.checkout.tables import (
    Order,
    Payment,
    PaymentRefund,
    ReportedReturn,
    UnassignedTransaction,
)
from agency_site.features.checkout.transitions import Scope, lock_payment, note
from agency_site.features.checkout.unassigned import is_unassigned
from agency_site.mail.usecases import enqueue
from agency_site.money import kes
from agency_site.mpesa.contract import ReturnedPayment


async def report_returns(scope: Scope, returns: Iterable[ReturnedPayment], actor: str) -> None:
    """Report each, in a transaction of its own."""
    for one in returns:
        async with scope() as session:
            await report_return(session, one, actor)


async def report_return(session: AsyncSession, one: ReturnedPayment, actor: str) -> str:
    """Store the return of a payment of ours, unless it is known, and mail staff; what became of it, for the record."""
    named = select(Payment.id).where(col(Payment.receipt).in_(one.originals)).order_by(col(Payment.id))
    payment_id = (await session.exec(named)).first()
    if payment_id is None:
        closed = await _close_unassigned(session, one, actor)
        return "returns money without an order" if closed else "returns no payment of ours"
    order, payment = await lock_payment(session, payment_id)
    refund = select(PaymentRefund.id).where(PaymentRefund.reference == one.receipt)
    if (await session.exec(refund)).first() is not None:
        return "recorded already"
    row = _build_row(payment, one)
    if not await insert_new(session, ReportedReturn, [row.model_dump(exclude={"id"})]):
        return "reported already"
    # What staff see of the order now is out of date.
    order.updated_at = now()
    session.add(order)
    note(
        session, order, payment, actor, f"M-Pesa has returned {kes(row.amount)} to the payer as {row.receipt}"
    )
    # Of a return that staff have asked for, the result is still to come, or they have a mail already.
    if await find_open_reversal(session, payment) is None:
        message = emails.notify_of_return(order, payment, row.receipt, row.amount)
        await enqueue(session, message, key=f"staff-returned:{row.receipt}")
    return "returned by M-Pesa"


def _build_row(payment: Payment, one: ReturnedPayment) -> ReportedReturn:
    assert payment.id is not None
    moment = now()
    amount = payment.amount if one.amount is None else int(one.amount.to_integral_value(ROUND_UP))
    return ReportedReturn(
        receipt=one.receipt[:32],
        payment_id=payment.id,
        amount=max(1, amount),
        booked_at=one.at or moment,
        found_at=moment,
    )


async def _close_unassigned(session: AsyncSession, one: ReturnedPayment, actor: str) -> bool:
    """Explain money without an order that has gone back; whether there is some."""
    named = select(UnassignedTransaction).where(
        col(UnassignedTransaction.receipt).in_(one.originals),
        col(UnassignedTransaction.closed_at).is_(None),
        is_unassigned(),
    )
    found = (await session.exec(named.with_for_update())).first()
    if found is None or not found.amount or Decimal(found.amount) != one.amount:
        return False
    found.closing_note, found.closed_by, found.closed_at = f"Returned as {one.receipt}.", actor, now()
    found.returned_as = one.receipt
    session.add(found)
    return True


def is_unrecorded() -> ColumnElement[bool]:
    """Reported returns of which no refund is recorded."""
    recorded = select(PaymentRefund.id).where(PaymentRefund.reference == ReportedReturn.receipt)
    return ~recorded.exists()


async def find_waiting_returns(session: AsyncSession, receipts: Collection[str]) -> dict[str, str]:
    """The returns with these receipts that staff have neither recorded nor explained, with the references of their orders."""
    waiting = (
        select(ReportedReturn.receipt, Order.reference)
        .join(Payment, col(Payment.id) == col(ReportedReturn.payment_id))
        .join(Order, col(Order.id) == col(Payment.order_id))
        .where(
            col(ReportedReturn.receipt).in_(receipts),
            col(ReportedReturn.closed_at).is_(None),
            is_unrecorded(),
        )
    )
    return dict((await session.exec(waiting)).all())
