"""Synchronises the address bar and the page; wraps `address_bar.jsx`."""

import reflex as rx

from agency_site.ui.server_html import Enhanced

_LIBRARY = "$/agency_site/ui/address_bar.jsx"


class _AddressBehaviour(Enhanced):
    library = _LIBRARY


class KeepScrollPosition(_AddressBehaviour):
    """Keeps the scroll position while only the query changes."""

    tag = "KeepScrollPosition"


class QueryInput(_AddressBehaviour):
    """A search box that shows the value of the query parameter `name`."""

    tag = "QueryInput"
    name: rx.Var[str]
    type: rx.Var[str]
    placeholder: rx.Var[str]
    max_length: rx.Var[int]
    auto_complete: rx.Var[str]
    on_change: rx.EventHandler[rx.event.input_event]  # type: ignore[type-arg, valid-type]

    def without_scripts(self) -> rx.Component:
        """Return an input, which `render_html` fills with the search text."""
        return rx.el.input(
            id=self.id,
            name=self.name,
            type=self.type,
            placeholder=self.placeholder,
            max_length=self.max_length,
            auto_complete=self.auto_complete,
            class_name=self.class_name,
        )
