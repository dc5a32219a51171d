"""Transactions in M-Pesa's books: settled on the payment whose account reference they have, else stored as unassigned.

The books are Pull Transactions and imported statements. Each receipt counts once, however often they show it.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import ColumnElement
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.features.checkout.rules import RECEIVED
from agency_site.features.checkout.settlement import PaymentResult, settle_callback
from agency_site.features.checkout.tables import Payment, PaymentRefund, UnassignedTransaction
from agency_site.features.checkout.transitions import Scope, lock_payment
from agency_site.mpesa.contract import Transaction

_BOOKED = "Found in M-Pesa's books."


class BookingOutcome(StrEnum):
    """What became of a transaction."""

    PAID = "paid"
    KNOWN = "known"
    """It was seen before."""
    REVIEW = "review"
    """Staff must decide about its payment."""
    UNASSIGNED = "unassigned"
    """No payment shows it."""


@dataclass(frozen=True)
class BookedTransaction:
    outcome: BookingOutcome
    reference: str = ""
    """Of the order; empty: unassigned, or seen before."""


async def book_transactions(
    scope: Scope, transactions: Iterable[Transaction], actor: str
) -> dict[str, BookedTransaction]:
    """Settle or store the transactions; what became of each, by receipt."""
    new = {one.receipt: one for one in transactions}
    if not new:
        return {}
    async with scope() as session:
        known = await _find_known(session, list(new))
        payments = await find_payments(session, new.values())
    found = {receipt: BookedTransaction(BookingOutcome.KNOWN) for receipt in known}
    strays = []
    for one in (one for receipt, one in new.items() if receipt not in known):
        if payment_id := payments.get(one.bill_reference):
            found[one.receipt] = await _settle(scope, payment_id, one, actor)
        else:
            found[one.receipt] = BookedTransaction(BookingOutcome.UNASSIGNED)
            strays.append(one)
    if strays:
        async with scope() as session:
            await _store(session, strays)
    return found


async def _find_known(session: AsyncSession, receipts: Collection[str]) -> set[str]:
    """Receipts of payments and refunds, and those that are stored as unassigned."""
    found: set[str] = set()
    for column in (Payment.receipt, PaymentRefund.reference, UnassignedTransaction.receipt):
        stored = await session.exec(select(column).where(col(column).in_(receipts)))
        found |= {receipt for receipt in stored if receipt}
    return found


async def find_payments(session: AsyncSession, transactions: Iterable[Transaction]) -> dict[str, int]:
    """The ids of the payments whose account references the transactions have, by reference."""
    references = {one.bill_reference for one in transactions}
    statement = select(Payment.account_reference, Payment.id).where(
        col(Payment.account_reference).in_(references)
    )
    return {reference: payment_id or 0 for reference, payment_id in await session.exec(statement)}


async def _settle(scope: Scope, payment_id: int, one: Transaction, actor: str) -> BookedTransaction:
    async with scope() as session:
        order, payment = await lock_payment(session, payment_id)
        if payment.receipt == one.receipt:
            return BookedTransaction(BookingOutcome.KNOWN)
        result = PaymentResult(actor, "0", _BOOKED, one.receipt)
        await settle_callback(session, order, payment, result, one.amount)
        if payment.receipt != one.receipt:
            # The payment has another receipt: this money is nobody's until staff have decided.
            await _store(session, [one])
        elif payment.state in RECEIVED:
            return BookedTransaction(BookingOutcome.PAID, order.reference)
        return BookedTransaction(BookingOutcome.REVIEW, order.reference)


async def _store(session: AsyncSession, transactions: Iterable[Transaction]) -> None:
    moment = now()
    rows = [
        UnassignedTransaction(
            receipt=one.receipt,
            amount="" if one.amount is None else str(one.amount),
            phone=one.phone[:32],
            account=one.bill_reference[:64],
            booked_at=one.at or moment,
            found_at=moment,
        ).model_dump(exclude={"id"})
        for one in transactions
    ]
    await insert_new(session, UnassignedTransaction, rows)


def is_unassigned() -> ColumnElement[bool]:
    """Transactions that no payment and no refund shows until now."""
    paid = select(Payment.id).where(Payment.receipt == UnassignedTransaction.receipt)
    returned = select(PaymentRefund.id).where(PaymentRefund.reference == UnassignedTransaction.receipt)
    return ~paid.exists() & ~returned.exists()
