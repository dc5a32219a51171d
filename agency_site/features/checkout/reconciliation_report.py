"""The reconciliation report: payments, refunds and enrolments of a period, and their discrepancies. Reading only.

Revenue counts on the Nairobi day on which its payment was settled, and stays counted there when it is given back on a
later one, so that the report of a past day does not change.
"""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Executable, case, func, select
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.sql_dates import span
from agency_site.features.checkout.discrepancies import Discrepancy, DiscrepancyKind, discrepancies
from agency_site.features.checkout.rules import RECEIVED, OrderState, PaymentState
from agency_site.features.checkout.tables import CallbackInbox, Enrolment, Order, Payment

PATIENCE = timedelta(minutes=5)
"""A callback that nobody has acted on for this long wants attention."""
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class CourseTotals:
    """One course within a report."""

    course_slug: str
    course_name: str
    orders: int = 0
    """Orders whose money came."""
    receipts: int = 0
    """Payments with M-Pesa's receipt."""
    enrolments: int = 0
    """Seats given for money."""
    free_enrolments: int = 0
    received: int = 0
    """Whole shillings."""
    refunded: int = 0
    """Whole shillings given back in this time, whenever they came."""


@dataclass(frozen=True)
class ReconciliationReport:
    """The reconciliation of a day, or of a span of days: orders paid = receipts = enrolments."""

    first: date
    last: date
    courses: tuple[CourseTotals, ...]
    """By name."""
    discrepancies: tuple[Discrepancy, ...]

    @property
    def orders_paid(self) -> int:
        """Orders whose money came."""
        return sum(course.orders for course in self.courses)

    @property
    def receipts(self) -> int:
        """Payments with M-Pesa's receipt."""
        return sum(course.receipts for course in self.courses)

    @property
    def enrolments(self) -> int:
        """Seats given for money."""
        return sum(course.enrolments for course in self.courses)

    @property
    def free_enrolments(self) -> int:
        """Seats in courses that cost nothing."""
        return sum(course.free_enrolments for course in self.courses)

    @property
    def received(self) -> int:
        """Whole shillings that came."""
        return sum(course.received for course in self.courses)

    @property
    def refunded(self) -> int:
        """Whole shillings given back."""
        return sum(course.refunded for course in self.courses)

    @property
    def balanced(self) -> bool:
        """Whether every discrepancy is in order, and the three agree or a closed discrepancy of sums says why not."""
        agree = self.orders_paid == self.receipts == self.enrolments
        # A surplus payment keeps its receipt after its money went back, so the counts of its day never agree.
        explained = any(one.kind is DiscrepancyKind.SUM_DIFFERS and one.closure for one in self.discrepancies)
        return (agree or explained) and all(one.in_order for one in self.discrepancies)


async def reconciliation_report(
    session: AsyncSession, day: date, last: date | None = None
) -> ReconciliationReport:
    """The report of one Nairobi day, or of all days from `day` to `last`."""
    until = last or day
    sums: dict[str, CourseTotals] = {}
    for found in (
        await _received(session, day, until),
        await _refunded(session, day, until),
        await _enrolled(session, day, until),
    ):
        for slug, name, values in found:
            sums[slug] = replace(sums.get(slug, CourseTotals(slug, name)), **values)
    courses = sorted(sums.values(), key=lambda one: (one.course_name, one.course_slug))
    return ReconciliationReport(day, until, tuple(courses), await discrepancies(session, *span(day, until)))


_Sums = list[tuple[str, str, dict[str, Any]]]
"""Slug and name of each course, with what was counted."""


async def _received(session: AsyncSession, first: date, last: date) -> _Sums:
    start, end = span(first, last)
    paid = case((col(Order.state).in_((OrderState.PAID, OrderState.REFUNDED)), Order.id))
    found = await all_rows(
        session,
        select(
            col(Order.course_slug),
            func.max(Order.course_name),
            func.count(paid.distinct()),
            func.count(col(Payment.receipt)),
            func.sum(Payment.amount),
        )
        .join(Payment, col(Payment.order_id) == col(Order.id))
        .where(*booked_between(start, end))
        .group_by(col(Order.course_slug)),
    )
    return [
        (slug, name, {"orders": orders, "receipts": receipts, "received": received})
        for slug, name, orders, receipts, received in found
    ]


async def all_rows(session: AsyncSession, statement: Executable) -> list[Any]:
    """The rows of a statement as they come."""
    return list((await (await session.connection()).execute(statement)).all())


def booked_between(start: datetime, end: datetime) -> tuple[ColumnElement[bool], ...]:
    """Payments whose money came in that time."""
    return (
        col(Payment.state).in_(RECEIVED),
        col(Payment.settled_at) >= start,
        col(Payment.settled_at) < end,
    )


def refunded_between(start: datetime, end: datetime) -> tuple[ColumnElement[bool], ...]:
    """Payments whose money went back in that time."""
    return (col(Payment.refunded_at) >= start, col(Payment.refunded_at) < end)


async def _refunded(session: AsyncSession, first: date, last: date) -> _Sums:
    found = await all_rows(
        session,
        select(col(Order.course_slug), func.max(Order.course_name), func.sum(Payment.amount))
        .join(Payment, col(Payment.order_id) == col(Order.id))
        .where(*refunded_between(*span(first, last)))
        .group_by(col(Order.course_slug)),
    )
    return [(slug, name, {"refunded": refunded}) for slug, name, refunded in found]


async def _enrolled(session: AsyncSession, first: date, last: date) -> _Sums:
    start, end = span(first, last)
    free = func.count(case((col(Order.state) == OrderState.FREE, Order.id)))
    found = await all_rows(
        session,
        select(col(Enrolment.course_slug), func.max(Enrolment.course_name), func.count(), free)
        .join(Order, col(Order.id) == Enrolment.order_id)
        .where(col(Enrolment.created_at) >= start, col(Enrolment.created_at) < end)
        .group_by(col(Enrolment.course_slug)),
    )
    return [
        (slug, name, {"enrolments": seats - free_seats, "free_enrolments": free_seats})
        for slug, name, seats, free_seats in found
    ]


@dataclass(frozen=True)
class Attention:
    """What of the payments waits for somebody."""

    in_review: int
    callbacks_waiting: int
    """Stored for more than five minutes and not acted on."""


async def attention(session: AsyncSession) -> Attention:
    """What wants attention now, for the dashboard."""
    review = select(func.count()).select_from(Payment).where(col(Payment.state) == PaymentState.NEEDS_REVIEW)
    # Only what is not handled has a due time: few rows, found by its index. Their age is not asked for in the
    # statement, because SQLite would then walk through all callbacks that are old enough.
    unhandled = select(col(CallbackInbox.received_at)).where(
        col(CallbackInbox.due_at) > _LONG_AGO, col(CallbackInbox.handled_at).is_(None)
    )
    ((in_review,),) = await all_rows(session, review)
    waiting = [at for (at,) in await all_rows(session, unhandled) if at < now() - PATIENCE]
    return Attention(in_review, len(waiting))
