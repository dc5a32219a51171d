"""The STK push: sending one prompt, storing the outcome, and waiting for a prompt that another request sends."""

import asyncio
import logging
from datetime import datetime, timedelta

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now, today
from agency_site.features.checkout import emails
from agency_site.features.checkout.messages import GATEWAY_REFUSED, UNEXPECTED, get_not_sent_code
from agency_site.features.checkout.rules import SEND_WITHIN, PaymentState
from agency_site.features.checkout.settlement import mail_unpaid
from agency_site.features.checkout.tables import Order, Payment
from agency_site.features.checkout.transitions import (
    MPESA,
    Scope,
    lock_payment,
    note,
    read_payment,
    transition_payment,
)
from agency_site.mail.usecases import enqueue
from agency_site.mpesa.contract import Gateway, PushAccepted, PushRequest
from agency_site.mpesa.errors import NotSent, OutcomeUnknown
from agency_site.settings import settings

log = logging.getLogger(__name__)

DESCRIPTION = "Course fee"
_CALLBACK_PATH = "/api/mpesa/callback"
UNANSWERED = frozenset({PaymentState.CREATED, PaymentState.SENDING})
_LONGEST_PAUSE = 1.0

_tasks: set[asyncio.Task[None]] = set()
"""Keeps a reference to tasks whose visitors have disconnected: the event loop itself keeps none."""


async def send_prompt(scope: Scope, gateway: Gateway, order: Order, payment: Payment) -> None:
    """Send the prompt of a payment that is `sending`, and store the outcome.

    Runs to its end even when the caller is cancelled: the outcome of a push must not be lost.
    """
    task = asyncio.create_task(_push(scope, gateway, order, payment))
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
    await asyncio.shield(task)


async def _push(scope: Scope, gateway: Gateway, order: Order, payment: Payment) -> None:
    assert payment.id is not None
    address = f"{settings().callback_base_url}{_CALLBACK_PATH}/{settings().callback_secret}"
    try:
        accepted = await gateway.push(
            PushRequest(
                phone=payment.phone,
                amount=payment.amount,
                reference=payment.account_reference,
                description=DESCRIPTION,
                callback_url=f"{address}/{payment.attempt_key}",
                deadline=payment.created_at + SEND_WITHIN,
            )
        )
    except NotSent as error:
        await _store_not_sent(scope, payment.id, error)
    except OutcomeUnknown as error:
        await _store_unknown(scope, payment.id, error.code or UNEXPECTED, error.detail, error.sent_at)
    except Exception as error:
        # Whatever failed, a prompt may have been sent.
        log.exception("the push of %s failed unexpectedly", order.reference)
        await _store_unknown(scope, payment.id, UNEXPECTED, type(error).__name__)
    else:
        await _store_accepted(scope, payment.id, accepted)


async def _store_accepted(scope: Scope, payment_id: int, accepted: PushAccepted) -> None:
    async with scope() as session:
        order, payment = await lock_payment(session, payment_id)
        await _store_departure(session, payment, accepted.sent_at)
        known = (payment.merchant_request_id, payment.checkout_request_id)
        ids = (accepted.merchant_request_id, accepted.checkout_request_id)
        if any(known) and known != ids:
            # A callback was faster than this answer, and is about another prompt.
            note(session, order, payment, MPESA, "the push was accepted under other ids than the callback's")
            await enqueue(session, emails.notify_of_review(order, payment, "Two ids for one push."))
            return
        payment.merchant_request_id, payment.checkout_request_id = ids
        payment.customer_message = accepted.customer_message[:255]
        session.add(payment)
        await session.flush()
        due = now() + timedelta(seconds=settings().mpesa_first_query_seconds)
        changed = await transition_payment(
            session, order, payment, PaymentState.PENDING, actor=MPESA, why="prompt accepted", due_at=due
        )
        if not changed and payment.state is PaymentState.EXPIRED:
            # It expired while this answer was on its way: its money may still come.
            payment.due_at = due
            session.add(payment)


async def _store_departure(session: AsyncSession, payment: Payment, sent_at: datetime | None) -> None:
    payment.sent_at = sent_at
    session.add(payment)
    await session.flush()


async def _store_not_sent(scope: Scope, payment_id: int, error: NotSent) -> None:
    code = get_not_sent_code(error)
    async with scope() as session:
        order, payment = await lock_payment(session, payment_id)
        await transition_payment(
            session,
            order,
            payment,
            PaymentState.FAILED,
            actor=MPESA,
            why=f"not sent: {error}",
            result_code=code,
            result_text=str(error)[:255],
            settled_at=now(),
            due_at=None,
        )
        await mail_unpaid(session, order, payment)
        if code == GATEWAY_REFUSED:
            notice = emails.notify_of_gateway_problem(str(error))
            await enqueue(session, notice, key=f"staff-gateway:{today()}")


async def _store_unknown(
    scope: Scope, payment_id: int, code: str, text: str, sent_at: datetime | None = None
) -> None:
    async with scope() as session:
        order, payment = await lock_payment(session, payment_id)
        await _store_departure(session, payment, sent_at)
        await transition_payment(
            session,
            order,
            payment,
            PaymentState.UNKNOWN,
            actor=MPESA,
            why=f"no answer to the push: {code} {text}",
            result_code=code[:32],
            result_text=text[:255],
        )


async def wait_for_answer(scope: Scope, payment_id: int) -> tuple[Order, Payment]:
    """The payment once its push has an answer, or as it is when that takes longer than any push may."""
    allowed = settings().mpesa_connect_timeout_seconds + settings().mpesa_read_timeout_seconds
    pause, waited = 0.05, 0.0
    while True:
        async with scope() as session:
            order, payment = await read_payment(session, payment_id)
        if payment.state not in UNANSWERED or waited > 2 * allowed:
            return order, payment
        await asyncio.sleep(pause)
        waited += pause
        pause = min(pause * 2, _LONGEST_PAUSE)
