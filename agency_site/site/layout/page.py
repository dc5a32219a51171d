"""The shell around every page, and the loop that registers pages with Reflex."""

from collections.abc import Callable, Iterable

import reflex as rx

from agency_site.content.brand import BRAND
from agency_site.site.layout.footer import site_footer
from agency_site.site.layout.head import page_meta, page_title
from agency_site.site.layout.header import site_header
from agency_site.site.layout.route import Route
from agency_site.site.layout.structured_data import picture_of
from agency_site.ui.behaviours import HydrationMarker
from agency_site.ui.elements import fragment_link
from agency_site.ui.static_markup import freeze


def shell(route: Route, newsletter: Callable[[], rx.Component]) -> rx.Component:
    """Skip link, header, the page's own content, footer."""
    page = rx.fragment(
        fragment_link("Skip to content", fragment="content", class_name="skip"),
        HydrationMarker.create(ready=rx.State.is_hydrated),
        site_header(route.path),
        rx.el.main(
            route.body(),
            id="content",
            custom_attrs={"tabIndex": -1, "data-hydrates": route.hydrates},
            class_name="outline-none",
        ),
        site_footer(newsletter()),
    )
    return freeze(page)


def page_name_until_hydrated() -> rx.Component:
    """Content of the empty shell: without a title, a tab shows the address, which is a secret on private pages."""
    return rx.el.title(BRAND.name)


def register(app: rx.App, routes: Iterable[Route], newsletter: Callable[[], rx.Component]) -> None:
    """Hand every route to Reflex. Raises ValueError when two routes share a path."""
    seen: set[str] = set()
    for route in routes:
        if route.path in seen:
            raise ValueError(f"two pages have the path {route.path}")
        seen.add(route.path)
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
        return shell(route, newsletter)

    page.__name__ = route.path.strip("/").replace("/", "_").replace("-", "_").strip("[]") or "index"
    # Reflex files a page's compiled parts under the module of its function; under this one, every visitor of any page
    # would load the parts of all pages.
    page.__module__ = route.body.__module__
    return page
