"""Course runs that start soon, on the dashboard."""

from collections.abc import Sequence
from datetime import timedelta
from urllib.parse import urlencode

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission
from agency_site.backoffice.dashboard import Bar, Chart, Source, Tile, chart
from agency_site.clock import in_nairobi, now, today
from agency_site.features.academy.admin.labels import RUNS_PATH, taken_cell
from agency_site.features.academy.admin.run_list import ACTIVE, has_state
from agency_site.features.academy.tables import CourseRun

SOON = timedelta(days=14)


async def tiles(session: AsyncSession) -> list[Tile]:
    """How many there are, and how many places of theirs are taken."""
    runs = await _starting_soon(session)
    days = {"starts-from": today().isoformat(), "starts-to": (today() + SOON).isoformat()}
    address = f"{RUNS_PATH}?{urlencode(days | {'state': ACTIVE, 'sort': 'starts'})}"
    places = sum(run.taken for run in runs)
    return [
        Tile("Course runs that start within two weeks", str(len(runs)), address),
        Tile("Places taken in them", str(places), address),
    ]


async def charts(session: AsyncSession) -> list[Chart]:
    """Their places, run by run; nothing where none starts."""
    bars = [
        Bar(f"{run.course_name}, {in_nairobi(run.starts_at):%a %-d %b}", run.taken, taken_cell(run).text)
        for run in await _starting_soon(session)
    ]
    total = "1 course run" if len(bars) == 1 else f"{len(bars)} course runs"
    title = "Places taken, course runs of the next two weeks"
    return [chart(title, total, ("Course run", "Places taken"), bars, upright=False)] if bars else []


async def _starting_soon(session: AsyncSession) -> Sequence[CourseRun]:
    moment = now()
    starts = col(CourseRun.starts_at)
    soon = select(CourseRun).where(starts > moment, starts <= moment + SOON)
    active = soon.where(has_state(ACTIVE))
    return (await session.exec(active.order_by(starts, col(CourseRun.id)))).all()


SOURCE = Source(Permission.SEE_ENROLMENTS, tiles, charts)
