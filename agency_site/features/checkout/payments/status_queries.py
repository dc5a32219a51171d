"""Status queries: ask M-Pesa about one payment and apply its answer (daraja.md, section 4).

No transaction is open while M-Pesa is called. All workers together keep one rate limit.
"""

import logging
from dataclasses import dataclass
from datetime import timedelta

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.leases import has_come
from agency_site.errors import Conflict, NotFound, UpstreamFailed
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.gateway import compute_query_wait, hold_queries, take_query_slot
from agency_site.features.checkout.payments.queries import can_be_looked_up, lock_payment
from agency_site.features.checkout.payments.rules import OPEN, RECEIVED, PaymentState
from agency_site.features.checkout.payments.settlement import (
    ENDS,
    PaymentResult,
    end_unpaid,
    send_to_review,
    settle,
)
from agency_site.features.checkout.payments.tables import Payment, StatusQuery
from agency_site.features.checkout.payments.transitions import STATUS_POLLING, Scope, record_event
from agency_site.mpesa.contract import Gateway, Outcome, QueryResult
from agency_site.mpesa.errors import MpesaError, Throttled
from agency_site.settings import settings

log = logging.getLogger(__name__)

_THROTTLE_PAUSE = timedelta(seconds=60)
"""Pause after M-Pesa throttled our queries without naming one: it counts queries by the minute."""

_NO_ANSWER_PAUSE = timedelta(seconds=30)

_LEASE = timedelta(minutes=2)
"""The lease of a payment while it is queried, as in the polling job."""

UNSENT = (PaymentState.CREATED, PaymentState.SENDING)

_DECIDED = RECEIVED | {PaymentState.NEEDS_REVIEW}
"""States in which M-Pesa's answer is only recorded."""


@dataclass(frozen=True)
class QueryTarget:
    """The payment that a query is about."""

    payment_id: int
    checkout_request_id: str


class QueryTooSoon(Conflict):
    """M-Pesa may not be queried for another `seconds`."""

    def __init__(self, seconds: int) -> None:
        unit = "second" if seconds == 1 else "seconds"
        super().__init__(f"M-Pesa limits status checks. Please try again in {seconds} {unit}.")
        self.seconds = seconds


@dataclass(frozen=True)
class QueryReport:
    """M-Pesa's answer to a query by staff, and the state of the payment afterwards."""

    reference: str
    outcome: Outcome
    result_code: str
    result_text: str
    state: PaymentState
    confirming: bool
    """M-Pesa has reported a success once. It counts when a second query confirms it (daraja.md, section 4)."""


async def query_payment(
    scope: Scope, gateway: Gateway, app_key: str, target: QueryTarget, actor: str
) -> QueryResult | MpesaError:
    """Send one status query, for which a slot has been taken, and apply the answer. Returns the answer or the error."""
    try:
        result = await gateway.query(target.checkout_request_id)
    except MpesaError as error:
        await _store_failure(scope, app_key, target, actor, error)
        return error
    async with scope() as session:
        order, payment = await lock_payment(session, target.payment_id)
        session.add(_build_query(target, actor, result.outcome, result.result_code, result.description))
        payment.queries += 1
        payment.queried_at, payment.leased_until = now(), None
        payment.due_at = now() + _find_pause(payment.queries) if _is_watched(payment) else None
        session.add(payment)
        await session.flush()
        await _apply_result(session, order, payment, result)
    return result


async def query_for_staff(
    scope: Scope, gateway: Gateway, app_key: str, payment_id: int, actor: str
) -> QueryReport:
    """Query a payment at once, within the rate limit of the whole system. The answer counts as in the polling job.

    `app_key` names the Daraja app with the rate limit. Raises NotFound, Conflict if the payment cannot be queried or is
    being queried, QueryTooSoon, and UpstreamFailed if M-Pesa does not answer, which the event log records.
    """
    target = await _claim_payment(scope, app_key, payment_id)
    answer = await query_payment(scope, gateway, app_key, target, actor)
    async with scope() as session:
        order, payment = await lock_payment(session, payment_id)
        outcome = f"result {answer.result_code}" if isinstance(answer, QueryResult) else "no answer"
        record_event(session, order, payment, actor, f"status query: {outcome}")
    if not isinstance(answer, QueryResult):
        raise UpstreamFailed(
            "M-Pesa did not respond. That says nothing about the payment; please check again later."
        )
    return QueryReport(
        reference=order.reference,
        outcome=answer.outcome,
        result_code=answer.result_code,
        result_text=answer.description,
        state=payment.state,
        confirming=payment.success_seen_at is not None and payment.state is not PaymentState.PAID,
    )


