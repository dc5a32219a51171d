"""Status polling: find the results of payments whose callback never came (daraja.md, sections 4 and 6).

Any number of processes may run it. A payment is claimed with a lease, and the payment that has waited longest is queried
first.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import ValidationError
from sqlalchemy import ColumnElement, and_, exists
from sqlalchemy import select as sql_select
from sqlmodel import col, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.due_work import handle_due, handle_each, push_back
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.leases import Leased, claim, is_due
from agency_site.event_loops import PerLoop
from agency_site.features.checkout.buying.idempotency import delete_old_keys, is_old_key
from agency_site.features.checkout.coupons.usecases import find_due_coupons, release_due_uses
from agency_site.features.checkout.direct_payments.paybill import (
    handle_due_confirmations,
    replay_confirmation,
)
from agency_site.features.checkout.inbox.callbacks import handle_due_callbacks, replay_callback
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.gateway import (
    compute_app_key,
    gateway,
    retry_books,
    return_query_slot,
    take_books_turn,
    take_query_slot,
)
from agency_site.features.checkout.payments.journal import (
    Entry,
    EntryKind,
    postpone_entry,
    read_entries,
    remove_entry,
    set_aside,
)
from agency_site.features.checkout.payments.messages import UNRESOLVED
from agency_site.features.checkout.payments.prompts import replay_answer
from agency_site.features.checkout.payments.queries import can_be_looked_up, describe_attempt, lock_payment
from agency_site.features.checkout.payments.rules import (
    OPEN,
    RECEIVED,
    PaymentState,
    decide_unresolved,
    find_silence_end,
)
from agency_site.features.checkout.payments.settlement import PaymentResult, mail_unpaid, send_to_review
from agency_site.features.checkout.payments.status_queries import UNSENT, QueryTarget, query_payment
from agency_site.features.checkout.payments.tables import CallbackInbox, Payment
from agency_site.features.checkout.payments.transitions import STATUS_POLLING, Scope, transition_payment
from agency_site.features.checkout.refunds.reported_returns import match_returns, select_matched
from agency_site.features.checkout.refunds.reversals import handle_due_reversals
from agency_site.features.checkout.refunds.tables import Reversal
from agency_site.features.checkout.transactions.books import apply_books, read_books, read_recent
from agency_site.features.checkout.transactions.tables import UnassignedTransaction
from agency_site.features.checkout.transactions.unassigned import book_transactions
from agency_site.settings import settings

log = logging.getLogger(__name__)

_WATCH = timedelta(hours=24)
"""How long M-Pesa is queried about a payment (daraja.md, section 6)."""


async def poll_payments() -> int:
    """Handle all due work once: journal, callbacks, payments of killed processes, and status queries as the pace allows.

    Returns the number of handled rows.
    """
    done = await _replay_journal()
    has_work = await _find_work()
    steps = [step for has_any, (_, step) in zip(has_work, _STEPS, strict=True) if has_any]
    return done + await handle_each(steps, lambda step: step(session_scope), lambda step: step.__name__)


async def _forget_old_keys(scope: Scope) -> int:
    async with scope() as session:
        await delete_old_keys(session)
    return 0


async def _date_payments(scope: Scope) -> int:
    """Date what a server of the previous release, still running during an upgrade, has settled."""
    async with scope() as session:
        await session.exec(update(Payment).where(_UNDATED).values(paid_at=Payment.settled_at))
    return 0


_UNDATED = and_(col(Payment.state).in_(RECEIVED), col(Payment.paid_at).is_(None))
"""Condition of received payments that no report would count."""


async def _find_work() -> Sequence[bool]:
    """Return for each of `_STEPS` whether it has work."""
    # Reading first: with nothing to do, processes need not take turns for SQLite's only write lock.
    async with read_scope() as session:
        connection = await session.connection()
        return (await connection.execute(sql_select(*(is_needed() for is_needed, _ in _STEPS)))).one()


async def _query_payments(scope: Scope) -> int:
    """Query the payments that are due, as the pace allows."""
    done, app_key = 0, compute_app_key(settings())
    while target := await _claim_query(app_key):
        done += await handle_each(
            [target],
            lambda target: _query(scope, app_key, target),
            lambda target: f"payment {target.payment_id}",
            lambda target: push_back(scope, Payment, target.payment_id),
        )
    return done


async def _query(scope: Scope, app_key: str, target: QueryTarget) -> None:
    await query_payment(scope, gateway(scope), app_key, target, STATUS_POLLING)


def _any_due(table: type[Leased]) -> ColumnElement[bool]:
    return exists().where(is_due(table, now()))


async def return_coupon_uses() -> int:
    """Release the coupon uses of unpaid orders whose time is over. Returns the number of these orders."""
    async with read_scope() as session:
        due = await find_due_coupons(session)

    async def release(coupon_id: int) -> int:
        async with session_scope() as session:
            return await release_due_uses(session, coupon_id)

    return await handle_each(due, release, lambda coupon_id: f"coupon {coupon_id}")


_started: PerLoop[datetime] = PerLoop()
"""The time at which the jobs of this process started."""


async def read_recent_books() -> int:
    """Read M-Pesa's books once an hour for the whole system, and after each start: callbacks may have been lost.

    Returns the number of transactions in them.
    """
    if not settings().can_pull_transactions:
        return 0
    if not _started.here():
        # In development this server is its own M-Pesa simulator, which answers only once the server has started.
        _started.here()["at"] = now()
        return 0
    async with session_scope() as session:
        if not await take_books_turn(session, _started.here()["at"]):
            return 0
    _started.here()["at"] = datetime.min.replace(tzinfo=UTC)
    reading = await read_recent(gateway(session_scope))
    await book_transactions(session_scope, reading.transactions, STATUS_POLLING)
    if not reading.is_whole:
        async with session_scope() as session:
            await retry_books(session)
    return len(reading.transactions)


_REPLAYS = {
    EntryKind.CALLBACK: replay_callback,
    EntryKind.CONFIRMATION: replay_confirmation,
    EntryKind.ANSWER: replay_answer,
}


async def _replay_journal() -> int:
    """Store the messages of M-Pesa that arrived during a database outage."""
    return await handle_each(
        await read_entries(), _replay_entry, lambda entry: f"journal entry {entry.path.name}", postpone_entry
    )


async def _replay_entry(entry: Entry) -> None:
    try:
        await _REPLAYS[entry.kind](session_scope, entry.values)
    except ValidationError:
        await asyncio.to_thread(set_aside, entry.path)
    else:
        await remove_entry(entry)


def _is_queryable(moment: datetime) -> ColumnElement[bool]:
    young = col(Payment.created_at) > moment - _WATCH
    is_open = col(Payment.failure_seen_at).is_(None) & col(Payment.state).not_in(UNSENT)
    return col(Payment.checkout_request_id).is_not(None) & young & is_open


async def _handle_unqueryable(scope: Scope) -> int:
    can_read = True

    async def handle(claimed: Payment) -> None:
        nonlocal can_read
        in_books, read_at, booked = can_be_looked_up(claimed), now(), None
        if in_books and can_read:
            booked = await read_books(gateway(scope), claimed)
            # If M-Pesa is slow or down, one round waits for it once and not once for every payment.
            can_read = booked is not None
            await book_transactions(scope, booked or (), STATUS_POLLING)
        async with scope() as session:
            order, payment = await lock_payment(session, claimed.id or 0)
            payment.leased_until = None
            session.add(payment)
            # A callback or a query has changed the payment since the claim; that result counts.
            if _find_version(payment) != _find_version(claimed):
                return
            if not (in_books and await apply_books(session, order, payment, booked, read_at)):
                await _decide_without_query(session, order, payment)

    return await handle_due(scope, Payment, handle, ~_is_queryable(now()), limit=50)


def _find_version(payment: Payment) -> tuple[object, ...]:
    return payment.state, payment.due_at, payment.checkout_request_id


async def _decide_without_query(session: AsyncSession, order: Order, payment: Payment) -> None:
    attempt = describe_attempt(payment)
    end = find_silence_end(attempt, settings().mpesa_prompt_window)
    if payment.checkout_request_id and not payment.failure_seen_at:
        end = payment.created_at + _WATCH
    if payment.state in UNSENT:
        why = "the server stopped before M-Pesa's answer was stored"
        await transition_payment(
            session, order, payment, PaymentState.UNKNOWN, actor=STATUS_POLLING, why=why, due_at=now()
        )
    elif now() < end:
        payment.due_at = end
    elif payment.state not in OPEN:
        payment.due_at = None
    elif decide_unresolved(attempt) is PaymentState.EXPIRED:
        await _expire(session, order, payment)
    elif attempt.success_seen:
        problem = "M-Pesa reported a success once and never again."
        await send_to_review(session, order, payment, PaymentResult(STATUS_POLLING, UNRESOLVED, ""), problem)
    else:
        problem = "M-Pesa has not said for certain whether the payer was charged."
        await send_to_review(session, order, payment, PaymentResult(STATUS_POLLING, UNRESOLVED, ""), problem)


async def _expire(session: AsyncSession, order: Order, payment: Payment) -> None:
    why = "M-Pesa reported no payment for 24 hours"
    columns: dict[str, Any] = {"due_at": None, "settled_at": now(), "result_code": ""}
    await transition_payment(
        session, order, payment, PaymentState.EXPIRED, actor=STATUS_POLLING, why=why, **columns
    )
    await mail_unpaid(session, order, payment)


async def _claim_query(app_key: str) -> QueryTarget | None:
    """Claim the payment that has waited longest, and the next slot for a query of the whole system."""
    moment = now()
    async with session_scope() as session:
        waiting = select(Payment.id).where(is_due(Payment, moment), _is_queryable(moment)).limit(1)
        if (await session.exec(waiting)).first() is None:
            return None
        interval = timedelta(seconds=settings().mpesa_query_interval_seconds)
        # First the slot, then the payment. In the other order, each of several processes would have claimed a payment,
        # and the one that gets the slot need not have the payment that has waited longest.
        if not await take_query_slot(session, app_key, interval):
            return None
        due = await claim(session, Payment, moment, _is_queryable(moment), limit=1)
        if not due:
            await return_query_slot(session, app_key)
            return None
        assert due[0].id is not None
        return QueryTarget(due[0].id, due[0].checkout_request_id or "")


_STEPS: tuple[tuple[Callable[[], ColumnElement[bool]], Callable[[Scope], Awaitable[int]]], ...] = (
    (lambda: _any_due(CallbackInbox), handle_due_callbacks),
    (lambda: _any_due(UnassignedTransaction), handle_due_confirmations),
    (lambda: _any_due(Reversal), handle_due_reversals),
    (lambda: _any_due(Payment), _handle_unqueryable),
    (lambda: _any_due(Payment), _query_payments),
    (lambda: exists().where(is_old_key(now())), _forget_old_keys),
    (lambda: select_matched().exists(), match_returns),
    (lambda: exists().where(_UNDATED), _date_payments),
)
"""Conditions of work that is due, each with its handler, in the order in which they run."""
