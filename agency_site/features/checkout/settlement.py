"""Settling payments: what M-Pesa says of a payment becomes its state, once.

A success counts when its amount is the one asked for and its receipt is new; anything else that looks like
money goes to a person. A failure never follows a success; a success that comes late still counts. Functions
here want the order held (`history.lock_payment`) and return what became of the news, for the record.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now, today
from agency_site.features.checkout import emails
from agency_site.features.checkout.enrolments import enrol
from agency_site.features.checkout.messages import detail_of
from agency_site.features.checkout.rules import BOOKED, UNPAID_ENDS, OrderState, PaymentState, kes
from agency_site.features.checkout.tables import Order, Payment
from agency_site.features.checkout.transitions import note, step
from agency_site.mail.usecases import enqueue
from agency_site.mpesa.contract import Outcome
from agency_site.mpesa.results import result_of

ENDS: Mapping[Outcome, PaymentState] = {
    Outcome.CANCELLED: PaymentState.CANCELLED,
    Outcome.EXPIRED: PaymentState.EXPIRED,
    Outcome.FAILED: PaymentState.FAILED,
}
"""Outcomes that end a payment without money."""


_FULL: Mapping[OrderState, str] = {
    OrderState.PAID: "The order is paid already: this second payment may have to be returned.",
    OrderState.REFUNDED: "The order was refunded: this further payment may have to be returned.",
}
"""Orders that want no more money, and what a further payment means."""


@dataclass(frozen=True)
class News:
    """What M-Pesa says about one payment, and by which way we heard."""

    actor: str
    code: str
    text: str
    receipt: str = ""
    """Empty from a status query, which states none."""


async def settle_stated(
    session: AsyncSession, order: Order, payment: Payment, news: News, amount: Decimal | None
) -> str:
    """Settle a success that states amount and receipt, as callbacks do."""
    if problem := await _problem(session, payment, news.receipt, amount):
        return await review(session, order, payment, news, problem)
    return await settle(session, order, payment, news)


async def _problem(session: AsyncSession, payment: Payment, receipt: str, amount: Decimal | None) -> str:
    if amount is None:
        return "M-Pesa reports a success without an amount."
    if amount != payment.amount:
        return f"M-Pesa reports KES {amount:,}, asked was {kes(payment.amount)}."
    if not receipt:
        return "M-Pesa reports a success without a receipt."
    if await other_with(session, payment, receipt):
        return f"The receipt {receipt} already belongs to another payment."
    return ""


async def other_with(session: AsyncSession, payment: Payment, receipt: str) -> bool:
    """Whether another payment carries that receipt."""
    other = select(Payment.id).where(Payment.receipt == receipt, col(Payment.id) != payment.id)
    return (await session.exec(other)).first() is not None


async def settle(session: AsyncSession, order: Order, payment: Payment, news: News) -> str:
    """Make the payment and its order paid, and enrol, in this transaction; a repetition changes nothing."""
    if payment.state in BOOKED:
        return await _again(session, order, payment, news)
    if payment.state is PaymentState.NEEDS_REVIEW:
        return await review(session, order, payment, news, "M-Pesa reports a success.")
    if problem := _FULL.get(order.state):
        return await review(session, order, payment, news, problem)
    why = f"paid, after it was {payment.state}" if payment.state in UNPAID_ENDS else "paid"
    stepped = await step(
        session,
        order,
        payment,
        PaymentState.PAID,
        actor=news.actor,
        why=why,
        receipt=news.receipt or None,
        **_ending(news),
    )
    if not stepped:
        return "nothing changed: somebody else settled it"
    await enrol(session, order, payment)
    return why


async def _again(session: AsyncSession, order: Order, payment: Payment, news: News) -> str:
    if not news.receipt or news.receipt == payment.receipt:
        return "repeated: nothing changed"
    if payment.receipt:
        problem = f"M-Pesa reports a second receipt, {news.receipt}."
        return await review(session, order, payment, news, problem)
    payment.receipt = news.receipt
    session.add(payment)
    note(session, order, payment, news.actor, f"receipt {news.receipt} learnt")
    return "receipt learnt"


async def review(session: AsyncSession, order: Order, payment: Payment, news: News, problem: str) -> str:
    """Put the payment before a person. What is settled, or under review already, stays and is noted."""
    free = news.receipt and not await other_with(session, payment, news.receipt)
    values = {"receipt": news.receipt} if free else {}
    # Whoever decides about the order now must see this first.
    order.version += 1
    session.add(order)
    stepped = await step(
        session,
        order,
        payment,
        PaymentState.NEEDS_REVIEW,
        actor=news.actor,
        why=problem,
        **_ending(news),
        **values,
    )
    if not stepped:
        if free and payment.state is PaymentState.NEEDS_REVIEW and not payment.receipt:
            payment.receipt = news.receipt
            session.add(payment)
        note(session, order, payment, news.actor, problem)
    digest = hashlib.sha256(problem.encode()).hexdigest()[:16]
    message = emails.staff_review(order, payment, problem)
    await enqueue(session, message, key=f"staff-review:{payment.id}:{digest}")
    return problem


async def end_unpaid(
    session: AsyncSession, order: Order, payment: Payment, news: News, outcome: Outcome
) -> str:
    """End an open payment without money; what ended before, or is paid, stays."""
    to = ENDS[outcome]
    stepped = await step(
        session, order, payment, to, actor=news.actor, why=f"{news.code} {news.text}".strip(), **_ending(news)
    )
    if not stepped:
        note(session, order, payment, news.actor, f"told {news.code} after it was {payment.state}")
        return f"nothing changed: it was {payment.state}"
    await mail_unpaid(session, order, payment)
    if result_of(news.code).alert:
        notice = emails.staff_gateway(f"{news.code} {news.text}")
        await enqueue(session, notice, key=f"staff-gateway:{news.code}:{today()}")
    return str(to)


async def mail_unpaid(session: AsyncSession, order: Order, payment: Payment) -> None:
    """Mail the payer how an attempt has ended, once, unless the order needs no more money or has no address."""
    if order.state is OrderState.UNPAID and order.email:
        message = emails.unpaid(order, detail_of(payment))
        await enqueue(session, message, key=f"payment-unpaid:{payment.id}")


def _ending(news: News) -> dict[str, object]:
    return {
        "result_code": news.code[:32],
        "result_text": news.text[:255],
        "settled_at": now(),
        "due_at": None,
        "leased_until": None,
    }
