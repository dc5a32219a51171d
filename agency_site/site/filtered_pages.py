"""Pages with filters in their address, drawn by the server: filters, tabs, search and pagination work without scripts."""

from fastapi import APIRouter, Request, Response

from agency_site.content.published import kept_until_changed
from agency_site.site.blog import posts
from agency_site.site.blog_filter import BlogFilter, parse_filter_key
from agency_site.site.blog_sidebar import filter_links
from agency_site.site.layout.served_pages import Drawing, FilteredPage, page_response
from agency_site.site.webinar import board_controls, webinar_list
from agency_site.site.webinar_board import PATH as WEBINARS
from agency_site.site.webinar_board import BoardView, WebinarBoard, read_view
from agency_site.ui.server_html import describe_states, new_state, render_html

pages = APIRouter(include_in_schema=False, route_class=FilteredPage)


@pages.get("/blog")
async def show_posts(request: Request, category: str = "", tag: str = "") -> Response:
    drawing = _draw_posts(parse_filter_key(category, tag))
    return page_response(request, "/blog", drawing.regions, states=drawing.states)


@kept_until_changed(128)
def _draw_posts(key: str) -> Drawing:
    state = new_state(BlogFilter)
    state._show(key)
    regions = {"posts": render_html(posts(state)), "filters": render_html(filter_links(state))}
    return Drawing(regions, describe_states(state))


@pages.get(WEBINARS)
async def show_webinars(
    request: Request, tab: str = "", category: str = "", q: str = "", page: str = ""
) -> Response:
    drawing = _draw_webinars(read_view({"tab": tab, "category": category, "q": q, "page": page}))
    return page_response(request, WEBINARS, drawing.regions, states=drawing.states)


@kept_until_changed(128)
def _draw_webinars(view: BoardView) -> Drawing:
    state = new_state(WebinarBoard)
    state._show(view)
    regions = {
        "board": render_html(board_controls(state), {"q": state.q}),
        "webinars": render_html(webinar_list(state)),
    }
    return Drawing(regions, describe_states(state))
