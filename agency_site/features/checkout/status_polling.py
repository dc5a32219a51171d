"""Finding out what became of payments whose callback never came (daraja.md, sections 4 and 6).

Any number of processes may run this. A payment is claimed with a lease, no transaction is open while M-Pesa
is asked, and the whole system keeps one pace of queries, the payment that has waited longest first.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.leases import claim
from agency_site.features.checkout.callbacks import handle_waiting
from agency_site.features.checkout.daraja_quota import give_query_slot_back, hold_queries, take_query_slot
from agency_site.features.checkout.idempotency import forget_old_answers
from agency_site.features.checkout.rules import BOOKED, OPEN, PaymentState
from agency_site.features.checkout.settlement import ENDS, News, end_unpaid, mail_unpaid, review, settle
from agency_site.features.checkout.tables import Order, Payment, StatusQuery
from agency_site.features.checkout.transitions import RECONCILIATION, Scope, lock_payment, note, step
from agency_site.mpesa.contract import Gateway, Outcome, QueryResult
from agency_site.mpesa.errors import MpesaError, Throttled
from agency_site.settings import settings

log = logging.getLogger(__name__)

WATCH = timedelta(hours=24)
"""How long M-Pesa is asked about a payment (daraja.md, section 6)."""
HOLD = timedelta(seconds=60)
"""Pause after M-Pesa found our queries too many, where it names none: it counts them by the minute."""
NO_ANSWER_PAUSE = timedelta(seconds=30)
UNSENT = (PaymentState.CREATED, PaymentState.SENDING)


DECIDED = BOOKED | {PaymentState.NEEDS_REVIEW}
"""What M-Pesa answers changes nothing any more; it is only written down."""


@dataclass(frozen=True)
class Asked:
    """What M-Pesa is asked about."""

    payment_id: int
    checkout_request_id: str


async def reconcile_due(scope: Scope, gateway: Gateway, app_key: str) -> int:
    """One round: callbacks not acted on, payments of killed processes, status queries as the pace allows.

    `app_key` names the Daraja app whose pace is kept. Returns how many rows were worked on.
    """
    done = await handle_waiting(scope)
    done += await _decide_without_asking(scope)
    async with scope() as session:
        await forget_old_answers(session)
    while asked := await _next_to_ask(scope, app_key):
        await ask(scope, gateway, app_key, asked, RECONCILIATION)
        done += 1
    return done


def _askable(moment: datetime) -> ColumnElement[bool]:
    young = col(Payment.created_at) > moment - WATCH
    return col(Payment.checkout_request_id).is_not(None) & young & col(Payment.state).not_in(UNSENT)


async def _decide_without_asking(scope: Scope) -> int:
    moment = now()
    async with scope() as session:
        due = await claim(session, Payment, moment, ~_askable(moment), limit=50)
        payments = [payment.id for payment in due if payment.id is not None]
    for payment_id in payments:
        async with scope() as session:
            order, payment = await lock_payment(session, payment_id)
            await _decide(session, order, payment)
    return len(payments)


async def _decide(session: AsyncSession, order: Order, payment: Payment) -> None:
    end_of_watch = payment.created_at + WATCH
    payment.leased_until = None
    if payment.state in UNSENT:
        why = "the server stopped before M-Pesa's answer was stored"
        await step(
            session, order, payment, PaymentState.UNKNOWN, actor=RECONCILIATION, why=why, due_at=end_of_watch
        )
    elif now() < end_of_watch:
        payment.due_at = end_of_watch
    elif payment.success_seen_at and payment.state in OPEN:
        news = News(RECONCILIATION, payment.result_code, payment.result_text)
        await review(session, order, payment, news, "M-Pesa told of a success once and never again.")
    else:
        why = "no answer from M-Pesa for 24 hours"
        ended = {"due_at": None, "settled_at": now(), "result_code": ""}
        stepped = await step(
            session, order, payment, PaymentState.EXPIRED, actor=RECONCILIATION, why=why, **ended
        )
        if stepped:
            await mail_unpaid(session, order, payment)
        else:
            payment.due_at = None
    session.add(payment)


async def _next_to_ask(scope: Scope, app_key: str) -> Asked | None:
    """Claim the payment that has waited longest, together with the system's next query."""
    moment = now()
    async with scope() as session:
        waiting = select(Payment.id).where(col(Payment.due_at) <= moment, _askable(moment)).limit(1)
        if (await session.exec(waiting)).first() is None:
            return None
        interval = timedelta(seconds=settings().mpesa_query_interval_seconds)
        # Whoever gets the query chooses: processes that each hold a payment would ask about the wrong one.
        if not await take_query_slot(session, app_key, interval):
            return None
        due = await claim(session, Payment, moment, _askable(moment), limit=1)
        if not due:
            await give_query_slot_back(session, app_key)
            return None
        assert due[0].id is not None
        return Asked(due[0].id, due[0].checkout_request_id or "")


