"""The screens of reports."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.charts import chart_figure
from agency_site.backoffice.elements import small_note, spread
from agency_site.backoffice.periods import period_form
from agency_site.backoffice.reports.definition import Report, ReportScreen, register_reports
from agency_site.backoffice.reports.state import ReportCell, ReportLine, ReportPart, ReportsState
from agency_site.backoffice.screens import Screen
from agency_site.backoffice.state import has_permission
from agency_site.ui.icon import icon
from agency_site.web.reflex_internals.components import PlainAnchor


def reports_screen(path: str, title: str, icon_name: str, *reports: Report, days: int) -> Screen:
    """A screen with these reports; it first shows the last `days`."""
    register_reports(ReportScreen(path, reports, days))
    return Screen(
        path=path,
        title=title,
        permission=Permission.SEE_REPORTS,
        body=_reports_page,
        on_load=(ReportsState.open_reports,),
        icon=icon_name,
    )


def _reports_page() -> rx.Component:
    return rx.fragment(
        period_form(ReportsState.short_cuts, ReportsState.first, ReportsState.last, ReportsState.choose),
        small_note(rx.el.strong(ReportsState.title), ", days in Nairobi"),
        rx.foreach(ReportsState.parts, _report_card),
    )


def _report_card(part: ReportPart) -> rx.Component:
    return rx.el.section(
        spread(
            rx.el.h2(part.title),
            rx.cond(
                has_permission(Permission.EXPORT),
                PlainAnchor.create(
                    icon("download", size=18),
                    "Export as CSV",
                    rx.el.span(": ", part.title, class_name="sr-only"),
                    href=part.file,
                    download=True,
                    class_name="office-quiet",
                ),
            ),
        ),
        small_note(part.explanation),
        rx.cond(part.lines, _report_content(part), small_note("No records in this period.")),
        class_name="office-card office-report",
        key=part.title,
    )


def _report_content(part: ReportPart) -> rx.Component:
    return rx.fragment(
        rx.el.div(rx.foreach(part.charts, chart_figure), class_name="office-charts"),
        rx.cond(
            part.is_long | (part.charts.length() > 0),
            rx.el.details(rx.el.summary("View as table"), _table(part), class_name="office-behind"),
            _table(part),
        ),
        rx.cond(part.rest != "", small_note(part.rest)),
    )


def _table(part: ReportPart) -> rx.Component:
    return rx.el.div(
        rx.el.table(
            rx.el.caption(part.title, class_name="sr-only"),
            rx.el.thead(rx.el.tr(rx.foreach(part.heads, lambda head: rx.el.th(head, scope="col", key=head)))),
            rx.el.tbody(rx.foreach(part.lines, _table_row)),
            class_name="office-table",
        ),
        tab_index=0,
        role="region",
        aria_label=part.title,
        class_name="office-scroll",
    )


def _table_row(line: ReportLine) -> rx.Component:
    cell = rx.cond(line.is_total, rx.foreach(line.cells, _total_cell), rx.foreach(line.cells, _cell))
    return rx.el.tr(cell, key=line.key)


def _cell(cell: ReportCell) -> rx.Component:
    return rx.el.td(_cell_label(cell), cell.text, class_name=_cell_class(cell), key=cell.label)


def _total_cell(cell: ReportCell) -> rx.Component:
    content = rx.el.strong(cell.text)
    return rx.el.td(_cell_label(cell), content, class_name=_cell_class(cell), key=cell.label)


def _cell_class(cell: ReportCell) -> Any:
    return rx.cond(cell.text == "", "office-blank", "")


def _cell_label(cell: ReportCell) -> rx.Component:
    return rx.el.span(cell.label, class_name="office-label", aria_hidden="true")
