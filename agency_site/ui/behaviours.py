"""Browser behaviour wrapped for Python: timers, modal dialogs, focus after navigation, tabs.

The JavaScript is in `behaviours.jsx` beside this file.
"""

from typing import Any, Self

import reflex as rx

from agency_site.ui.server_html import Enhanced
from agency_site.web.reflex_internals.components import value_of

_LIBRARY = "$/agency_site/ui/behaviours.jsx"


class _Behaviour(Enhanced):
    library = _LIBRARY


class Interval(_Behaviour):
    """Fires `on_tick` every `every` ms while `active` and the tab is visible. Ticks without a connection are dropped."""

    tag = "Interval"
    every: rx.Var[int]
    active: rx.Var[bool]
    on_tick: rx.EventHandler[rx.event.no_args_event_spec]  # type: ignore[type-arg, valid-type]

    @classmethod
    def create(cls, *children: Any, on_tick: Any, **props: Any) -> Self:
        """Create the component; `on_tick` is a handler."""
        return super().create(*children, on_tick=on_tick.temporal, **props)


class ModalDialog(_Behaviour):
    """A native modal dialog that follows `open`; Esc fires `on_dismiss`; focus returns to the opener."""

    tag = "ModalDialog"
    open: rx.Var[bool]
    on_dismiss: rx.EventHandler[rx.event.no_args_event_spec]  # type: ignore[type-arg, valid-type]

    def without_scripts(self) -> rx.Component:
        """Return nothing: without scripts a page of its own takes the place of a dialog."""
        return rx.fragment()


class TabList(_Behaviour):
    """The row around `role="tab"` buttons or links."""

    tag = "TabList"
    keeps_children = True

    def without_scripts(self) -> rx.Component:
        """Return the row without its behaviour; links in it work by themselves."""
        return rx.el.div(
            *self.children, role="tablist", class_name=self.class_name, custom_attrs=self.custom_attrs
        )


class FocusWhen(_Behaviour):
    """Moves focus to the element with the id `target` each time `when` changes to a true value."""

    tag = "FocusWhen"
    when: rx.Var[bool | int | str]
    target: rx.Var[str]


class ResetAfter(_Behaviour):
    """Empties the form with the id `target` when `when` changes after a submit made on this page."""

    tag = "ResetAfter"
    when: rx.Var[int]
    target: rx.Var[str]


class HydrationMarker(_Behaviour):
    """Marks the page as hydrated, and as connected while its socket is open (`web/build/hydration.js`)."""

    tag = "HydrationMarker"
    ready: rx.Var[bool]
    """True once the `on_load` events of the page have been handled."""


def _values_spec(values: rx.Var[dict[str, str]]) -> tuple[rx.Var[dict[str, str]]]:
    """Pass on the values by field name."""
    return (values,)


class WhenConnected(_Behaviour):
    """Fires `on_connect` with fields of a form each time that a connection has begun: the state behind it may be a new one.

    What a visitor types leaves the browser with a submit only, so `names` are fields that decide what the page shows.
    """

    tag = "WhenConnected"
    ready: rx.Var[bool]
    form: rx.Var[str]
    """Id of the form."""
    names: rx.Var[list[str]]
    on_connect: rx.EventHandler[_values_spec]  # type: ignore[type-arg, valid-type]

    @classmethod
    def create(cls, **props: Any) -> Self:
        """Create the component; `on_connect` is a handler."""
        return super().create(ready=rx.State.is_hydrated, **props)


class MailSuggestion(_Behaviour):
    """An empty line for a question about the address in a field; `site/layout/mail_suggestions.js` fills it."""

    tag = "MailSuggestion"
    field: rx.Var[str]
    """The id of the field."""

    def without_scripts(self) -> rx.Component:
        """Return the empty line."""
        identifier = f"{value_of(self.field)}-suggestion"
        return rx.el.p(custom_attrs={"id": identifier}, class_name="field-suggestion", aria_live="polite")


class WhileUnreachable(Enhanced):
    """Shows its children while the socket is lost and the server cannot be reached by HTTP either."""

    library = "$/agency_site/ui/reachability.jsx"
    tag = "WhileUnreachable"
    lost: rx.Var[bool]