async def ask(
    scope: Scope, gateway: Gateway, app_key: str, asked: Asked, actor: str
) -> QueryResult | MpesaError:
    """Send one status query, for which the pace has been kept, and store what comes of it; returns the answer.

    `actor` is who wanted to know. An error is what M-Pesa did instead of answering.
    """
    try:
        result = await gateway.query(asked.checkout_request_id)
    except MpesaError as error:
        await _store_no_answer(scope, app_key, asked, actor, error)
        return error
    async with scope() as session:
        order, payment = await lock_payment(session, asked.payment_id)
        session.add(_answer(asked, actor, result.outcome, result.result_code, result.description))
        payment.queries += 1
        payment.queried_at, payment.leased_until = now(), None
        payment.due_at = None if payment.state in DECIDED else now() + _pause_after(payment.queries)
        session.add(payment)
        await session.flush()
        await _weigh(session, order, payment, result)
    return result


def _answer(asked: Asked, actor: str, outcome: str, code: str, text: str) -> StatusQuery:
    return StatusQuery(
        payment_id=asked.payment_id,
        at=now(),
        actor=actor,
        outcome=outcome,
        result_code=code[:32],
        result_text=text[:255],
    )


def _pause_after(queries: int) -> timedelta:
    pauses = settings().mpesa_query_backoff
    return pauses[min(queries, len(pauses)) - 1]


async def _weigh(session: AsyncSession, order: Order, payment: Payment, result: QueryResult) -> None:
    news = News(RECONCILIATION, result.result_code, result.description)
    if result.outcome is Outcome.PAID and payment.state not in DECIDED:
        await _weigh_success(session, order, payment, news)
    elif result.outcome in ENDS:
        payment.due_at = None
        await end_unpaid(session, order, payment, news, result.outcome)
    elif result.outcome is Outcome.PENDING and payment.state not in DECIDED:
        # A success that was told while the prompt was still open was none (daraja.md, section 4).
        payment.success_seen_at = None
    session.add(payment)


async def _weigh_success(session: AsyncSession, order: Order, payment: Payment, news: News) -> None:
    """A success counts once a second query, a while later, has said the same (daraja.md, section 4)."""
    if payment.success_seen_at:
        await settle(session, order, payment, news)
        return
    payment.success_seen_at = now()
    payment.due_at = now() + timedelta(seconds=settings().mpesa_query_interval_seconds)
    note(session, order, payment, RECONCILIATION, "a query told of a success; asking once more")


async def _store_no_answer(scope: Scope, app_key: str, asked: Asked, actor: str, error: MpesaError) -> None:
    log.warning("no answer to a status query: %s", error)
    async with scope() as session:
        _, payment = await lock_payment(session, asked.payment_id)
        payment.queried_at, payment.leased_until = now(), None
        payment.due_at = None if payment.state in DECIDED else now() + NO_ANSWER_PAUSE
        session.add(payment)
        session.add(_answer(asked, actor, "", error.code, error.detail))
        if isinstance(error, Throttled):
            hold = HOLD if error.retry_after is None else timedelta(seconds=error.retry_after)
            await hold_queries(session, app_key, now() + hold)
