"""Payments that M-Pesa has reversed at the payer's request, not at ours.

Statements and callbacks show them. Each is stored once, by the receipt of the reversal, and reported to staff. It is a
discrepancy until staff record a refund with that receipt, or explain it; the order's balance does not change before that.
The reversal of a payment that is not known yet is stored, too: if the payment is reported later, it must not enrol
(`settlement.settle`).
"""

import re
from collections.abc import Collection, Iterable
from decimal import ROUND_UP, Decimal
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Numeric, cast, delete, func, or_
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from agency_site.clock import now
from agency_site.db.due_work import handle_each
from agency_site.db.inserts import insert_new
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments import emails
from agency_site.features.checkout.payments.queries import lock_payment
from agency_site.features.checkout.payments.rules import RECEIVED, PaymentState
from agency_site.features.checkout.payments.tables import Payment, PaymentRefund, UnmatchedRefund
from agency_site.features.checkout.payments.transitions import MPESA, Scope, record_event
from agency_site.features.checkout.refunds.refunds import find_open_reversal, is_unrecorded
from agency_site.features.checkout.refunds.tables import ReportedRefund
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.features.checkout.transactions.unassigned import find_named_references, is_unassigned
from agency_site.mail.usecases import enqueue
from agency_site.money import kes
from agency_site.mpesa.contract import ReturnedPayment

_RECORDED, _REPORTED, _RETURNED = "recorded already", "reported already", "returned by M-Pesa"

_ABOUT_PAYMENTS = (_RECORDED, _REPORTED, _RETURNED)
"""Results of a reversal that belongs to a payment."""

_RECEIPT = re.compile("[A-Z](?=[A-Z]*[0-9])[A-Z0-9]+")
"""The form of M-Pesa's receipts. The few receipts without a digit do not match."""


async def report_returns(scope: Scope, returns: Iterable[ReturnedPayment], actor: str) -> None:
    """Report each reversal, in its own transaction."""
    for returned_payment in returns:
        async with scope() as session:
            await report_return(session, returned_payment, actor)


async def report_return(session: AsyncSession, returned_payment: ReturnedPayment, actor: str) -> str:
    """Store the reversal of one of our payments, unless it is known, and mail staff. Returns the result for the record."""
    payment_id = await _find_payment(session, returned_payment)
    if payment_id is None:
        closed = await _close_unassigned(session, returned_payment, actor)
        await _store_unmatched(session, returned_payment)
        return "returns money without an order" if closed else "returns no payment of ours"
    order, payment = await lock_payment(session, payment_id)
    refund = select(PaymentRefund.id).where(PaymentRefund.reference == returned_payment.receipt)
    if (await session.exec(refund)).first() is not None:
        return _RECORDED
    row = _build_reported_return(payment, returned_payment)
    if not await insert_new(session, ReportedRefund, [row.model_dump(exclude={"id"})]):
        return _REPORTED
    # A new version of the order: staff who have it open see an outdated one.
    order.updated_at = now()
    session.add(order)
    record_event(
        session, order, payment, actor, f"M-Pesa has returned {kes(row.amount)} to the payer as {row.receipt}"
    )
    # Staff requested this reversal themselves: its result follows, or they have a mail about it already.
    if await find_open_reversal(session, payment) is None:
        message = emails.notify_of_return(order, payment, row.receipt, row.amount)
        await enqueue(session, message, key=f"staff-returned:{row.receipt}")
    return _RETURNED


async def _find_payment(session: AsyncSession, returned_payment: ReturnedPayment) -> int | None:
    """Return the id of the reversed payment: by its receipt or, if none is stated, by its account number or order reference."""
    named = (
        select(Payment.id)
        .where(col(Payment.receipt).in_(returned_payment.originals))
        .order_by(col(Payment.id))
    )
    payment_id = (await session.exec(named)).first()
    if (
        payment_id
        or returned_payment.linked
        or not returned_payment.account
        or returned_payment.amount is None
    ):
        return payment_id
    orders = select(Order.id).where(col(Order.reference).in_(find_named_references(returned_payment.account)))
    matching = select(Payment.id).where(
        or_(col(Payment.account_reference) == returned_payment.account, col(Payment.order_id).in_(orders)),
        col(Payment.receipt).is_not(None),
        col(Payment.state).in_(RECEIVED | {PaymentState.NEEDS_REVIEW}),
        Payment.amount == returned_payment.amount,
    )
    # If two payments match, it is unknown which of them was reversed.
    candidates = (await session.exec(matching.limit(2))).all()
    return candidates[0] if len(candidates) == 1 else None


