"""What reports of a period share: its payments and refunds, its orders, and how they are read. Reading only."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Executable, Select, and_, func, select, union_all
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.features.checkout.payments.rules import RECEIVED
from agency_site.features.checkout.payments.tables import Payment, PaymentRefund
from agency_site.settings import settings


def within(column: Any, start: datetime, end: datetime) -> ColumnElement[bool]:
    """The column's moment is in that time: the start belongs to it, the end no more."""
    return and_(column >= start, column < end)


def received_between(start: datetime, end: datetime) -> ColumnElement[bool]:
    """Payments that were paid in that time, whenever they were recorded."""
    return and_(col(Payment.state).in_(RECEIVED), within(Payment.paid_at, start, end))


def refunded_between(start: datetime, end: datetime) -> ColumnElement[bool]:
    """Refunds of that time, each beside its payment."""
    return and_(col(PaymentRefund.payment_id) == Payment.id, within(PaymentRefund.refunded_at, start, end))


async def all_rows(session: AsyncSession, statement: Executable) -> list[Any]:
    """The rows of a statement as they come."""
    return list((await (await session.connection()).execute(statement)).all())


@dataclass(frozen=True)
class OrderBounds:
    """The lowest and the highest number of some orders.

    Orders of a period lie close together, which PostgreSQL cannot know from a join: with bounds it walks along this part of an
    index instead of reading all orders. SQLite looks them up one by one, with bounds or without.
    """

    lowest: int
    highest: int

    def hold(self, order_id: Any) -> ColumnElement[bool]:
        """That number lies between them."""
        return and_(order_id >= self.lowest, order_id <= self.highest)


_ALL_ORDERS = OrderBounds(0, 2**63 - 1)


async def find_bounds(session: AsyncSession, *order_ids: Select[Any]) -> OrderBounds:
    """The bounds of all orders that the statements find, around nothing when they find none; on SQLite those of all orders."""
    if settings().sqlite:
        return _ALL_ORDERS
    # A sum, because PostgreSQL would look for the least of a column in its index, through all that is older than the period.
    ids = union_all(*order_ids).subquery("ids").c[0] + 0
    ((lowest, highest),) = await all_rows(session, select(func.min(ids), func.max(ids)))
    return OrderBounds(lowest or 0, highest or 0)
