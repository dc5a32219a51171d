"""Portfolio: four tabs, chosen by the address (specification, section 2, Home 4; section 4)."""

from collections.abc import Mapping

import reflex as rx

from agency_site.content.portfolio import PORTFOLIO, PortfolioGroup, PortfolioItem
from agency_site.site.home_address import WORK, address_with
from agency_site.site.portfolio import empty_category
from agency_site.ui.behaviours import TabList
from agency_site.ui.elements import card_link, link_button, picture, section, spaced
from agency_site.ui.page_region import PageRegion
from agency_site.ui.values import cond


def _links(query: Mapping[str, str]) -> dict[str, str]:
    """Return the address of each tab by its category; it ends in the tab's own id."""
    return {category: f"{address_with(query, WORK, category)}#{_place(category)}" for category in WORK.values}


def _place(category: str) -> str:
    return f"work-tab-{category}"


class Work(rx.State):
    """The category that is shown."""

    category: rx.Field[str] = rx.field(WORK.values[0])
    links: rx.Field[dict[str, str]] = rx.field(default_factory=lambda: _links({}))

    @rx.event
    def read_address(self) -> None:
        """Show the category of the address; anything unknown shows the first."""
        self._show(self.router.url.query_parameters)

    def _show(self, query: Mapping[str, str]) -> None:
        self.category, self.links = WORK.read(query), _links(query)


_TILES = 4
"""Projects of each kind; the portfolio has all."""

WorkState = Work | type[Work]


def work() -> rx.Component:
    """Heading, tabs, one panel per category."""
    return section(
        rx.el.div(
            rx.el.h2("Work we would sign twice.", class_name="max-w-[8.6em]"),
            link_button("See the whole portfolio", "/portfolio", tone="ghost"),
            class_name="flex flex-wrap items-end justify-between gap-6",
        ),
        PageRegion.create(kinds_of_work(), name="work"),
        class_name="pt-0",
    )


def kinds_of_work(state: WorkState = Work) -> rx.Component:
    """The tabs and their panels."""
    return rx.fragment(
        TabList.create(
            *spaced(*(_tab(group, state) for group in PORTFOLIO)),
            class_name="tabs mt-9 mb-9",
            custom_attrs={"aria-label": "Kinds of work"},
        ),
        *(_panel(group, state) for group in PORTFOLIO),
    )


def _tab(group: PortfolioGroup, state: WorkState) -> rx.Component:
    chosen = state.category == group.id
    return rx.el.a(
        group.category,
        href=state.links[group.id],  # type: ignore[call-overload]
        id=_place(group.id),
        role="tab",
        tab_index=cond(chosen, 0, -1),
        custom_attrs={
            "aria-selected": cond(chosen, "true", "false"),
            "aria-controls": f"work-panel-{group.id}",
        },
        class_name="tab",
    )


def _panel(group: PortfolioGroup, state: WorkState) -> rx.Component:
    return rx.el.div(
        rx.el.h3(group.category, class_name="without-scripts text-subheading mb-6"),
        rx.el.div(*(_tile(item) for item in group.images[:_TILES]), class_name="work-grid")
        if group.images
        else empty_category(group),
        id=f"work-panel-{group.id}",
        role="tabpanel",
        class_name="work-panel",
        custom_attrs={
            "aria-labelledby": _place(group.id),
            "data-shown": cond(state.category == group.id, "true", "false"),
        },
    )


def _tile(item: PortfolioItem) -> rx.Component:
    return rx.el.article(
        picture(item.image, item.alt, 800, 600, class_name="w-full h-auto rounded-panel"),
        rx.el.div(
            rx.el.h3(
                card_link(item.title, item.href),
            ),
            rx.el.p(item.label, class_name="text-muted"),
            class_name="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 mt-4",
        ),
        class_name="work-tile relative",
    )