async def _store_unmatched(session: AsyncSession, returned_payment: ReturnedPayment) -> None:
    """Store the reversal under each receipt that it may mean. Words without a digit may be names, and numbers may be phones."""
    moment = now()
    amount = "" if returned_payment.amount is None else str(returned_payment.amount)
    rows = [
        UnmatchedRefund(
            receipt=returned_payment.receipt[:32],
            original=original[:32],
            amount=amount,
            booked_at=returned_payment.at or moment,
            found_at=moment,
        )
        for original in sorted(returned_payment.originals)
        if original == returned_payment.linked or _RECEIPT.fullmatch(original)
    ]
    if rows:
        await insert_new(session, UnmatchedRefund, [row.model_dump(exclude={"id"}) for row in rows])


def _read_number(amount: Any) -> ColumnElement[Decimal]:
    return cast(func.nullif(amount, ""), Numeric)


def select_matched() -> SelectOfScalar[UnmatchedRefund]:
    """Select the unmatched reversals whose payment, or unassigned transaction, is known by now."""
    paid = select(Payment.id).where(Payment.receipt == UnmatchedRefund.original)
    unassigned = select(UnassignedTransaction.id).where(
        UnassignedTransaction.receipt == UnmatchedRefund.original,
        _read_number(UnassignedTransaction.amount) == _read_number(UnmatchedRefund.amount),
        col(UnassignedTransaction.closed_at).is_(None),
    )
    return select(UnmatchedRefund).where(paid.exists() | unassigned.exists())


async def match_returns(scope: Scope) -> int:
    """Report the unmatched reversals whose payment is known by now. Returns their number."""
    async with scope() as session:
        matched = (await session.exec(select_matched())).all()
    return await handle_each(
        matched, partial(_report_matched, scope), lambda row: f"the reversal {row.receipt}"
    )


async def _report_matched(scope: Scope, row: UnmatchedRefund) -> None:
    amount = Decimal(row.amount) if row.amount else None
    returned_payment = ReturnedPayment(row.receipt, row.booked_at, amount, frozenset({row.original}))
    async with scope() as session:
        if await report_return(session, returned_payment, MPESA) in _ABOUT_PAYMENTS:
            await session.exec(delete(UnmatchedRefund).where(col(UnmatchedRefund.receipt) == row.receipt))


def _build_reported_return(payment: Payment, returned_payment: ReturnedPayment) -> ReportedRefund:
    assert payment.id is not None
    moment = now()
    amount = (
        payment.amount
        if returned_payment.amount is None
        else int(returned_payment.amount.to_integral_value(ROUND_UP))
    )
    return ReportedRefund(
        receipt=returned_payment.receipt[:32],
        payment_id=payment.id,
        amount=max(1, amount),
        booked_at=returned_payment.at or moment,
        found_at=moment,
    )


async def _close_unassigned(session: AsyncSession, returned_payment: ReturnedPayment, actor: str) -> bool:
    """Close the unassigned transaction that was reversed. Returns whether there is one."""
    named = select(UnassignedTransaction).where(
        col(UnassignedTransaction.receipt).in_(returned_payment.originals),
        col(UnassignedTransaction.closed_at).is_(None),
        is_unassigned(),
    )
    transaction = (await session.exec(named.with_for_update())).first()
    if (
        transaction is None
        or not transaction.amount
        or Decimal(transaction.amount) != returned_payment.amount
    ):
        return False
    transaction.closing_note, transaction.closed_by, transaction.closed_at = (
        f"Refunded as {returned_payment.receipt}.",
        actor,
        now(),
    )
    transaction.refund_reference = returned_payment.receipt
    session.add(transaction)
    return True


async def find_waiting_returns(session: AsyncSession, receipts: Collection[str]) -> dict[str, str]:
    """Return the reported reversals with these receipts that staff have neither recorded nor explained, with their orders."""
    waiting = (
        select(ReportedRefund.receipt, Order.reference)
        .join(Payment, col(Payment.id) == col(ReportedRefund.payment_id))
        .join(Order, col(Order.id) == col(Payment.order_id))
        .where(
            col(ReportedRefund.receipt).in_(receipts),
            col(ReportedRefund.closed_at).is_(None),
            is_unrecorded(),
        )
    )
    return dict((await session.exec(waiting)).all())
