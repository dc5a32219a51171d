"""The state of the calendar of course runs: the sessions of the month in the address."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

import reflex as rx
from sqlalchemy import func
from sqlalchemy import select as rows_of
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_page, staff_watch
from agency_site.backoffice.calendar_query import (
    CalendarQuery,
    CalendarView,
    calendar_url,
    format_title,
    parse_calendar_query,
    turn_page,
    visible_days,
)
from agency_site.backoffice.state import StaffState
from agency_site.clock import NAIROBI, in_nairobi, today
from agency_site.db.engine import report_scope
from agency_site.features.academy.admin.labels import RUN_CALENDAR_PATH, RUN_PATH, STATES
from agency_site.features.academy.learners.trainers import visible_runs
from agency_site.features.academy.runs.records import RunRecord
from agency_site.features.academy.runs.rules import RunStatus
from agency_site.features.academy.runs.tables import CourseRun, CourseSession


@dataclass
class SessionCard:
    """A session in the calendar."""

    key: str
    time: str
    course: str
    detail: str
    """Number of the session in its run, and the state of the run."""
    tone: str
    href: str


@dataclass
class CalendarDay:
    """A day of the calendar with its sessions."""

    date: str
    number: str
    label: str
    is_today: bool
    is_beyond: bool
    """The day belongs to the previous or the next month."""
    cards: list[SessionCard] = field(default_factory=list)


@dataclass
class MonthLinks:
    """Addresses of other months."""

    previous: str = ""
    following: str = ""
    today: str = ""


class RunCalendar(StaffState):
    """The month that is open."""

    title: rx.Field[str] = rx.field("")
    summary: rx.Field[str] = rx.field("")
    days: rx.Field[list[CalendarDay]] = rx.field(default_factory=list)
    links: rx.Field[MonthLinks] = rx.field(default_factory=MonthLinks)

    @staff_page(Permission.SEE_LEARNERS)
    async def open_calendar(self, who: Staff) -> None:
        await self._show(who)

    @staff_watch(Permission.SEE_LEARNERS)
    async def refresh(self, who: Staff) -> None:
        await self._show(who)

    async def _show(self, who: Staff) -> None:
        parameters = self.router.url.query_parameters
        month = {"view": CalendarView.MONTH, "day": parameters.get("day")}
        query = parse_calendar_query(RUN_CALENDAR_PATH, month, today())
        async with report_scope() as session:
            days = lay_out_days(query, await list_month(session, query, who))
        if days != self.days:
            self.days = days
        count = sum(len(day.cards) for day in days if not day.is_beyond)
        self.title = format_title(query)
        self.summary = "1 session" if count == 1 else f"{count} sessions"
        self.links = MonthLinks(
            previous=calendar_url(turn_page(query, -1)),
            following=calendar_url(turn_page(query, 1)),
            today=RUN_CALENDAR_PATH,
        )


async def list_month(session: AsyncSession, query: CalendarQuery, who: Staff) -> Sequence[Any]:
    """Return the sessions of the visible days with their run, their number in the run, and the run's number of sessions.

    Cancelled runs and runs that `who` may not see are left out.
    """
    first, last = visible_days(query)
    first_moment = datetime.combine(first, time.min, NAIROBI)
    last_moment = datetime.combine(last + timedelta(days=1), time.min, NAIROBI)
    run = col(CourseSession.run_id)
    numbered = rows_of(
        col(CourseSession.id),
        func.row_number().over(partition_by=run, order_by=col(CourseSession.starts_at)).label("number"),
        func.count().over(partition_by=run).label("total"),
    ).subquery()
    statement = (
        rows_of(CourseSession, CourseRun, numbered.c.number, numbered.c.total)
        .join(CourseRun, col(CourseRun.id) == col(CourseSession.run_id))
        .join(numbered, numbered.c.id == col(CourseSession.id))
        .where(
            col(CourseSession.starts_at) >= first_moment,
            col(CourseSession.starts_at) < last_moment,
            col(CourseRun.status) != RunStatus.CANCELLED,
            visible_runs(who),
        )
        .order_by(col(CourseSession.starts_at), col(CourseSession.id))
    )
    return (await session.exec(statement)).all()  # type: ignore[call-overload, no-any-return]


def lay_out_days(query: CalendarQuery, rows: Sequence[Any]) -> list[CalendarDay]:
    """Return the visible days with their sessions."""
    first, last = visible_days(query)
    days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    laid_out = {day: _empty_day(day, query.day) for day in days}
    for meeting, run, number, total in rows:
        starts = in_nairobi(meeting.starts_at)
        state = RunRecord.of(run).state
        laid_out[starts.date()].cards.append(
            SessionCard(
                meeting.reference,
                f"{starts:%H:%M}",
                run.course_name,
                f"{number} of {total} · {STATES[state].text}",
                STATES[state].tone,
                f"{RUN_PATH}?ref={run.reference}",
            )
        )
    return list(laid_out.values())


def _empty_day(day: date, month_day: date) -> CalendarDay:
    return CalendarDay(
        date=day.isoformat(),
        number=str(day.day),
        label=f"{day:%A} {day.day} {day:%B}",
        is_today=day == today(),
        is_beyond=(day.year, day.month) != (month_day.year, month_day.month),
    )
