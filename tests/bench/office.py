"""How long the back office's lists take with 100,000 bookings and as many orders, and what an export of all holds in memory.

Each list is asked for as people ask: its first and last page, every sort, every filter, searches that find much, little
and nothing. A question is what the screen asks the database: the count and the rows of a page.
"""

import asyncio
import os
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

from sqlalchemy import text
from sqlmodel.ext.asyncio.session import AsyncSession

import agency_site.agency_site  # noqa: F401 - declares all lists
from agency_site.backoffice.lists.definition import (
    PAGE_SIZE,
    Choice,
    ListDefinition,
    ListQuery,
    filter_keys,
    list_definitions,
)
from agency_site.backoffice.lists.export import lines_of_export
from agency_site.backoffice.lists.query import open_page, ordered
from agency_site.clock import today
from agency_site.db.engine import dispose_engine, report_scope
from agency_site.db.statistics import refresh_statistics
from agency_site.feature_contracts import join_features
from agency_site.settings import Settings, settings
from tests.bench.seeding import ROWS, seed
from tests.servers import Postgres, fresh_sqlite

TIMES = 7
WORDS = ("amina", "amina odhiambo", "bk-2", "en-2222", "0700012345", "nobody is called this")


def questions(definition: ListDefinition) -> Iterator[tuple[str, ListQuery]]:
    """Typical queries of a list."""
    yield "first page", ListQuery()
    yield "last page", ListQuery(page=ROWS // PAGE_SIZE)
    for column in definition.columns:
        if column.sort is not None:
            yield f"sort {column.key}", ListQuery(order=column.key)
            yield f"sort -{column.key}", ListQuery(order=f"-{column.key}")
    for item in definition.filters:
        if isinstance(item, Choice):
            yield from (
                (f"{item.key}={value}", ListQuery(filters={item.key: value})) for value, _ in item.options()
            )
        else:
            begins, ends = filter_keys(item)
            span = {begins: str(today() - timedelta(days=30)), ends: str(today())}
            yield f"{item.key} of a month", ListQuery(filters=span)
    if definition.search:
        yield from ((f"search {words!r}", ListQuery(words=words)) for words in WORDS)


async def ask(definition: ListDefinition, query: ListQuery) -> float:
    """Seconds that one question takes."""
    started_at = time.perf_counter()
    async with report_scope() as session:
        await open_page(session, definition, query)
    return time.perf_counter() - started_at


async def plan(session: AsyncSession, definition: ListDefinition, list_query: ListQuery) -> str:
    """The query plan of the database."""
    bind = session.get_bind()
    statement = (
        ordered(definition, list_query).limit(PAGE_SIZE).compile(bind, compile_kwargs={"literal_binds": True})
    )
    explain = "EXPLAIN " if bind.dialect.name == "postgresql" else "EXPLAIN QUERY PLAN "
    rows = (
        await (await session.connection()).execute(text(explain + str(statement).replace(":", "\\:")))
    ).all()
    return " / ".join(str(row[-1]).strip() for row in rows)


async def bench(kind: str, url: str) -> None:
    """Measure one database and print."""
    Settings.model_config["env_file"] = None
    os.environ["AGENCY_DATABASE_URL"] = url
    settings.cache_clear()
    seed()
    await refresh_statistics()
    for definition in list_definitions():
        await measure(kind, definition)
    await exporting(kind)
    await dispose_engine()


async def measure(kind: str, definition: ListDefinition) -> None:
    """All questions to one list, slowest last."""
    timings: list[tuple[float, str, ListQuery]] = []
    everything: list[float] = []
    for name, query in questions(definition):
        times = [await ask(definition, query) for _ in range(TIMES)]
        everything += times
        timings.append((statistics.median(times), name, query))
    slowest, name, query = max(timings, key=lambda item: item[0])
    p95 = sorted(everything)[int(len(everything) * 0.95) - 1]
    async with report_scope() as session:
        how = await plan(session, definition, query)
    print(
        f"{kind:<11} {definition.name:<22} {len(timings):>3} questions   p95 {p95 * 1000:6.1f} ms   "
        f"slowest {slowest * 1000:6.1f} ms: {name}\n{'':<12}{how[:200]}"
    )


async def exporting(kind: str) -> None:
    """The largest list as CSV."""
    definition = next(definition for definition in list_definitions() if definition.name == "bookings")
    tracemalloc.start()
    started_at, size, rows = time.perf_counter(), 0, 0
    async for chunk in lines_of_export(definition, ListQuery()):
        size, rows = size + len(chunk), rows + chunk.count(b"\r\n")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(
        f"{kind:<11} CSV of {rows - 1:,} rows: {size / 1e6:.1f} MB in {time.perf_counter() - started_at:.1f} s, "
        f"at most {peak / 1e6:.1f} MB held"
    )


async def main() -> None:
    """Both databases, one after the other."""
    join_features()
    print(f"Back office with {ROWS:,} bookings and {ROWS:,} orders\n")
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        await bench("SQLite", fresh_sqlite(Path(folder, "bench.sqlite3")))
        await bench("PostgreSQL", stack.enter_context(Postgres.started()).fresh_database())


if __name__ == "__main__":
    asyncio.run(main())
