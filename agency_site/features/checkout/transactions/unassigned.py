"""Transactions in M-Pesa's books: settled on the payment whose account reference they have, else stored as unassigned.

The books are Pull Transactions and imported statements. Each receipt counts once, however often they show it.
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
from agency_site.ids import reference_in, references_within
from agency_site.mpesa.contract import Transaction
from agency_site.settings import settings

_SUGGESTED, _MOST_SUGGESTED = timedelta(days=30), 5
"""How old an order of the same amount may be that is suggested, and how many are."""

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
        known = await find_known_receipts(session, list(new))
        payments = await find_payments(session, new.values())
    found = {receipt: BookedTransaction(BookingOutcome.KNOWN) for receipt in known}
    strays = []
    for one in (one for receipt, one in new.items() if receipt not in known):
        if payment_id := payments.get(one.bill_reference):
            found[one.receipt] = await settle_transaction(scope, payment_id, one, actor)
        else:
            found[one.receipt] = BookedTransaction(BookingOutcome.UNASSIGNED)
            strays.append(one)
    if strays:
        async with scope() as session:
            await _store(session, strays)
    return found


async def find_known_receipts(session: AsyncSession, receipts: Collection[str]) -> set[str]:
    """Receipts of payments and refunds, and those that are stored as unassigned or as their return."""
    found: set[str] = set()
    columns: tuple[Any, ...] = (
        Payment.receipt,
        PaymentRefund.reference,
        UnassignedTransaction.receipt,
        UnassignedTransaction.refund_reference,
    )
    for column in columns:
        stored = await session.exec(select(column).where(col(column).in_(receipts)))
        found |= {receipt for receipt in stored if receipt}
    # Of these M-Pesa's callback has not stated the amount.
    awaited = select(Payment.receipt).where(col(Payment.receipt).in_(receipts), _is_incomplete())
    return found - set(await session.exec(awaited))


def _is_incomplete() -> ColumnElement[bool]:
    return and_(col(Payment.state) == PaymentState.NEEDS_REVIEW, col(Payment.result_code) == INCOMPLETE)


async def find_payments(session: AsyncSession, transactions: Iterable[Transaction]) -> dict[str, int]:
    """The ids of the payments whose account references the transactions have, by reference."""
    references = {one.bill_reference for one in transactions}
    statement = select(Payment.account_reference, Payment.id).where(
        col(Payment.account_reference).in_(references)
    )
    return {reference: payment_id or 0 for reference, payment_id in await session.exec(statement)}


async def settle_transaction(
    scope: Scope, payment_id: int, one: Transaction, actor: str
) -> BookedTransaction:
    """Settle a transaction on the payment whose account reference it has; what became of it.

    Another amount than the payment's was paid by hand: it waits as unassigned, and the payment for its own money.
    """
    async with scope() as session:
        order, payment = await lock_payment(session, payment_id)
        if payment.receipt == one.receipt and payment.result_code != INCOMPLETE:
            return BookedTransaction(BookingOutcome.KNOWN)
        if not is_settled_by(payment.account_reference, payment.amount, one):
            await _keep(session, one)
            return BookedTransaction(BookingOutcome.UNASSIGNED)
        due_at = payment.due_at
        result = PaymentResult(actor, "0", _BOOKED, one.receipt, paid_at=one.at)
        await settle_callback(session, order, payment, result, one.amount)
        if payment.state in RECEIVED and due_at and not payment.failure_seen_at:
            # The money may have come by hand, and the prompt may still be answered.
            payment.due_at = due_at
            session.add(payment)
        if payment.receipt != one.receipt:
            # The payment has another receipt: this money is nobody's until staff have decided.
            await _keep(session, one)
        elif payment.state in RECEIVED:
            return BookedTransaction(BookingOutcome.PAID, order.reference)
        return BookedTransaction(BookingOutcome.REVIEW, order.reference)


async def _keep(session: AsyncSession, one: Transaction) -> None:
    await insert_new(session, UnassignedTransaction, [build_transaction(one).model_dump(exclude={"id"})])


async def _store(session: AsyncSession, transactions: Iterable[Transaction]) -> None:
    """Store transactions; one that names an order is handled next, like M-Pesa's own report, which may have been lost."""
    rows = [
        build_transaction(one, now() if find_named_references(one.bill_reference) else None)
        for one in transactions
    ]
    await insert_new(session, UnassignedTransaction, [row.model_dump(exclude={"id"}) for row in rows])


def build_transaction(one: Transaction, due_at: datetime | None = None) -> UnassignedTransaction:
    """The row that keeps a transaction, to be handled at `due_at`."""
    moment = now()
    return UnassignedTransaction(
        receipt=one.receipt,
        amount="" if one.amount is None else str(one.amount),
        phone=one.phone[:32],
        account=one.bill_reference[:64],
        short_code="" if one.short_code in _list_own_codes() else one.short_code[:10],
        booked_at=one.at or moment,
        found_at=moment,
        due_at=due_at,
    )


