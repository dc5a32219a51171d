"""Course runs that start soon, and certificates to issue, on the dashboard."""

from collections.abc import Sequence
from datetime import timedelta
from urllib.parse import urlencode

from sqlalchemy import func
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.dashboard import Bar, Chart, Source, Tile, chart
from agency_site.clock import in_nairobi, now, today
from agency_site.features.academy.admin.labels import RUNS_PATH, taken_cell
from agency_site.features.academy.admin.runs.list import ACTIVE, CERTIFICATES_DUE, KEPT_UNPAID, has_state
from agency_site.features.academy.certificates.usecases import select_due_certificates
from agency_site.features.academy.learners.trainers import visible_runs
from agency_site.features.academy.runs.tables import CourseRun

SOON = timedelta(days=14)


async def tiles(session: AsyncSession, who: Staff) -> list[Tile]:
    """How many start soon and how many places of theirs are taken; certificates to issue, and many places kept unpaid."""
    runs = await _starting_soon(session, who)
    days = {"starts-from": today().isoformat(), "starts-to": (today() + SOON).isoformat()}
    address = f"{RUNS_PATH}?{urlencode(days | {'state': ACTIVE, 'sort': 'starts'})}"
    places = sum(run.taken for run in runs)
    found = [
        Tile("Course runs that start within two weeks", str(len(runs)), address),
        Tile("Places taken in them", str(places), address),
    ]
    due = await _count_certificates(session, who)
    if due:
        finished = f"{RUNS_PATH}?{urlencode({'state': CERTIFICATES_DUE})}"
        found.append(Tile("Certificates to issue", str(due), finished, hot=True))
    kept = await _count_kept_unpaid(session, who)
    if kept:
        address = f"{RUNS_PATH}?{urlencode({'state': KEPT_UNPAID})}"
        found.append(
            Tile("Course runs with many places kept for unpaid orders", str(kept), address, hot=True)
        )
    return found


async def charts(session: AsyncSession, who: Staff) -> list[Chart]:
    """Their places, run by run; nothing where none starts."""
    bars = [
        Bar(f"{run.course_name}, {in_nairobi(run.starts_at):%a %-d %b}", run.taken, taken_cell(run).text)
        for run in await _starting_soon(session, who)
    ]
    total = "1 course run" if len(bars) == 1 else f"{len(bars)} course runs"
    title = "Places taken, course runs of the next two weeks"
    return [chart(title, total, ("Course run", "Places taken"), bars, upright=False)] if bars else []


async def _count_certificates(session: AsyncSession, who: Staff) -> int:
    due = select_due_certificates().where(visible_runs(who)).subquery()
    return (await session.exec(select(func.count()).select_from(due))).one()


async def _count_kept_unpaid(session: AsyncSession, who: Staff) -> int:
    runs = select(func.count()).select_from(CourseRun).where(has_state(KEPT_UNPAID), visible_runs(who))
    return (await session.exec(runs)).one()


async def _starting_soon(session: AsyncSession, who: Staff) -> Sequence[CourseRun]:
    moment = now()
    starts = col(CourseRun.starts_at)
    soon = select(CourseRun).where(starts > moment, starts <= moment + SOON)
    active = soon.where(has_state(ACTIVE), visible_runs(who))
    return (await session.exec(active.order_by(starts, col(CourseRun.id)))).all()


SOURCE = Source(Permission.SEE_LEARNERS, tiles, charts)
