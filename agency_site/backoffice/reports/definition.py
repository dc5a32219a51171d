"""The declaration of a report, and its values in words."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.money import kes

Value = str | int | float | None
"""A value of a table; None if there is nothing to compute it from."""
Row = tuple[Value, ...]

NOTHING = "No data"
"""Shown for a value of None."""


class Unit(StrEnum):
    """The unit of a column."""

    TEXT = "text"
    COUNT = "count"
    SHILLINGS = "shillings"
    """Whole shillings."""
    PERCENT = "percent"


_UNIT_NAMES = {Unit.SHILLINGS: "KES", Unit.PERCENT: "%"}


@dataclass(frozen=True)
class ReportColumn:
    """A column of a report's table."""

    label: str
    unit: Unit = Unit.COUNT

    @property
    def heading(self) -> str:
        """The label with its unit, for files."""
        return f"{self.label} ({_UNIT_NAMES[self.unit]})" if self.unit in _UNIT_NAMES else self.label

    def format(self, value: Value) -> str:
        """Return a value of the column in words."""
        if value is None:
            return NOTHING
        if isinstance(value, str):
            return value
        match self.unit:
            case Unit.SHILLINGS:
                return kes(int(value))
            case Unit.PERCENT:
                return f"{value:.1f}%"
            case _:
                return f"{value:,}"


@dataclass(frozen=True)
class ReportRows:
    """The rows of a report, and their total; None if a total has no meaning."""

    rows: Sequence[Row]
    total: Row | None = None


ReadRows = Callable[[AsyncSession, date, date], Awaitable[ReportRows]]
"""Reads the rows of a period from its first to its last Nairobi day."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """A table of figures of a period. Its first column names the rows."""

    key: str
    """Its name in addresses and files, such as `revenue-by-course`."""
    title: str
    explanation: str
    """What is counted, for staff."""
    columns: tuple[ReportColumn, ...]
    charted: tuple[int, ...]
    """The numbers of the columns that have a chart."""
    upright: bool = field(default=False)
    """The rows follow each other in time."""
    read_rows: ReadRows


def percent(part: int, whole: int) -> float | None:
    """Return the share of `part` in percent, with one decimal, halves up; None of nothing."""
    return (2000 * part + whole) // (2 * whole) / 10 if whole > 0 else None


@dataclass(frozen=True)
class ReportScreen:
    """The reports of one screen."""

    path: str
    reports: tuple[Report, ...]
    days: int
    """The length of the period that the screen shows first, until today."""


_screens: dict[str, ReportScreen] = {}


def register_reports(screen: ReportScreen) -> None:
    """Register the reports of a screen. Called when the back office is put together."""
    _screens[screen.path] = screen


def find_report_screen(path: str) -> ReportScreen | None:
    """Return the reports of the screen at `path`."""
    return _screens.get(path)


def find_report(key: str) -> Report | None:
    """Return the report of that key."""
    reports = (report for screen in _screens.values() for report in screen.reports)
    return next((report for report in reports if report.key == key), None)
