"""State changes of orders and payments: always one conditional update, always with an event.

Whoever changes an order or one of its payments locks the order first, so that callbacks, status queries,
visitors and staff take turns, in the same sequence everywhere.
"""

from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.features.checkout.coupons.usecases import give_up_use
from agency_site.features.checkout.orders.rules import ORDER_TRANSITIONS, STAFF_ORDER_TRANSITIONS, OrderState
from agency_site.features.checkout.orders.tables import Order, OrderEvent
from agency_site.features.checkout.payments.queries import find_balance
from agency_site.features.checkout.payments.rules import (
    CLOCKS_DIFFER,
    OPEN,
    PAYMENT_TRANSITIONS,
    RECEIVED,
    STAFF_TRANSITIONS,
    PaymentKind,
    PaymentState,
)
from agency_site.features.checkout.payments.tables import Payment
from agency_site.places import places

NOT_POLLED: dict[str, Any] = {"due_at": None, "leased_until": None}


class Scope(Protocol):
    """Opens a session that commits once at its end. Use cases that call M-Pesa take it instead of a session: no
    transaction may stay open across a call."""

    def __call__(self) -> AbstractAsyncContextManager[AsyncSession]: ...

    def reading(self) -> AbstractAsyncContextManager[AsyncSession]:
        """Opens one that only reads."""


VISITOR, MPESA, STATUS_POLLING = "visitor", "m-pesa", "reconciliation"
"""Actors as the event log stores them."""


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
    await places().release_later(session, order.id)
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
