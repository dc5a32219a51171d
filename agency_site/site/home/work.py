"""Portfolio: four tabs driven by a Python handler (specification, section 2, Home 4; section 4)."""

from typing import Any

import reflex as rx

from agency_site.content.portfolio import PORTFOLIO, PortfolioGroup, PortfolioItem
from agency_site.site.home_address import WORK, address_with
from agency_site.site.portfolio import empty_category
from agency_site.ui.behaviours import TabList
from agency_site.ui.elements import link_button, picture, section


class Work(rx.State):
    """Which category shows."""

    category: rx.Field[str] = rx.field(WORK.values[0])

    @rx.event
    def read_address(self) -> None:
        """Show the category of the address."""
        self.category = WORK.read(self.router.url.query_parameters)

    @rx.event
    def choose(self, category: str) -> Any:
        """Show one category; anything unknown shows the first."""
        self.category = WORK.read({WORK.parameter: category})
        return rx.redirect(address_with(self.router.url.query_parameters, WORK, self.category))


def work() -> rx.Component:
    """Heading, tabs, one panel per category."""
    return section(
        rx.el.div(
            rx.el.h2("Work we would sign twice.", class_name="max-w-[8.6em]"),
            link_button("See the whole portfolio", "/portfolio", tone="ghost"),
            class_name="flex flex-wrap items-end justify-between gap-6",
        ),
        TabList.create(
            *(_tab(group) for group in PORTFOLIO),
            class_name="tabs mt-9 mb-9",
            custom_attrs={"aria-label": "Kinds of work"},
        ),
        *(_panel(group) for group in PORTFOLIO),
        class_name="pt-0",
    )


def _tab(group: PortfolioGroup) -> rx.Component:
    chosen = Work.category == group.id
    return rx.el.button(
        group.category,
        id=f"work-tab-{group.id}",
        type="button",
        role="tab",
        tab_index=rx.cond(chosen, 0, -1),
        on_click=Work.choose(group.id),  # type: ignore[operator]
        custom_attrs={
            "aria-selected": rx.cond(chosen, "true", "false"),
            "aria-controls": f"work-panel-{group.id}",
        },
        class_name="tab",
    )


def _panel(group: PortfolioGroup) -> rx.Component:
    return rx.el.div(
        rx.el.h3(group.category, class_name="without-scripts text-subheading mb-6"),
        rx.el.div(*(_tile(item) for item in group.images), class_name="work-grid")
        if group.images
        else empty_category(group),
        id=f"work-panel-{group.id}",
        role="tabpanel",
        class_name="work-panel",
        custom_attrs={
            "aria-labelledby": f"work-tab-{group.id}",
            "data-shown": rx.cond(Work.category == group.id, "true", "false"),
        },
    )


def _tile(item: PortfolioItem) -> rx.Component:
    return rx.el.article(
        picture(item.image, item.alt, 800, 600, class_name="w-full h-auto rounded-panel"),
        rx.el.div(
            rx.el.h3(
                # A full load: the browser itself then goes to the project, past the page's head.
                rx.el.a(
                    item.title,
                    href=f"/portfolio#{item.id}",
                    reload_document=True,
                    class_name="no-underline hover:underline after:absolute after:inset-0",
                ),
            ),
            rx.el.p(item.label, class_name="text-muted"),
            class_name="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 mt-4",
        ),
        class_name="work-tile relative",
    )
