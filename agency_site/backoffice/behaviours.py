"""What only a browser can do for the back office; the JavaScript is in `behaviours.jsx`."""

from typing import Any

import reflex as rx
from reflex.components.component import Component
from reflex.state import BaseState
from reflex.utils import format as reflex_format
from reflex_base.utils.imports import ImportVar
from reflex_components_core.el.elements.base import BaseHTML

from agency_site.backoffice.state import StaffState

_LIBRARY = "$/agency_site/backoffice/behaviours.jsx"


class Leave(Component):
    """Leaves the page for `to`, with a full load, as soon as that is not empty."""

    library = _LIBRARY
    tag = "Leave"
    to: rx.Var[str]


class PostedForm(BaseHTML):  # type: ignore[misc]  # Reflex types its elements for itself only.
    """A form that the browser itself posts, for plain HTTP routes: Reflex's own stays on the page."""

    tag = "form"
    action: rx.Var[str]
    method: rx.Var[str]
    enc_type: rx.Var[str]


class Print(Component):
    """A button that prints the page."""

    library = _LIBRARY
    tag = "Print"
    label: rx.Var[str]


class SelectAll(Component):
    """A box that ticks all boxes of its form whose names begin with `prefix`, and the count of those that are ticked."""

    library = _LIBRARY
    tag = "SelectAll"
    prefix: rx.Var[str]
    rows: rx.Var[int]
    """How many boxes there are."""
    changes: rx.Var[list[Any]]
    """Counts again whenever this is another: rows came, or went with their ticks."""


class FocusShortcut(Component):
    """Ctrl-K or Cmd-K leads to a text field."""

    library = _LIBRARY
    tag = "FocusShortcut"
    target: rx.Var[str]
    """Its id."""


class InSight(Component):
    """Brings the element around it into sight when the page opens."""

    library = _LIBRARY
    tag = "InSight"


class OfficeStates(Component):
    """Brings the compiled defaults of all back-office states, which the shared scripts leave out."""

    library = _LIBRARY
    tag = "OfficeStates"

    def add_imports(self) -> dict[str, Any]:
        """The function that takes them."""
        return {_LIBRARY: [ImportVar(tag="knowStates")]}

    def add_custom_code(self) -> list[str]:
        """Runs as the page's module loads, before React draws."""
        return [f"knowStates({reflex_format.json_dumps(defaults())});"]


def defaults() -> dict[str, Any]:
    """Every back-office state's variables as they are when nobody is signed in, by its full name."""
    found: dict[str, Any] = {}

    def collect(state: BaseState) -> None:
        found.update(BaseState.dict(state, initial=True))
        for child in state.substates.values():
            collect(child)

    collect(rx.State(_reflex_internal_init=True).substates[StaffState.get_name()])  # type: ignore[call-arg]
    return {name: found[name] for name in sorted(found)}
