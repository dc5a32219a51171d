"""Transactions in M-Pesa's books: settle each on the payment with its account reference, or store it as unassigned.

The books are Pull Transactions and imported statements. Each receipt counts once, however often the books show it.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, and_
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import in_nairobi, now
from agency_site.db.due_work import handle_each
from agency_site.db.inserts import insert_new
from agency_site.errors import NotFound
from agency_site.features.checkout.orders.rules import REFERENCE, UNPAID_ORDERS
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.messages import INCOMPLETE
from agency_site.features.checkout.payments.queries import lock_payment
from agency_site.features.checkout.payments.rules import RECEIVED, PaymentState
from agency_site.features.checkout.payments.settlement import PaymentResult, settle_callback
from agency_site.features.checkout.payments.tables import Payment, PaymentRefund
from agency_site.features.checkout.payments.transitions import Scope
from agency_site.features.checkout.transactions.matching import is_settled_by
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.ids import code_at_edge, fold_look_alikes, reference_in, references_within
from agency_site.mpesa.contract import Transaction
from agency_site.settings import settings

_SUGGESTED, _MOST_SUGGESTED = timedelta(days=30), 5
"""The age of orders with the same amount that are suggested, and the number of suggestions."""

_BOOKED = "Found in M-Pesa's books."


class BookingOutcome(StrEnum):
    """The result of booking a transaction."""

    PAID = "paid"
    KNOWN = "known"
    """It was known before."""
    REVIEW = "review"
    """Its payment is under review."""
    UNASSIGNED = "unassigned"
    """It belongs to no payment."""


@dataclass(frozen=True)
class BookedTransaction:
    outcome: BookingOutcome
    reference: str = ""
    """The reference of the order; empty if the transaction is unassigned, or was known before."""


async def book_transactions(
    scope: Scope, transactions: Iterable[Transaction], actor: str
) -> dict[str, BookedTransaction]:
    """Settle or store the transactions. Returns the result of each by receipt."""
    by_receipt = {transaction.receipt: transaction for transaction in transactions}
    if not by_receipt:
        return {}
    async with scope() as session:
        known_receipts = await find_known_receipts(session, list(by_receipt))
        payments = await find_payments(session, by_receipt.values())
    results = {receipt: BookedTransaction(BookingOutcome.KNOWN) for receipt in known_receipts}
    unassigned = []

    async def settle(transaction: Transaction) -> None:
        payment_id = payments.get(transaction.bill_reference)
        if payment_id is None:
            return await leave_to_staff(transaction)
        results[transaction.receipt] = await settle_transaction(scope, payment_id, transaction, actor)
        return None

    async def leave_to_staff(transaction: Transaction) -> None:
        results[transaction.receipt] = BookedTransaction(BookingOutcome.UNASSIGNED)
        unassigned.append(transaction)

    new = [transaction for receipt, transaction in by_receipt.items() if receipt not in known_receipts]
    await handle_each(new, settle, lambda transaction: f"transaction {transaction.receipt}", leave_to_staff)
    if unassigned:
        async with scope() as session:
            await _store_all(session, unassigned)
    return results


async def find_known_receipts(session: AsyncSession, receipts: Collection[str]) -> set[str]:
    """Return those of the receipts that a payment, a refund or an unassigned transaction has."""
    known_receipts: set[str] = set()
    columns: tuple[Any, ...] = (
        Payment.receipt,
        PaymentRefund.reference,
        UnassignedTransaction.receipt,
        UnassignedTransaction.refund_reference,
    )
    for column in columns:
        stored = await session.exec(select(column).where(col(column).in_(receipts)))
        known_receipts |= {receipt for receipt in stored if receipt}
    # M-Pesa's callback for these has stated no amount, so that the books have to complete them.
    incomplete = select(Payment.receipt).where(col(Payment.receipt).in_(receipts), _is_incomplete())
    return known_receipts - set(await session.exec(incomplete))


def _is_incomplete() -> ColumnElement[bool]:
    return and_(col(Payment.state) == PaymentState.NEEDS_REVIEW, col(Payment.result_code) == INCOMPLETE)


async def find_payments(session: AsyncSession, transactions: Iterable[Transaction]) -> dict[str, int]:
    """Return the ids of the payments with the account references of the transactions, by reference."""
    references = {transaction.bill_reference for transaction in transactions}
    statement = select(Payment.account_reference, Payment.id).where(
        col(Payment.account_reference).in_(references)
    )
    return {reference: payment_id or 0 for reference, payment_id in await session.exec(statement)}


async def settle_transaction(
    scope: Scope, payment_id: int, transaction: Transaction, actor: str
) -> BookedTransaction:
    """Settle a transaction on the payment with its account reference. Returns the result.

    A transaction with another amount was paid by hand: it is stored as unassigned, and the payment stays open.
    """
    async with scope() as session:
        order, payment = await lock_payment(session, payment_id)
        if payment.receipt == transaction.receipt and payment.result_code != INCOMPLETE:
            return BookedTransaction(BookingOutcome.KNOWN)
        if not is_settled_by(payment.account_reference, payment.amount, transaction):
            await _store_unassigned(session, transaction)
            return BookedTransaction(BookingOutcome.UNASSIGNED)
        due_at = payment.due_at
        result = PaymentResult(actor, "0", _BOOKED, transaction.receipt, paid_at=transaction.at)
        await settle_callback(session, order, payment, result, transaction.amount)
        if payment.state in RECEIVED and due_at and not payment.failure_seen_at:
            # The money may have been paid by hand, and then the prompt may still be answered: keep querying it.
            payment.due_at = due_at
            session.add(payment)
        if payment.receipt != transaction.receipt:
            # The payment has another receipt, so this money stays unassigned until staff decide.
            await _store_unassigned(session, transaction)
        elif payment.state in RECEIVED:
            return BookedTransaction(BookingOutcome.PAID, order.reference)
        return BookedTransaction(BookingOutcome.REVIEW, order.reference)


async def _store_unassigned(session: AsyncSession, transaction: Transaction) -> None:
    await insert_new(
        session, UnassignedTransaction, [build_transaction(transaction).model_dump(exclude={"id"})]
    )


async def _store_all(session: AsyncSession, transactions: Iterable[Transaction]) -> None:
    """Store transactions as unassigned. One that names an order is due at once, like a confirmation, which may be lost."""
    rows = [
        build_transaction(transaction, now() if find_named_references(transaction.bill_reference) else None)
        for transaction in transactions
    ]
    await insert_new(session, UnassignedTransaction, [row.model_dump(exclude={"id"}) for row in rows])


def build_transaction(transaction: Transaction, due_at: datetime | None = None) -> UnassignedTransaction:
    """Return the row for an unassigned transaction, to be handled at `due_at`."""
    moment = now()
    return UnassignedTransaction(
        receipt=transaction.receipt,
        amount="" if transaction.amount is None else str(transaction.amount),
        phone=transaction.phone[:32],
        account=transaction.bill_reference[:64],
        short_code="" if transaction.short_code in _list_own_codes() else transaction.short_code[:10],
        booked_at=transaction.at or moment,
        found_at=moment,
        due_at=due_at,
    )


async def find_outcomes(
    session: AsyncSession, receipts: Collection[str], known_receipts: Collection[str]
) -> dict[str, BookedTransaction]:
    """Return the results of booked transactions by receipt; payments with one of the `known_receipts` had been received before.

    Transactions that wait for staff are found again in each reading, so that a second import reports the same as the first.
    """
    results = {receipt: BookedTransaction(BookingOutcome.KNOWN) for receipt in receipts}
    paid = (
        select(Payment.receipt, Payment.state, Order.reference)
        .join(Order, col(Order.id) == col(Payment.order_id))
        .where(col(Payment.receipt).in_(receipts))
    )
    for receipt, state, reference in await session.exec(paid):
        if state is PaymentState.NEEDS_REVIEW:
            results[receipt or ""] = BookedTransaction(BookingOutcome.REVIEW, reference)
        elif state in RECEIVED and receipt not in known_receipts:
            results[receipt or ""] = BookedTransaction(BookingOutcome.PAID, reference)
    waiting = select(UnassignedTransaction.receipt).where(
        col(UnassignedTransaction.receipt).in_(receipts),
        col(UnassignedTransaction.closed_at).is_(None),
        is_unassigned(),
    )
    for receipt in await session.exec(waiting):
        results[receipt] = BookedTransaction(BookingOutcome.UNASSIGNED)
    return results


async def correct_days(session: AsyncSession, transactions: Iterable[Transaction]) -> None:
    """Correct the day of stored transactions by M-Pesa's statement: an earlier file may have been read with a wrong day."""
    stated = {transaction.receipt: transaction.at for transaction in transactions if transaction.at}
    stored = select(UnassignedTransaction).where(col(UnassignedTransaction.receipt).in_(stated))
    for row in await session.exec(stored):
        if in_nairobi(row.booked_at).date() != in_nairobi(stated[row.receipt]).date():
            row.booked_at = stated[row.receipt]
            session.add(row)


