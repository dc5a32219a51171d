"""State changes of orders and payments: always one conditional update, always with an event.

Whoever changes an order or one of its payments locks the order first, so that callbacks, status queries,
visitors and staff take turns, in the same sequence everywhere.
"""

from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import func, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.features.checkout.coupons import give_up_use
from agency_site.features.checkout.rules import (
    CLOCKS_DIFFER,
    OPEN,
    ORDER_TRANSITIONS,
    PAYMENT_TRANSITIONS,
    RECEIVED,
    STAFF_ORDER_TRANSITIONS,
    STAFF_TRANSITIONS,
    Balance,
    OrderState,
    PaymentKind,
    PaymentState,
)
from agency_site.features.checkout.tables import Order, OrderEvent, Payment, PaymentRefund
from agency_site.places import places


class Scope(Protocol):
    """Opens a session that commits once at its end. Use cases that call M-Pesa take it instead of a session: no
    transaction may stay open across a call."""

    def __call__(self) -> AbstractAsyncContextManager[AsyncSession]: ...

    def reading(self) -> AbstractAsyncContextManager[AsyncSession]:
        """Opens one that only reads."""


VISITOR, MPESA, STATUS_POLLING = "visitor", "m-pesa", "reconciliation"
"""Actors as the event log stores them."""


async def lock_order(session: AsyncSession, order_id: int) -> Order:
    """The order as it is now, locked until the transaction ends."""
    locked = select(Order).where(Order.id == order_id).with_for_update()
    return (await session.exec(locked.execution_options(populate_existing=True))).one()


async def lock_payment(session: AsyncSession, payment_id: int) -> tuple[Order, Payment]:
    """A payment and its order as they are now; the order is locked until the transaction ends."""
    order_id = select(Payment.order_id).where(Payment.id == payment_id).scalar_subquery()
    locked = select(Order).where(col(Order.id) == order_id).with_for_update()
    order = (await session.exec(locked.execution_options(populate_existing=True))).one()
    # Read after the lock: what others committed before it is seen.
    current = select(Payment).where(Payment.id == payment_id).execution_options(populate_existing=True)
    return order, (await session.exec(current)).one()


async def read_payment(session: AsyncSession, payment_id: int) -> tuple[Order, Payment]:
    """A payment and its order, as they were committed last."""
    both = select(Order, Payment).where(Order.id == Payment.order_id, Payment.id == payment_id)
    return (await session.exec(both)).one()


async def find_newest_prompt(session: AsyncSession, order: Order) -> Payment | None:
    """The order's last payment by prompt, or none: it decides whether another prompt may be sent."""
    prompts = select(Payment).where(Payment.order_id == order.id, Payment.kind == PaymentKind.PROMPT)
    return (await session.exec(prompts.order_by(col(Payment.id).desc()).limit(1))).one_or_none()


async def find_counting_payment(session: AsyncSession, order: Order) -> Payment | None:
    """The payment that counts: the paid one, else the refunded one, else the newest."""
    booked = select(Payment).where(Payment.order_id == order.id, col(Payment.state).in_(RECEIVED))
    # In the alphabet, paid comes before refunded.
    first = booked.order_by(col(Payment.state), col(Payment.id)).limit(1)
    newest = select(Payment).where(Payment.order_id == order.id).order_by(col(Payment.id).desc()).limit(1)
    return (await session.exec(first)).first() or (await session.exec(newest)).first()


async def list_counting_payments(session: AsyncSession, order: Order) -> list[Payment]:
    """The paid payments that make up the price, oldest first: one, or its parts. Later ones are not among them."""
    paid = select(Payment).where(Payment.order_id == order.id, Payment.state == PaymentState.PAID)
    counting: list[Payment] = []
    for payment in await session.exec(paid.order_by(col(Payment.id))):
        if sum(one.amount for one in counting) < order.amount:
            counting.append(payment)
    return counting


async def find_balance(session: AsyncSession, order: Order) -> Balance:
    """What has been received for the order until now."""
    sums = func.coalesce(func.sum(Payment.amount), 0), func.coalesce(func.sum(Payment.refunded), 0)
    of_order = select(*sums).where(Payment.order_id == order.id, col(Payment.state).in_(RECEIVED))
    received, refunded = (await session.exec(of_order)).one()
    return Balance(order.amount, int(received), int(refunded))


async def list_order_refunds(session: AsyncSession, order: Order) -> list[tuple[Payment, PaymentRefund]]:
    """The order's refunds, oldest first, each after its payment."""
    refunds = select(Payment, PaymentRefund).where(
        col(PaymentRefund.payment_id) == Payment.id, Payment.order_id == order.id
    )
    return list(await session.exec(refunds.order_by(col(PaymentRefund.id))))


