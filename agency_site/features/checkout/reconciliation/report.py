"""The reconciliation report: payments, refunds and enrolments of a period, and their discrepancies. This module only reads.

A payment counts on the Nairobi day on which it was paid, whenever it was recorded, even if it was refunded on a later day. A
refund counts on its own day.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import BigInteger, ColumnElement, and_, case, cast, func, select
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.leases import LONG_AGO
from agency_site.db.sql_dates import span
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.orders.tables import Order
from agency_site.features.checkout.payments.rules import PaymentKind, PaymentState
from agency_site.features.checkout.payments.tables import CallbackInbox, Payment, PaymentRefund
from agency_site.features.checkout.reconciliation.discrepancies import (
    Discrepancy,
    DiscrepancyKind,
    find_discrepancies,
    find_undecided,
)
from agency_site.features.checkout.reconciliation.periods import (
    all_rows,
    find_bounds,
    received_between,
    refunded_between,
    within,
)
from agency_site.places import places

Result = TypeVar("Result")

_PATIENCE = timedelta(minutes=5)
"""The time after which an unhandled callback needs attention."""


@dataclass(frozen=True)
class CourseTotals:
    """The totals of one course in a report."""

    course_slug: str
    course_name: str
    orders: int = 0
    """Orders that were paid."""
    receipts: int = 0
    """Payments with M-Pesa's receipt."""
    enrolments: int = 0
    """Enrolments that were paid for."""
    free_enrolments: int = 0
    received: int = 0
    """Whole shillings."""
    refunded: int = 0
    """Whole shillings refunded in the period, whenever they were received."""
    discounted: int = 0
    """Whole shillings off these orders by coupons."""

    @property
    def net(self) -> int:
        """The whole shillings received less those refunded."""
        return self.received - self.refunded


@dataclass(frozen=True)
class MethodTotals:
    """The totals of one way to pay in a report, in whole shillings."""

    kind: PaymentKind
    payments: int = 0
    received: int = 0
    refunded: int = 0
    """Refunds in the period of payments that came this way."""

    @property
    def net(self) -> int:
        """The whole shillings received less those refunded."""
        return self.received - self.refunded


@dataclass(frozen=True)
class ReconciliationReport:
    """The reconciliation of one or more days: orders paid = receipts = enrolments."""

    first: date
    last: date
    courses: tuple[CourseTotals, ...]
    """Sorted by name."""
    discrepancies: tuple[Discrepancy, ...]
    methods: tuple[MethodTotals, ...] = ()
    """The ways to pay that were used."""

    @property
    def orders_paid(self) -> int:
        """Orders that were paid."""
        return sum(course.orders for course in self.courses)

    @property
    def receipts(self) -> int:
        """Payments with M-Pesa's receipt."""
        return sum(course.receipts for course in self.courses)

    @property
    def enrolments(self) -> int:
        """Enrolments that were paid for."""
        return sum(course.enrolments for course in self.courses)

    @property
    def free_enrolments(self) -> int:
        """Enrolments in courses that cost nothing."""
        return sum(course.free_enrolments for course in self.courses)

    @property
    def discounted(self) -> int:
        """The whole shillings off by coupons."""
        return sum(course.discounted for course in self.courses)

    @property
    def received(self) -> int:
        """The whole shillings received."""
        return sum(course.received for course in self.courses)

    @property
    def refunded(self) -> int:
        """The whole shillings refunded."""
        return sum(course.refunded for course in self.courses)

    @property
    def net(self) -> int:
        """The whole shillings received less those refunded."""
        return self.received - self.refunded

    @property
    def without_order(self) -> int:
        """The whole shillings in M-Pesa's books that belong to no order."""
        return sum(item.amount for item in self.discrepancies if item.kind is DiscrepancyKind.UNASSIGNED)

    @property
    def returned_without_order(self) -> int:
        """The whole shillings of these that were refunded."""
        return sum(item.amount for item in self.discrepancies if item.is_returned)

    @property
    def counts_agree(self) -> bool:
        """True if paid orders, receipts and enrolments are equally many."""
        return self.orders_paid == self.receipts == self.enrolments

    @property
    def open_discrepancies(self) -> int:
        """The number of discrepancies that need an action of staff."""
        return sum(not item.in_order for item in self.discrepancies)

    @property
    def balanced(self) -> bool:
        """True if no discrepancy needs an action. The three counts may still differ: each part of a price has its receipt."""
        return all(item.in_order for item in self.discrepancies)


async def reconciliation_report(
    scope: Callable[[], AbstractAsyncContextManager[AsyncSession]], day: date, last: date | None = None
) -> ReconciliationReport:
    """Return the report of one Nairobi day, or of all days from `day` to `last`.

    Totals and discrepancies are read concurrently, each in its own session of `scope`: for a year of payments both take long.
    """
    until = last or day

    async def read(find: Callable[[AsyncSession, datetime, datetime], Awaitable[Result]]) -> Result:
        async with scope() as session:
            return await find(session, *span(day, until))

    (courses, methods), found_discrepancies = await asyncio.gather(read(_total), read(find_discrepancies))
    return ReconciliationReport(day, until, courses, found_discrepancies, methods)


async def _total(
    session: AsyncSession, start: datetime, end: datetime
) -> tuple[tuple[CourseTotals, ...], tuple[MethodTotals, ...]]:
    return await _total_by_course(session, start, end), await total_by_method(session, start, end)