def _list_own_codes() -> tuple[str, ...]:
    return "", settings().mpesa_shortcode, settings().mpesa_party_b


async def find_unassigned(session: AsyncSession, receipt: str) -> UnassignedTransaction:
    """Return the transaction with that receipt if it belongs to no payment. Raises NotFound."""
    wanted = select(UnassignedTransaction).where(UnassignedTransaction.receipt == receipt, is_unassigned())
    row = (await session.exec(wanted)).one_or_none()
    if row is None:
        raise NotFound(
            "There is no unassigned payment with this receipt: it belongs to an order by now, or M-Pesa does not report it."
        )
    return row


def find_named_references(account: str) -> tuple[str, ...]:
    """Return the references of orders that an account number may name, in any spelling, also beside other words."""
    references: list[str] = []
    for text in dict.fromkeys((account, fold_look_alikes(account))):
        reference = reference_in(text).upper()
        references += [reference if "-" in reference else f"{REFERENCE}-{reference}"] if reference else []
        # Both are needed: `ENENNJFY38` may be `EN` and `EN-NJFY38`, or `EN-ENNJFY` with the number of a payment.
        references += references_within(text, REFERENCE)
    if not references:
        references = [f"{REFERENCE}-{code}" for code in code_at_edge(fold_look_alikes(account))]
    return tuple(dict.fromkeys(references))


