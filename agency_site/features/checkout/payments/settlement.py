"""Settlement: M-Pesa's statement about a payment becomes its state, once.

A success counts if its amount is the requested one and its receipt is new; any other money goes to review. A failure never
follows a success, but a late success still counts. The functions here need the order locked (`queries.lock_payment`), and
return the result of the statement as text for the record.
"""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now, today
from agency_site.features.checkout.coupons.usecases import keep_use
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments import emails, texts
from agency_site.features.checkout.payments.claims import (
    find_arrival_refusal,
    find_refusal,
    list_with_money,
    make_present_order,
)
from agency_site.features.checkout.payments.messages import (
    INCOMPLETE,
    REFUSALS,
    UNRESOLVED,
)
from agency_site.features.checkout.payments.problems import report_problem
from agency_site.features.checkout.payments.queries import (
    describe_sale,
    find_balance,
    list_counting_payments,
)
from agency_site.features.checkout.payments.rules import RECEIVED, UNPAID_ENDS, PaymentState, Refusal
from agency_site.features.checkout.payments.tables import Payment, UnmatchedRefund
from agency_site.features.checkout.payments.transitions import record_event, transition_payment
from agency_site.mail.confirmed_addresses import confirm_address
from agency_site.mail.usecases import enqueue
from agency_site.money import kes, kes_stated
from agency_site.mpesa.contract import Outcome
from agency_site.mpesa.results import result_of
from agency_site.notices.dealings import list_dealings
from agency_site.notices.usecases import notify
from agency_site.places import RunStart, places

ENDS: Mapping[Outcome, PaymentState] = {
    Outcome.CANCELLED: PaymentState.CANCELLED,
    Outcome.EXPIRED: PaymentState.EXPIRED,
    Outcome.FAILED: PaymentState.FAILED,
}
"""Outcomes that end a payment without money."""

_SURPLUS: Mapping[OrderState, str] = {
    OrderState.PAID: "The order is paid already, so this second payment may have to be refunded.",
    OrderState.REFUNDED: "The order was refunded, so this further payment may have to be refunded.",
    OrderState.FREE: "The order costs nothing, so this payment may have to be refunded.",
}
"""States of orders that need no more money, with the problem of a further payment."""


@dataclass(frozen=True)
class PaymentResult:
    """M-Pesa's statement about a payment, and the actor who received it."""

    actor: str
    code: str
    text: str
    receipt: str = ""
    """Empty from a status query, which states no receipt."""
    accepted: bool = False
    """Staff have accepted the amount as the full price."""
    paid_at: datetime | None = field(default=None, kw_only=True)
    """The time of the payment; None if not stated."""


async def settle_callback(
    session: AsyncSession, order: Order, payment: Payment, result: PaymentResult, amount: Decimal | None
) -> str:
    """Settle a success that states amount and receipt; anything that does not fit goes to review."""
    problem, code = "", result.code
    if amount is None:
        problem, code = "M-Pesa reports a success without an amount.", INCOMPLETE
    elif amount != payment.amount:
        problem = f"M-Pesa reports KES {amount:,}; {kes(payment.amount)} was requested."
    elif not result.receipt:
        problem, code = "M-Pesa reports a success without a receipt.", INCOMPLETE
    elif await is_receipt_used(session, payment, result.receipt):
        problem = f"The receipt {result.receipt} already belongs to another payment."
    if problem:
        return await send_to_review(session, order, payment, replace(result, code=code), problem)
    return await settle(session, order, payment, result)


async def is_receipt_used(session: AsyncSession, payment: Payment, receipt: str) -> bool:
    """Return whether another payment has that receipt."""
    other = select(Payment.id).where(Payment.receipt == receipt, col(Payment.id) != payment.id)
    return (await session.exec(other)).first() is not None


