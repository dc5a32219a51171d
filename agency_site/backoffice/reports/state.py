"""The state of the screens of reports: one class for all of them, because the path names the screen."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page
from agency_site.backoffice.charts import Bar, Chart, chart
from agency_site.backoffice.periods import ShortCut, format_span, parse_days, short_cuts, span_query
from agency_site.backoffice.reports.definition import (
    Report,
    ReportRows,
    ReportScreen,
    Row,
    Unit,
    find_report_screen,
)
from agency_site.backoffice.state import StaffState
from agency_site.clock import today
from agency_site.db.engine import report_scope
from agency_site.errors import NotFound
from agency_site.ui.forms import submitted

MOST_ROWS, MOST_BARS = 50, 10
"""Rows on the screen, and bars with names; a file has all rows."""
MOST_PERIODS = 14
"""Days, weeks or months of a table that is open at once."""


@dataclass
class ReportCell:
    """A value with the label of its column."""

    label: str
    text: str


@dataclass
class ReportLine:
    """A row of a table."""

    key: str
    cells: list[ReportCell]
    is_total: bool = False


@dataclass
class ReportPart:
    """A report as its screen shows it."""

    title: str
    explanation: str
    file: str
    """The address of its CSV file."""
    heads: list[str]
    lines: list[ReportLine]
    is_long: bool
    """The table is so long that it opens on demand: the rows of days below their chart."""
    charts: list[Chart]
    rest: str
    """The number of rows that only the file has, in words; empty if the table has all."""


class ReportsState(StaffState):
    """The reports of the open screen."""

    title: rx.Field[str] = rx.field("")
    """The period in words."""
    first: rx.Field[str] = rx.field("")
    last: rx.Field[str] = rx.field("")
    parts: rx.Field[list[ReportPart]] = rx.field(default_factory=list)
    short_cuts: rx.Field[list[ShortCut]] = rx.field(default_factory=list)

    @staff_page(Permission.SEE_REPORTS)
    async def open_reports(self, _who: Staff) -> None:
        """Show the reports of the days in the address."""
        screen, day = self._screen(), today()
        first, last = parse_days(self.router.url.query_parameters, day, screen.days)
        async with report_scope() as session:
            self.parts = [
                build_part(report, await report.read_rows(session, first, last), first, last)
                for report in screen.reports
            ]
        self.title = format_span(first, last)
        self.first, self.last = first.isoformat(), last.isoformat()
        self.short_cuts = short_cuts(screen.path, day, first, last)

    @staff_event(Permission.SEE_REPORTS)
    async def choose(self, _who: Staff, form: dict[str, Any]) -> Any:
        """Show other days."""
        screen = self._screen()
        days = parse_days(submitted(form), today(), screen.days)
        return rx.redirect(f"{screen.path}?{span_query(*days)}")

    def _screen(self) -> ReportScreen:
        screen = find_report_screen(str(self.router.url.path).rstrip("/"))
        if screen is None:
            raise NotFound("There are no reports at this address.")
        return screen


def build_part(report: Report, content: ReportRows, first: date, last: date) -> ReportPart:
    """Return a report as its screen shows it."""
    rows = content.rows if report.upright else content.rows[:MOST_ROWS]
    lines = [_build_line(report, str(number), row) for number, row in enumerate(rows)]
    if content.total and lines:
        lines.append(_build_line(report, "total", content.total, is_total=True))
    left = len(content.rows) - len(rows)
    return ReportPart(
        report.title,
        report.explanation,
        f"/admin/export/reports/{report.key}.csv?{span_query(first, last)}",
        [column.label for column in report.columns],
        lines,
        report.upright and len(rows) > MOST_PERIODS,
        [_build_chart(report, column, content) for column in report.charted] if lines else [],
        f"{left:,} more rows are in the CSV file." if left else "",
    )


def _build_line(report: Report, key: str, row: Row, *, is_total: bool = False) -> ReportLine:
    cells = [
        ReportCell(column.label, column.format(value))
        for column, value in zip(report.columns, row, strict=True)
    ]
    return ReportLine(key, cells, is_total)


def _build_chart(report: Report, number: int, content: ReportRows) -> Chart:
    name, column = report.columns[0], report.columns[number]
    rows: Sequence[Row] = content.rows if report.upright else content.rows[:MOST_BARS]
    bars = [Bar(_name_row(report, row), _number(row[number]), column.format(row[number])) for row in rows]
    total = column.format(content.total[number]) if content.total else ""
    return chart(column.label, total, (name.label, column.label), bars, upright=report.upright)


def _name_row(report: Report, row: Row) -> str:
    """Return the texts of a row, such as `google, cpc`, because the first alone may name several rows."""
    texts = [value for column, value in zip(report.columns, row, strict=True) if column.unit is Unit.TEXT]
    return ", ".join(str(text) for text in texts if text)


def _number(value: object) -> float:
    return value if isinstance(value, int | float) else 0
