"""Revenue by day, by course, and by other columns of orders. This module only reads."""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db.sql_dates import nairobi_day, span
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.tables import Payment, PaymentRefund
from agency_site.features.checkout.reconciliation.periods import (
    all_rows,
    find_bounds,
    received_between,
    refunded_between,
)


@dataclass(frozen=True)
class DayRevenue:
    """Revenue of one Nairobi day, in whole shillings."""

    day: date
    received: int = 0
    refunded: int = 0

    @property
    def net(self) -> int:
        """The whole shillings received less those refunded."""
        return self.received - self.refunded


@dataclass(frozen=True)
class CourseRevenue:
    """Revenue of one course, in whole shillings."""

    course_slug: str
    course_name: str
    received: int = 0
    refunded: int = 0


@dataclass(frozen=True)
class Revenue:
    """Revenue of a span of days."""

    days: tuple[DayRevenue, ...]
    """Every day of the span, including those without revenue."""
    courses: tuple[CourseRevenue, ...]
    """The courses with revenue, the largest first."""

    @property
    def received(self) -> int:
        """The whole shillings received."""
        return sum(day.received for day in self.days)

    @property
    def refunded(self) -> int:
        """The whole shillings refunded."""
        return sum(day.refunded for day in self.days)


async def find_revenue(session: AsyncSession, first: date, last: date) -> Revenue:
    """Return the revenue from the Nairobi day `first` to `last`, by day and by course."""
    start, end = span(first, last)
    days = {day: DayRevenue(day) for day in (first + timedelta(n) for n in range((last - first).days + 1))}
    courses: dict[str, CourseRevenue] = {}
    for field, column, moment, chosen in (
        ("received", Payment.amount, Payment.paid_at, received_between(start, end)),
        ("refunded", PaymentRefund.amount, PaymentRefund.refunded_at, refunded_between(start, end)),
    ):
        for day, slug, name, amount in await _sum_by_day_and_course(session, column, moment, chosen):
            course = courses.get(slug, CourseRevenue(slug, name))
            days[day] = replace(days[day], **{field: getattr(days[day], field) + amount})
            courses[slug] = replace(course, **{field: getattr(course, field) + amount})
    ranked = sorted(courses.values(), key=lambda course: (-course.received, course.course_name))
    return Revenue(tuple(days.values()), tuple(ranked))


@dataclass(frozen=True)
class Sums:
    """Money of a period in whole shillings."""

    received: int = 0
    refunded: int = 0

    @property
    def net(self) -> int:
        """The whole shillings received less those refunded."""
        return self.received - self.refunded


async def sum_revenue(
    session: AsyncSession, first: date, last: date, *columns: ColumnElement[Any]
) -> dict[tuple[Any, ...], Sums]:
    """Return the revenue from the Nairobi day `first` to `last` by these columns of orders."""
    start, end = span(first, last)
    sums: dict[tuple[Any, ...], Sums] = {}
    for field, amount, chosen in (
        ("received", Payment.amount, received_between(start, end)),
        ("refunded", PaymentRefund.amount, refunded_between(start, end)),
    ):
        bounds = await find_bounds(session, select(col(Payment.order_id)).where(chosen))
        # Named in a subquery, because a column may itself be a subquery, by which PostgreSQL does not group.
        money = (
            select(
                *(column.label(f"key{number}") for number, column in enumerate(columns)),
                col(amount).label("amount"),
            )
            .where(chosen, col(Order.id) == col(Payment.order_id), bounds.hold(col(Order.id)))
            .subquery("money")
        )
        *keys, total = money.c
        for *key, number in await all_rows(session, select(*keys, func.sum(total)).group_by(*keys)):
            sums[tuple(key)] = replace(sums.get(tuple(key), Sums()), **{field: number})
    return sums


async def _sum_by_day_and_course(
    session: AsyncSession, amount: Any, moment: Any, chosen: ColumnElement[bool]
) -> list[Any]:
    bounds = await find_bounds(session, select(col(Payment.order_id)).where(chosen))
    day, course = nairobi_day(moment), col(Order.course_slug)
    return await all_rows(
        session,
        select(day, course, func.max(Order.course_name), func.sum(amount))
        .where(chosen, col(Order.id) == col(Payment.order_id), bounds.hold(col(Order.id)))
        .group_by(day, course),
    )
