"""A strip that moves by itself and can be stopped: the home page's testimonials and client marks."""

from collections.abc import Sequence
from typing import Any

import reflex as rx

from agency_site.ui.elements import button
from agency_site.ui.icon import icon


class Strips(rx.State):
    """State of the strips: true while a strip moves."""

    quotes: rx.Field[bool] = rx.field(True)
    logos: rx.Field[bool] = rx.field(True)

    @rx.event
    def toggle_quotes(self) -> None:
        """Pause or resume the testimonials."""
        self.quotes = not self.quotes

    @rx.event
    def toggle_logos(self) -> None:
        """Pause or resume the client marks."""
        self.logos = not self.logos


def strip(
    items: Sequence[rx.Component], copies: Sequence[rx.Component], playing: rx.Var[bool], class_name: str
) -> rx.Component:
    """The moving row: the items, then their copies without alternative text, which close the loop."""
    return rx.el.div(
        rx.el.div(
            rx.el.ul(*items, class_name="strip-run"),
            rx.el.ul(*copies, class_name="strip-run strip-copy", aria_hidden="true"),
            class_name="strip-track",
        ),
        class_name=f"strip {class_name}",
        custom_attrs={"data-playing": rx.cond(playing, "true", "false")},
    )


def pause_button(playing: rx.Var[bool], what: str, on_click: Any) -> rx.Component:
    """A button that pauses and resumes a strip; `what` completes "Pause …" for screen readers."""
    return button(
        rx.cond(playing, icon("pause", size=18), icon("play", size=18)),
        rx.el.span(
            rx.cond(playing, "Pause", "Play"),
            rx.el.span(f" {what}", class_name="sr-only"),
        ),
        on_click=on_click,
        tone="ghost",
        class_name="button-small strip-pause",
    )
