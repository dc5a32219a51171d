"""The status screen."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.screens import COUNT_MS, Screen
from agency_site.backoffice.scrolling_table import labelled_cell, scrolling_table
from agency_site.backoffice.status.state import Line, ProcessLine, StatusPage
from agency_site.ui.behaviours import Interval


def _page() -> rx.Component:
    return rx.fragment(
        Interval.create(every=COUNT_MS, active=True, on_tick=StatusPage.refresh),
        _table("Overview", ("Subject", "State", "Verdict"), StatusPage.subjects, _line),
        _table("Background jobs", ("Job", "Last success", "Verdict"), StatusPage.jobs, _line),
        _table(
            "Server processes",
            ("Server", "Build", "Started", "Last report", "Verdict"),
            StatusPage.processes,
            _process,
        ),
    )


def _table(title: str, heads: tuple[str, ...], rows: Any, row: Any) -> rx.Component:
    return rx.el.section(
        rx.el.h2(title),
        scrolling_table(title, heads, rx.foreach(rows, lambda one: row(one, heads))),
        class_name="office-card",
    )


def _line(line: Line, heads: tuple[str, ...]) -> rx.Component:
    return _row(heads, line.subject, rx.el.strong(line.subject), line.text, _tone(line.verdict, line.tone))


def _process(process: ProcessLine, heads: tuple[str, ...]) -> rx.Component:
    return _row(
        heads,
        process.key,
        rx.el.strong(process.where),
        _tone(process.version, "whole"),
        process.started,
        process.seen,
        rx.cond(process.is_silent, _tone("Silent", "quiet"), _tone("Running", "good")),
    )


def _row(heads: tuple[str, ...], key: Any, *cells: Any) -> rx.Component:
    labelled = (labelled_cell(head, cell) for head, cell in zip(heads, cells, strict=True))
    return rx.el.tr(*labelled, key=key)


def _tone(text: Any, tone: Any) -> rx.Component:
    return rx.el.span(text, class_name="office-tone office-tone-" + tone)


SCREENS = (
    Screen(
        path="/admin/status",
        title="Status",
        permission=Permission.SEE_AUDIT,
        body=_page,
        on_load=(StatusPage.open_status,),
        icon="level",
    ),
)
