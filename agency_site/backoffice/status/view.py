"""The status screen."""

from typing import Any

import reflex as rx

from agency_site.auth.rules import Permission
from agency_site.backoffice.elements import card
from agency_site.backoffice.screens import COUNT_MS, Screen
from agency_site.backoffice.scrolling_table import labelled_cell, scrolling_table
from agency_site.backoffice.status.state import (
    DescribeSubject,
    Line,
    ProcessLine,
    StatusPage,
    add_subjects,
)
from agency_site.ui.behaviours import Interval


def _status_page() -> rx.Component:
    return rx.fragment(
        Interval.create(every=COUNT_MS, active=True, on_tick=StatusPage.refresh),
        _status_card("Overview", ("Subject", "State", "Verdict"), StatusPage.subjects, _subject_row),
        _status_card("Background jobs", ("Job", "Last success", "Verdict"), StatusPage.jobs, _job_row),
        _status_card(
            "Server processes",
            ("Server", "Build", "Started", "Last report", "Verdict"),
            StatusPage.processes,
            _process_row,
        ),
    )


def _status_card(title: str, heads: tuple[str, ...], rows: Any, row: Any) -> rx.Component:
    return card(title, scrolling_table(title, heads, rx.foreach(rows, row)))


def _subject_row(line: Line) -> rx.Component:
    return _verdict_row(line, "Subject", "State")


def _job_row(line: Line) -> rx.Component:
    return _verdict_row(line, "Job", "Last success")


def _verdict_row(line: Line, subject: str, text: str) -> rx.Component:
    return rx.el.tr(
        labelled_cell(subject, rx.el.strong(line.subject)),
        labelled_cell(text, line.text),
        labelled_cell("Verdict", _toned(line.verdict, line.tone)),
        key=line.subject,
    )


def _process_row(process: ProcessLine) -> rx.Component:
    verdict = rx.cond(process.is_silent, _toned("Silent", "quiet"), _toned("Running", "good"))
    return rx.el.tr(
        labelled_cell("Server", rx.el.strong(process.where)),
        labelled_cell("Build", _toned(process.build, "whole")),
        labelled_cell("Started", process.started),
        labelled_cell("Last report", process.seen),
        labelled_cell("Verdict", verdict),
        key=process.key,
    )


def _toned(text: Any, tone: Any) -> rx.Component:
    return rx.el.span(text, class_name="office-tone office-tone-" + tone)


def status_screen(*subjects: DescribeSubject) -> Screen:
    """The status screen, with the `subjects` of features."""
    add_subjects(*subjects)
    return Screen(
        path="/admin/status",
        title="Status",
        permission=Permission.SEE_AUDIT,
        body=_status_page,
        on_load=(StatusPage.open_status,),
        icon="level",
    )
