"""`python -m tests.bench.growth [ROWS]`: find tasks that are slower with 1,000,000 bookings, orders and mails than with 10,000.

Each reading of the public pages and of the back office, each report over a year, each figure of Prometheus and each job
runs on both sizes in one run, on SQLite and on PostgreSQL. The goals: at most 1.5 times, and a second for a year and retention.
Prints what misses them, slowest first; statements of more than `SLOW_SECONDS` with their query plan.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event, text
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

import agency_site.agency_site  # noqa: F401 - declares all lists and screens
from agency_site.auth.rules import Role, Staff
from agency_site.backoffice.clients import find_client, records_of
from agency_site.backoffice.dashboard import _sources as dashboard_sources
from agency_site.backoffice.lists.definition import Choice, ListQuery, list_definitions
from agency_site.backoffice.lists.query import open_page
from agency_site.backoffice.lists.search import search_lists
from agency_site.backoffice.screens import screens
from agency_site.clock import now, today
from agency_site.db.engine import dispose_engine, read_scope, report_scope, session_scope
from agency_site.db.statistics import refresh_statistics
from agency_site.feature_contracts import join_features
from agency_site.features.booking.bookings.tables import Booking
from agency_site.features.booking.bookings.usecases import list_slots, read_calendar
from agency_site.features.booking.calendar.schedule import count_bookings, read_schedule
from agency_site.features.booking.readings import read_bookings
from agency_site.features.checkout.readings import read_payments
from agency_site.features.checkout.reconciliation.report import reconciliation_report
from agency_site.features.checkout.reconciliation.revenue import find_revenue
from agency_site.mail.readings import read_outbox
from agency_site.settings import Settings, settings
from agency_site.web.serving.jobs import JOBS
from agency_site.web.serving.retention import BATCH, KINDS
from tests.bench.running import heading
from tests.bench.seeding import reference, seed
from tests.servers import Postgres, fresh_sqlite

FEW, MANY = 10_000, 1_000_000
TIMES, GOAL_RATIO, GOAL_SECONDS, SLOW_SECONDS = 5, 1.5, 1.0, 0.02
UNNOTICED_SECONDS = 0.01
"""Below this the clock and other work on the machine say more than the statement."""
SEARCHES = (
    "amina odhiambo",
    "bk-2",
    "0700012345",
    "nobody is called this",
    reference("BK", 4321).lower(),
    "amina.odhiambo.4321@example.com",
)

Work = Callable[[], Awaitable[object]]


@dataclass(frozen=True)
class Task:
    """Something that reads the database."""

    name: str
    work: Work
    of_a_year: bool = False
    """A report over a year or a batch of retention: bounded by seconds, not by a ratio."""


async def _reading(read: Callable[..., Awaitable[object]], *arguments: object) -> None:
    async with report_scope() as session:
        await read(session, *arguments)


async def _writing(write: Callable[..., Awaitable[object]], *arguments: object) -> None:
    async with session_scope() as session:
        await write(session, *arguments)


def tasks() -> Iterator[Task]:
    """All that is measured."""
    day, year = today(), today() - timedelta(days=365)
    yield Task("/book: the calendar", partial(_reading, read_calendar))
    yield Task("/api/slots", partial(_reading, list_slots, day + timedelta(days=1)))
    for name, table, column in (("/booking", "bookings", "token_hash"), ("/order", "orders", "token_hash")):
        yield Task(
            f"{name}/<token>", partial(_reading, _find, f"SELECT * FROM {table} WHERE {column} = 'none'")
        )
    yield Task("calendar", partial(_reading, read_schedule, day, day + timedelta(days=6)))
    yield Task("bookings of a fortnight", partial(_reading, count_bookings, day, day + timedelta(days=13)))
    yield from _of_lists()
    who = Staff(1, "bench@example.com", "Bench", Role.OWNER, 1, "")
    for number, source in enumerate(dashboard_sources):
        yield Task(f"dashboard: tiles {number}", partial(_reading, source.tiles, who))
        yield Task(f"dashboard: charts {number}", partial(_reading, source.charts, who))
    for words in SEARCHES:
        yield Task(f"search over everything {words}", partial(search_lists, words, who))
    yield Task("page of a client", partial(_reading, _open_client, who))
    for screen in screens():
        if screen.count_attention:
            yield Task(f"attention: {screen.path}", partial(_reading, screen.count_attention))
    for read in (read_bookings, read_payments, read_outbox):
        yield Task(f"/metrics: {read.__name__}", partial(_reading, read))
    yield Task(
        "reconciliation of a year", partial(reconciliation_report, report_scope, year, day), of_a_year=True
    )
    yield Task("revenue of a year", partial(_reading, find_revenue, year, day), of_a_year=True)
    for number, (setting, expire) in enumerate(KINDS):
        before = now() - timedelta(days=getattr(settings(), setting) or 365)
        yield Task(f"{setting} {number}", partial(_writing, expire, before, BATCH), of_a_year=True)
    for job, _ in JOBS:
        if job.__name__ != "expire_old":
            yield Task(f"job {job.__name__}", job)


async def _find(session: Any, statement: str) -> None:
    await (await session.connection()).execute(text(statement))


async def _open_client(session: AsyncSession, who: Staff) -> None:
    # The newest booking: jobs of retention, which are measured too, erase the oldest.
    newest = select(Booking.reference).order_by(col(Booking.id).desc()).limit(1)
    query = {"list": "bookings", "ref": (await session.exec(newest)).one()}
    client = await find_client(session, who, query)
    assert client is not None
    await records_of(session, who, client)


def _of_lists() -> Iterator[Task]:
    for definition in list_definitions():
        queries = {"first page": ListQuery()}
        for column in definition.columns:
            if column.sort is not None:
                queries |= {
                    f"sort {sign}{column.key}": ListQuery(order=f"{sign}{column.key}") for sign in ("", "-")
                }
        for item in definition.filters:
            if isinstance(item, Choice):
                queries |= {
                    f"{item.key}={value}": ListQuery(filters={item.key: value}) for value, _ in item.options()
                }
        if definition.search:
            queries |= {f"search {words}": ListQuery(words=words) for words in SEARCHES}
        for name, query in queries.items():
            yield Task(f"{definition.name}: {name}", partial(_reading, open_page, definition, query))


async def measure(task: Task) -> float:
    """Median seconds; one run of something slow says enough."""
    # Work that is done once per process is not measured.
    await task.work()
    durations: list[float] = []
    while len(durations) < TIMES and sum(durations) < GOAL_SECONDS:
        started_at = time.perf_counter()
        await task.work()
        durations.append(time.perf_counter() - started_at)
    return statistics.median(durations)


async def measure_all(url: str, rows: int) -> dict[str, float]:
    """Seconds of each task on a database with so many rows."""
    os.environ["AGENCY_DATABASE_URL"] = url
    settings.cache_clear()
    async with read_scope() as session:
        seeded = (
            await (await session.connection()).execute(text("SELECT count(*) FROM bookings"))
        ).scalar_one()
    if not seeded:
        seed(rows)
    await refresh_statistics()
    durations = {task.name: await measure(task) for task in tasks()}
    await dispose_engine()
    return durations


async def explain(url: str, task: Task) -> list[str]:
    """The slow statements of a task with their plans."""
    os.environ["AGENCY_DATABASE_URL"] = url
    settings.cache_clear()
    slow: dict[str, Any] = {}

    def before(_c: Any, _cursor: Any, _statement: str, _parameters: Any, context: Any, _many: Any) -> None:
        context.begun = time.perf_counter()

    def after(_c: Any, _cursor: Any, statement: str, parameters: Any, context: Any, _many: Any) -> None:
        if time.perf_counter() - context.begun > SLOW_SECONDS and statement.startswith(("SELECT", "WITH")):
            slow[statement] = parameters

    # Reports have an engine of their own.
    event.listen(Engine, "before_cursor_execute", before)
    event.listen(Engine, "after_cursor_execute", after)
    await task.work()
    event.remove(Engine, "before_cursor_execute", before)
    event.remove(Engine, "after_cursor_execute", after)
    plans = []
    word = "EXPLAIN QUERY PLAN" if settings().sqlite else "EXPLAIN"
    async with read_scope() as session:
        connection = await session.connection()
        for statement, parameters in slow.items():
            rows = (await connection.exec_driver_sql(f"{word} {statement}", parameters)).all()
            plans.append(" / ".join(str(row[-1]).strip() for row in rows)[:400])
    return plans


async def bench(kind: str, few: str, many: str, rows: int) -> int:
    """Measure one kind of database and print; how many goals are missed."""
    before, after = await measure_all(few, FEW), await measure_all(many, rows)
    missed = [task for task in tasks() if _misses(task, before[task.name], after[task.name])]
    print(f"{kind}: {len(after)} readings and jobs, {len(missed)} miss their goal")
    for task in sorted(missed, key=lambda item: -after[item.name]):
        small, large = before[task.name], after[task.name]
        print(
            f"  {large * 1000:9.1f} ms   {small * 1000:8.1f} ms before   {large / small:7.1f} times   {task.name}",
            flush=True,
        )
        for plan in await explain(many, task) if large < 10 else []:
            print(f"             {plan}", flush=True)
    await dispose_engine()
    return len(missed)


def _misses(task: Task, few: float, many: float) -> bool:
    if task.of_a_year:
        return many > GOAL_SECONDS
    return many > max(few * GOAL_RATIO, UNNOTICED_SECONDS)


async def main(rows: int = MANY) -> int:
    """Both databases, one after the other."""
    heading(f"{rows:,} bookings, orders and mails beside {FEW:,}", "python -m tests.bench.growth")
    Settings.model_config["env_file"] = None
    join_features()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        few, many = (fresh_sqlite(folder / f"{name}.sqlite3") for name in ("few", "many"))
        missed = await bench("SQLite", few, many, rows)
        postgres = stack.enter_context(Postgres.started())
        few, many = postgres.fresh_database(), postgres.fresh_database()
        missed += await bench("PostgreSQL", few, many, rows)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else MANY)))
