"""Pages as the build has them, without a build: static parts are marked, everything else is React's."""

import json
from collections.abc import Callable, Iterator

import reflex as rx

from agency_site.site.layout.head import page_title
from agency_site.site.layout.page import shell
from agency_site.site.layout.route import Route
from agency_site.site.layout.structured_data import json_ld, page_graph
from agency_site.ui.page_region import PageRegion
from agency_site.ui.server_html import render_html
from agency_site.ui.static_markup import StaticElement, freeze


def build_page(route: Route, newsletter: Callable[[], rx.Component]) -> str:
    """Return the page of a route; the text of what React draws is left out."""
    content = "".join(_draw(freeze(shell(route, newsletter))))
    graph = render_html(json_ld(page_graph(route)))
    head = f'<title>{page_title(route)}</title><meta content="{route.description}" name="description"/>'
    return f"<html><head>{head}</head><body>{content}{graph}<script>start()</script></body></html>"


def _draw(component: rx.Component) -> Iterator[str]:
    if isinstance(component, StaticElement):
        name, mark = str(component.element).strip('"'), component.custom_attrs["data-static"]
        content = str(component.content).split("DEV ? ", 1)[1].rsplit(' : ""', 1)[0]
        yield f'<{name} data-static="{mark}">{json.loads(content)}</{name}>'
        return
    is_region = isinstance(component, PageRegion)
    yield f"<page-region name={component.name!s}>" if isinstance(component, PageRegion) else ""
    for child in component.children:
        yield from _draw(child)  # type: ignore[arg-type]
    yield "</page-region>" if is_region else ""
