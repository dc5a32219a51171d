"""Changing the state of orders and payments: always one conditional update, always with a line of history.

Whoever changes an order or one of its payments locks the order first, so that callbacks, status queries,
visitors and staff take turns, in the same sequence everywhere.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from sqlalchemy import update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.features.checkout.rules import (
    OPEN,
    ORDER_STEPS,
    STAFF_ORDER_STEPS,
    OrderState,
    PaymentState,
    before,
    decided_before,
)
from agency_site.features.checkout.tables import Order, OrderEvent, Payment

Scope = Callable[[], AbstractAsyncContextManager[AsyncSession]]
"""Opens a session that commits once at its end. Verbs that call M-Pesa take it instead of a session: no
transaction may stay open across a call."""

VISITOR, MPESA, RECONCILIATION = "visitor", "m-pesa", "reconciliation"


async def lock_order(session: AsyncSession, order_id: int) -> Order:
    """The order as it stands now, held until the transaction ends."""
    held = select(Order).where(Order.id == order_id).with_for_update()
    return (await session.exec(held.execution_options(populate_existing=True))).one()


async def lock_payment(session: AsyncSession, payment_id: int) -> tuple[Order, Payment]:
    """A payment and its order as they stand now; the order is held until the transaction ends."""
    order_id = (await session.exec(select(Payment.order_id).where(Payment.id == payment_id))).one()
    order = await lock_order(session, order_id)
    fresh = select(Payment).where(Payment.id == payment_id).execution_options(populate_existing=True)
    return order, (await session.exec(fresh)).one()


async def read_payment(session: AsyncSession, payment_id: int) -> tuple[Order, Payment]:
    """A payment and its order, as they were committed last."""
    both = select(Order, Payment).where(Order.id == Payment.order_id, Payment.id == payment_id)
    return (await session.exec(both)).one()


async def newest_payment(session: AsyncSession, order: Order) -> Payment | None:
    """The last attempt to pay the order, or none."""
    attempts = select(Payment).where(Payment.order_id == order.id).order_by(col(Payment.id).desc()).limit(1)
    return (await session.exec(attempts)).one_or_none()


def note(session: AsyncSession, order: Order, payment: Payment | None, actor: str, why: str) -> None:
    """Write a line of history that changes no state."""
    state = payment.state.value if payment else order.state.value
    session.add(_event(order, payment, state, state, actor, why))


async def step(
    session: AsyncSession,
    order: Order,
    payment: Payment,
    to: PaymentState,
    *,
    actor: str,
    why: str,
    **values: Any,
) -> bool:
    """Let the payment become `to`, and the order follow; False when it may not, and nothing has changed."""
    was = payment.state
    if not await _became(session, payment, before(to), to, values):
        return False
    session.add(_event(order, payment, was, to, actor, why))
    await _follow(session, order, to, actor, why)
    return True


async def decide(
    session: AsyncSession,
    order: Order,
    payment: Payment,
    to: PaymentState,
    *,
    actor: str,
    why: str,
    **values: Any,
) -> bool:
    """Let the payment become `to` because a person says so, and the order follow; False when it may not."""
    was = payment.state
    if not await _became(session, payment, decided_before(to), to, values):
        return False
    session.add(_event(order, payment, was, to, actor, why))
    followed = await _decided(session, order, to)
    if followed is not order.state and followed in ORDER_STEPS[order.state] | STAFF_ORDER_STEPS.get(
        order.state, frozenset()
    ):
        await _become_order(session, order, followed, actor, why)
    return True


async def _became(
    session: AsyncSession,
    payment: Payment,
    whence: frozenset[PaymentState],
    to: PaymentState,
    values: dict[str, Any],
) -> bool:
    changed = await session.exec(
        update(Payment)
        .where(col(Payment.id) == payment.id, col(Payment.state).in_(whence))
        .values(state=to, **values)
        .execution_options(synchronize_session=False)
    )
    if changed.rowcount != 1:
        return False
    await session.refresh(payment)
    return True


async def _decided(session: AsyncSession, order: Order, to: PaymentState) -> OrderState:
    """Where a person's decision leaves the order: what its other payments say counts too."""
    others = set(await session.exec(select(Payment.state).where(Payment.order_id == order.id)))
    if to is PaymentState.PAID:
        # A second payment of an order whose money went back does not open its seat again.
        return order.state if order.state is OrderState.REFUNDED else OrderState.PAID
    if to is PaymentState.REFUNDED:
        return order.state if PaymentState.PAID in others else OrderState.REFUNDED
    if order.state is not OrderState.NEEDS_REVIEW or PaymentState.NEEDS_REVIEW in others:
        return order.state
    return OrderState.AWAITING if others & OPEN else OrderState.UNPAID


async def _follow(session: AsyncSession, order: Order, to: PaymentState, actor: str, why: str) -> None:
    if to is PaymentState.PAID:
        await step_order(session, order, OrderState.PAID, actor, why)
    elif to is PaymentState.NEEDS_REVIEW:
        await step_order(session, order, OrderState.NEEDS_REVIEW, actor, why)
    elif to not in OPEN and not await _has_open_payment(session, order):
        await step_order(session, order, OrderState.UNPAID, actor, why)


async def step_order(session: AsyncSession, order: Order, to: OrderState, actor: str, why: str) -> bool:
    """Let the order become `to`; False when it may not or already is."""
    if to not in ORDER_STEPS[order.state]:
        return False
    await _become_order(session, order, to, actor, why)
    return True


async def _become_order(session: AsyncSession, order: Order, to: OrderState, actor: str, why: str) -> None:
    was = order.state
    order.state, order.updated_at = to, now()
    order.version += 1
    session.add(order)
    session.add(_event(order, None, was, to, actor, why))
    await session.flush()


async def take_version(session: AsyncSession, order: Order, version: int) -> bool:
    """Make the order's next version, where it still is the one that somebody looked at; False when it is not."""
    taken = await session.exec(
        update(Order)
        .where(col(Order.id) == order.id, col(Order.version) == version)
        .values(version=version + 1)
        .execution_options(synchronize_session=False)
    )
    if taken.rowcount != 1:
        return False
    await session.refresh(order)
    return True


async def _has_open_payment(session: AsyncSession, order: Order) -> bool:
    open_payments = (
        select(Payment.id).where(Payment.order_id == order.id, col(Payment.state).in_(OPEN)).limit(1)
    )
    return (await session.exec(open_payments)).first() is not None


def begin(session: AsyncSession, order: Order, payment: Payment | None, actor: str, why: str) -> None:
    """Write the first line of the history of a new order or payment."""
    state = payment.state.value if payment else order.state.value
    session.add(_event(order, payment, "", state, actor, why))


def _event(order: Order, payment: Payment | None, was: str, to: str, actor: str, why: str) -> OrderEvent:
    assert order.id is not None
    return OrderEvent(
        order_id=order.id,
        payment_id=payment.id if payment else None,
        at=now(),
        actor=actor,
        from_state=was,
        to_state=to,
        why=why[:500],
    )
