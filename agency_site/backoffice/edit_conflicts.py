"""Conflicts between two edits of one record: fields that one editor changed are merged; for the others the second chooses."""

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
    """A field with two different values."""

    label: str
    theirs: str
    """The stored value."""
    own: str
    """The value that the second editor entered."""


def differences(
    labels: Mapping[str, str], theirs: Mapping[str, str], own: Mapping[str, str]
) -> list[Difference]:
    """Return the fields of `labels` that differ."""
    return [
        Difference(label, theirs[name], own[name])
        for name, label in labels.items()
        if theirs[name] != own[name]
    ]


@dataclass(frozen=True)
class Merge:
    """Three versions of a record's fields: as both editors read them, as the first saved them, as the second entered them."""

    before: Mapping[str, str]
    theirs: Mapping[str, str]
    own: Mapping[str, str]

    def disputed(self, labels: Mapping[str, str]) -> list[Difference]:
        """Return the fields of `labels` that both changed, to different values."""
        disputed_labels = {name: label for name, label in labels.items() if self._is_disputed(name)}
        return differences(disputed_labels, self.theirs, self.own)

    def with_own(self) -> dict[str, str]:
        """Merge both edits; where both changed a field, keep the second editor's value."""
        return {
            name: self.theirs[name] if value == self.before.get(name) else value
            for name, value in self.own.items()
        }

    def with_theirs(self) -> dict[str, str]:
        """Merge both edits; where both changed a field, keep the first editor's value."""
        return {
            name: self.theirs[name] if self._is_disputed(name) else merged
            for name, merged in self.with_own().items()
        }

    def _is_disputed(self, name: str) -> bool:
        before, theirs, own = self.before.get(name), self.theirs[name], self.own[name]
        return before not in {theirs, own} and theirs != own


def conflict_panel(
    conflicts: rx.Var[list[Difference]] | list[Difference],
    *,
    keep: Any,
    overwrite: Any,
    author: rx.Var[str] | str = "",
) -> rx.Component:
    """The choice between two versions: `keep` discards the second editor's, `overwrite` saves it. Empty without a conflict.

    `author` saved the first version; empty if unknown.
    """
    return rx.cond(
        conflicts,
        rx.el.section(
            rx.el.h2("Another person changed this record", id="conflict"),
            # The button that was clicked may be far below.
            FocusWhen.create(when=True, target="conflict"),
            rx.el.p(
                rx.cond(author != "", rx.fragment("Changed by ", rx.el.strong(author), ". ")),
                "Your changes are not saved yet. You both changed the fields below. Which version do you want to keep?",
            ),
            rx.el.table(
                rx.el.thead(
                    rx.el.tr(
                        rx.el.th("Field", scope="col"),
                        rx.el.th("Their version", scope="col"),
                        rx.el.th("Your version", scope="col"),
                    )
                ),
                rx.el.tbody(rx.foreach(conflicts, _difference_row)),
                class_name="office-compare",
            ),
            button_row(
                button("Keep theirs", tone="ghost", on_click=keep, custom_attrs={"data-discard": "disputed"}),
                # The key of the submit that met the conflict, so that its draft is deleted.
                button("Keep mine", on_click=overwrite({FIELD: StaffState.answer.get("key", "")})),
            ),
            role="alert",
            class_name="office-card office-conflict",
        ),
    )


def _difference_row(difference: Difference) -> rx.Component:
    return rx.el.tr(
        rx.el.th(difference.label, scope="row"),
        rx.el.td(difference.theirs),
        rx.el.td(difference.own),
        key=difference.label,
    )
