"""Payments that M-Pesa has returned to their payers although no one here has asked for it: a payer has a payment reversed.

Statements and callbacks show them. Each is stored once, by the receipt of the return, and reported to staff. It is a discrepancy
until a refund with that receipt is recorded, or staff explain it; no money of the order changes before that. A return of a
payment that is not known yet is kept: the payment may be reported later, and then there is no enrolment (`settlement.settle`).
"""

import re
from collections.abc import Collection, Iterable
from decimal import ROUND_UP, Decimal
from typing import Any

from sqlalchemy import ColumnElement, Numeric, cast, delete, func, or_
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments import emails
from agency_site.features.checkout.payments.queries import lock_payment
from agency_site.features.checkout.payments.rules import RECEIVED, PaymentState
from agency_site.features.checkout.payments.tables import Payment, PaymentRefund, UnmatchedRefund
from agency_site.features.checkout.payments.transitions import MPESA, Scope, note
from agency_site.features.checkout.refunds.refunds import find_open_reversal, is_unrecorded
from agency_site.features.checkout.refunds.tables import ReportedRefund
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.features.checkout.transactions.unassigned import find_named_references, is_unassigned
from agency_site.mail.usecases import enqueue
from agency_site.money import kes
from agency_site.mpesa.contract import ReturnedPayment

_RECORDED, _REPORTED, _RETURNED = "recorded already", "reported already", "returned by M-Pesa"

_ABOUT_PAYMENTS = (_RECORDED, _REPORTED, _RETURNED)
"""What became of the return of a payment."""

_RECEIPT = re.compile("[A-Z](?=[A-Z]*[0-9])[A-Z0-9]+")
"""The receipts of M-Pesa, but for a few without digits."""


async def report_returns(scope: Scope, returns: Iterable[ReturnedPayment], actor: str) -> None:
    """Report each, in a transaction of its own."""
    for one in returns:
        async with scope() as session:
            await report_return(session, one, actor)


async def report_return(session: AsyncSession, one: ReturnedPayment, actor: str) -> str:
    """Store the return of a payment of ours, unless it is known, and mail staff; what became of it, for the record."""
    payment_id = await _find_payment(session, one)
    if payment_id is None:
        closed = await _close_unassigned(session, one, actor)
        await _keep(session, one)
        return "returns money without an order" if closed else "returns no payment of ours"
    order, payment = await lock_payment(session, payment_id)
    refund = select(PaymentRefund.id).where(PaymentRefund.reference == one.receipt)
    if (await session.exec(refund)).first() is not None:
        return _RECORDED
    row = _build_row(payment, one)
    if not await insert_new(session, ReportedRefund, [row.model_dump(exclude={"id"})]):
        return _REPORTED
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
    return _RETURNED


async def _find_payment(session: AsyncSession, one: ReturnedPayment) -> int | None:
    """The payment that was returned: by its receipt or, if none is stated, by its account number or its order's reference."""
    named = select(Payment.id).where(col(Payment.receipt).in_(one.originals)).order_by(col(Payment.id))
    payment_id = (await session.exec(named)).first()
    if payment_id or one.linked or not one.account or one.amount is None:
        return payment_id
    orders = select(Order.id).where(col(Order.reference).in_(find_named_references(one.account)))
    may_be = select(Payment.id).where(
        or_(col(Payment.account_reference) == one.account, col(Payment.order_id).in_(orders)),
        col(Payment.receipt).is_not(None),
        col(Payment.state).in_(RECEIVED | {PaymentState.NEEDS_REVIEW}),
        Payment.amount == one.amount,
    )
    # If two payments fit, it is unknown which of them was returned.
    found = (await session.exec(may_be.limit(2))).all()
    return found[0] if len(found) == 1 else None


async def _keep(session: AsyncSession, one: ReturnedPayment) -> None:
    """Store it for each receipt that it may mean. Words without a digit may be names, and numbers may be phones."""
    moment = now()
    amount = "" if one.amount is None else str(one.amount)
    rows = [
        UnmatchedRefund(
            receipt=one.receipt[:32],
            original=original[:32],
            amount=amount,
            booked_at=one.at or moment,
            found_at=moment,
        )
        for original in sorted(one.originals)
        if original == one.linked or _RECEIPT.fullmatch(original)
    ]
    if rows:
        await insert_new(session, UnmatchedRefund, [row.model_dump(exclude={"id"}) for row in rows])


def _read_number(amount: Any) -> ColumnElement[Decimal]:
    return cast(func.nullif(amount, ""), Numeric)


def select_matched() -> SelectOfScalar[UnmatchedRefund]:
    """The kept returns whose payment, or money without an order, is known by now."""
    paid = select(Payment.id).where(Payment.receipt == UnmatchedRefund.original)
    unassigned = select(UnassignedTransaction.id).where(
        UnassignedTransaction.receipt == UnmatchedRefund.original,
        _read_number(UnassignedTransaction.amount) == _read_number(UnmatchedRefund.amount),
        col(UnassignedTransaction.closed_at).is_(None),
    )
    return select(UnmatchedRefund).where(paid.exists() | unassigned.exists())


async def match_returns(scope: Scope) -> int:
    """Report the kept returns whose payment is known by now; how many there were."""
    async with scope() as session:
        matched = (await session.exec(select_matched())).all()
    for row in matched:
        amount = Decimal(row.amount) if row.amount else None
        one = ReturnedPayment(row.receipt, row.booked_at, amount, frozenset({row.original}))
        async with scope() as session:
            if await report_return(session, one, MPESA) in _ABOUT_PAYMENTS:
                await session.exec(delete(UnmatchedRefund).where(col(UnmatchedRefund.receipt) == row.receipt))
    return len(matched)


def _build_row(payment: Payment, one: ReturnedPayment) -> ReportedRefund:
    assert payment.id is not None
    moment = now()
    amount = payment.amount if one.amount is None else int(one.amount.to_integral_value(ROUND_UP))
    return ReportedRefund(
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
    found.refund_reference = one.receipt
    session.add(found)
    return True


async def find_waiting_returns(session: AsyncSession, receipts: Collection[str]) -> dict[str, str]:
    """The returns with these receipts that staff have neither recorded nor explained, with the references of their orders."""
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
