"""Conditions and bounds that all reports of a period share. This module only reads."""

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
    """Return the condition that the column is in the period, which includes its start but not its end."""
    return and_(column >= start, column < end)


def received_between(start: datetime, end: datetime) -> ColumnElement[bool]:
    """Return the condition of payments that were paid in the period, whenever they were recorded."""
    return and_(col(Payment.state).in_(RECEIVED), within(Payment.paid_at, start, end))


def refunded_between(start: datetime, end: datetime) -> ColumnElement[bool]:
    """Return the condition of refunds in the period, joined to their payments."""
    return and_(col(PaymentRefund.payment_id) == Payment.id, within(PaymentRefund.refunded_at, start, end))


async def all_rows(session: AsyncSession, statement: Executable) -> list[Any]:
    """Return the rows of a statement as plain tuples."""
    return list((await (await session.connection()).execute(statement)).all())


@dataclass(frozen=True)
class OrderBounds:
    """The lowest and the highest id of some orders.

    Orders of a period have neighbouring ids, which PostgreSQL cannot see from a join: with bounds it scans this part of an
    index instead of reading all orders. SQLite looks the orders up one by one in any case.
    """

    lowest: int
    highest: int

    def hold(self, order_id: Any) -> ColumnElement[bool]:
        """Return the condition that the id is within the bounds."""
        return and_(order_id >= self.lowest, order_id <= self.highest)


_ALL_ORDERS = OrderBounds(0, 2**63 - 1)


async def find_bounds(session: AsyncSession, *order_ids: Select[Any]) -> OrderBounds:
    """Return the bounds of the orders that the statements find; on SQLite those of all orders."""
    if settings().sqlite:
        return _ALL_ORDERS
    # `+ 0` keeps PostgreSQL from searching the minimum in the index of the column, through all rows older than the period.
    ids = union_all(*order_ids).subquery("ids").c[0] + 0
    ((lowest, highest),) = await all_rows(session, select(func.min(ids), func.max(ids)))
    return OrderBounds(lowest or 0, highest or 0)
