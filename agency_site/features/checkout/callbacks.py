"""M-Pesa's callbacks: stored as they came, then acted on.

They are not signed, may never come, or come many times and in any order (daraja.md, section 3).
"""

import hashlib
import logging
from datetime import timedelta
from decimal import Decimal

from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.leases import claim
from agency_site.features.checkout.rules import erased_id
from agency_site.features.checkout.settlement import ENDS, News, end_unpaid, settle_stated
from agency_site.features.checkout.tables import CallbackInbox, Order, Payment
from agency_site.features.checkout.transitions import MPESA, Scope, lock_payment, note
from agency_site.mpesa.contract import Outcome
from agency_site.mpesa.errors import MalformedCallback
from agency_site.mpesa.wire import masked, parse_callback
from agency_site.settings import settings

log = logging.getLogger(__name__)

LOOK_AGAIN = timedelta(seconds=20)
"""When a callback that was stored but not acted on is taken up."""
GIVE_UP = timedelta(minutes=10)
"""How long a callback without a payment may turn out to have been faster than our own record."""


async def receive_callback(scope: Scope, body: bytes, attempt: str, source: str) -> None:
    """Store a callback that came over the path of `attempt`, then act on it.

    Never raises for what the body says. Once stored it cannot be lost: what breaks now is done again later.
    """
    async with scope() as session:
        inbox_id = await _store(session, body, attempt, source)
    try:
        await handle_callback(scope, inbox_id)
    except Exception:
        # The sender would not deliver it again, so it gets its 200 and reconciliation takes the row up.
        log.exception("callback %s is stored but could not be handled", inbox_id)


async def _store(session: AsyncSession, body: bytes, attempt: str, source: str) -> int:
    row = _row(body, attempt, source)
    try:
        async with session.begin_nested():
            session.add(row)
            await session.flush()
    except IntegrityError:
        same = col(CallbackInbox.digest) == row.digest
        await session.exec(update(CallbackInbox).where(same).values(deliveries=CallbackInbox.deliveries + 1))
        return (await session.exec(select(CallbackInbox.id).where(same))).one() or 0
    assert row.id is not None
    return row.id


def _row(body: bytes, attempt: str, source: str) -> CallbackInbox:
    moment = now()
    row = CallbackInbox(
        digest=hashlib.sha256(f"{attempt}\n".encode() + body).hexdigest(),
        body=masked(body),
        source=source[:64],
        attempt_key=attempt,
        received_at=moment,
        due_at=moment + LOOK_AGAIN,
    )
    try:
        told = parse_callback(body)
    except MalformedCallback as error:
        row.note, row.handled_at, row.due_at = f"malformed: {error.detail}"[:255], moment, None
        return row
    row.merchant_request_id, row.checkout_request_id = told.merchant_request_id, told.checkout_request_id
    row.result_code, row.result_text = told.result_code, told.description[:255]
    row.outcome, row.receipt = told.outcome.value, told.receipt
    row.amount = "" if told.amount is None else str(told.amount)
    return row


async def handle_callback(scope: Scope, inbox_id: int) -> None:
    """Act on a stored callback, once; one that fits no payment yet is looked at again for a while."""
    async with scope() as session:
        row = await session.get(CallbackInbox, inbox_id)
        if row is None or row.handled_at:
            return
        payment_id = (
            await session.exec(select(Payment.id).where(Payment.attempt_key == row.attempt_key))
        ).first()
        if payment_id is None:
            row.note = "fits no payment"
            row.due_at = now() + LOOK_AGAIN
            if now() < row.received_at + GIVE_UP:
                return
        else:
            order, payment = await lock_payment(session, payment_id)
            row.note = (await _act(session, order, payment, row))[:255]
        row.handled_at, row.due_at, row.leased_until = now(), None, None


async def _act(session: AsyncSession, order: Order, payment: Payment, row: CallbackInbox) -> str:
    if not payment.phone:
        # The payer has been erased: what comes late must not bring the number back.
        row.body = "{}"
        kept = [erased_id(row.checkout_request_id, key) for key in settings().secret_keys]
        row.checkout_request_id = next((one for one in kept if one == payment.checkout_request_id), kept[0])
    if not await _ids_fit(session, payment, row):
        log.warning("callback %s carries other ids than the payment of its path", row.id)
        note(session, order, payment, MPESA, "a callback with foreign ids was ignored")
        return "ignored: foreign ids"
    if not payment.checkout_request_id:
        # It was faster than the answer to the push, or that answer was lost.
        payment.merchant_request_id, payment.checkout_request_id = (
            row.merchant_request_id,
            row.checkout_request_id,
        )
        session.add(payment)
        await session.flush()
    news = News(MPESA, row.result_code, row.result_text, row.receipt)
    outcome = Outcome(row.outcome)
    if outcome is Outcome.PAID:
        return await settle_stated(session, order, payment, news, Decimal(row.amount) if row.amount else None)
    if outcome in ENDS:
        return await end_unpaid(session, order, payment, news, outcome)
    return "decides nothing"


async def _ids_fit(session: AsyncSession, payment: Payment, row: CallbackInbox) -> bool:
    told = (row.merchant_request_id, row.checkout_request_id)
    if payment.checkout_request_id:
        return told == (payment.merchant_request_id, payment.checkout_request_id)
    if not all(told):
        return False
    taken = select(Payment.id).where(
        (col(Payment.merchant_request_id) == told[0]) | (col(Payment.checkout_request_id) == told[1])
    )
    return (await session.exec(taken)).first() is None


async def handle_waiting(scope: Scope) -> int:
    """Take up callbacks that were stored but not acted on; returns how many."""
    async with scope() as session:
        waiting = [row.id for row in await claim(session, CallbackInbox, now()) if row.id is not None]
    for inbox_id in waiting:
        await handle_callback(scope, inbox_id)
    return len(waiting)
