"""Two people changed one record: what only one of them changed is merged; for the rest the second sees both and chooses."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import reflex as rx

from agency_site.auth.submissions import FIELD
from agency_site.backoffice.elements import button_row
from agency_site.backoffice.state import StaffState
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


@dataclass(frozen=True)
class Merge:
    """Three versions of a record's fields: as both editors found them, as the first saved them, as the second typed them."""

    before: Mapping[str, str]
    theirs: Mapping[str, str]
    mine: Mapping[str, str]

    def disputed(self, labels: Mapping[str, str]) -> list[Difference]:
        """The fields of `labels` that both changed, to different values."""
        both = {name: label for name, label in labels.items() if self._is_disputed(name)}
        return differences(both, self.theirs, self.mine)

    def with_mine(self) -> dict[str, str]:
        """Each field as the one editor left it who changed it; as the second typed it where both did."""
        return {
            name: self.theirs[name] if typed == self.before.get(name) else typed
            for name, typed in self.mine.items()
        }

    def with_theirs(self) -> dict[str, str]:
        """The same; as the first saved it where both did."""
        return {
            name: self.theirs[name] if self._is_disputed(name) else merged
            for name, merged in self.with_mine().items()
        }

    def _is_disputed(self, name: str) -> bool:
        before, theirs, mine = self.before.get(name), self.theirs[name], self.mine[name]
        return before not in {theirs, mine} and theirs != mine


def conflict_panel(
    found: rx.Var[list[Difference]] | list[Difference],
    *,
    keep: Any,
    overwrite: Any,
    author: rx.Var[str] | str = "",
) -> rx.Component:
    """The choice between two versions: `keep` discards mine, `overwrite` saves mine. Nothing without a difference.

    `author` has saved the other version; empty if that is not known.
    """
    return rx.cond(
        found,
        rx.el.section(
            rx.el.h2("Somebody else changed this while you did", id="conflict"),
            # The button that was clicked may be far below.
            FocusWhen.create(when=True, target="conflict"),
            rx.el.p(
                rx.cond(author != "", rx.fragment("Changed by ", rx.el.strong(author), ". ")),
                "Your changes are not saved yet. You both changed the fields below. Which version should we keep?",
            ),
            rx.el.table(
                rx.el.thead(
                    rx.el.tr(
                        rx.el.th("Field", scope="col"),
                        rx.el.th("Their version", scope="col"),
                        rx.el.th("Your version", scope="col"),
                    )
                ),
                rx.el.tbody(rx.foreach(found, _row)),
                class_name="office-compare",
            ),
            button_row(
                button("Keep theirs", tone="ghost", on_click=keep, custom_attrs={"data-discard": "disputed"}),
                # Under the key of the submit that met the conflict, so that its draft is done with.
                button("Keep mine", on_click=overwrite({FIELD: StaffState.answer.get("key", "")})),
            ),
            role="alert",
            class_name="office-card office-conflict",
        ),
    )


def _row(one: Difference) -> rx.Component:
    return rx.el.tr(rx.el.th(one.label, scope="row"), rx.el.td(one.theirs), rx.el.td(one.mine), key=one.label)
