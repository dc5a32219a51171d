"""State changes of orders and payments. Each is one conditional update with an event.

Every change of an order or of one of its payments locks the order first, so that callbacks, status queries, visitors and staff
take turns. The order before the payment, everywhere: otherwise two transactions could wait for each other.
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
    BY_HAND,
    CLOCKS_DIFFER,
    OPEN,
    PAYMENT_TRANSITIONS,
    RECEIVED,
    STAFF_TRANSITIONS,
    PaymentState,
)
from agency_site.features.checkout.payments.tables import Payment
from agency_site.places import places

NOT_POLLED: dict[str, Any] = {"due_at": None, "leased_until": None}


class Scope(Protocol):
    """Opens a session that commits once at its end.

    Use cases that call M-Pesa take a scope instead of a session, because no transaction may stay open during a call.
    """

    def __call__(self) -> AbstractAsyncContextManager[AsyncSession]: ...

    def reading(self) -> AbstractAsyncContextManager[AsyncSession]:
        """Open a session that only reads."""


VISITOR, MPESA, STATUS_POLLING = "visitor", "m-pesa", "reconciliation"
"""Actors in the event log, beside the e-mail addresses of staff accounts."""


def record_event(session: AsyncSession, order: Order, payment: Payment | None, actor: str, why: str) -> None:
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
    """Change the state of the payment, and of its order accordingly. Returns False, without a change, if that is not allowed.

    A paid payment that `is_part` of the price does not make its order paid.
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
    # An order without a price waits for no money, so it does not follow what comes all the same.
    if to not in OPEN and order.amount:
        alone = None if is_part else _ORDER_STATES.get(to)
        following = alone or await _find_order_state(session, order, to)
        await transition_order(session, order, following, actor, why, by_staff=by_staff)
    return True


def find_paid_time(payment: Payment, stated: datetime | None) -> datetime:
    """Return the time of a payment that has just been settled; `stated` is the time that M-Pesa reports, if any."""
    moment, reported_at = now(), stated or payment.paid_at
    if payment.kind in BY_HAND:
        return reported_at or moment
    # Without a plausible time, a prompt counts as paid when it was sent: it is open for a minute or two only, however late
    # its result arrives, and the reports of a day must not depend on that delay.
    is_plausible = reported_at and payment.created_at - CLOCKS_DIFFER <= reported_at <= moment + CLOCKS_DIFFER
    return min(reported_at, moment) if reported_at and is_plausible else payment.created_at


_ORDER_STATES = {PaymentState.PAID: OrderState.PAID, PaymentState.NEEDS_REVIEW: OrderState.NEEDS_REVIEW}
"""The state of an order that follows from one of its payments alone, if the order's own state allows it."""


async def _find_order_state(session: AsyncSession, order: Order, to: PaymentState) -> OrderState:
    """Return the new state of the order after a payment has become `to`, considering its other payments."""
    states = set(await session.exec(select(Payment.state).where(Payment.order_id == order.id)))
    if PaymentState.NEEDS_REVIEW in states and order.state is OrderState.NEEDS_REVIEW:
        return order.state
    if to is PaymentState.REFUNDED and order.state in (OrderState.PAID, OrderState.NEEDS_REVIEW):
        if PaymentState.PAID not in states:
            return OrderState.REFUNDED
        # The order was under review: then its other payments are only parts of the price.
        return OrderState.PAID if order.state is OrderState.PAID else OrderState.UNPAID
    if PaymentState.NEEDS_REVIEW in states:
        return order.state
    return OrderState.AWAITING if states & OPEN else OrderState.UNPAID


async def transition_order(
    session: AsyncSession, order: Order, to: OrderState, actor: str, why: str, *, by_staff: bool = False
) -> bool:
    """Change the state of the order. Returns False if that is not allowed, or if it has the state already."""
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
    """Keep the places and the coupon use of an unpaid order only for a while longer, unless half of the price has arrived."""
    if (await find_balance(session, order)).keeps_places:
        return
    assert order.id is not None
    await places().release_later(session, order.id)
    await give_up_use(session, order.id)


def append_event(
    session: AsyncSession, order: Order, payment: Payment | None, was: str, to: str, actor: str, why: str
) -> None:
    """Record a change of the order, or of one of its payments; `was` is empty if it is new."""
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
