"""M-Pesa's callbacks: store each as it came, then apply it to its payment.

Callbacks are not signed. They may never come, or come many times and in any order (daraja.md, section 3).
"""

import hashlib
import logging
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.due_work import handle_due
from agency_site.db.inserts import insert_new
from agency_site.db.outages import log_failure
from agency_site.features.checkout.orders.rules import erase_checkout_id
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.journal import EntryKind, store_or_journal
from agency_site.features.checkout.payments.problems import report_problem
from agency_site.features.checkout.payments.queries import lock_payment
from agency_site.features.checkout.payments.rules import OPEN
from agency_site.features.checkout.payments.settlement import ENDS, PaymentResult, end_unpaid, settle_callback
from agency_site.features.checkout.payments.tables import CallbackInbox, Payment
from agency_site.features.checkout.payments.transitions import MPESA, Scope, record_event
from agency_site.features.checkout.refunds.reported_returns import report_return
from agency_site.features.checkout.refunds.reversals import settle_reversal
from agency_site.features.checkout.refunds.tables import Reversal
from agency_site.metrics import callbacks
from agency_site.mpesa.contract import Outcome, ReturnedPayment
from agency_site.mpesa.errors import MalformedCallback
from agency_site.mpesa.wire import mask_body, parse_callback
from agency_site.settings import settings

log = logging.getLogger(__name__)

_RETRY_PAUSE = timedelta(seconds=20)
"""The pause before a stored but unhandled callback is retried."""

_MATCH_WINDOW = timedelta(minutes=10)
"""The time in which a callback may still match a payment: it may have arrived before the payment was committed."""


async def receive_callback(scope: Scope, body: bytes, attempt: str, source: str) -> None:
    """Store a callback to the address of `attempt`, then handle it.

    No content of the body raises an error. A stored callback cannot be lost: a failure is retried later. Raises
    Unavailable if it could not be stored; then it must not be acknowledged.
    """
    row = _build_inbox_row(body, attempt, source)
    values = row.model_dump(mode="json", exclude={"id"})
    inbox_id = await store_or_journal(partial(_store_row, scope, row), EntryKind.CALLBACK, values)
    if inbox_id is None:
        return
    try:
        await _handle_callback(scope, inbox_id)
    except Exception as error:
        # Daraja does not deliver a callback twice, so an error response would not help: the polling job handles the row.
        log_failure(
            log, error, "callback %s is stored but could not be handled; status polling retries it", inbox_id
        )


async def _store_row(scope: Scope, row: CallbackInbox) -> int:
    same, more = col(CallbackInbox.digest) == row.digest, CallbackInbox.deliveries + 1
    async with scope() as session:
        if stored := await insert_new(session, CallbackInbox, [row.model_dump(exclude={"id"})]):
            return stored[0]
        await session.exec(update(CallbackInbox).where(same).values(deliveries=more))
        return (await session.exec(select(CallbackInbox.id).where(same))).one() or 0


async def replay_callback(scope: Scope, values: dict[str, Any]) -> None:
    """Store a callback from the journal, unless it is stored already. The polling job then handles it."""
    row = CallbackInbox.model_validate(values)
    row.due_at = None if row.handled_at else now()
    async with scope() as session:
        await insert_new(session, CallbackInbox, [row.model_dump(exclude={"id"})])


def _build_inbox_row(body: bytes, attempt: str, source: str) -> CallbackInbox:
    moment = now()
    row = CallbackInbox(
        digest=hashlib.sha256(f"{attempt}\n".encode() + body).hexdigest(),
        body=mask_body(body),
        source=source[:64],
        attempt_key=attempt,
        received_at=moment,
        due_at=moment + _RETRY_PAUSE,
    )
    try:
        callback = parse_callback(body)
    except MalformedCallback as error:
        callbacks.labels("malformed").inc()
        row.note, row.handled_at, row.due_at = f"malformed: {error.detail}"[:255], moment, None
        return row
    row.merchant_request_id, row.checkout_request_id = (
        callback.merchant_request_id,
        callback.checkout_request_id,
    )
    row.result_code, row.result_text = callback.result_code, callback.description[:255]
    row.outcome, row.receipt = callback.outcome.value, callback.receipt
    row.amount = "" if callback.amount is None else str(callback.amount)
    row.paid_at = callback.paid_at
    return row


