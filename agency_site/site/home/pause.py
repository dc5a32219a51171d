"""The control that pauses what moves by itself: a checkbox, which CSS can follow without scripts."""

import reflex as rx

from agency_site.ui.elements import button_class
from agency_site.ui.icon import icon


def pause_control(what: str = "", class_name: str = "", **props: object) -> rx.Component:
    """A checkbox that looks like a button; `what` completes "Pause …" for screen readers, `props` are the checkbox's."""
    return rx.el.label(
        rx.el.input(type="checkbox", **props),
        _label("pause", "Pause", what),
        _label("play", "Play", what),
        class_name=button_class("ghost", "button-small pause", class_name),
    )


def _label(shape: str, word: str, what: str) -> rx.Component:
    more = rx.el.span(f" {what}", class_name="sr-only") if what else rx.fragment()
    return rx.el.span(icon(shape, size=18), rx.el.span(word, more))
