"""Elements shared by the screens of the back office."""

from typing import Any

import reflex as rx

from agency_site.ui.elements import Text, button


def card(heading: Text, *body: Any, identity: str = "", **props: Any) -> rx.Component:
    """A part of a page with a heading; `identity` is the id of the heading, which then labels the part."""
    if identity:
        props["aria_labelledby"] = identity
    title = rx.el.h2(heading, id=identity) if identity else rx.el.h2(heading)
    return rx.el.section(title, *body, class_name="office-card", **props)


def unvalidated_form(*children: Any, **props: Any) -> rx.Component:
    """A form that only the server validates."""
    return rx.el.form(*children, custom_attrs={"noValidate": True}, **props)


def small_button(*label: Any, **props: Any) -> rx.Component:
    """A button within a page; those of forms and dialogs are larger."""
    return button(*label, class_name="button-small", **props)


def small_note(*text: Any, **props: Any) -> rx.Component:
    """A note in small type."""
    return rx.el.p(*text, class_name="office-note", **props)


def button_row(*controls: Any, **props: Any) -> rx.Component:
    """Buttons and links side by side."""
    return rx.el.div(*controls, class_name="office-row", **props)


def spread(*children: Any) -> rx.Component:
    """A heading on the left, related content on the right."""
    return rx.el.div(*children, class_name="office-spread")


def columns(*children: Any) -> rx.Component:
    """Two columns, one below the other on narrow screens."""
    return rx.el.div(*children, class_name="office-columns")


def field_pair(*fields: Any) -> rx.Component:
    """Two fields side by side."""
    return rx.el.div(*fields, class_name="office-pair")


def fact_list(*facts: Any) -> rx.Component:
    """A list of labels and values, made by `fact`."""
    return rx.el.dl(*facts, class_name="office-facts")


def fact(label: str, value: Any, *, is_shown: Any = True) -> rx.Component:
    """A line of a list of facts."""
    return rx.cond(is_shown, rx.fragment(rx.el.dt(label), rx.el.dd(value)))
