"""Refunds that M-Pesa makes at the request of staff (reversals, daraja.md, section 9).

The request is stored before it is sent and is never repeated: the effect of a second one is not documented. M-Pesa's result
comes to the callback address, like that of a payment, and counts however late it is. Without a result staff find out and
record it.
"""

import secrets
from decimal import Decimal
from functools import partial

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.due_work import handle_due
from agency_site.db.inserts import insert_new
from agency_site.db.outages import retry_outages
from agency_site.errors import InputRejected, StaleRecord, UpstreamFailed
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments import emails
from agency_site.features.checkout.payments.problems import report_problem
from agency_site.features.checkout.payments.prompts import find_callback_address
from agency_site.features.checkout.payments.queries import lock_known_payment, lock_payment
from agency_site.features.checkout.payments.rules import SEND_WITHIN
from agency_site.features.checkout.payments.tables import CallbackInbox, Payment
from agency_site.features.checkout.payments.transitions import MPESA, STATUS_POLLING, Scope, record_event
from agency_site.features.checkout.refunds.refunds import (
    BEING_RETURNED,
    find_open_reversal,
    find_reported_refund,
    refund_payment,
)
from agency_site.features.checkout.refunds.rules import (
    OPEN_REVERSALS,
    RESULT_WITHIN,
    ReversalState,
    can_be_returned,
)
from agency_site.features.checkout.refunds.staff_request import Refund
from agency_site.features.checkout.refunds.tables import ReportedRefund, Reversal
from agency_site.mail.usecases import enqueue
from agency_site.money import kes
from agency_site.mpesa.contract import Outcome, ReversalAccepted, ReversalRequest, Reversals
from agency_site.mpesa.errors import MpesaError, NotSent
from agency_site.settings import settings

NOT_ASKED = "M-Pesa did not accept the request, so nothing was refunded."

RETURNED_ALREADY = "M-Pesa has refunded this payment already. Please record the refund."

UNANSWERED = "M-Pesa has not answered, so it may still refund the payment. The result will appear here."


async def start_reversal(scope: Scope, gateway: Reversals, payment_id: int, reason: str, actor: str) -> None:
    """Ask M-Pesa to refund the full amount of a payment.

    Raises NotFound, StaleRecord if it cannot be refunded this way, and UpstreamFailed if M-Pesa has not accepted the request.
    """
    async with scope() as session:
        reversal_id, request = await _store_request(session, payment_id, reason, actor)
    try:
        answer: ReversalAccepted | MpesaError = await gateway.reverse(request)
    except MpesaError as error:
        answer = error
    await retry_outages(partial(_store_answer, scope, reversal_id, answer))
    if isinstance(answer, MpesaError):
        raise UpstreamFailed(NOT_ASKED if isinstance(answer, NotSent) else UNANSWERED) from answer


async def _store_request(
    session: AsyncSession, payment_id: int, reason: str, actor: str
) -> tuple[int, ReversalRequest]:
    order, payment = await lock_known_payment(session, payment_id)
    if await find_open_reversal(session, payment):
        raise StaleRecord("", order, BEING_RETURNED)
    if await find_reported_refund(session, payment):
        raise StaleRecord("", order, RETURNED_ALREADY)
    returnable = can_be_returned(payment.kind, payment.state, payment.receipt, payment.refunded)
    if not (settings().can_reverse_payments and returnable):
        unfit = "M-Pesa cannot refund this payment. Please refund it in another way and record the refund."
        raise StaleRecord("", order, unfit)
    reversal = Reversal(
        payment_id=payment_id,
        attempt_key=secrets.token_hex(16),
        amount=payment.amount,
        reason=reason,
        requested_at=now(),
        requested_by=actor,
        due_at=now() + RESULT_WITHIN,
    )
    session.add(reversal)
    _record_event(
        session, order, payment, actor, f"M-Pesa was asked to refund {kes(payment.amount)}: {reason}"
    )
    await session.flush()
    assert reversal.id is not None
    request = ReversalRequest(
        receipt=payment.receipt or "",
        amount=reversal.amount,
        callback_url=find_callback_address(reversal.attempt_key),
        deadline=reversal.requested_at + SEND_WITHIN,
    )
    return reversal.id, request


