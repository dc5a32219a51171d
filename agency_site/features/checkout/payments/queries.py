"""Read payments: one locked with its order, the newest prompt, those that count, and their balance."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from sqlalchemy import func
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.errors import NotFound
from agency_site.features.checkout.orders.rules import Balance
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.rules import (
    PROMPTED,
    RECEIVED,
    UNPAID_ENDS,
    Attempt,
    PaymentState,
    format_account_reference,
)
from agency_site.features.checkout.payments.tables import Payment, PaymentRefund
from agency_site.places import Sale
from agency_site.settings import settings

BOOKS_PERIOD = timedelta(hours=48)
"""The period for which M-Pesa's books can be read."""

EARLY = timedelta(minutes=5)
"""The books are read from this long before the payment was stored, because clocks differ."""


def can_be_looked_up(payment: Payment) -> bool:
    """Return whether M-Pesa's books can show the payment: it may have been paid, and the books reach back to it."""
    may_be_paid = (
        payment.state in (PaymentState.UNKNOWN, PaymentState.PENDING) or payment.state in UNPAID_ENDS
    )
    return (
        settings().can_pull_transactions and may_be_paid and payment.created_at - EARLY > now() - BOOKS_PERIOD
    )


def describe_attempt(payment: Payment) -> Attempt:
    """Return the facts that decide whether another prompt may follow."""
    return Attempt(
        state=payment.state,
        stored_at=payment.created_at,
        sent_at=payment.sent_at,
        queries=payment.queries,
        success_seen=payment.success_seen_at is not None,
        failure_seen=payment.failure_seen_at is not None,
    )


def describe_sale(order: Order) -> Sale:
    """Return the facts of an order that the academy needs."""
    assert order.id is not None
    return Sale(
        order.id,
        order.reference,
        order.course_slug,
        order.course_name,
        order.quantity,
        order.run_reference,
    )


async def compute_account_reference(session: AsyncSession, order: Order) -> str:
    """Return the account reference of the order's next payment. The order must be locked."""
    earlier = select(func.count()).where(Payment.order_id == order.id)
    return format_account_reference(order.reference, (await session.exec(earlier)).one() + 1)


async def lock_known_payment(session: AsyncSession, payment_id: int) -> tuple[Order, Payment]:
    """Lock a payment as `lock_payment` does. Raises NotFound if it does not exist."""
    if await session.get(Payment, payment_id) is None:
        raise NotFound("There is no such payment.")
    return await lock_payment(session, payment_id)


async def lock_payment(session: AsyncSession, payment_id: int) -> tuple[Order, Payment]:
    """Return a payment and its order as they are now; the order is locked until the transaction ends."""
    order_id = select(Payment.order_id).where(Payment.id == payment_id).scalar_subquery()
    locked = select(Order).where(col(Order.id) == order_id).with_for_update()
    order = (await session.exec(locked.execution_options(populate_existing=True))).one()
    # The payment is read after the lock, so that changes which others committed before are seen.
    current = select(Payment).where(Payment.id == payment_id).execution_options(populate_existing=True)
    return order, (await session.exec(current)).one()


async def read_payment(session: AsyncSession, payment_id: int) -> tuple[Order, Payment]:
    """Return a payment and its order as they were last committed, without a lock."""
    both = select(Order, Payment).where(Order.id == Payment.order_id, Payment.id == payment_id)
    return (await session.exec(both)).one()


async def find_newest_prompt(session: AsyncSession, order: Order) -> Payment | None:
    """Return the order's last payment by prompt, or None. It decides whether another prompt may be sent."""
    return (await list_newest_prompts(session, [order])).get(order.id)


async def list_newest_prompts(session: AsyncSession, orders: Sequence[Order]) -> Mapping[int | None, Payment]:
    """Return the last payment by prompt of each order that has one, by the order's id."""
    newest = (
        select(func.max(Payment.id))
        .where(col(Payment.order_id).in_([order.id for order in orders]), col(Payment.kind).in_(PROMPTED))
        .group_by(col(Payment.order_id))
    )
    prompts = await session.exec(select(Payment).where(col(Payment.id).in_(newest)))
    return {prompt.order_id: prompt for prompt in prompts}


async def find_counting_payment(session: AsyncSession, order: Order) -> Payment | None:
    """Return the payment that counts: the paid one, else the refunded one, else the newest."""
    booked = select(Payment).where(Payment.order_id == order.id, col(Payment.state).in_(RECEIVED))
    # Sorted by name, `paid` comes before `refunded`.
    first = booked.order_by(col(Payment.state), col(Payment.id)).limit(1)
    newest = select(Payment).where(Payment.order_id == order.id).order_by(col(Payment.id).desc()).limit(1)
    return (await session.exec(first)).first() or (await session.exec(newest)).first()


async def list_counting_payments(session: AsyncSession, order: Order) -> list[Payment]:
    """Return the paid payments that make up the price, oldest first. Payments beyond the price are left out."""
    paid = select(Payment).where(Payment.order_id == order.id, Payment.state == PaymentState.PAID)
    counting: list[Payment] = []
    for payment in await session.exec(paid.order_by(col(Payment.id))):
        if sum(counted.amount for counted in counting) < order.amount:
            counting.append(payment)
    return counting


async def find_balance(session: AsyncSession, order: Order) -> Balance:
    """Return the price of the order and the money received for it until now."""
    return (await list_balances(session, [order]))[order.id]


async def list_balances(session: AsyncSession, orders: Sequence[Order]) -> Mapping[int | None, Balance]:
    """Return the balance of each order, by its id."""
    sums = (
        select(Payment.order_id, func.sum(Payment.amount), func.sum(Payment.refunded))
        .where(col(Payment.order_id).in_([order.id for order in orders]), col(Payment.state).in_(RECEIVED))
        .group_by(col(Payment.order_id))
    )
    money = {
        order_id: (int(received), int(refunded)) for order_id, received, refunded in await session.exec(sums)
    }
    return {order.id: Balance(order.amount, *money.get(order.id or 0, (0, 0))) for order in orders}


async def list_order_refunds(session: AsyncSession, order: Order) -> list[tuple[Payment, PaymentRefund]]:
    """Return the order's refunds, oldest first, each with its payment."""
    refunds = select(Payment, PaymentRefund).where(
        col(PaymentRefund.payment_id) == Payment.id, Payment.order_id == order.id
    )
    return list(await session.exec(refunds.order_by(col(PaymentRefund.id))))
