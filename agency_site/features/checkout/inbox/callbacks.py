"""M-Pesa's callbacks: stored as they came, then applied to their payment.

They are not signed, may never come, or come many times and in any order (daraja.md, section 3).
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
from agency_site.db.inserts import insert_new
from agency_site.db.leases import claim
from agency_site.features.checkout.orders.rules import erased_id
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.journal import EntryKind, store_or_journal
from agency_site.features.checkout.payments.queries import lock_payment
from agency_site.features.checkout.payments.rules import OPEN
from agency_site.features.checkout.payments.settlement import ENDS, PaymentResult, end_unpaid, settle_callback
from agency_site.features.checkout.payments.tables import CallbackInbox, Payment
from agency_site.features.checkout.payments.transitions import MPESA, Scope, note
from agency_site.features.checkout.refunds.reported_returns import report_return
from agency_site.features.checkout.refunds.reversals import settle_reversal
from agency_site.features.checkout.refunds.tables import Reversal
from agency_site.metrics import callbacks
from agency_site.mpesa.contract import Outcome, ReturnedPayment
from agency_site.mpesa.errors import MalformedCallback
from agency_site.mpesa.wire import masked, parse_callback
from agency_site.settings import settings

log = logging.getLogger(__name__)

_RETRY_PAUSE = timedelta(seconds=20)
"""After this time a callback that was stored but not handled is tried again."""

_MATCH_WINDOW = timedelta(minutes=10)
"""How long a callback without a payment may turn out to have been faster than our own record."""


async def receive_callback(scope: Scope, body: bytes, attempt: str, source: str) -> None:
    """Store a callback that came over the path of `attempt`, then handle it.

    Never raises for what the body says. Once stored it cannot be lost: what fails now is tried again later. Raises
    Unavailable where it could not be stored: then it must not be acknowledged.
    """
    row = _build_row(body, attempt, source)
    values = row.model_dump(mode="json", exclude={"id"})
    inbox_id = await store_or_journal(partial(_store_row, scope, row), EntryKind.CALLBACK, values)
    if inbox_id is None:
        return
    try:
        await _handle_callback(scope, inbox_id)
    except Exception:
        # The sender would not deliver it again, so it gets its 200 and the polling job handles the row.
        log.exception("callback %s is stored but could not be handled", inbox_id)


async def _store_row(scope: Scope, row: CallbackInbox) -> int:
    same, more = col(CallbackInbox.digest) == row.digest, CallbackInbox.deliveries + 1
    async with scope() as session:
        if stored := await insert_new(session, CallbackInbox, [row.model_dump(exclude={"id"})]):
            return stored[0]
        await session.exec(update(CallbackInbox).where(same).values(deliveries=more))
        return (await session.exec(select(CallbackInbox.id).where(same))).one() or 0


async def replay_callback(scope: Scope, values: dict[str, Any]) -> None:
    """Store a callback of the journal, unless it is stored already. The polling job handles it at once."""
    row = CallbackInbox.model_validate(values)
    row.due_at = None if row.handled_at else now()
    async with scope() as session:
        await insert_new(session, CallbackInbox, [row.model_dump(exclude={"id"})])


def _build_row(body: bytes, attempt: str, source: str) -> CallbackInbox:
    moment = now()
    row = CallbackInbox(
        digest=hashlib.sha256(f"{attempt}\n".encode() + body).hexdigest(),
        body=masked(body),
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
    """Apply a stored callback, once; one that matches no payment yet is tried again for a while."""
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
            row.note = (await _apply(session, order, payment, row))[:255]
        row.handled_at, row.due_at, row.leased_until = now(), None, None
    callbacks.labels(outcome).inc()


async def _report_return(session: AsyncSession, row: CallbackInbox) -> str:
    """Report a return that staff have not asked for, which came over the address of any attempt."""
    stated = parse_callback(row.body.encode())
    paid = select(Payment.receipt).where(Payment.attempt_key == row.attempt_key)
    original = stated.reverses or (await session.exec(paid)).first()
    if not (row.receipt and original):
        return "a return that names no payment"
    returned = ReturnedPayment(row.receipt, stated.paid_at, stated.amount, frozenset({original}), original)
    return await report_return(session, returned, MPESA)


async def _apply(session: AsyncSession, order: Order, payment: Payment, row: CallbackInbox) -> str:
    if not payment.phone:
        # The payer has been erased: what comes late must not bring the number back.
        row.body = "{}"
        digests = [erased_id(row.checkout_request_id, key) for key in settings().secret_keys]
        row.checkout_request_id = next(
            (one for one in digests if one == payment.checkout_request_id), digests[0]
        )
    ids = (row.merchant_request_id, row.checkout_request_id)
    known = (payment.merchant_request_id, payment.checkout_request_id)
    if ids != known and (payment.checkout_request_id or not await _take_ids(session, payment, row)):
        log.warning("callback %s carries other ids than the payment of its path", row.id)
        note(session, order, payment, MPESA, "a callback with foreign ids was ignored")
        return "ignored: foreign ids"
    result = PaymentResult(MPESA, row.result_code, row.result_text, row.receipt, paid_at=row.paid_at)
    outcome = Outcome(row.outcome)
    if outcome is Outcome.PAID or outcome in ENDS:
        # The prompt has ended: M-Pesa is not asked about it any more, whatever has paid for the order.
        payment.due_at = None
        session.add(payment)
    if outcome is Outcome.PAID:
        amount = Decimal(row.amount) if row.amount else None
        return await settle_callback(session, order, payment, result, amount)
    if outcome in ENDS:
        return await end_unpaid(session, order, payment, result, outcome)
    return "decides nothing"


async def _take_ids(session: AsyncSession, payment: Payment, row: CallbackInbox) -> bool:
    """Give the callback's ids to a payment without: it was faster than the answer to the push, or that answer was lost.

    False where the callback has none, or they are another payment's.
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
    """Handle callbacks that were stored but not handled yet; returns how many."""
    async with scope() as session:
        due = [row.id for row in await claim(session, CallbackInbox, now()) if row.id is not None]
    for inbox_id in due:
        await _handle_callback(scope, inbox_id)
    return len(due)
