"""The shell around every page, and the loop that registers pages with Reflex."""

from collections.abc import Callable, Iterable

import reflex as rx

from agency_site.content.brand import BRAND
from agency_site.site.layout.announcement import announcement_place
from agency_site.site.layout.footer import site_footer
from agency_site.site.layout.head import page_meta, page_title
from agency_site.site.layout.header import site_header
from agency_site.site.layout.route import Route
from agency_site.site.layout.structured_data import picture_of
from agency_site.ui.behaviours import HydrationMarker
from agency_site.ui.elements import fragment_link
from agency_site.ui.static_markup import freeze


def shell(route: Route, newsletter: Callable[[], rx.Component]) -> rx.Component:
    """Skip link, announcement, header, the page's own content, footer."""
    return rx.fragment(
        fragment_link("Skip to content", fragment="content", class_name="skip"),
        HydrationMarker.create(ready=rx.State.is_hydrated),
        announcement_place(),
        site_header(route.path),
        rx.el.main(
            route.body(),
            id="content",
            custom_attrs={"tabIndex": -1},
            class_name="outline-none",
        ),
        site_footer(newsletter()),
    )


def page_name_until_hydrated() -> rx.Component:
    """Content of the empty shell. Without a title, a tab would show the address, which is secret on private pages."""
    return rx.el.title(BRAND.name)


def register(app: rx.App, routes: Iterable[Route], newsletter: Callable[[], rx.Component]) -> None:
    """Register every route with Reflex. Raises ValueError if two routes have the same path."""
    paths: set[str] = set()
    for route in routes:
        if route.path in paths:
            raise ValueError(f"two pages have the path {route.path}")
        paths.add(route.path)
        app.add_page(
            _component(route, newsletter),
            route=route.path.strip("/") or "index",
            title=page_title(route),
            description=route.description,
            image=picture_of(route),
            meta=page_meta(route),
            on_load=list(route.on_load) or None,
        )


def _component(route: Route, newsletter: Callable[[], rx.Component]) -> Callable[[], rx.Component]:
    def page() -> rx.Component:
        return freeze(shell(route, newsletter))

    page.__name__ = route.path.strip("/").replace("/", "_").replace("-", "_").strip("[]") or "index"
    # Reflex groups compiled parts of pages by the module of the page's function. With this module, every page would load
    # the parts of all pages.
    page.__module__ = route.body.__module__
    return page
