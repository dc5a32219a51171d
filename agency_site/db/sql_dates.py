"""Grouping by Nairobi's days inside the database, so that sums of many rows travel as one row for each day."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from sqlalchemy import Date
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from agency_site.clock import NAIROBI


class nairobi_day(FunctionElement[date]):  # noqa: N801 - reads like the other functions of a statement
    """The day of a stored time on a Nairobi clock. Nairobi is three hours ahead all year."""

    inherit_cache = True
    type = Date()


@compiles(nairobi_day, "sqlite")
def _sqlite(element: nairobi_day, compiler: Any, **options: Any) -> str:
    # Without the fraction: SQLite would round the last microsecond of a day into the next one.
    return f"date(substr({compiler.process(element.clauses, **options)}, 1, 19), '+3 hours')"


@compiles(nairobi_day, "postgresql")
def _postgresql(element: nairobi_day, compiler: Any, **options: Any) -> str:
    moment = compiler.process(element.clauses, **options)
    return f"CAST(({moment}) AT TIME ZONE 'UTC' + interval '3 hours' AS date)"


def span(first: date, last: date) -> tuple[datetime, datetime]:
    """From when to when Nairobi's days `first` to `last` run, in UTC: the start belongs to them, the end no more."""
    begin = datetime.combine(first, time(), NAIROBI)
    return begin.astimezone(UTC), (datetime.combine(last, time(), NAIROBI) + timedelta(days=1)).astimezone(
        UTC
    )
