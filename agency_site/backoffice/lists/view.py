"""The screen of a list: search, filters and views above, rows with checkboxes, pages below."""

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission
from agency_site.backoffice.elements import button_row, small_button
from agency_site.backoffice.lists.definition import (
    Choice,
    Column,
    ExactText,
    Filter,
    ListDefinition,
    StoredChoice,
    filter_keys,
    register_list,
)
from agency_site.backoffice.lists.query import attention_count
from agency_site.backoffice.lists.rows import action_dialog, list_table
from agency_site.backoffice.lists.state import FilterOption, ListState, View
from agency_site.backoffice.screens import REFRESH_MS, Screen
from agency_site.backoffice.state import has_permission
from agency_site.ui.behaviours import Interval
from agency_site.ui.elements import Text, button_class
from agency_site.ui.forms import field_error
from agency_site.ui.icon import icon
from agency_site.web.reflex_internals.components import PlainAnchor

_ONE_LINE = 4
"""The most fields of filters that a wide screen shows without a fold."""


def list_screen(definition: ListDefinition, *above: rx.Component, icon: str) -> Screen:
    """The screen of a list; `above` is drawn between its heading and its search."""

    async def count_attention(session: AsyncSession) -> int:
        return await attention_count(session, definition)

    def body() -> rx.Component:
        return list_body(definition, *above)

    return Screen(
        path=register_list(definition).path,
        title=definition.title,
        permission=definition.permission,
        body=body,
        on_load=(ListState.open_list,),
        icon=icon,
        count_attention=count_attention if definition.attention else None,
        attention_href=f"{definition.path}?{definition.attention_query.query}"
        if definition.attention
        else "",
    )


def new_record_link(label: Text, href: Text) -> rx.Component:
    """The link to the form of a new record, above a list."""
    return rx.el.div(new_record_button(label, href), class_name="office-new")


def new_record_button(label: Text, href: Text) -> rx.Component:
    """The link to the form of a new record, inside a bar of links."""
    return rx.el.a(icon("plus", size=20), label, href=href, class_name=button_class("brand", "button-small"))


def list_body(definition: ListDefinition, *panels: rx.Component) -> rx.Component:
    """All components below the heading."""
    return rx.fragment(
        Interval.create(every=REFRESH_MS, active=True, on_tick=ListState.refresh),
        *panels,
        _filter_form(definition),
        _saved_views(),
        _failed_records(),
        rx.el.p(ListState.printed, class_name="office-printed"),
        list_table(definition),
        _page_links(),
        _list_tools(definition),
        action_dialog(),
    )


def _filter_form(definition: ListDefinition) -> rx.Component:
    search = rx.el.div(
        rx.el.label("Search this list", html_for="list-q"),
        rx.el.input(
            id="list-q", name="q", type="search", default_value=ListState.words, key=ListState.words, max_length=80,
            placeholder=definition.search_hint, class_name="input",
        ),
        class_name="office-filter office-filter-wide",
    )  # fmt: skip
    boxes = [box for list_filter in definition.filters for box in _filter_boxes(list_filter)]
    active = ListState.chosen.length()
    # Few are collapsed on phones only: the style sheet expands them on wide screens.
    filters = rx.el.details(
        rx.el.summary(
            icon("filter", size=18), rx.el.span("Filters", rx.cond(active > 0, f", {active} active", ""))
        ),
        rx.el.div(*boxes),
        open=active > 0,
        class_name="office-narrowing" if len(boxes) > _ONE_LINE else "office-narrowing office-few",
    )
    return rx.el.form(
        search if definition.search else rx.fragment(),
        filters,
        small_button("Show", type="submit", tone="ink"),
        rx.cond(
            ListState.narrowed > 0,
            rx.el.a("Clear filters", href=definition.path, class_name="office-quiet"),
        ),
        on_submit=ListState.narrow,
        role="search",
        aria_label=definition.title,
        class_name="office-filters",
    )


def _filter_boxes(list_filter: Filter) -> list[rx.Component]:
    if isinstance(list_filter, Choice | StoredChoice):
        value = ListState.chosen.get(list_filter.key, "").to(str)
        control = rx.el.select(
            rx.el.option("All", value=""),
            *_filter_options(list_filter, value),
            id=f"list-{list_filter.key}",
            name=list_filter.key,
            default_value=value,
            key=value,
            class_name="input",
        )
        return [_labelled(list_filter.label, f"list-{list_filter.key}", control)]
    if isinstance(list_filter, ExactText):
        text_input = _filter_input(list_filter.key, "text")
        return [_labelled(list_filter.label, f"list-{list_filter.key}", text_input)]
    return [
        _labelled(f"{list_filter.label} {word}", f"list-{key}", _filter_input(key, "date"))
        for word, key in zip(("from", "to"), filter_keys(list_filter), strict=True)
    ]


