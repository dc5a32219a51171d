"""The job that mails the figures of the last week to owners. Any number of processes may run it at once."""

from datetime import date, datetime, time, timedelta

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Role
from agency_site.auth.tables import StaffAccount
from agency_site.backoffice.reports.definition import ReportColumn
from agency_site.backoffice.visits.emails import WeeklyFigure, WeeklyFigures, weekly_figures
from agency_site.backoffice.visits.figures import count_by_channel, count_by_day, count_by_page
from agency_site.backoffice.visits.outcomes import Outcome
from agency_site.backoffice.visits.reports import name_source
from agency_site.clock import NAIROBI, now, today
from agency_site.db.due_work import handle_each
from agency_site.db.engine import report_scope, session_scope
from agency_site.mail.tables import OutboxMessage
from agency_site.mail.usecases import enqueue
from agency_site.settings import settings

SENT_AT = time(7)
"""The time on Mondays in Nairobi."""
_WEEK = timedelta(days=7)
_TOP = 5


async def mail_weekly_figures(*outcomes: Outcome) -> int:
    """Enqueue the mails about the last week that are due, and return their number.

    A server that was down on Monday morning sends them later. An owner whose account is newer gets none.
    """
    monday = today() - timedelta(days=today().weekday())
    due = datetime.combine(monday, SENT_AT, NAIROBI)
    if not settings().weekly_mail or now() < due:
        return 0
    async with report_scope() as session:
        owners = await _list_owners_without(session, monday, due)
        if not owners:
            return 0
        week = await read_week(session, monday - _WEEK, *outcomes)

    async def mail(owner: tuple[str, str]) -> int:
        key, address = owner
        async with session_scope() as session:
            return bool(await enqueue(session, weekly_figures(address, week), key=key))

    return await handle_each(owners.items(), mail, lambda owner: f"the mail {owner[0]}")


async def _list_owners_without(session: AsyncSession, monday: date, due: datetime) -> dict[str, str]:
    """Return the addresses of the owners who lack the mail of that Monday, by the key of the mail."""
    owners = select(StaffAccount.id, StaffAccount.email).where(
        StaffAccount.role == Role.OWNER,
        col(StaffAccount.disabled_at).is_(None),
        StaffAccount.created_at < due,
    )
    keys = {f"weekly-figures:{monday}:{identity}": email for identity, email in await session.exec(owners)}
    stored = await session.exec(select(OutboxMessage.key).where(col(OutboxMessage.key).in_(keys)))
    for key in stored.all():
        keys.pop(str(key))
    return keys


async def read_week(session: AsyncSession, monday: date, *outcomes: Outcome) -> WeeklyFigures:
    """Return the figures of the week that begins on `monday`."""
    sunday = monday + _WEEK - timedelta(days=1)
    values = await _read_totals(session, monday, sunday, outcomes)
    values_before = await _read_totals(session, monday - _WEEK, sunday - _WEEK, outcomes)
    columns = (ReportColumn("Visits"), ReportColumn("Page views"), *(outcome.column for outcome in outcomes))
    pages = await count_by_page(session, monday, sunday)
    sources: dict[str, int] = {}
    for channel, visits in (await count_by_channel(session, monday, sunday)).items():
        sources[name_source(channel)] = sources.get(name_source(channel), 0) + visits
    return WeeklyFigures(
        monday,
        sunday,
        tuple(map(WeeklyFigure, columns, values, values_before)),
        tuple((page, traffic.views) for page, traffic in pages[:_TOP]),
        tuple(sorted(sources.items(), key=lambda source: (-source[1], source[0]))[:_TOP]),
    )


async def _read_totals(
    session: AsyncSession, first: date, last: date, outcomes: tuple[Outcome, ...]
) -> list[int]:
    days = (await count_by_day(session, first, last)).values()
    results = [sum((await outcome.count(session, first, last)).values()) for outcome in outcomes]
    return [sum(day.visits for day in days), sum(day.views for day in days), *results]