def note(session: AsyncSession, order: Order, payment: Payment | None, actor: str, why: str) -> None:
    """Record an event that changes no state."""
    state = payment.state.value if payment else order.state.value
    append_event(session, order, payment, state, state, actor, why)


async def transition_payment(
    session: AsyncSession,
    order: Order,
    payment: Payment,
    to: PaymentState,
    *,
    actor: str,
    why: str,
    by_staff: bool = False,
    is_part: bool = False,
    **values: Any,
) -> bool:
    """Make the payment `to`, and let the order follow; False when that is not allowed, and nothing has changed.

    A paid payment that `is_part` of the price leaves its order to the other payments.
    """
    if to in RECEIVED:
        values["paid_at"] = find_paid_time(payment, values.get("paid_at"))
    allowed = STAFF_TRANSITIONS if by_staff else PAYMENT_TRANSITIONS
    previous, sources = payment.state, [state for state, targets in allowed.items() if to in targets]
    changed = await session.exec(
        update(Payment)
        .where(col(Payment.id) == payment.id, col(Payment.state).in_(sources))
        .values(state=to, **values)
        .execution_options(synchronize_session=False)
    )
    if changed.rowcount != 1:
        return False
    await session.refresh(payment)
    append_event(session, order, payment, previous, to, actor, why)
    if to not in OPEN:
        alone = None if is_part else _ORDER_STATES.get(to)
        following = alone or await _find_order_state(session, order, to)
        await transition_order(session, order, following, actor, why, by_staff=by_staff)
    return True


def find_paid_time(payment: Payment, stated: datetime | None) -> datetime:
    """When a payment that has just been settled was paid; `stated`: what M-Pesa says about that, if anything.

    Without a time that may be true a prompt was paid as it was sent: it lives for a minute or two, however late its result comes.
    """
    moment, known = now(), stated or payment.paid_at
    if payment.kind is not PaymentKind.PROMPT:
        return known or moment
    may_be_true = known and payment.created_at - CLOCKS_DIFFER <= known <= moment + CLOCKS_DIFFER
    return min(known, moment) if known and may_be_true else payment.created_at


_ORDER_STATES = {PaymentState.PAID: OrderState.PAID, PaymentState.NEEDS_REVIEW: OrderState.NEEDS_REVIEW}
"""What an order becomes by one of its payments alone, where its own state allows that."""


async def _find_order_state(session: AsyncSession, order: Order, to: PaymentState) -> OrderState:
    """What the order becomes once a payment is `to`: what its other payments say counts too."""
    states = set(await session.exec(select(Payment.state).where(Payment.order_id == order.id)))
    if PaymentState.NEEDS_REVIEW in states and order.state is OrderState.NEEDS_REVIEW:
        return order.state
    if to is PaymentState.REFUNDED and order.state in (OrderState.PAID, OrderState.NEEDS_REVIEW):
        if PaymentState.PAID not in states:
            return OrderState.REFUNDED
        # Of an order under review the others are parts of the price.
        return OrderState.PAID if order.state is OrderState.PAID else OrderState.UNPAID
    if PaymentState.NEEDS_REVIEW in states:
        return order.state
    return OrderState.AWAITING if states & OPEN else OrderState.UNPAID


async def transition_order(
    session: AsyncSession, order: Order, to: OrderState, actor: str, why: str, *, by_staff: bool = False
) -> bool:
    """Make the order `to`; False when that is not allowed or it already is."""
    allowed = ORDER_TRANSITIONS[order.state]
    if by_staff:
        allowed |= STAFF_ORDER_TRANSITIONS.get(order.state, frozenset())
    if to not in allowed:
        return False
    previous = order.state
    order.state, order.updated_at = to, now()
    session.add(order)
    append_event(session, order, None, previous, to, actor, why)
    await session.flush()
    if to is OrderState.UNPAID:
        await give_up_places(session, order)
    return True


async def give_up_places(session: AsyncSession, order: Order) -> None:
    """Keep the places of an unpaid order and the use of its coupon only for a while longer, unless half of the price is here."""
    if (await find_balance(session, order)).keeps_places:
        return
    assert order.id is not None
    await places().give_up(session, order.id)
    await give_up_use(session, order.id)


def append_event(
    session: AsyncSession, order: Order, payment: Payment | None, was: str, to: str, actor: str, why: str
) -> None:
    """Record a change of the order, or of one of its payments; `was` is empty for a new one."""
    assert order.id is not None
    session.add(
        OrderEvent(
            order_id=order.id,
            payment_id=payment.id if payment else None,
            at=now(),
            actor=actor,
            from_state=was,
            to_state=to,
            why=why[:500],
        )
    )
