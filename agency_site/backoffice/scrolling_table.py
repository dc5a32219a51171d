"""Small tables of the back office: they scroll sideways in a region of their own, and become cards on a phone."""

from typing import Any

import reflex as rx

Shown = rx.Component | rx.Var[str] | rx.Var[int] | str | int


def scrolling_table(title: str, heads: tuple[str, ...], *rows: rx.Component, kind: str = "") -> rx.Component:
    """A table named `title`; `kind` is another class of it."""
    return rx.el.div(
        rx.el.table(
            rx.el.caption(title, class_name="sr-only"),
            rx.el.thead(rx.el.tr(*(rx.el.th(head, scope="col") for head in heads))),
            rx.el.tbody(*rows),
            class_name=f"office-table {kind}".strip(),
        ),
        tab_index=0,
        role="region",
        aria_label=title,
        class_name="office-scroll",
    )


def labelled_cell(label: str, value: Shown) -> rx.Component:
    """A cell that names its column where the table is shown as cards."""
    return rx.el.td(rx.el.span(label, class_name="office-label", aria_hidden="true"), value)


def row_button(label: str, on_click: Any, *about: Shown) -> rx.Component:
    """A small button in a row; `about` names the row to screen readers, after the label."""
    return rx.el.button(
        label,
        rx.el.span(" ", *about, class_name="sr-only"),
        type="button",
        on_click=on_click,
        class_name="office-quiet",
    )
