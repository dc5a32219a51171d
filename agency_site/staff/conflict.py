"""Two people changed one record: the second sees what the first saved beside what was about to be saved, and chooses."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import reflex as rx

from agency_site.ui.behaviours import FocusWhen
from agency_site.ui.elements import button


@dataclass
class Difference:
    """One field that the two left different."""

    label: str
    theirs: str
    """As it is stored now."""
    mine: str
    """As the second wanted it."""


def differences(
    labels: Mapping[str, str], theirs: Mapping[str, str], mine: Mapping[str, str]
) -> list[Difference]:
    """The fields of `labels`, by their names, that differ."""
    return [
        Difference(label, theirs[name], mine[name])
        for name, label in labels.items()
        if theirs[name] != mine[name]
    ]


def conflict_panel(
    found: rx.Var[list[Difference]] | list[Difference],
    *,
    keep: Any,
    overwrite: Any,
    label: rx.Var[str] | str = "Save mine over it",
) -> rx.Component:
    """The choice; `keep` lets go of mine, `overwrite` saves mine over theirs. Nothing while there is no difference.

    `label` says what `overwrite` does where nothing of theirs is lost by it.
    """
    return rx.cond(
        found,
        rx.el.section(
            rx.el.h2("Somebody else changed this while you did", id="conflict"),
            # What was pressed may stand far below.
            FocusWhen.create(when=True, target="conflict"),
            rx.el.p("Nothing of yours is saved yet. Which of the two shall stand?"),
            rx.el.table(
                rx.el.thead(
                    rx.el.tr(
                        rx.el.th("Field", scope="col"),
                        rx.el.th("Saved by them", scope="col"),
                        rx.el.th("Typed by you", scope="col"),
                    )
                ),
                rx.el.tbody(rx.foreach(found, _row)),
                class_name="office-compare",
            ),
            rx.el.div(
                button("Keep theirs", tone="ghost", on_click=keep),
                button(label, on_click=overwrite),
                class_name="office-row",
            ),
            role="alert",
            class_name="office-card office-conflict",
        ),
        rx.fragment(),
    )


def _row(one: Difference) -> rx.Component:
    return rx.el.tr(rx.el.th(one.label, scope="row"), rx.el.td(one.theirs), rx.el.td(one.mine), key=one.label)
