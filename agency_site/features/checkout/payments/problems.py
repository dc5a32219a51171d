"""Contradictions in what M-Pesa says about a payment that change no state: staff decide what they mean."""

import hashlib

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments import emails
from agency_site.features.checkout.payments.tables import Payment, PaymentProblem
from agency_site.mail.usecases import enqueue


async def report_problem(
    session: AsyncSession,
    order: Order,
    payment: Payment,
    problem: str,
    *,
    callback_id: int | None = None,
    amount: int | None = None,
) -> None:
    """Store a problem once, until staff close it in the reconciliation report, and mail it to staff.

    `amount` is in whole shillings; None for that of the payment.
    """
    row = PaymentProblem(
        payment_id=payment.id or 0,
        callback_id=callback_id,
        problem=problem[:400],
        amount=payment.amount if amount is None else amount,
        found_at=now(),
    )
    await insert_new(session, PaymentProblem, [row.model_dump(exclude={"id"})])
    digest = hashlib.sha256(problem.encode()).hexdigest()[:16]
    message = emails.notify_of_review(order, payment, problem)
    await enqueue(session, message, key=f"staff-review:{payment.id}:{digest}")
