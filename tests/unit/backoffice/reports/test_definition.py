"""Values of reports in words, and reports as their screen shows them."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site import agency_site  # noqa: F401 - registers all screens
from agency_site.backoffice.reports.definition import (
    Report,
    ReportColumn,
    ReportRows,
    Row,
    Unit,
    find_report,
    find_report_screen,
    percent,
)
from agency_site.backoffice.reports.state import MOST_BARS, MOST_ROWS, build_part

FIRST, LAST = date(2026, 11, 1), date(2026, 11, 20)


async def _read_nothing(*_arguments: Any) -> ReportRows:
    return ReportRows(())


def _report(**changes: Any) -> Report:
    values: dict[str, Any] = {
        "key": "money",
        "title": "Money",
        "explanation": "All of it.",
        "columns": (ReportColumn("Who", Unit.TEXT), ReportColumn("Net", Unit.SHILLINGS)),
        "charted": (1,),
        "read_rows": _read_nothing,
    }
    return Report(**{**values, **changes})


@pytest.mark.parametrize(
    ("unit", "value", "text"),
    [
        (Unit.TEXT, "google.com", "google.com"),
        (Unit.COUNT, 12_500, "12,500"),
        (Unit.SHILLINGS, -15_000, "KES -15,000"),
        (Unit.PERCENT, 12.5, "12.5%"),
        (Unit.PERCENT, None, "No data"),
        (Unit.SHILLINGS, "", ""),
    ],
)
def test_a_value_is_written_with_its_unit(unit: Unit, value: Any, text: str) -> None:
    assert ReportColumn("Figure", unit).format(value) == text


def test_files_name_the_unit_in_the_heading() -> None:
    headings = [ReportColumn("Net", unit).heading for unit in Unit]
    assert headings == ["Net", "Net", "Net (KES)", "Net (%)"]


@pytest.mark.parametrize(
    ("part", "whole", "share"),
    [
        (1, 8, 12.5),
        (1, 3, 33.3),
        (2, 3, 66.7),
        (1, 16, 6.3),
        (0, 4, 0.0),
        (3, 2, 150.0),
        (1, 0, None),
        (0, 0, None),
    ],
)
def test_shares_have_one_decimal_with_halves_up(part: int, whole: int, share: float | None) -> None:
    assert percent(part, whole) == share


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_a_share_is_never_further_than_half_a_tenth_from_the_quotient(part: int, whole: int) -> None:
    share = percent(part, whole)
    assert share is not None
    assert abs(share - 100 * part / whole) <= 0.05 + 1e-6 * share


def test_names_beyond_the_most_are_in_the_file_only_and_the_total_has_all() -> None:
    rows: list[Row] = [(f"source {number}", 100 - number) for number in range(MOST_ROWS + 3)]
    part = build_part(_report(), ReportRows(rows, ("Total", 5_000)), FIRST, LAST)
    assert len(part.lines) == MOST_ROWS + 1
    assert [cell.text for cell in part.lines[-1].cells] == ["Total", "KES 5,000"]
    assert part.lines[-1].is_total
    assert part.rest == "3 more rows are in the CSV file."
    assert part.file == "/admin/export/reports/money.csv?from=2026-11-01&to=2026-11-20"
    (bars,) = part.charts
    assert (len(bars.bars), bars.bars[0].share, bars.total) == (MOST_BARS, 100, "KES 5,000")


def test_bars_have_names_of_their_own_even_if_rows_begin_alike() -> None:
    columns = (ReportColumn("Source", Unit.TEXT), ReportColumn("Medium", Unit.TEXT), ReportColumn("Visits"))
    rows: list[Row] = [("google", "cpc", 7), ("google", "organic", 5), ("Direct", "", 3)]
    (bars,) = build_part(_report(columns=columns, charted=(2,)), ReportRows(rows), FIRST, LAST).charts
    assert [bar.label for bar in bars.bars] == ["google, cpc", "google, organic", "Direct"]


def test_a_report_without_rows_has_neither_chart_nor_total() -> None:
    part = build_part(_report(), ReportRows((), ("Total", 0)), FIRST, LAST)
    assert (part.lines, part.charts, part.rest) == ([], [], "")


def test_months_with_more_refunds_than_payments_have_no_bar() -> None:
    rows: list[Row] = [("October 2026", -5_000), ("November 2026", 20_000), ("December 2026", None)]
    (bars,) = build_part(_report(upright=True), ReportRows(rows), FIRST, LAST).charts
    assert [(bar.share, bar.text) for bar in bars.bars] == [
        (0, "KES -5,000"),
        (100, "KES 20,000"),
        (0, "No data"),
    ]


def test_of_many_bars_only_some_have_their_label_below_them() -> None:
    rows: list[Row] = [(f"{day} Nov", day) for day in range(1, 32)]
    (bars,) = build_part(_report(upright=True), ReportRows(rows), FIRST, LAST).charts
    assert [bar.label for bar in bars.bars if bar.is_marked] == [f"{day} Nov" for day in range(1, 32, 5)]


def test_the_table_of_many_days_opens_on_demand_and_that_of_many_names_is_open() -> None:
    rows: list[Row] = [(f"{day} Nov", day) for day in range(1, 16)]
    assert [
        build_part(_report(upright=upright), ReportRows(rows[:count]), FIRST, LAST).is_long
        for upright in (True, False)
        for count in (14, 15)
    ] == [False, True, False, False]


def test_both_screens_have_their_reports_under_keys_of_their_own() -> None:
    screens = [find_report_screen(path) for path in ("/admin/visits", "/admin/reports")]
    reports = [report for screen in screens if screen for report in screen.reports]
    assert len({report.key for report in reports}) == len(reports)
    for report in reports:
        assert find_report(report.key) is report
        assert report.columns[0].unit is Unit.TEXT
        assert all(report.columns[number].unit is not Unit.TEXT for number in report.charted)
    assert find_report("none") is None
    assert find_report_screen("/admin") is None