async def find_outcomes(
    session: AsyncSession, receipts: Collection[str], known: Collection[str]
) -> dict[str, BookedTransaction]:
    """What has become of booked transactions, by receipt; payments with a receipt in `known` had been received before.

    What still waits for staff is found in each reading of the books, so that a second one says the same as the first.
    """
    found = {receipt: BookedTransaction(BookingOutcome.KNOWN) for receipt in receipts}
    paid = (
        select(Payment.receipt, Payment.state, Order.reference)
        .join(Order, col(Order.id) == col(Payment.order_id))
        .where(col(Payment.receipt).in_(receipts))
    )
    for receipt, state, reference in await session.exec(paid):
        if state is PaymentState.NEEDS_REVIEW:
            found[receipt or ""] = BookedTransaction(BookingOutcome.REVIEW, reference)
        elif state in RECEIVED and receipt not in known:
            found[receipt or ""] = BookedTransaction(BookingOutcome.PAID, reference)
    waiting = select(UnassignedTransaction.receipt).where(
        col(UnassignedTransaction.receipt).in_(receipts),
        col(UnassignedTransaction.closed_at).is_(None),
        is_unassigned(),
    )
    for receipt in await session.exec(waiting):
        found[receipt] = BookedTransaction(BookingOutcome.UNASSIGNED)
    return found


async def correct_days(session: AsyncSession, transactions: Iterable[Transaction]) -> None:
    """Give stored transactions the day that M-Pesa's statement states: an earlier file may have been read with another one."""
    stated = {one.receipt: one.at for one in transactions if one.at}
    stored = select(UnassignedTransaction).where(col(UnassignedTransaction.receipt).in_(stated))
    for one in await session.exec(stored):
        if in_nairobi(one.booked_at).date() != in_nairobi(stated[one.receipt]).date():
            one.booked_at = stated[one.receipt]
            session.add(one)


def _list_own_codes() -> tuple[str, ...]:
    return "", settings().mpesa_shortcode, settings().mpesa_party_b


async def find_unassigned(session: AsyncSession, receipt: str) -> UnassignedTransaction:
    """The transaction of that receipt, as long as it belongs to no payment. Raises NotFound."""
    wanted = select(UnassignedTransaction).where(UnassignedTransaction.receipt == receipt, is_unassigned())
    found = (await session.exec(wanted)).one_or_none()
    if found is None:
        raise NotFound(
            "No payment of this receipt is unassigned: it belongs to an order by now, or M-Pesa reports none."
        )
    return found


def find_named_references(account: str) -> tuple[str, ...]:
    """The references of orders that an account number may name, in any form that people give them, also beside other words."""
    named = reference_in(account).upper()
    whole = [named if "-" in named else f"{REFERENCE}-{named}"] if named else []
    # Of `ENENNJFY38` the second is meant, and `EN-ENNJFY` with a number of a payment would fit too.
    return tuple(dict.fromkeys([*whole, *references_within(account, REFERENCE)]))


async def find_transaction(session: AsyncSession, receipt: str) -> tuple[UnassignedTransaction, str]:
    """The transaction of that receipt, and the reference of the order that it was assigned to; empty: none. Raises NotFound."""
    row = (
        await session.exec(select(UnassignedTransaction).where(UnassignedTransaction.receipt == receipt))
    ).one_or_none()
    if row is None:
        raise NotFound("M-Pesa reports no payment of this receipt without an order.")
    order = select(Order.reference).join(Payment, col(Payment.order_id) == col(Order.id))
    return row, (await session.exec(order.where(Payment.receipt == receipt))).first() or ""


async def suggest_orders(session: AsyncSession, transaction: UnassignedTransaction) -> list[Order]:
    """Unpaid orders that it may be for: the one that its account number names, or of its amount; the newest first."""
    recent = col(Order.created_at) > transaction.booked_at - _SUGGESTED
    same_amount = (col(Order.amount) == read_shillings(transaction)) & recent
    may_fit = col(Order.state).in_(UNPAID_ORDERS) & (
        same_amount | col(Order.reference).in_(find_named_references(transaction.account))
    )
    found = select(Order).where(may_fit).order_by(col(Order.created_at).desc()).limit(_MOST_SUGGESTED)
    return list(await session.exec(found))


def read_shillings(transaction: UnassignedTransaction) -> int | None:
    """Its amount in whole shillings; none: M-Pesa states none, or parts of a shilling."""
    stated = Decimal(transaction.amount) if transaction.amount else None
    return int(stated) if stated is not None and stated == stated.to_integral_value() else None


def is_unassigned() -> ColumnElement[bool]:
    """Transactions that no payment and no refund shows until now."""
    paid = select(Payment.id).where(Payment.receipt == UnassignedTransaction.receipt)
    returned = select(PaymentRefund.id).where(PaymentRefund.reference == UnassignedTransaction.receipt)
    return ~paid.exists() & ~returned.exists()