def _filter_options(list_filter: Choice | StoredChoice, chosen: rx.Var[str]) -> list[rx.Component]:
    if isinstance(list_filter, Choice):
        return [rx.el.option(label, value=key) for key, label in list_filter.options()]

    def stored_option(option: FilterOption) -> rx.Component:
        return rx.cond(
            option.filter == list_filter.key,
            # The options may arrive after the choice.
            rx.el.option(option.text, value=option.value, key=option.value, selected=chosen == option.value),
        )

    return [rx.foreach(ListState.stored_options, stored_option)]


def _filter_input(key: str, kind: str) -> rx.Component:
    value = ListState.chosen.get(key, "").to(str)
    return rx.el.input(
        id=f"list-{key}", name=key, type=kind, default_value=value, key=value, class_name="input"
    )


def _labelled(label: str, identifier: str, control: rx.Component) -> rx.Component:
    return rx.el.div(rx.el.label(label, html_for=identifier), control, class_name="office-filter")


def _saved_views() -> rx.Component:
    return rx.cond(
        ListState.views,
        rx.el.nav(
            rx.el.ul(rx.foreach(ListState.views, _view)), aria_label="Saved views", class_name="office-views"
        ),
    )


def _view(view: View) -> rx.Component:
    return rx.el.li(
        rx.el.a(view.name, href=view.href, aria_current=rx.cond(view.current, "true", "false")),
        rx.el.button(
            icon("close", size=14),
            rx.el.span("Delete view ", view.name, class_name="sr-only"),
            type="button",
            on_click=ListState.drop_view(view.id),
        ),
        key=view.id.to_string(),
    )


def _failed_records() -> rx.Component:
    return rx.cond(
        ListState.outcomes,
        rx.el.ul(
            rx.foreach(ListState.outcomes, lambda line: rx.el.li(line, key=line)),
            class_name="office-outcomes",
        ),
    )


def _page_links() -> rx.Component:
    return rx.cond(
        ListState.pages > 1,
        rx.el.nav(
            rx.el.p("Page ", ListState.page, " of ", ListState.pages, role="status"),
            button_row(
                small_button(
                    icon("arrow-left", size=18), "Previous", tone="ghost",
                    disabled=ListState.page <= 1, on_click=ListState.turn_to(ListState.page - 1),
                ),
                small_button(
                    "Next", icon("arrow-right", size=18), tone="ghost",
                    disabled=ListState.page >= ListState.pages, on_click=ListState.turn_to(ListState.page + 1),
                ),
            ),
            aria_label="Pages",
            class_name="office-turning",
        ),
    )  # fmt: skip


def _list_tools(definition: ListDefinition) -> rx.Component:
    return rx.el.div(
        rx.el.details(
            rx.el.summary("Columns"),
            rx.el.form(
                *map(_column_box, definition.columns),
                small_button("Update columns", type="submit", tone="ink"),
                on_submit=ListState.choose_columns,
            ),
            class_name="office-fold",
        ),
        rx.el.details(
            rx.el.summary("Save view"),
            rx.el.form(
                rx.el.label("Name", html_for="view-name"),
                rx.el.input(
                    id="view-name", name="name", max_length=60, class_name="input", aria_describedby="view-name-error",
                    aria_invalid=rx.cond(ListState.errors.contains("view"), "true", "false"),
                ),
                field_error(ListState.errors.get("view", "").to(str), "view-name-error"),
                small_button("Save", type="submit", tone="ink"),
                on_submit=ListState.save_view,
                reset_on_submit=True,
            ),
            class_name="office-fold",
        ),
        rx.cond(
            has_permission(Permission.EXPORT),
            PlainAnchor.create(
                icon("download", size=18),
                "Export as CSV",
                href=f"/admin/export/{definition.name}.csv?" + ListState.query,
                download=True,
                class_name="office-quiet",
            ),
        ),
        class_name="office-tools",
    )  # fmt: skip


def _column_box(column: Column) -> rx.Component:
    box = rx.el.label(
        rx.el.input(
            type="checkbox", name=f"column:{column.key}",
            default_checked=ListState.columns.contains(column.key),
            key=ListState.columns.contains(column.key).to_string(),
        ),
        column.label,
        class_name="office-tick",
    )  # fmt: skip
    return rx.cond(has_permission(column.permission), box)
