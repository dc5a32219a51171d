"""The STK push: send a prompt, store the outcome, and wait for a prompt that another request is sending."""

import asyncio
import logging
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now, today
from agency_site.db.outages import is_outage
from agency_site.errors import Unavailable
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments import emails
from agency_site.features.checkout.payments.journal import EntryKind, store_or_journal
from agency_site.features.checkout.payments.messages import GATEWAY_REFUSED, UNEXPECTED, get_not_sent_code
from agency_site.features.checkout.payments.problems import report_problem
from agency_site.features.checkout.payments.queries import lock_payment, read_payment
from agency_site.features.checkout.payments.rules import SEND_WITHIN, PaymentState
from agency_site.features.checkout.payments.settlement import mail_unpaid
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.checkout.payments.transitions import MPESA, Scope, record_event, transition_payment
from agency_site.mail.usecases import enqueue
from agency_site.mpesa.contract import Gateway, PushRequest
from agency_site.mpesa.errors import NotSent, OutcomeUnknown
from agency_site.settings import settings

log = logging.getLogger(__name__)

DESCRIPTION = "Course fee"

_CALLBACK_PATH = "/api/mpesa/callback"

UNANSWERED = frozenset({PaymentState.CREATED, PaymentState.SENDING})

_LONGEST_PAUSE = 1.0

_tasks: set[asyncio.Task[None]] = set()
"""References to tasks whose visitors have disconnected: the event loop keeps only weak ones, so a task could be collected."""


async def send_prompt(scope: Scope, gateway: Gateway, order: Order, payment: Payment) -> None:
    """Send the prompt of a payment in the state `sending`, and store the outcome.

    This runs to its end even if the caller is cancelled: the outcome of a push must not be lost.
    """
    task = asyncio.create_task(_push(scope, gateway, order, payment))
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
    await asyncio.shield(task)


@checked_dataclass(frozen=True)
class PushAnswer:
    """The outcome of a push, in the form in which the journal stores it."""

    payment_id: int
    state: PaymentState
    """`pending` if M-Pesa accepted it, `failed` if it was not sent, else `unknown`."""
    sent_at: datetime | None = None
    merchant_request_id: str = ""
    checkout_request_id: str = ""
    customer_message: str = ""
    code: str = ""
    text: str = ""
    why: str = ""


_ANSWERS = TypeAdapter(PushAnswer)


async def _push(scope: Scope, gateway: Gateway, order: Order, payment: Payment) -> None:
    answer = await _send(gateway, order, payment)
    values = _ANSWERS.dump_python(answer, mode="json")
    try:
        await store_or_journal(partial(_store_answer, scope, answer), EntryKind.ANSWER, values)
    except Unavailable:
        # The payment stays `sending`, as after a killed process, and status polling decides it.
        log.exception(
            "the answer to the push for %s could not be stored; status polling will decide the payment",
            order.reference,
        )


async def replay_answer(scope: Scope, values: dict[str, Any]) -> None:
    """Store an answer from the journal. A repetition changes nothing."""
    await _store_answer(scope, _ANSWERS.validate_python(values))


async def _send(gateway: Gateway, order: Order, payment: Payment) -> PushAnswer:
    assert payment.id is not None
    request = PushRequest(
        phone=payment.phone,
        amount=payment.amount,
        reference=payment.account_reference,
        description=DESCRIPTION,
        callback_url=find_callback_address(payment.attempt_key),
        deadline=payment.created_at + SEND_WITHIN,
    )
    try:
        accepted = await gateway.push(request)
    except NotSent as error:
        code, text = get_not_sent_code(error), str(error)
        return PushAnswer(payment.id, PaymentState.FAILED, code=code, text=text, why=f"not sent: {error}")
    except OutcomeUnknown as error:
        return _build_unknown(payment.id, error.code or UNEXPECTED, error.detail, error.sent_at)
    except Exception as error:
        # The error may have happened after the request was sent, so a prompt may be open.
        log.exception(
            "the push for %s failed unexpectedly; the payment stays unknown and is queried", order.reference
        )
        return _build_unknown(payment.id, UNEXPECTED, type(error).__name__)
    return PushAnswer(
        payment.id,
        PaymentState.PENDING,
        accepted.sent_at,
        accepted.merchant_request_id,
        accepted.checkout_request_id,
        accepted.customer_message,
        why="prompt accepted",
    )


