"""What came in, per day and per course, and who takes which course. Reading only."""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from sqlalchemy import case, func, select
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.db.sql_dates import nairobi_day, span
from agency_site.features.checkout.reconciliation_report import all_rows, booked_between, refunded_between
from agency_site.features.checkout.rules import OrderState
from agency_site.features.checkout.tables import Enrolment, Order, Payment


@dataclass(frozen=True)
class DayRevenue:
    """What came and went on one Nairobi day, in whole shillings."""

    day: date
    received: int = 0
    refunded: int = 0


@dataclass(frozen=True)
class CourseRevenue:
    """What came and went for one course, in whole shillings."""

    course_slug: str
    course_name: str
    received: int = 0
    refunded: int = 0


@dataclass(frozen=True)
class Revenue:
    """What came and went in a span of days."""

    days: tuple[DayRevenue, ...]
    """Every day of the span, also those without money."""
    courses: tuple[CourseRevenue, ...]
    """Each with money, the most first."""

    @property
    def received(self) -> int:
        """Whole shillings that came."""
        return sum(day.received for day in self.days)

    @property
    def refunded(self) -> int:
        """Whole shillings given back."""
        return sum(day.refunded for day in self.days)


async def money(session: AsyncSession, first: date, last: date) -> Revenue:
    """What came in and went back from the Nairobi day `first` to `last`, per day and per course."""
    start, end = span(first, last)
    days = {day: DayRevenue(day) for day in (first + timedelta(n) for n in range((last - first).days + 1))}
    courses: dict[str, CourseRevenue] = {}
    for way, moment, those in (
        ("received", Payment.settled_at, booked_between(start, end)),
        ("refunded", Payment.refunded_at, refunded_between(start, end)),
    ):
        for text, slug, name, amount in await _by_day_and_course(session, moment, those):
            day, course = date.fromisoformat(text), courses.get(slug, CourseRevenue(slug, name))
            days[day] = replace(days[day], **{way: getattr(days[day], way) + amount})
            courses[slug] = replace(course, **{way: getattr(course, way) + amount})
    ranked = sorted(courses.values(), key=lambda one: (-one.received, one.course_name))
    return Revenue(tuple(days.values()), tuple(ranked))


async def _by_day_and_course(session: AsyncSession, moment: Any, those: tuple[Any, ...]) -> list[Any]:
    day = nairobi_day(moment)
    return await all_rows(
        session,
        select(day, col(Order.course_slug), func.max(Order.course_name), func.sum(Payment.amount))
        .join(Payment, col(Payment.order_id) == col(Order.id))
        .where(*those)
        .group_by(day, col(Order.course_slug)),
    )


@dataclass(frozen=True)
class CourseEnrolments:
    """Who takes a course."""

    course_slug: str
    course_name: str
    enrolments: int
    """That hold, paid and free."""
    places: int
    """Seats that these hold."""
    free: int
    """How many of them cost nothing."""
    ended: int
    """That ended, because their payment was given back."""


async def count_enrolments(session: AsyncSession) -> tuple[CourseEnrolments, ...]:
    """All enrolments, per course, by name."""
    holds = col(Enrolment.ended_at).is_(None)
    found = await all_rows(
        session,
        select(
            col(Enrolment.course_slug),
            func.max(Enrolment.course_name),
            func.count(case((holds, Enrolment.id))),
            func.sum(case((holds, Enrolment.places), else_=0)),
            func.count(case((holds & (col(Order.state) == OrderState.FREE), Enrolment.id))),
            func.count(col(Enrolment.ended_at)),
        )
        .join(Order, col(Order.id) == Enrolment.order_id)
        .group_by(col(Enrolment.course_slug))
        .order_by(func.max(Enrolment.course_name)),
    )
    return tuple(CourseEnrolments(*row) for row in found)
