"""A strip that moves by itself and can be stopped: the home page's testimonials and client marks."""

from collections.abc import Sequence

import reflex as rx


def strip(items: Sequence[rx.Component], copies: Sequence[rx.Component], class_name: str) -> rx.Component:
    """The moving row: the items, then their copies without alternative text, which close the loop."""
    return rx.el.div(
        rx.el.div(
            rx.el.ul(*items, class_name="strip-run"),
            rx.el.ul(*copies, class_name="strip-run strip-copy", aria_hidden="true"),
            class_name="strip-track",
        ),
        class_name=f"strip {class_name}",
    )
