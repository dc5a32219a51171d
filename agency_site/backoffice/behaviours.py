"""Behaviours of the back office that need JavaScript, which is in `behaviours.jsx`."""

from typing import Any

import reflex as rx

from agency_site.backoffice.state import StaffState
from agency_site.web.reflex_internals.components import BaseHTML
from agency_site.web.reflex_internals.states import compiled_defaults, compiled_json

_LIBRARY = "$/agency_site/backoffice/behaviours.jsx"


class Leave(rx.Component):
    """Leaves the page for `to`, with a full load, as soon as that is not empty."""

    library = _LIBRARY
    tag = "Leave"
    to: rx.Var[str]


class RouteFocus(rx.Component):
    """Scrolls to the top after a change of path and focuses the heading of the new screen."""

    library = _LIBRARY
    tag = "RouteFocus"


class PageTitle(rx.Component):
    """Sets the title of the page: `title`, with the record that the page shows in front."""

    library = _LIBRARY
    tag = "PageTitle"
    subject: rx.Var[str]
    title: rx.Var[str]


class PostedForm(BaseHTML):  # type: ignore[misc]  # Reflex types its elements for itself only.
    """A form that the browser itself posts, for plain HTTP routes; Reflex's own form stays on the page."""

    tag = "form"
    action: rx.Var[str]
    method: rx.Var[str]
    enc_type: rx.Var[str]


class Print(rx.Component):
    """A button that prints the page."""

    library = _LIBRARY
    tag = "Print"
    label: rx.Var[str]


class SelectAll(rx.Component):
    """A box that ticks all boxes of its form whose names begin with `prefix`, and the count of those that are ticked."""

    library = _LIBRARY
    tag = "SelectAll"
    prefix: rx.Var[str]
    rows: rx.Var[int]
    """The number of boxes."""
    changes: rx.Var[list[Any]]
    """The boxes are counted again when this value changes: rows were added, or removed with their ticks."""
    texts: rx.Var[dict[str, str]] = rx.Var.create(
        {"all": "Select all on this page", "count": "{ticked} of {rows} selected"}
    )


class FocusShortcut(rx.Component):
    """Moves the focus to a text field on Ctrl-K or Cmd-K."""

    library = _LIBRARY
    tag = "FocusShortcut"
    target: rx.Var[str]
    """The id of the field."""


class InSight(rx.Component):
    """Scrolls the element around it into view when the page opens."""

    library = _LIBRARY
    tag = "InSight"


class WhatsAppLink(rx.Component):
    """A link that opens WhatsApp with the text that is in a field at the moment of the click."""

    library = _LIBRARY
    tag = "WhatsAppLink"
    number: rx.Var[str]
    """The digits of the number with its country code."""
    field: rx.Var[str]
    """The id of the field."""
    text: rx.Var[str]
    """The field's first text."""
    values: rx.Var[dict[str, str]]
    """The value of each placeholder of the text."""


class OfficeStates(rx.Component):
    """Adds the compiled defaults of all back-office states, which the shared scripts leave out."""

    library = _LIBRARY
    tag = "OfficeStates"

    def add_imports(self) -> dict[str, Any]:
        return {_LIBRARY: [rx.ImportVar(tag="knowStates")]}

    def add_custom_code(self) -> list[str]:
        """Register the defaults as the page's module loads, before React draws."""
        return [f"knowStates({compiled_json(compiled_defaults(StaffState))});"]
