"""What the pages of records share: the head, the facts, what happened, and the page without a record."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import reflex as rx

from agency_site.auth.rules import Right
from agency_site.backoffice.drafts import keep_draft
from agency_site.backoffice.lists.definition import when
from agency_site.backoffice.state import may
from agency_site.ui.elements import Text, button, link_button
from agency_site.ui.forms import text_area


@dataclass
class HistoryLine:
    """One entry of a record's history."""

    what: str
    words: str
    """What was said with it; empty: nothing."""
    at: str
    who: str
    noted: bool = False
    """The words matter more than the step: a note, an answer."""


def history_line(line: Any, names: Mapping[Any, str], *, visitor: str, noted: bool = False) -> HistoryLine:
    """An entry of a slice's history, which has `what`, `note`, `at` and `actor`; `visitor` is its name for visitors."""
    who = "the visitor" if line.actor == visitor else line.actor
    return HistoryLine(names[line.what], line.note, when(line.at), who, noted)


def reference_asked(state: rx.State) -> str:
    """The reference in the page's address, as people may have typed it."""
    return str(state.router.url.query_parameters.get("ref", "")).strip().upper()[:20]


def record_head(
    reference: Text, standing: Text, tone: Any, title: Text, below: Text, *actions: rx.Component, label: str
) -> rx.Component:
    """Which record it is, how it stands, and what can be done with it."""
    return rx.el.section(
        rx.el.div(
            rx.el.p(
                rx.el.strong(reference),
                rx.el.span(standing, class_name="office-tone office-tone-" + tone),
                class_name="record-reference",
            ),
            rx.el.h2(title),
            rx.el.p(below, class_name="record-below"),
        ),
        rx.el.div(*actions, class_name="office-row"),
        aria_label=label,
        class_name="office-card record-head",
    )


def fact(label: str, value: Any, *, shown: Any = True) -> rx.Component:
    """One line of a list of facts."""
    return rx.cond(shown, rx.fragment(rx.el.dt(label), rx.el.dd(value)), rx.fragment())


def history_card(lines: Any, heading: str = "History") -> rx.Component:
    """What happened to the record, the newest first."""
    return rx.el.section(
        rx.el.h2(heading),
        rx.el.ol(
            rx.foreach(lines, lambda line, index: _line(line, lines.length() - index)),
            class_name="office-log record-history",
        ),
        class_name="office-card",
    )


def _line(line: HistoryLine, age: rx.Var[int]) -> rx.Component:
    return rx.el.li(
        rx.el.strong(line.what),
        rx.cond(line.words != "", rx.el.p(line.words, class_name="office-said-text"), rx.fragment()),
        rx.el.small(line.at, ", ", line.who),
        key=age.to_string(),
        class_name=rx.cond(line.noted, "record-noted", ""),
    )


def note_card(
    form: str, record: rx.Var[str], error: Text, *, longest: int, right: Right, keep: Any
) -> rx.Component:
    """Where whoever has the `right` adds a note of at most `longest` characters to the `record`."""
    return rx.cond(
        may(right),
        rx.el.section(
            rx.el.h2("Add a note"),
            rx.el.form(
                text_area("For staff only", "note", form=form, error=error, rows="3", max_length=longest),
                button("Keep the note", type="submit", tone="ink", class_name="button-small"),
                keep_draft(form, record),
                id=form,
                on_submit=keep,
                custom_attrs={"noValidate": True},
                class_name="record-form",
            ),
            class_name="office-card",
        ),
        rx.fragment(),
    )


def nothing_chosen(words: str, label: str, href: str) -> rx.Component:
    """What stands there when the address names no record."""
    return rx.el.div(rx.el.p(words), link_button(label, href, "ink"), class_name="office-card record-nothing")
