"""Payments that payers make to our Paybill by hand, as M-Pesa reports them (C2B confirmation and validation).

A confirmation is stored among the unassigned transactions first, once for each receipt, so that it cannot be lost. Then it
becomes a payment of the order that its account number names: all or a part of the price, or more than the order needs, which
staff review. Without such an order it waits for staff.
"""

import logging
from collections.abc import Collection
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from sqlalchemy import and_
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.db.leases import claim, finish
from agency_site.errors import InputRejected
from agency_site.features.checkout.direct_payments.manual import add_payment
from agency_site.features.checkout.direct_payments.staff_request import ManualPayment
from agency_site.features.checkout.orders.queries import lock_order
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.journal import EntryKind, store_or_journal
from agency_site.features.checkout.payments.queries import find_balance
from agency_site.features.checkout.payments.rules import PaymentKind, is_sensible_part
from agency_site.features.checkout.payments.transitions import MPESA, Scope
from agency_site.features.checkout.refunds.reported_returns import report_returns
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.features.checkout.transactions.unassigned import (
    BookingOutcome,
    build_transaction,
    find_known_receipts,
    find_named_references,
    find_payments,
    is_unassigned,
    read_shillings,
    settle_transaction,
)
from agency_site.mpesa.contract import Transaction, Verdict
from agency_site.mpesa.errors import MalformedCallback
from agency_site.mpesa.wire import parse_paybill_payment, parse_paybill_return

log = logging.getLogger(__name__)

_RETRY_PAUSE = timedelta(seconds=20)
"""After this time a confirmation that was stored but not handled is tried again."""


async def receive_confirmation(scope: Scope, body: bytes) -> None:
    """Store a confirmation, then handle it. Raises MalformedCallback, and Unavailable where it could not be stored."""
    if returned := parse_paybill_return(body):
        await report_returns(scope, [returned], MPESA)
        return
    row = build_transaction(parse_paybill_payment(body), now() + _RETRY_PAUSE)
    values = row.model_dump(mode="json", exclude={"id"})
    stored = await store_or_journal(partial(_store, scope, row), EntryKind.CONFIRMATION, values)
    if not stored:
        return
    try:
        await _handle(scope, stored)
    except Exception:
        # M-Pesa would not report it again, so it gets its answer and the polling job handles the row.
        log.exception("transaction %s is stored but could not be handled", stored)


async def _store(scope: Scope, row: UnassignedTransaction) -> int:
    """The id of the new transaction; 0: its receipt is known."""
    async with scope() as session:
        if await find_known_receipts(session, [row.receipt]):
            return 0
        stored = await insert_new(session, UnassignedTransaction, [row.model_dump(exclude={"id"})])
        return stored[0] if stored else 0


async def replay_confirmation(scope: Scope, values: dict[str, Any]) -> None:
    """Store a confirmation of the journal, unless it is stored already. The polling job handles it at once."""
    row = UnassignedTransaction.model_validate(values)
    row.due_at = now()
    await _store(scope, row)


async def handle_due_confirmations(scope: Scope) -> int:
    """Handle confirmations that were stored but not handled yet; returns how many."""
    async with scope() as session:
        due = [row.id for row in await claim(session, UnassignedTransaction, now()) if row.id is not None]
    for transaction_id in due:
        await _handle(scope, transaction_id)
    return len(due)


async def settle_stored(scope: Scope, receipts: Collection[str]) -> None:
    """Handle those of the stored transactions that name an order or a payment at once."""
    due = select(UnassignedTransaction.id).where(
        col(UnassignedTransaction.receipt).in_(receipts), col(UnassignedTransaction.due_at).is_not(None)
    )
    async with scope() as session:
        transactions = (await session.exec(due)).all()
    for transaction_id in transactions:
        await _handle(scope, transaction_id or 0)


async def _handle(scope: Scope, transaction_id: int) -> None:
    """Settle a stored confirmation on the payment, or for the order, that its account number names, once."""
    async with scope() as session:
        row = await _find_row(session, transaction_id)
        payment_id = await _find_payment(session, row) if row else None
        if row and payment_id is None:
            await _pay_order(session, row)
    if row and payment_id:
        # Somebody paid by hand with the account number of a prompt, or M-Pesa reports a prompt here too.
        booked = await settle_transaction(scope, payment_id, _describe(row), MPESA)
        if booked.outcome is BookingOutcome.UNASSIGNED:
            # Another amount: it is no answer to the prompt, but money for its order.
            async with scope() as session:
                await _pay_order(session, row)
    async with scope() as session:
        if handled := await session.get(UnassignedTransaction, transaction_id):
            await finish(session, handled)


async def _find_row(session: AsyncSession, transaction_id: int) -> UnassignedTransaction | None:
    """The transaction, unless a payment has its receipt by now, or it was paid to another short code, which staff look into."""
    this = and_(col(UnassignedTransaction.id) == transaction_id, col(UnassignedTransaction.short_code) == "")
    return (await session.exec(select(UnassignedTransaction).where(this, is_unassigned()))).one_or_none()


def _describe(row: UnassignedTransaction) -> Transaction:
    amount = Decimal(row.amount) if row.amount else None
    return Transaction(row.receipt, row.booked_at, row.phone, amount, row.account)


async def _find_payment(session: AsyncSession, row: UnassignedTransaction) -> int | None:
    return (await find_payments(session, [_describe(row)])).get(row.account)


async def _pay_order(session: AsyncSession, row: UnassignedTransaction) -> None:
    named = await _find_named_order(session, row.account)
    if named is None or named.id is None:
        return
    order = await lock_order(session, named.id)
    amount = read_shillings(row)
    missing = (await find_balance(session, order)).missing(order.state)
    # Less than M-Pesa would be allowed to take is a mistake, which staff return or assign.
    if not amount or (amount < missing and not is_sensible_part(Decimal(amount), missing, order.amount)):
        return
    received = ManualPayment(PaymentKind.PAYBILL, amount, row.receipt, row.booked_at)
    try:
        await add_payment(session, order, received, MPESA)
    except InputRejected:
        # A callback or staff were faster with this receipt.
        log.info("the receipt of transaction %s belongs to a payment already", row.id)


async def _find_named_order(session: AsyncSession, account: str) -> Order | None:
    """The order whose reference an account number contains, in any form that people give it; None if it names several."""
    wanted = select(Order).where(col(Order.reference).in_(find_named_references(account)))
    named = (await session.exec(wanted)).all()
    return named[0] if len(named) == 1 else None


async def judge_payment(session: AsyncSession, body: bytes) -> Verdict:
    """Whether M-Pesa shall take a payment that somebody is about to make by hand.

    Only what surely is a mistake is refused: an order that needs no more money, more than it lacks, or a tiny part of it.
    """
    try:
        one = parse_paybill_payment(body)
    except MalformedCallback:
        return Verdict.ACCEPTED
    order = await _find_named_order(session, one.bill_reference)
    if order is None or build_transaction(one).short_code:
        return Verdict.ACCEPTED
    missing = (await find_balance(session, order)).missing(order.state)
    if not missing or order.state is OrderState.NEEDS_REVIEW:
        return Verdict.WRONG_ACCOUNT
    fits = one.amount is None or is_sensible_part(one.amount, missing, order.amount)
    return Verdict.ACCEPTED if fits else Verdict.WRONG_AMOUNT
