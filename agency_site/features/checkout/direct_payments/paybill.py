"""Payments by hand to our Paybill, as M-Pesa reports them (C2B confirmation and validation).

A confirmation is first stored among the unassigned transactions, once for each receipt, so that it cannot be lost. Then it
becomes a payment of the order that its account number names: the price or a part of it, or more than the order needs, which
goes to review. Without such an order it stays unassigned, for staff.
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
from agency_site.db.due_work import handle_due, handle_each
from agency_site.db.inserts import insert_new
from agency_site.db.leases import finish
from agency_site.db.outages import log_failure
from agency_site.errors import InputRejected
from agency_site.features.checkout.direct_payments.manual import add_payment
from agency_site.features.checkout.direct_payments.staff_request import ManualPayment
from agency_site.features.checkout.orders.queries import lock_order
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.claims import find_refusal
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
"""The pause before a stored but unhandled confirmation is retried."""


async def receive_confirmation(scope: Scope, body: bytes) -> None:
    """Store a confirmation, then handle it. Raises MalformedCallback, and Unavailable if it could not be stored."""
    if returned_payment := parse_paybill_return(body):
        await report_returns(scope, [returned_payment], MPESA)
        return
    row = build_transaction(parse_paybill_payment(body), now() + _RETRY_PAUSE)
    values = row.model_dump(mode="json", exclude={"id"})
    transaction_id = await store_or_journal(
        partial(_store_confirmation, scope, row), EntryKind.CONFIRMATION, values
    )
    if not transaction_id:
        return
    try:
        await _settle_confirmation(scope, transaction_id)
    except Exception as error:
        # M-Pesa does not report it twice, so an error response would not help: the polling job handles the row.
        log_failure(
            log,
            error,
            "transaction %s is stored but could not be handled; status polling retries it",
            transaction_id,
        )


async def _store_confirmation(scope: Scope, row: UnassignedTransaction) -> int:
    """Store a transaction. Returns its id, or 0 if its receipt is known already."""
    async with scope() as session:
        if await find_known_receipts(session, [row.receipt]):
            return 0
        new_ids = await insert_new(session, UnassignedTransaction, [row.model_dump(exclude={"id"})])
        return new_ids[0] if new_ids else 0


async def replay_confirmation(scope: Scope, values: dict[str, Any]) -> None:
    """Store a confirmation from the journal, unless it is stored already. The polling job then handles it."""
    row = UnassignedTransaction.model_validate(values)
    row.due_at = now()
    await _store_confirmation(scope, row)


async def handle_due_confirmations(scope: Scope) -> int:
    """Handle the stored confirmations that are due. Returns their number."""
    return await handle_due(
        scope, UnassignedTransaction, lambda row: _settle_confirmation(scope, row.id or 0)
    )


async def settle_stored(scope: Scope, receipts: Collection[str]) -> None:
    """Settle the stored transactions with these receipts at once, if they name an order or a payment."""
    due = select(UnassignedTransaction.id).where(
        col(UnassignedTransaction.receipt).in_(receipts), col(UnassignedTransaction.due_at).is_not(None)
    )
    async with scope() as session:
        transactions = (await session.exec(due)).all()
    await handle_each(
        transactions,
        lambda transaction_id: _settle_confirmation(scope, transaction_id or 0),
        lambda transaction_id: f"transaction {transaction_id}",
    )


async def _settle_confirmation(scope: Scope, transaction_id: int) -> None:
    """Settle a stored confirmation once, for the payment or the order that its account number names."""
    async with scope() as session:
        row = await _find_unsettled(session, transaction_id)
        payment_id = await _find_payment(session, row) if row else None
        if row and payment_id is None:
            await _pay_order(session, row)
    if row and payment_id:
        # The payer used the account number of a prompt, or M-Pesa reports the payment of a prompt here, too.
        booked = await settle_transaction(scope, payment_id, _read_transaction(row), MPESA)
        if booked.outcome is BookingOutcome.UNASSIGNED:
            # With another amount it did not come from the prompt, but it is money for the same order.
            async with scope() as session:
                await _pay_order(session, row)
    async with scope() as session:
        if transaction := await session.get(UnassignedTransaction, transaction_id):
            await finish(session, transaction)


async def _find_unsettled(session: AsyncSession, transaction_id: int) -> UnassignedTransaction | None:
    """Return the transaction, unless a payment has its receipt, or it was paid to another short code, which staff check."""
    same_transaction = and_(
        col(UnassignedTransaction.id) == transaction_id, col(UnassignedTransaction.short_code) == ""
    )
    return (
        await session.exec(select(UnassignedTransaction).where(same_transaction, is_unassigned()))
    ).one_or_none()


def _read_transaction(row: UnassignedTransaction) -> Transaction:
    amount = Decimal(row.amount) if row.amount else None
    return Transaction(row.receipt, row.booked_at, row.phone, amount, row.account)


async def _find_payment(session: AsyncSession, row: UnassignedTransaction) -> int | None:
    return (await find_payments(session, [_read_transaction(row)])).get(row.account)


async def _pay_order(session: AsyncSession, row: UnassignedTransaction) -> None:
    named = await _find_named_order(session, row.account)
    if named is None or named.id is None:
        return
    order = await lock_order(session, named.id)
    amount = read_shillings(row)
    missing = (await find_balance(session, order)).missing(order.state)
    # An amount that the validation would have rejected is a mistake, which staff refund or assign.
    if not amount or (amount < missing and not is_sensible_part(Decimal(amount), missing, order.amount)):
        return
    received = ManualPayment(PaymentKind.PAYBILL, amount, row.receipt, row.booked_at)
    try:
        await add_payment(session, order, received, MPESA)
    except InputRejected:
        # A callback or staff have settled this receipt in the meantime.
        log.info("transaction %s changes nothing: a payment has its receipt already", row.id)


async def _find_named_order(session: AsyncSession, account: str) -> Order | None:
    """Return the order whose reference the account number contains in any spelling; None if there is none, or several."""
    wanted = select(Order).where(col(Order.reference).in_(find_named_references(account)))
    orders = (await session.exec(wanted)).all()
    return orders[0] if len(orders) == 1 else None


async def validate_payment(session: AsyncSession, body: bytes) -> Verdict:
    """Return whether M-Pesa should accept a payment by hand.

    What a prompt would refuse is rejected, and so is an obvious mistake: more than the balance, or a tiny part of it.
    """
    try:
        payment = parse_paybill_payment(body)
    except MalformedCallback:
        return Verdict.ACCEPTED
    order = await _find_named_order(session, payment.bill_reference)
    if order is None or build_transaction(payment).short_code:
        return Verdict.ACCEPTED
    if await find_refusal(session, order):
        return Verdict.WRONG_ACCOUNT
    missing = (await find_balance(session, order)).missing(order.state)
    fits = payment.amount is None or is_sensible_part(payment.amount, missing, order.amount)
    return Verdict.ACCEPTED if fits else Verdict.WRONG_AMOUNT