async def total_by_method(session: AsyncSession, start: datetime, end: datetime) -> tuple[MethodTotals, ...]:
    """Return the totals of each way to pay that was used in the period."""
    received = (
        select(col(Payment.kind), func.count(), func.sum(Payment.amount))
        .where(received_between(start, end))
        .group_by(col(Payment.kind))
    )
    refunded = (
        select(col(Payment.kind), func.sum(PaymentRefund.amount))
        .where(refunded_between(start, end))
        .group_by(col(Payment.kind))
    )
    totals = {kind: MethodTotals(kind, *sums) for kind, *sums in await all_rows(session, received)}
    for kind, amount in await all_rows(session, refunded):
        totals[kind] = replace(totals.get(kind, MethodTotals(kind)), refunded=amount)
    return tuple(totals[kind] for kind in PaymentKind if kind in totals)


async def _total_by_course(session: AsyncSession, start: datetime, end: datetime) -> tuple[CourseTotals, ...]:
    totals: dict[str, CourseTotals] = {}
    for find in (_total_received, _total_refunded, _total_enrolled):
        for slug, name, values in await find(session, start, end):
            totals[slug] = replace(totals.get(slug, CourseTotals(slug, name)), **values)
    return tuple(sorted(totals.values(), key=lambda course: (course.course_name, course.course_slug)))


_Counts = list[tuple[str, str, dict[str, Any]]]
"""Slug and name of each course, with its totals."""


async def _total_received(session: AsyncSession, start: datetime, end: datetime) -> _Counts:
    received = received_between(start, end)
    bounds = await find_bounds(session, select(col(Payment.order_id)).where(received))
    # Summed by order first, sorted by id: all columns of payments come from one index, and orders are read in storage order.
    paid = (
        select(
            col(Payment.order_id),
            func.count(col(Payment.receipt)).label("receipts"),
            func.sum(Payment.amount).label("received"),
        )
        .where(received)
        .group_by(col(Payment.order_id))
        .order_by(col(Payment.order_id))
        .subquery("paid")
    )
    is_paid = case((col(Order.state).in_((OrderState.PAID, OrderState.REFUNDED)), 1), else_=0)
    rows = await all_rows(
        session,
        select(
            col(Order.course_slug),
            func.max(Order.course_name),
            func.sum(is_paid),
            _whole_sum(paid.c.receipts),
            _whole_sum(paid.c.received),
            func.sum(Order.discount),
        )
        .join(paid, and_(paid.c.order_id == col(Order.id), bounds.hold(Order.id)))
        .group_by(col(Order.course_slug)),
    )
    return [
        (slug, name, {"orders": orders, "receipts": receipts, "received": received, "discounted": discounted})
        for slug, name, orders, receipts, received, discounted in rows
    ]


def _whole_sum(sums: ColumnElement[int]) -> ColumnElement[int]:
    """Return the sum of sums or counts as an integer: PostgreSQL returns it as a decimal."""
    return cast(func.sum(sums), BigInteger)


async def _total_refunded(session: AsyncSession, start: datetime, end: datetime) -> _Counts:
    rows = await all_rows(
        session,
        select(col(Order.course_slug), func.max(Order.course_name), func.sum(PaymentRefund.amount))
        .join(Payment, col(Payment.order_id) == col(Order.id))
        .where(refunded_between(start, end))
        .group_by(col(Order.course_slug)),
    )
    return [(slug, name, {"refunded": refunded}) for slug, name, refunded in rows]


async def _total_enrolled(session: AsyncSession, start: datetime, end: datetime) -> _Counts:
    enrolments = places().select_enrolments().subquery("enrolments")
    of_period = within(enrolments.c.created_at, start, end)
    by_course = (
        select(enrolments.c.course_slug, func.max(enrolments.c.course_name), func.count())
        .where(of_period)
        .group_by(enrolments.c.course_slug)
    )
    # Free enrolments in a statement of their own: only they need the orders.
    free_by_course = (
        select(enrolments.c.course_slug, func.count())
        .join(Order, col(Order.id) == enrolments.c.order_id)
        .where(of_period, col(Order.state) == OrderState.FREE)
        .group_by(enrolments.c.course_slug)
    )
    free = dict(await all_rows(session, free_by_course))
    return [
        (slug, name, {"enrolments": count - free.get(slug, 0), "free_enrolments": free.get(slug, 0)})
        for slug, name, count in await all_rows(session, by_course)
    ]


@dataclass(frozen=True)
class Attention:
    """The numbers of records that need an action of staff."""

    in_review: int
    callbacks_waiting: int
    """Callbacks that were stored more than five minutes ago and are not handled."""
    undecided: tuple[Discrepancy, ...]
    """Other discrepancies about money that staff have not decided yet (`find_undecided`)."""


async def attention(session: AsyncSession) -> Attention:
    """Count the records that need an action of staff, for the dashboard."""
    review = select(func.count()).select_from(Payment).where(col(Payment.state) == PaymentState.NEEDS_REVIEW)
    # Only unhandled callbacks have a due time, so its index finds the few rows. Their age is no condition of the statement,
    # because SQLite would then scan all callbacks that are old enough.
    unhandled = select(col(CallbackInbox.received_at)).where(
        col(CallbackInbox.due_at) > LONG_AGO, col(CallbackInbox.handled_at).is_(None)
    )
    ((in_review,),) = await all_rows(session, review)
    waiting = [at for (at,) in await all_rows(session, unhandled) if at < now() - _PATIENCE]
    return Attention(in_review, len(waiting), tuple(await find_undecided(session)))
