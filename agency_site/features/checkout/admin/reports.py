"""Reports about money: revenue by month, course, trainer and method; orders as an outcome of visits and of clients."""

from collections.abc import Iterable, Sequence
from datetime import date
from itertools import chain
from typing import Any

from sqlalchemy import Select, and_, select
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.backoffice.periods import list_months
from agency_site.backoffice.reports.definition import Report, ReportColumn, ReportRows, Row, Unit
from agency_site.backoffice.visits.outcomes import (
    Channel,
    Outcome,
    channel_columns,
    count_records,
    read_channel,
)
from agency_site.db.sql_dates import span
from agency_site.features.checkout.orders.rules import SETTLED_ORDERS, OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.rules import KIND_NAMES
from agency_site.features.checkout.reconciliation.periods import within
from agency_site.features.checkout.reconciliation.report import total_by_method
from agency_site.features.checkout.reconciliation.revenue import Sums, find_revenue, sum_revenue
from agency_site.places import places

NO_TRAINER = "No trainer yet"
_MONEY = (
    ReportColumn("Received", Unit.SHILLINGS),
    ReportColumn("Refunded", Unit.SHILLINGS),
    ReportColumn("Net", Unit.SHILLINGS),
)
_RULE = (
    "A payment counts on the day on which it was paid, a refund on its own day. Free places bring nothing."
)


async def _read_months(session: AsyncSession, first: date, last: date) -> ReportRows:
    days = (await find_revenue(session, first, last)).days
    months = [
        (month, *_money(day for day in days if start <= day.day <= end))
        for month, start, end in list_months(first, last)
    ]
    return (
        ReportRows(months, ("Total", *_money(days)))
        if any(any(row[1:]) for row in months)
        else ReportRows(())
    )


async def _read_courses(session: AsyncSession, first: date, last: date) -> ReportRows:
    courses = (await find_revenue(session, first, last)).courses
    return ReportRows(
        _rank([(course.course_name, *_money([course])) for course in courses]), ("Total", *_money(courses))
    )


async def _read_trainers(session: AsyncSession, first: date, last: date) -> ReportRows:
    enrolments = places().select_enrolments().subquery("enrolments")
    trainer = select(enrolments.c.trainer).where(enrolments.c.order_id == Order.id).scalar_subquery()
    names: dict[str, list[Sums]] = {}
    for (name,), sums in (await sum_revenue(session, first, last, trainer)).items():
        names.setdefault(name or NO_TRAINER, []).append(sums)
    rows = [(name, *_money(sums)) for name, sums in names.items()]
    return ReportRows(_rank(rows), ("Total", *_money(chain.from_iterable(names.values()))))


async def _read_methods(session: AsyncSession, first: date, last: date) -> ReportRows:
    methods = await total_by_method(session, *span(first, last))
    rows = [(KIND_NAMES[method.kind], method.payments, *_money([method])) for method in methods]
    return ReportRows(rows, ("Total", sum(method.payments for method in methods), *_money(methods)))


def _money(parts: Iterable[Any]) -> tuple[int, int, int]:
    """Return what was received and refunded in all parts, and the difference."""
    received = refunded = 0
    for part in parts:
        received, refunded = received + part.received, refunded + part.refunded
    return received, refunded, received - refunded


def _rank(rows: list[tuple[str, int, int, int]]) -> Sequence[Row]:
    """Return the rows with the largest net first."""
    return sorted(rows, key=lambda row: (-row[3], row[0]))


REPORTS = (
    Report(
        key="revenue-by-month",
        title="Revenue by month",
        explanation=_RULE,
        columns=(ReportColumn("Month", Unit.TEXT), *_MONEY),
        charted=(3,),
        upright=True,
        read_rows=_read_months,
    ),
    Report(
        key="revenue-by-course",
        title="Revenue by course",
        explanation=_RULE,
        columns=(ReportColumn("Course", Unit.TEXT), *_MONEY),
        charted=(3,),
        read_rows=_read_courses,
    ),
    Report(
        key="revenue-by-trainer",
        title="Revenue by trainer",
        explanation=f"By the trainer of the course run in which an order has its places now. {NO_TRAINER}: the order has no "
        "course run, its run names no trainer, or it is not paid in full.",
        columns=(ReportColumn("Trainer", Unit.TEXT), *_MONEY),
        charted=(3,),
        read_rows=_read_trainers,
    ),
    Report(
        key="revenue-by-method",
        title="Revenue by payment method",
        explanation="Refunds count for the method of their payment.",
        columns=(ReportColumn("Method", Unit.TEXT), ReportColumn("Payments"), *_MONEY),
        charted=(4,),
        read_rows=_read_methods,
    ),
)


async def _count_orders(session: AsyncSession, first: date, last: date) -> dict[Channel, int]:
    placed = and_(col(Order.state).in_(SETTLED_ORDERS), within(Order.created_at, *span(first, last)))
    return await count_records(session, Order, placed)


async def _sum_net_revenue(session: AsyncSession, first: date, last: date) -> dict[Channel, int]:
    nets: dict[Channel, int] = {}
    for origin, sums in (await sum_revenue(session, first, last, *channel_columns(Order))).items():
        channel = read_channel(*origin)
        nets[channel] = nets.get(channel, 0) + sums.net
    return nets


ORDERS = Outcome(ReportColumn("Orders paid or free"), _count_orders)
NET_REVENUE = Outcome(ReportColumn("Net revenue", Unit.SHILLINGS), _sum_net_revenue)


def select_buyers() -> Select[Any]:
    """Select address, number and moment of the orders that make their buyers clients: those that are paid or free."""
    settled = col(Order.state).in_((OrderState.PAID, OrderState.FREE))
    columns: Sequence[Any] = (col(Order.email), col(Order.phone), col(Order.created_at))
    return select(*columns).where(settled)