async def settle(session: AsyncSession, order: Order, payment: Payment, result: PaymentResult) -> str:
    """Make the payment paid and, once the full price has arrived, the order too, and enrol, all in this transaction.

    A repetition changes nothing.
    """
    if payment.state in RECEIVED:
        return await _complete_receipt(session, order, payment, result)
    if unmatched := await find_unmatched_refund(session, result.receipt):
        amount = kes_stated(unmatched.amount) if unmatched.amount else "this payment"
        returned = f"M-Pesa has returned {amount} to the payer as {unmatched.receipt}."
        return await send_to_review(session, order, payment, result, returned)
    if payment.state is PaymentState.NEEDS_REVIEW and not _is_awaited(payment, result):
        return await send_to_review(session, order, payment, result, "M-Pesa reports a success.")
    missing = (await find_balance(session, order)).missing(order.state)
    order_state = OrderState.FREE if not order.amount else order.state
    if not missing and (problem := _SURPLUS.get(order_state)):
        return await send_to_review(session, order, payment, result, problem)
    if refusal := await find_arrival_refusal(session, order, payment.kind):
        return await send_to_review(session, order, payment, result, REFUSALS[refusal][1])
    if order.state is OrderState.PAID or (payment.amount < missing and not result.accepted):
        return await _add_part(session, order, payment, result)
    if refusal := await _keep_places(session, order):
        return await send_to_review(session, order, payment, result, REFUSALS[refusal][1])
    is_late = payment.state in UNPAID_ENDS | {PaymentState.NEEDS_REVIEW}
    why = f"paid, after it was {payment.state}" if is_late else "paid"
    receipt = result.receipt or None
    changed = await transition_payment(
        session,
        order,
        payment,
        PaymentState.PAID,
        actor=result.actor,
        why=why,
        receipt=receipt,
        **_build_columns(result),
    )
    if not changed:
        return "nothing changed: it was settled already"
    if payment.amount > missing and not result.accepted:
        notice = emails.notify_of_surplus(order, payment, payment.amount - missing)
        await enqueue(session, notice, key=f"staff-surplus:{payment.id}")
    await enrol(session, order, payment)
    return why


async def find_unmatched_refund(session: AsyncSession, receipt: str) -> UnmatchedRefund | None:
    """Return the reversal that M-Pesa reported before it reported the payment with that receipt, or None."""
    named = (
        select(UnmatchedRefund).where(UnmatchedRefund.original == receipt).order_by(col(UnmatchedRefund.id))
    )
    return (await session.exec(named)).first() if receipt else None


def _is_awaited(payment: Payment, result: PaymentResult) -> bool:
    """Return whether the payment is under review only because this statement was missing, so that staff need not decide."""
    fits = payment.receipt in (None, result.receipt) and bool(result.receipt)
    return fits and payment.result_code in (UNRESOLVED, INCOMPLETE)


async def _add_part(session: AsyncSession, order: Order, payment: Payment, result: PaymentResult) -> str:
    """Settle a part of the price. Once half of the price has arrived, the order keeps its places."""
    why = "a part is paid"
    changed = await transition_payment(
        session,
        order,
        payment,
        PaymentState.PAID,
        actor=result.actor,
        why=why,
        is_part=True,
        receipt=result.receipt or None,
        **_build_columns(result),
    )
    if not changed:
        return "nothing changed: it was settled already"
    if order.state is OrderState.PAID:
        return why
    balance = await find_balance(session, order)
    if balance.keeps_places and (refusal := await _keep_places(session, order)):
        record_event(session, order, payment, result.actor, REFUSALS[refusal][1])
    if order.email:
        refusal = await find_refusal(session, order)
        await notify(session, await asyncio.to_thread(texts.part_notice, order, payment, balance, refusal))
    return why


async def _keep_places(session: AsyncSession, order: Order) -> Refusal | None:
    """Keep places and coupon use without a time limit. Returns the reason if another buyer was faster."""
    if not await places().reserve_places(session, describe_sale(order), paid=True):
        return Refusal.NO_PLACE
    return None if await keep_use(session, order, paid=True) else Refusal.NO_COUPON


async def _complete_receipt(
    session: AsyncSession, order: Order, payment: Payment, result: PaymentResult
) -> str:
    if not result.receipt or result.receipt == payment.receipt:
        return "repeated: nothing changed"
    if payment.receipt:
        problem = f"M-Pesa reports a second receipt, {result.receipt}."
        return await send_to_review(session, order, payment, result, problem)
    payment.receipt = result.receipt
    session.add(payment)
    record_event(session, order, payment, result.actor, f"receipt {result.receipt} added")
    return "receipt added"


