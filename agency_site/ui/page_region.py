"""Parts of a page that the server fills for a request (`site/layout/served_pages.py`)."""

import reflex as rx

from agency_site.ui.server_html import Enhanced


class PageRegion(Enhanced):
    """A part that the server may send filled; React draws its children in its place once `ready`.

    What was typed, ticked or focused in it stays. Where the server sent nothing the children are drawn at once. No region lies
    in another one.
    """

    library = "$/agency_site/ui/page_region.jsx"
    tag = "PageRegion"
    name: rx.Var[str]
    ready: rx.Var[bool]
