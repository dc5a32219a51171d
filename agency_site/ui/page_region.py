"""Parts of a page that the server fills for a request (`site/layout/served_pages.py`)."""

from typing import Any, Self

import reflex as rx

from agency_site.web.reflex_internals.components import NEVER_MEMOIZED, BaseHTML


class _Region(BaseHTML):  # type: ignore[misc]
    # Reflex would derive the name of a function from the tag.
    _memoization_mode = NEVER_MEMOIZED

    tag = "page-region"
    name: rx.Var[str]


class PageRegion(_Region):
    """A part that the server may draw for a request, from the same component function and its own states.

    React begins with those states (`web/reflex_internals/served_states.py`) and adopts what the server has drawn. It is never a
    part of static markup, because other content may have other handlers.
    """


class ServedRegion(_Region):
    """A part that only the server draws; it does not change while the page is open."""

    @classmethod
    def create(cls, *children: Any, **props: Any) -> Self:
        """Create the region; `children` are shown until the server fills it."""
        # An empty child makes it markup that React does not change.
        return super().create(*(children or ("",)), **props)  # type: ignore[no-any-return]