async def suggest_orders(session: AsyncSession, transaction: UnassignedTransaction) -> list[Order]:
    """Return the unpaid orders that it may pay for, newest first: those that its account number names, or with its amount."""
    recent = col(Order.created_at) > transaction.booked_at - _SUGGESTED
    same_amount = (col(Order.amount) == read_shillings(transaction)) & recent
    may_fit = col(Order.state).in_(UNPAID_ORDERS) & (
        same_amount | col(Order.reference).in_(find_named_references(transaction.account))
    )
    suggested = select(Order).where(may_fit).order_by(col(Order.created_at).desc()).limit(_MOST_SUGGESTED)
    return list(await session.exec(suggested))


def read_shillings(transaction: UnassignedTransaction) -> int | None:
    """Return the amount in whole shillings; None if M-Pesa states no amount, or parts of a shilling."""
    stated = Decimal(transaction.amount) if transaction.amount else None
    return int(stated) if stated is not None and stated == stated.to_integral_value() else None


def is_unassigned() -> ColumnElement[bool]:
    """Return the condition of transactions whose receipt no payment and no refund has."""
    paid = select(Payment.id).where(Payment.receipt == UnassignedTransaction.receipt)
    returned = select(PaymentRefund.id).where(PaymentRefund.reference == UnassignedTransaction.receipt)
    return ~paid.exists() & ~returned.exists()
