"""Parts of a page that the server fills for a request (`site/layout/served_pages.py`)."""

from typing import Any, Self

import reflex as rx

from agency_site.ui.server_html import Enhanced
from agency_site.web.reflex_internals.components import BaseHTML


class ServedRegion(BaseHTML):  # type: ignore[misc]
    """A part that only the server draws; it does not change while the page is open."""

    tag = "page-region"
    name: rx.Var[str]

    @classmethod
    def create(cls, *children: Any, **props: Any) -> Self:
        """Create the region; `children` are shown until the server fills it."""
        # An empty child makes it markup that React does not change.
        return super().create(*(children or ("",)), **props)  # type: ignore[no-any-return]


class PageRegion(Enhanced):
    """A part that the server may send filled. React draws the children if the server sent nothing; otherwise it replaces the
    server's content once the state is `ready`, or never if `ready` is not given.

    Input, ticks and focus are kept.
    """

    library = "$/agency_site/ui/page_region.jsx"
    tag = "PageRegion"
    name: rx.Var[str]
    ready: rx.Var[bool]

    @property
    def keeps_children(self) -> bool:  # type: ignore[override]
        """Return whether React never redraws the children."""
        return self.ready is None
