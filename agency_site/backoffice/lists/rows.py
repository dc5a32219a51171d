"""The rows of a list with their checkboxes, and the actions for selected rows."""

import reflex as rx

from agency_site.backoffice.behaviours import SelectAll
from agency_site.backoffice.dialogs import form_dialog
from agency_site.backoffice.elements import small_button
from agency_site.backoffice.lists.definition import COUNTED, MORE, ListDefinition
from agency_site.backoffice.lists.state import PICK, Field, Heading, Line, ListState
from agency_site.backoffice.state import has_permission
from agency_site.ui.elements import breakable_address
from agency_site.ui.forms import field
from agency_site.ui.icon import icon

LONGEST_REASON = 500


def list_table(definition: ListDefinition) -> rx.Component:
    """The table, inside a form if the reader may run actions; or a text if there are no rows."""
    picks = _may_act(definition)
    rows = rx.el.div(
        rx.el.table(
            rx.el.caption(definition.title, class_name="sr-only"),
            rx.el.thead(
                rx.el.tr(
                    rx.cond(
                        picks,
                        rx.el.th(
                            rx.el.span("Select", class_name="sr-only"), scope="col", class_name="office-pick"
                        ),
                    ),
                    rx.foreach(ListState.headings, _heading),
                )
            ),
            rx.el.tbody(rx.foreach(ListState.lines, lambda line: _table_row(line, picks=picks))),
            class_name="office-table office-list",
        ),
        tab_index=0,
        role="region",
        aria_label=definition.title,
        class_name="office-scroll",
    )
    empty_text = rx.el.p(
        rx.cond(
            ListState.narrowed > 0, "No results. Try other words or clear the filters.", definition.empty
        ),
        class_name="office-empty",
    )
    table_or_form = rx.cond(picks, _bulk_form(definition, rows), rows) if definition.actions else rows
    return rx.cond(ListState.lines, rx.fragment(_total_count(), table_or_form), empty_text)


def _total_count() -> rx.Component:
    return rx.el.p(
        rx.match(
            ListState.total,
            (1, "1 total"),
            (COUNTED + 1, f"{MORE} total. Pages show {COUNTED:,}; search or filter to see others"),
            ListState.total.to(int).to_string() + " total",
        ),
        role="status",
        class_name="office-total",
    )


def _may_act(definition: ListDefinition) -> rx.Var[bool]:
    """Return whether the reader may run any of the list's actions."""
    permitted: rx.Var[bool] = rx.Var.create(False)
    for action in definition.actions:
        permitted = permitted | has_permission(action.permission)
    return permitted


def _heading(heading: Heading) -> rx.Component:
    arrow = rx.match(
        heading.direction,
        ("ascending", icon("arrow-up", size=14)),
        ("descending", icon("arrow-up", size=14, class_name="office-down")),
        rx.fragment(),
    )
    label = rx.cond(
        heading.sort != "",
        rx.el.button(heading.label, arrow, type="button", on_click=ListState.sort(heading.sort)),
        rx.el.span(heading.label),
    )
    return rx.el.th(label, scope="col", aria_sort=heading.direction, key=heading.key)


def _table_row(line: Line, *, picks: rx.Var[bool]) -> rx.Component:
    tick = rx.el.input(type="checkbox", name=PICK + line.reference, aria_label="Select " + line.reference)
    # The label enlarges the touch target: the box alone is half as wide.
    box = rx.el.td(rx.el.label(tick), class_name="office-pick")
    return rx.el.tr(
        rx.cond(picks, box),
        rx.foreach(line.fields, _row_cell),
        key=line.reference,
    )


def _row_cell(field: Field) -> rx.Component:
    text = rx.cond(
        field.tone != "",
        rx.el.span(field.text, class_name="office-tone office-tone-" + field.tone),
        breakable_address(field.text),
    )
    return rx.el.td(
        rx.el.span(field.label, class_name="office-label", aria_hidden="true"),
        rx.cond(
            field.picture != "",
            rx.el.img(src=field.picture, alt="", loading="lazy", class_name="office-thumbnail"),
        ),
        rx.cond(field.href != "", rx.el.a(text, href=field.href), text),
        key=field.label,
        custom_attrs={"data-column": field.label},
        class_name=rx.cond(field.text == "", "office-blank", rx.cond(field.caption, "office-captioned", "")),
    )


def _bulk_form(definition: ListDefinition, rows: rx.Component) -> rx.Component:
    return rx.el.form(
        rx.el.div(
            SelectAll.create(prefix=PICK, rows=ListState.lines.length(), changes=ListState.lines),
            rx.el.label("With selected", html_for="list-action"),
            rx.el.select(
                *(
                    rx.cond(has_permission(action.permission), rx.el.option(action.label, value=action.key))
                    for action in definition.actions
                ),
                id="list-action",
                name="action",
                class_name="input",
            ),
            small_button("Apply", type="submit", tone="ink"),
            class_name="office-bulk",
        ),
        rows,
        key=ListState.round,
        on_submit=ListState.ask,
    )


def action_dialog() -> rx.Component:
    """The dialog before a bulk action."""
    return form_dialog(
        "list-question",
        ListState.action_label,
        rx.cond(
            ListState.notify_label != "",
            rx.el.label(
                rx.el.input(type="checkbox", name="notify", default_checked=True),
                ListState.notify_label,
                class_name="office-tick",
            ),
        ),
        rx.cond(ListState.wants_reason, _reason_row_cell()),
        text=ListState.question,
        is_open=ListState.question != "",
        submit=(ListState.action_label, ListState.run),
        cancel=("Cancel", ListState.dismiss),
    )


def _reason_row_cell() -> rx.Component:
    return field(
        "Reason", "reason", form="list", error=ListState.errors.get("reason", "").to(str), max_length=LONGEST_REASON,  # type: ignore[attr-defined]
        auto_complete="off",
    )  # fmt: skip