def find_callback_address(attempt_key: str) -> str:
    """Return the address at which M-Pesa reports the result of an attempt."""
    return f"{settings().callback_base_url}{_CALLBACK_PATH}/{settings().callback_secret}/{attempt_key}"


def _build_unknown(payment_id: int, code: str, text: str, sent_at: datetime | None = None) -> PushAnswer:
    why = f"no answer to the push: {code} {text}"
    return PushAnswer(payment_id, PaymentState.UNKNOWN, sent_at, code=code, text=text, why=why)


async def _store_answer(scope: Scope, answer: PushAnswer) -> None:
    async with scope() as session:
        order, payment = await lock_payment(session, answer.payment_id)
        payment.sent_at = answer.sent_at
        session.add(payment)
        await session.flush()
        if answer.state is PaymentState.PENDING:
            await _store_accepted(session, order, payment, answer)
        elif answer.state is PaymentState.FAILED:
            await _store_not_sent(session, order, payment, answer)
        else:
            await _store_unknown(session, order, payment, answer)


async def _store_accepted(session: AsyncSession, order: Order, payment: Payment, answer: PushAnswer) -> None:
    stored_ids = (payment.merchant_request_id, payment.checkout_request_id)
    ids = (answer.merchant_request_id, answer.checkout_request_id)
    if any(stored_ids) and stored_ids != ids:
        # A callback has arrived before this answer and stored the ids of another prompt.
        record_event(
            session, order, payment, MPESA, "the push was accepted under other ids than the callback's"
        )
        await report_problem(session, order, payment, "Two ids for one push.")
        return
    payment.merchant_request_id, payment.checkout_request_id = ids
    payment.customer_message = answer.customer_message[:255]
    session.add(payment)
    await session.flush()
    due = now() + timedelta(seconds=settings().mpesa_first_query_seconds)
    changed = await transition_payment(
        session, order, payment, PaymentState.PENDING, actor=MPESA, why=answer.why, due_at=due
    )
    if not changed and payment.state is PaymentState.EXPIRED:
        # It expired while this answer was on its way. It is still queried, because it may have been paid.
        payment.due_at = due
        session.add(payment)


async def _store_not_sent(session: AsyncSession, order: Order, payment: Payment, answer: PushAnswer) -> None:
    changed = await transition_payment(
        session,
        order,
        payment,
        PaymentState.FAILED,
        actor=MPESA,
        why=answer.why,
        result_code=answer.code,
        result_text=answer.text[:255],
        settled_at=now(),
        due_at=None,
    )
    if not changed and payment.state is not PaymentState.FAILED:
        record_event(session, order, payment, MPESA, answer.why)
    await mail_unpaid(session, order, payment)
    if answer.code == GATEWAY_REFUSED:
        notice = emails.notify_of_gateway_problem(answer.text)
        await enqueue(session, notice, key=f"staff-gateway:{today()}")


async def _store_unknown(session: AsyncSession, order: Order, payment: Payment, answer: PushAnswer) -> None:
    await transition_payment(
        session,
        order,
        payment,
        PaymentState.UNKNOWN,
        actor=MPESA,
        why=answer.why,
        result_code=answer.code[:32],
        result_text=answer.text[:255],
    )


async def wait_for_answer(scope: Scope, payment_id: int) -> tuple[Order, Payment]:
    """Return the payment once its push has an answer, or as it is after the longest time that a push may take.

    An outage of the database is waited out for the same time.
    """
    allowed = settings().mpesa_connect_timeout_seconds + settings().mpesa_read_timeout_seconds
    pause, waited = 0.05, 0.0
    while True:
        is_over = waited > 2 * allowed
        try:
            async with scope.reading() as session:
                order, payment = await read_payment(session, payment_id)
            if payment.state not in UNANSWERED or is_over:
                return order, payment
        except Exception as error:
            if is_over or not is_outage(error):
                raise
        await asyncio.sleep(pause)
        waited += pause
        pause = min(pause * 2, _LONGEST_PAUSE)