async def _store_answer(scope: Scope, reversal_id: int, answer: ReversalAccepted | MpesaError) -> None:
    async with scope() as session:
        order, payment, reversal = await _lock_reversal(session, reversal_id)
        if reversal.state is not ReversalState.CREATED:
            # The result has arrived before this answer.
            return
        if isinstance(answer, ReversalAccepted):
            reversal.state = ReversalState.PENDING
            reversal.originator_id, reversal.conversation_id = answer.originator_id, answer.conversation_id
        elif isinstance(answer, NotSent):
            reversal.result_text = str(answer)[:255]
            _end_reversal(session, order, payment, reversal, f"not requested: {answer}")
        else:
            reversal.state = ReversalState.UNKNOWN
            _record_event(session, order, payment, MPESA, f"no answer to the request for a refund: {answer}")


async def settle_reversal(session: AsyncSession, reversal_id: int, row: CallbackInbox) -> str:
    """Apply M-Pesa's result to the reversal of its callback address. Returns the result for the record."""
    order, payment, reversal = await _lock_reversal(session, reversal_id)
    ids = (row.merchant_request_id, row.checkout_request_id)
    stored_ids = (reversal.originator_id, reversal.conversation_id)
    if any(stored_ids) and ids != stored_ids:
        _record_event(session, order, payment, MPESA, "a result with foreign ids was ignored")
        problem = f"A result of a refund with foreign ids was ignored: {row.result_code} {row.result_text}."
        await report_problem(session, order, payment, problem, callback_id=row.id, amount=reversal.amount)
        return "ignored: foreign ids"
    outcome, stated = Outcome(row.outcome), f"{row.result_code} {row.result_text}".strip()
    if reversal.state is ReversalState.DONE:
        # Staff may have recorded a refund in another way before M-Pesa's result came.
        is_second = outcome is Outcome.RETURNED and row.receipt not in ("", reversal.reference)
        return (
            await _report_second_return(session, order, payment, reversal, row)
            if is_second
            else "repeated: nothing changed"
        )
    reversal.originator_id, reversal.conversation_id = ids
    reversal.result_code, reversal.result_text = row.result_code, row.result_text
    if outcome is Outcome.RETURNED:
        return await _settle_returned(session, order, payment, reversal, row)
    if reversal.state is ReversalState.FAILED:
        return "nothing changed: it had failed already"
    if outcome is Outcome.FAILED:
        _end_reversal(session, order, payment, reversal, stated)
        await _notify_staff(session, order, payment, reversal, f"M-Pesa did not refund it: {stated}.")
        return "not returned"
    return await _leave_to_staff(session, order, payment, reversal, f"M-Pesa says: {stated}.")


async def _settle_returned(
    session: AsyncSession, order: Order, payment: Payment, reversal: Reversal, row: CallbackInbox
) -> str:
    if not row.receipt:
        return await _leave_to_staff(
            session, order, payment, reversal, "M-Pesa states no receipt for the refund."
        )
    if row.amount and Decimal(row.amount) != reversal.amount:
        stated = f"M-Pesa reports KES {row.amount}; {kes(reversal.amount)} was requested."
        return await _leave_to_staff(session, order, payment, reversal, stated)
    reversal.state, reversal.reference = ReversalState.DONE, row.receipt
    reversal.settled_at, reversal.due_at = now(), None
    refund = Refund(row.receipt, reversal.reason, reversal.amount)
    try:
        async with session.begin_nested():
            await refund_payment(session, order, payment, refund, reversal.requested_by)
    except InputRejected:
        # The reversal seemed to have failed, and staff have refunded the payment in another way since.
        return await _report_second_return(session, order, payment, reversal, row)
    return "returned"


