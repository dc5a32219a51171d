"""Pages of the build whose content staff have changed, drawn anew by the server.

A published page consists of parts that React keeps as they are (`ui/static_markup.py`), of regions (`ui/page_region.py`) and of
what depends on a state. The server replaces parts and regions; the rest stays as built. React takes the page over with what it
then has, unless regions have changed: it would draw those of the build. A page without React's scripts answers by its links and
forms; so does a new page, which is made from a page of its kind.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import reflex as rx

from agency_site.content.published import previewed
from agency_site.site.layout.head import page_meta, page_title
from agency_site.site.layout.page import shell
from agency_site.site.layout.route import Route
from agency_site.site.layout.served_pages import fill_regions, without_scripts
from agency_site.site.layout.structured_data import page_graph, picture_of, replace_graph
from agency_site.ui.server_html import render_html
from agency_site.ui.static_markup import draw_static_parts

_STATIC = re.compile(r'<([a-z][a-z0-9-]*)\b[^>]* data-static="([0-9a-f]+)"[^>]*>')
_OWN_TAGS = re.compile(
    r'<meta [^>]*(?:name="(?:description|twitter:[a-z:]+|robots)"|property="(?:og|article):[a-z_:]+")[^>]*/>'
    r'|<link [^>]*rel="canonical"[^>]*/>'
)
_TITLE = re.compile(r"<title>[^<]*</title>")


class StructureChanged(ValueError):
    """A page has another number of parts than the build; its component function must put what varies into one element."""


def redraw_page(page: str, route: Route, delivered: Route, newsletter: Callable[[], rx.Component]) -> str:
    """Return the built `page` of the `delivered` route with the present content of `route`. Raises StructureChanged."""
    regions = _draw_changed_regions(route, delivered)
    # Parts inside these regions are not counted: a list may be longer now.
    page = fill_regions(without_scripts(page) if regions else page, dict.fromkeys(regions, ""))
    parts = list(draw_static_parts(shell(route, newsletter), frozenset(regions)))
    return _replace_head(fill_regions(_replace_parts(page, parts, route.path), regions), route)


def make_page(like: str, route: Route, newsletter: Callable[[], rx.Component]) -> str:
    """Return a page that the build does not have, made from the page `like`. Raises StructureChanged."""
    nothing = replace(route, regions={})
    return without_scripts(redraw_page(like, route, nothing, newsletter))


def _draw_changed_regions(route: Route, delivered: Route) -> dict[str, str]:
    """Draw the regions of the page if one differs from the build; they belong together, such as a list and its filters."""
    regions = {name: render_html(draw()) for name, draw in route.regions.items()}
    with previewed({}):
        built = {name: render_html(draw()) for name, draw in delivered.regions.items()}
    return regions if regions != built else {}


def _replace_parts(page: str, parts: list[str], path: str) -> str:
    built_parts = list(_find_parts(page))
    if len(built_parts) != len(parts):
        raise StructureChanged(f"{path} has {len(parts)} static parts, the build has {len(built_parts)}")
    pieces, done = [], 0
    for (start, end, mark), part in zip(built_parts, parts, strict=True):
        name, rest = re.match(r"<([a-z][a-z0-9-]*)(.*)", part, re.DOTALL).groups()  # type: ignore[union-attr]
        # React finds its part by the mark of the build.
        pieces += [page[done:start], f'<{name} data-static="{mark}"{rest}']
        done = end
    return "".join((*pieces, page[done:]))


def _find_parts(page: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and mark of each static part, in order."""
    done = 0
    while match := _STATIC.search(page, done):
        done = _find_end(page, match.end(), match[1])
        yield match.start(), done, match[2]


def _find_end(page: str, start: int, name: str) -> int:
    tag = re.compile(rf"<(/?){name}\b")
    depth = 1
    while depth:
        match = tag.search(page, start)
        if match is None:
            raise ValueError(f"an element {name} has no end")
        depth += -1 if match[1] else 1
        start = match.end()
    return start + 1


def _replace_head(page: str, route: Route) -> str:
    title = render_html(rx.el.title(page_title(route)))
    tags = (
        {"name": "description", "content": route.description},
        {"property": "og:image", "content": picture_of(route)},
    )
    own = "".join(_draw_tag(tag) for tag in (*tags, *page_meta(route)))
    head, end, body = page.partition("</head>")
    head = _TITLE.sub(lambda _: title + own, _OWN_TAGS.sub("", head), count=1)
    return replace_graph(head + end + body, page_graph(route))


def _draw_tag(tag: Mapping[str, str] | rx.Component) -> str:
    if isinstance(tag, rx.Component):
        html = render_html(tag)
        # The graph stays where the build has it.
        return "" if html.startswith("<script") else html
    kind = "name" if "name" in tag else "property"
    return render_html(rx.el.meta(custom_attrs={kind: tag[kind]}, content=tag["content"]))