async def _handle_callback(scope: Scope, inbox_id: int) -> None:
    """Apply a stored callback once. If it matches no payment yet, it is retried for a while."""
    async with scope() as session:
        row = await session.get(CallbackInbox, inbox_id)
        if row is None or row.handled_at:
            return
        payment_id = (
            await session.exec(select(Payment.id).where(Payment.attempt_key == row.attempt_key))
        ).first()
        reversal_id = (
            await session.exec(select(Reversal.id).where(Reversal.attempt_key == row.attempt_key))
        ).first()
        if reversal_id:
            row.note, outcome = (await settle_reversal(session, reversal_id, row))[:255], "handled"
        elif row.outcome == Outcome.RETURNED:
            row.note, outcome = await _report_return(session, row), "handled"
        elif payment_id is None:
            row.note, outcome = "matches no payment", "unmatched"
            row.due_at, row.leased_until = now() + _RETRY_PAUSE, None
            if now() < row.received_at + _MATCH_WINDOW:
                return
        else:
            order, payment = await lock_payment(session, payment_id)
            outcome = "handled" if payment.state in OPEN else "late"
            row.note = (await _apply_callback(session, order, payment, row))[:255]
        row.handled_at, row.due_at, row.leased_until = now(), None, None
    callbacks.labels(outcome).inc()


async def _report_return(session: AsyncSession, row: CallbackInbox) -> str:
    """Report a reversal that staff have not requested; it may come to the address of any attempt."""
    stated = parse_callback(row.body.encode())
    paid = select(Payment.receipt).where(Payment.attempt_key == row.attempt_key)
    original = stated.reverses or (await session.exec(paid)).first()
    if not (row.receipt and original):
        return "a return that names no payment"
    returned = ReturnedPayment(row.receipt, stated.paid_at, stated.amount, frozenset({original}), original)
    return await report_return(session, returned, MPESA)


async def _apply_callback(session: AsyncSession, order: Order, payment: Payment, row: CallbackInbox) -> str:
    if not payment.phone:
        # The payer has been erased: a late callback must not bring the phone number back.
        row.body = "{}"
        digests = [erase_checkout_id(row.checkout_request_id, key) for key in settings().secret_keys]
        row.checkout_request_id = next(
            (digest for digest in digests if digest == payment.checkout_request_id), digests[0]
        )
    ids = (row.merchant_request_id, row.checkout_request_id)
    stored_ids = (payment.merchant_request_id, payment.checkout_request_id)
    if ids != stored_ids and (payment.checkout_request_id or not await _take_ids(session, payment, row)):
        log.warning("callback %s has other ids than the payment of its address; it is ignored", row.id)
        record_event(session, order, payment, MPESA, "a callback with foreign ids was ignored")
        problem = f"A callback with foreign ids was ignored. It states: {_describe_result(row)}."
        await report_problem(session, order, payment, problem, callback_id=row.id)
        return "ignored: foreign ids"
    result = PaymentResult(MPESA, row.result_code, row.result_text, row.receipt, paid_at=row.paid_at)
    outcome = Outcome(row.outcome)
    if outcome is Outcome.PAID or outcome in ENDS:
        # The prompt has ended, so it is not queried any more, even if the order was paid in another way.
        payment.due_at = None
        session.add(payment)
    if outcome is Outcome.PAID:
        amount = Decimal(row.amount) if row.amount else None
        return await settle_callback(session, order, payment, result, amount)
    if outcome in ENDS:
        return await end_unpaid(session, order, payment, result, outcome)
    return "decides nothing"


def _describe_result(row: CallbackInbox) -> str:
    stated = f"{row.result_code} {row.result_text}".strip()
    money = f", KES {row.amount}" if row.amount else ""
    return stated + money + (f", receipt {row.receipt}" if row.receipt else "")


async def _take_ids(session: AsyncSession, payment: Payment, row: CallbackInbox) -> bool:
    """Store the callback's ids in a payment that has none yet: the answer to its push is late or lost.

    Returns False if the callback has no ids, or another payment has them.
    """
    if not (row.merchant_request_id and row.checkout_request_id):
        return False
    try:
        async with session.begin_nested():
            payment.merchant_request_id = row.merchant_request_id
            payment.checkout_request_id = row.checkout_request_id
            session.add(payment)
            await session.flush()
    except IntegrityError:
        # Another payment has these ids.
        await session.refresh(payment)
        return False
    return True


async def handle_due_callbacks(scope: Scope) -> int:
    """Handle the stored callbacks that are due. Returns their number."""
    return await handle_due(scope, CallbackInbox, lambda row: _handle_callback(scope, row.id or 0))