async def _claim_payment(scope: Scope, app_key: str, payment_id: int) -> QueryTarget:
    async with scope() as session:
        if await session.get(Payment, payment_id) is None:
            raise NotFound("There is no such payment.")
        _, payment = await lock_payment(session, payment_id)
        if not payment.checkout_request_id or payment.state in UNSENT:
            raise Conflict("M-Pesa has given this payment no ID, so its status cannot be checked.")
        if not payment.phone:
            raise Conflict("The payer's data has been erased, and M-Pesa's ID with it.")
        if payment.leased_until and not has_come(payment.leased_until, now(), _LEASE):
            raise Conflict("The status of this payment is being checked right now.")
        interval = timedelta(seconds=settings().mpesa_query_interval_seconds)
        if not await take_query_slot(session, app_key, interval):
            raise QueryTooSoon(max(1, await compute_query_wait(session, app_key)))
        payment.leased_until = now() + _LEASE
        session.add(payment)
        return QueryTarget(payment_id, payment.checkout_request_id)


def _build_query(target: QueryTarget, actor: str, outcome: str, code: str, text: str) -> StatusQuery:
    return StatusQuery(
        payment_id=target.payment_id,
        at=now(),
        actor=actor,
        outcome=outcome,
        result_code=code[:32],
        result_text=text[:255],
    )


def _is_watched(payment: Payment) -> bool:
    """Return whether M-Pesa is queried again: the payment is open, or was paid by hand while its prompt may still be answered."""
    return payment.state not in _DECIDED or payment.due_at is not None


def _find_pause(queries: int) -> timedelta:
    pauses = settings().mpesa_query_backoff
    return pauses[min(queries, len(pauses)) - 1]


async def _apply_result(session: AsyncSession, order: Order, payment: Payment, result: QueryResult) -> None:
    stated = PaymentResult(STATUS_POLLING, result.result_code, result.description)
    if result.outcome is Outcome.PAID and payment.state not in _DECIDED:
        await _apply_success(session, order, payment, stated)
    elif result.outcome is Outcome.PAID:
        await _end_watch(session, order, payment, stated)
    elif result.outcome in ENDS:
        await _apply_failure(session, order, payment, stated, result.outcome)
    elif result.outcome is Outcome.PENDING and payment.state not in _DECIDED:
        # Queries have reported a success while the prompt was still open (daraja.md, section 4): that one does not count.
        payment.success_seen_at = None
    session.add(payment)


async def _apply_success(
    session: AsyncSession, order: Order, payment: Payment, result: PaymentResult
) -> None:
    """Settle a success once a second, later query has confirmed it (daraja.md, section 4)."""
    if payment.success_seen_at:
        await settle(session, order, payment, result)
        return
    payment.success_seen_at, payment.failure_seen_at = now(), None
    payment.due_at = now() + timedelta(seconds=settings().mpesa_query_interval_seconds)
    record_event(
        session, order, payment, STATUS_POLLING, "a query reported a success; a second one has to confirm it"
    )


async def _end_watch(session: AsyncSession, order: Order, payment: Payment, result: PaymentResult) -> None:
    """Stop queries about a prompt that was paid, too: it may be the same money as the payment by hand, or a second payment."""
    is_by_hand = payment.due_at is not None and payment.receipt is not None
    payment.due_at = None
    # If M-Pesa's books are read every hour, a second payment is found there with its receipt.
    if is_by_hand and not settings().can_pull_transactions:
        problem = (
            f"A status query says that the prompt was paid. {payment.receipt}, reported to the Paybill, may be that payment "
            "or another one by hand: please compare M-Pesa's statement."
        )
        await send_to_review(session, order, payment, result, problem)


async def _apply_failure(
    session: AsyncSession, order: Order, payment: Payment, result: PaymentResult, outcome: Outcome
) -> None:
    """Apply a failure once M-Pesa's books confirm it, if they can be read.

    Queries have denied payments that were made (daraja.md, section 4).
    """
    if payment.state not in OPEN or not can_be_looked_up(payment):
        payment.due_at = None
        await end_unpaid(session, order, payment, result, outcome)
        return
    payment.result_code, payment.result_text = result.code[:32], result.text[:255]
    payment.failure_seen_at = payment.failure_seen_at or now()
    payment.due_at = now()
    why = f"a query reported {result.code} {result.text}".strip()
    record_event(session, order, payment, STATUS_POLLING, f"{why}; M-Pesa's books have to confirm it")


async def _store_failure(
    scope: Scope, app_key: str, target: QueryTarget, actor: str, error: MpesaError
) -> None:
    log.warning("M-Pesa did not answer a status query; the payment is queried again later: %s", error)
    async with scope() as session:
        _, payment = await lock_payment(session, target.payment_id)
        payment.queried_at, payment.leased_until = now(), None
        payment.due_at = now() + _NO_ANSWER_PAUSE if _is_watched(payment) else None
        session.add(payment)
        session.add(_build_query(target, actor, "", error.code, error.detail))
        if isinstance(error, Throttled):
            seconds = error.retry_after
            pause = _THROTTLE_PAUSE if seconds is None else timedelta(seconds=seconds)
            await hold_queries(session, app_key, now() + pause)
