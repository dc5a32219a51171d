"""People with money in an order that has no enrolment: what goes over enrolments does not reach them."""

from typing import Any

from sqlalchemy import Select, func, or_
from sqlalchemy import select as rows_of
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.features.checkout.orders.rules import UNPAID_ORDERS, OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments import emails
from agency_site.features.checkout.payments.rules import RECEIVED
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.checkout.payments.transitions import STATUS_POLLING, record_event
from agency_site.mail.usecases import enqueue
from agency_site.money import kes


def sum_money(order_id: Any) -> Any:
    """Return the subquery of the whole shillings that have arrived for the order, and were not returned."""
    net = func.coalesce(func.sum(col(Payment.amount) - col(Payment.refunded)), 0)
    received = col(Payment.state).in_(RECEIVED)
    return rows_of(net).where(Payment.order_id == order_id, received).scalar_subquery()


def select_payers(run: str) -> Select[Any]:
    """Select the buyers of orders for a run whose money is a part of the price, or under review."""
    paid = sum_money(Order.id)
    columns: Any = (Order.reference, Order.first_name, Order.last_name, Order.email, paid.label("paid"))
    return rows_of(*columns).where(_has_money_for(run))


def _has_money_for(run: str) -> Any:
    has_part = col(Order.state).in_(UNPAID_ORDERS) & (sum_money(Order.id) > 0)
    in_review = col(Order.state) == OrderState.NEEDS_REVIEW
    return (col(Order.run_reference) == run) & or_(has_part, in_review)


async def report_cancelled_run(session: AsyncSession, run: str) -> None:
    """Name the orders for a cancelled run that have money in them to staff, who return it or offer another run."""
    locked = select(Order).where(_has_money_for(run)).order_by(col(Order.id)).with_for_update()
    for order in await session.exec(locked):
        paid = (await session.exec(select(sum_money(order.id)))).one()
        record_event(session, order, None, STATUS_POLLING, f"the course run {run} is cancelled")
        message = emails.notify_of_cancelled_run(order, kes(paid) if paid else "under review")
        await enqueue(session, message, key=f"staff-run-cancelled:{run}:{order.reference}")
