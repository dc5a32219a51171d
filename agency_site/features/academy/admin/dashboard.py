"""Tiles and charts of the dashboard: course runs that start soon, certificates to issue, places kept unpaid."""

from collections.abc import Sequence
from datetime import timedelta
from urllib.parse import urlencode

from sqlalchemy import func
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.charts import Bar, Chart, chart
from agency_site.backoffice.dashboard import Source, Tile
from agency_site.clock import in_nairobi, now, today
from agency_site.features.academy.admin.labels import RUNS_PATH, taken_cell
from agency_site.features.academy.admin.runs.list import ACTIVE, CERTIFICATES_DUE, KEPT_UNPAID, has_state
from agency_site.features.academy.certificates.usecases import select_due_certificates
from agency_site.features.academy.learners.trainers import visible_runs
from agency_site.features.academy.runs.tables import CourseRun

SOON = timedelta(days=14)


async def tiles(session: AsyncSession, who: Staff) -> list[Tile]:
    """Count the runs that start soon and their taken places, certificates to issue, and runs with many unpaid places."""
    runs = await _list_starting_soon(session, who)
    days = {"starts-from": today().isoformat(), "starts-to": (today() + SOON).isoformat()}
    address = f"{RUNS_PATH}?{urlencode(days | {'state': ACTIVE, 'sort': 'starts'})}"
    places = sum(run.taken for run in runs)
    tiles_shown = [
        Tile("Course runs that start within two weeks", str(len(runs)), address),
        Tile("Places taken in them", str(places), address),
    ]
    due = await _count_certificates(session, who)
    if due:
        finished = f"{RUNS_PATH}?{urlencode({'state': CERTIFICATES_DUE})}"
        tiles_shown.append(Tile("Certificates to issue", str(due), finished, hot=True))
    unpaid = await _count_kept_unpaid(session, who)
    if unpaid:
        address = f"{RUNS_PATH}?{urlencode({'state': KEPT_UNPAID})}"
        tiles_shown.append(
            Tile("Course runs with many places kept for unpaid orders", str(unpaid), address, hot=True)
        )
    return tiles_shown


async def charts(session: AsyncSession, who: Staff) -> list[Chart]:
    """Chart the taken places of the runs that start soon. Return no chart if there are none."""
    bars = [
        Bar(f"{run.course_name}, {in_nairobi(run.starts_at):%a %-d %b}", run.taken, taken_cell(run).text)
        for run in await _list_starting_soon(session, who)
    ]
    total = "1 course run" if len(bars) == 1 else f"{len(bars)} course runs"
    title = "Places taken, course runs of the next two weeks"
    return [chart(title, total, ("Course run", "Places taken"), bars, upright=False)] if bars else []


async def _count_certificates(session: AsyncSession, who: Staff) -> int:
    query = select_due_certificates().where(visible_runs(who)).subquery()
    return (await session.exec(select(func.count()).select_from(query))).one()


async def _count_kept_unpaid(session: AsyncSession, who: Staff) -> int:
    query = select(func.count()).select_from(CourseRun).where(has_state(KEPT_UNPAID), visible_runs(who))
    return (await session.exec(query)).one()


async def _list_starting_soon(session: AsyncSession, who: Staff) -> Sequence[CourseRun]:
    moment = now()
    starts = col(CourseRun.starts_at)
    query = select(CourseRun).where(starts > moment, starts <= moment + SOON)
    active = query.where(has_state(ACTIVE), visible_runs(who))
    return (await session.exec(active.order_by(starts, col(CourseRun.id)))).all()


SOURCE = Source(Permission.SEE_LEARNERS, tiles, charts)