async def enrol(session: AsyncSession, order: Order, payment: Payment | None) -> None:
    """Store the enrolment of an order that has just become paid, or is free (no `payment`), and enqueue its mails.

    A unique constraint rules out a second enrolment of an order.
    """
    # The time of the payment, not the current one: around midnight reports must count both on the same day.
    at = (payment.paid_at or payment.settled_at) if payment else None
    if payment:
        # A payment confirms the address as the buyer's own, so that mails may greet by name from now on.
        await confirm_address(session, order.email)
    await places().create_enrolment(session, describe_sale(order), at or now())
    payments = await list_counting_payments(session, order) if payment else []
    run = await find_run(session, order)
    # Late money of a buyer who has been erased since: only staff get a mail.
    if order.email:
        # In a thread: drawing the receipt would block the event loop.
        await notify(session, await asyncio.to_thread(texts.enrolment_notice, order, payments, run))
    notice = emails.notify_of_enrolment(order, payments, run)
    await enqueue(session, notice, key=f"staff-enrolled:{order.reference}")


async def find_run(session: AsyncSession, order: Order) -> RunStart | None:
    """Return the run in which the order's learners are or, before they are enrolled, the chosen one; None without a run."""
    assert order.id is not None
    if enrolment := await places().find_enrolment(session, order.id):
        return enrolment.run_start
    return await places().find_run_start(session, order.run_reference) if order.run_reference else None


async def send_to_review(
    session: AsyncSession, order: Order, payment: Payment, result: PaymentResult, problem: str
) -> str:
    """Put the payment under review. A payment that is settled, or under review already, only gets an event."""
    # It has a claim from now on, whichever order of the person was the present one.
    await make_present_order(session, order, list_with_money)
    unused = result.receipt and not await is_receipt_used(session, payment, result.receipt)
    values: dict[str, Any] = {"receipt": result.receipt} if unused else {}
    # A new version of the order: staff who have it open must see the problem before they decide.
    order.updated_at = now()
    session.add(order)
    changed = await transition_payment(
        session,
        order,
        payment,
        PaymentState.NEEDS_REVIEW,
        actor=result.actor,
        why=problem,
        **_build_columns(result),
        **values,
    )
    if not changed:
        if payment.state is PaymentState.NEEDS_REVIEW:
            payment.result_code = result.code[:32]
            payment.receipt = payment.receipt or (result.receipt if unused else None)
            session.add(payment)
        record_event(session, order, payment, result.actor, problem)
    if payment.state is not PaymentState.NEEDS_REVIEW and not result.receipt:
        # With a receipt it is a callback or a transaction that no payment has, which the report lists.
        await report_problem(session, order, payment, problem)
        return problem
    digest = hashlib.sha256(problem.encode()).hexdigest()[:16]
    message = emails.notify_of_review(order, payment, problem)
    await enqueue(session, message, key=f"staff-review:{payment.id}:{digest}")
    return problem


async def end_unpaid(
    session: AsyncSession, order: Order, payment: Payment, result: PaymentResult, outcome: Outcome
) -> str:
    """End an open payment without money. A payment that has ended, or is paid, stays as it is."""
    to, why = ENDS[outcome], f"{result.code} {result.text}".strip()
    changed = await transition_payment(
        session, order, payment, to, actor=result.actor, why=why, **_build_columns(result)
    )
    if not changed:
        record_event(
            session, order, payment, result.actor, f"result {result.code} after it was {payment.state}"
        )
        return f"nothing changed: it was {payment.state}"
    await mail_unpaid(session, order, payment)
    if result_of(result.code).alert:
        notice = emails.notify_of_gateway_problem(f"{result.code} {result.text}")
        await enqueue(session, notice, key=f"staff-gateway:{result.code}:{today()}")
    return str(to)


async def mail_unpaid(session: AsyncSession, order: Order, payment: Payment) -> None:
    """Notify the payer of a failed attempt, once, unless the order needs no more money or is erased.

    By mail alone if the number has neither paid nor booked here: strangers can enter any number, and a text message costs money.
    """
    balance = await find_balance(session, order)
    if order.state is OrderState.UNPAID and order.email and balance.due(order.state):
        notice = texts.unpaid_notice(order, payment, balance, await find_refusal(session, order))
        is_known = bool(await list_dealings(session, order.phone))
        await notify(session, notice if is_known else replace(notice, text=None))


def _build_columns(result: PaymentResult) -> dict[str, Any]:
    stated = {"paid_at": result.paid_at} if result.paid_at else {}
    return {
        **stated,
        "result_code": result.code[:32],
        "result_text": result.text[:255],
        "settled_at": now(),
        "due_at": None,
        "leased_until": None,
    }
