"""Parts of a page that the server fills for a request (`site/layout/served_pages.py`)."""

from typing import Any, Self

import reflex as rx

from agency_site.ui.server_html import Enhanced
from agency_site.web.reflex_internals.components import BaseHTML


class ServedRegion(BaseHTML):  # type: ignore[misc]
    """A part that only the server draws: nothing changes in it while the page is open."""

    tag = "page-region"
    name: rx.Var[str]

    @classmethod
    def create(cls, *children: Any, **props: Any) -> Self:
        """The region; `children` are shown until the server fills it."""
        # An empty child makes it markup that React leaves as it is.
        return super().create(*(children or ("",)), **props)  # type: ignore[no-any-return]


class PageRegion(Enhanced):
    """A part that the server may send filled. React draws its children where the server sent nothing, and in place of what it
    sent once the state is `ready`, if there is such a moment.

    What was typed, ticked or focused in it stays.
    """

    library = "$/agency_site/ui/page_region.jsx"
    tag = "PageRegion"
    name: rx.Var[str]
    ready: rx.Var[bool]

    @property
    def keeps_children(self) -> bool:  # type: ignore[override]
        """Whether React never draws them anew."""
        return self.ready is None
