"""Pages that show what their address asks for, drawn by the server: filters, tabs, search and pagination without scripts."""

from fastapi import APIRouter, Request, Response

from agency_site.site.blog import posts
from agency_site.site.blog_filter import BlogFilter, known_key
from agency_site.site.blog_sidebar import shelves
from agency_site.site.layout.served_pages import FilteredPage, page_response
from agency_site.site.webinar import board_controls, webinar_list
from agency_site.site.webinar_board import PATH as WEBINARS
from agency_site.site.webinar_board import WebinarBoard, read_view
from agency_site.ui.server_html import new_state, render_html

pages = APIRouter(include_in_schema=False, route_class=FilteredPage)


@pages.get("/blog")
async def show_posts(request: Request, category: str = "", tag: str = "") -> Response:
    state = new_state(BlogFilter)
    state._show(known_key(category, tag))
    return page_response(
        request, "/blog", {"posts": render_html(posts(state)), "shelves": render_html(shelves(state))}
    )


@pages.get(WEBINARS)
async def show_webinars(
    request: Request, tab: str = "", category: str = "", q: str = "", page: str = ""
) -> Response:
    state = new_state(WebinarBoard)
    state._show(read_view({"tab": tab, "category": category, "q": q, "page": page}))
    return page_response(
        request,
        WEBINARS,
        {
            "board": render_html(board_controls(state), {"q": state.q}),
            "webinars": render_html(webinar_list(state)),
        },
    )