async def _report_second_return(
    session: AsyncSession, order: Order, payment: Payment, reversal: Reversal, row: CallbackInbox
) -> str:
    """Report that the money went back twice. It is a discrepancy until staff explain it, like a return by the payer."""
    twice = f"M-Pesa has refunded it as {row.receipt}, although a refund of it is recorded already."
    returned = ReportedRefund(
        receipt=row.receipt,
        payment_id=reversal.payment_id,
        amount=reversal.amount,
        booked_at=now(),
        found_at=now(),
    )
    if await insert_new(session, ReportedRefund, [returned.model_dump(exclude={"id"})]):
        _record_event(session, order, payment, MPESA, twice)
        await _notify_staff(session, order, payment, reversal, twice)
    return twice


async def _leave_to_staff(
    session: AsyncSession, order: Order, payment: Payment, reversal: Reversal, problem: str
) -> str:
    # A reversal that staff have given up stays failed: another one may be open by now.
    if reversal.state in OPEN_REVERSALS:
        reversal.state, reversal.due_at = ReversalState.UNKNOWN, None
    _record_event(session, order, payment, MPESA, f"not known whether it was refunded: {problem}")
    await _notify_staff(
        session, order, payment, reversal, f"{problem} It is not known whether the payment was refunded."
    )
    return problem


async def give_up_reversal(session: AsyncSession, payment_id: int, reason: str, actor: str) -> Order:
    """Record that M-Pesa has not refunded a payment, according to its statement.

    Raises NotFound, and StaleRecord if no reversal of the payment has an unknown result.
    """
    order, payment = await lock_known_payment(session, payment_id)
    reversal = await find_open_reversal(session, payment)
    if reversal is None or reversal.state is not ReversalState.UNKNOWN:
        raise StaleRecord("", order, "The result of this refund is known already.")
    _end_reversal(session, order, payment, reversal, f"M-Pesa did not refund it: {reason}", actor)
    await session.flush()
    return order


async def handle_due_reversals(scope: Scope) -> int:
    """Ask staff about the reversals whose result is overdue. Returns their number."""
    return await handle_due(scope, Reversal, lambda row: _ask_staff(scope, row.id or 0))


async def _ask_staff(scope: Scope, reversal_id: int) -> None:
    async with scope() as session:
        order, payment, reversal = await _lock_reversal(session, reversal_id)
        reversal.leased_until = None
        if reversal.state not in OPEN_REVERSALS or not reversal.due_at:
            return
        reversal.state, reversal.due_at = ReversalState.UNKNOWN, None
        problem = "M-Pesa has not reported whether it was refunded."
        _record_event(session, order, payment, STATUS_POLLING, problem)
        await _notify_staff(session, order, payment, reversal, problem)


def _end_reversal(
    session: AsyncSession, order: Order, payment: Payment, reversal: Reversal, why: str, actor: str = MPESA
) -> None:
    reversal.state, reversal.settled_at, reversal.due_at = ReversalState.FAILED, now(), None
    _record_event(session, order, payment, actor, f"not refunded: {why}")


def _record_event(session: AsyncSession, order: Order, payment: Payment, actor: str, why: str) -> None:
    # A new version of the order: staff who have it open must see this first.
    order.updated_at = now()
    session.add(order)
    record_event(session, order, payment, actor, why)


async def _notify_staff(
    session: AsyncSession, order: Order, payment: Payment, reversal: Reversal, why: str
) -> None:
    key = f"staff-reversal:{reversal.id}:{reversal.state.value}"
    await enqueue(session, emails.notify_of_reversal(order, payment, why), key=key)


async def _lock_reversal(session: AsyncSession, reversal_id: int) -> tuple[Order, Payment, Reversal]:
    """Return a reversal with its payment and order; the order is locked until the transaction ends."""
    payment_id = (await session.exec(select(Reversal.payment_id).where(Reversal.id == reversal_id))).one()
    order, payment = await lock_payment(session, payment_id)
    current = select(Reversal).where(col(Reversal.id) == reversal_id)
    return order, payment, (await session.exec(current.execution_options(populate_existing=True))).one()
