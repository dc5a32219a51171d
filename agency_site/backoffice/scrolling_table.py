"""Small tables of the back office: they scroll sideways in their own region, and become cards on a phone."""

from typing import Any

import reflex as rx

CellContent = rx.Component | rx.Var[str] | rx.Var[int] | str | int


def scrolling_table(title: str, heads: tuple[str, ...], *rows: rx.Component, kind: str = "") -> rx.Component:
    """A table named `title`; `kind` is a further class."""
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


def labelled_cell(label: str, value: CellContent) -> rx.Component:
    """A cell that shows its column's label when the table is shown as cards."""
    return rx.el.td(rx.el.span(label, class_name="office-label", aria_hidden="true"), value)


def row_button(label: str, on_click: Any, *about: CellContent) -> rx.Component:
    """A small button in a row; screen readers read `about` after the label, which names the row."""
    return rx.el.button(
        label,
        rx.el.span(" ", *about, class_name="sr-only"),
        type="button",
        on_click=on_click,
        class_name="office-quiet",
    )
