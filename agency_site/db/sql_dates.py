"""Group rows by Nairobi's days or months inside the database, which then returns one row for each."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from sqlalchemy import Date, String
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlmodel.sql.sqltypes import UTCDateTime

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


class nairobi_month(FunctionElement[str]):  # noqa: N801 - reads like the other functions of a statement
    """The month of a stored time on a Nairobi clock, such as `2026-11`."""

    inherit_cache = True
    type = String()


@compiles(nairobi_month, "sqlite")
def _sqlite_month(element: nairobi_month, compiler: Any, **options: Any) -> str:
    return f"substr({compiler.process(nairobi_day(*element.clauses), **options)}, 1, 7)"


@compiles(nairobi_month, "postgresql")
def _postgresql_month(element: nairobi_month, compiler: Any, **options: Any) -> str:
    return f"to_char({compiler.process(nairobi_day(*element.clauses), **options)}, 'YYYY-MM')"


def span(first: date, last: date) -> tuple[datetime, datetime]:
    """Return the UTC bounds of Nairobi's days `first` to `last`: the start belongs to them, the end does not."""
    start, last_start = (datetime.combine(day, time(), NAIROBI) for day in (first, last))
    return start.astimezone(UTC), (last_start + timedelta(days=1)).astimezone(UTC)


class moment_after(FunctionElement[datetime]):  # noqa: N801 - reads like the other functions of a statement
    """A stored time and a number of minutes, which may be negative, added: it compares with stored times."""

    inherit_cache = True
    type = UTCDateTime()


@compiles(moment_after, "sqlite")
def _sqlite_moment_after(element: moment_after, compiler: Any, **options: Any) -> str:
    moment, minutes = (compiler.process(part, **options) for part in element.clauses)
    # As times are stored, with six digits after the point: they are compared as texts.
    return f"strftime('%Y-%m-%d %H:%M:%f', {moment}, printf('%+d minutes', {minutes})) || '000'"


@compiles(moment_after, "postgresql")
def _postgresql_moment_after(element: moment_after, compiler: Any, **options: Any) -> str:
    moment, minutes = (compiler.process(part, **options) for part in element.clauses)
    return f"(({moment}) + ({minutes}) * interval '1 minute')"
