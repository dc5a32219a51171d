"""Which webinars show: tab, category, search and page, all of them in the address.

The address is the truth: links and the search change it, and every change of it (a click, a shared link, the back button)
is read by `WebinarBoard.open_board`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import reflex as rx

from agency_site.content.webinars import PAGE_SIZE, WEBINARS, Webinar, WebinarCategory, WebinarStatus
from agency_site.ui.forms import submitted

PATH = "/webinar"
LIST = "webinars"
"""Id of the list on the page."""
SHOW_ALL = "show-all"
"""Key of the link that drops search and category."""
QUERY_LENGTH = 80
MOST_PAGES = -(-len(WEBINARS) // PAGE_SIZE)
"""Links that the page holds; those beyond the result are hidden."""


@dataclass(frozen=True)
class BoardView:
    """What the address asks for."""

    tab: WebinarStatus = WebinarStatus.UPCOMING
    category: WebinarCategory | None = None
    q: str = ""
    page: int = 1

    @property
    def found(self) -> tuple[Webinar, ...]:
        """Webinars that meet tab, category and search, all three (specification, section 4)."""
        needle = self.q.lower()
        return tuple(
            one
            for one in WEBINARS
            if one.status is self.tab
            and self.category in (None, one.category)
            and any(needle in text.lower() for text in (one.title, one.description, one.speaker))
        )

    @property
    def pages(self) -> int:
        """How many pages the result has; none found: none."""
        return -(-len(self.found) // PAGE_SIZE)

    @property
    def shown(self) -> tuple[Webinar, ...]:
        """The webinars of the page."""
        return self.found[(self.page - 1) * PAGE_SIZE : self.page * PAGE_SIZE]

    @property
    def address(self) -> str:
        """The path with a query that names only what differs from the plain page."""
        category = self.category.value if self.category else ""
        asked = {"tab": self.tab.value, "q": self.q, "category": category, "page": str(self.page)}
        plain = {"tab": WebinarStatus.UPCOMING.value, "q": "", "category": "", "page": "1"}
        query = urlencode({name: value for name, value in asked.items() if value != plain[name]})
        return f"{PATH}?{query}" if query else PATH

    @property
    def summary(self) -> str:
        """What a screen reader announces after a change."""
        count = len(self.found)
        if not count:
            return "No webinars found"
        found = f"{count} webinar{'s' if count > 1 else ''} found"
        return found if self.pages == 1 else f"{found}, page {self.page} of {self.pages}"


def read_view(query: Mapping[str, str]) -> BoardView:
    """The view that a query asks for; what it cannot mean is left at its plain value."""
    tabs = {status.value: status for status in WebinarStatus}
    categories = {category.value.lower(): category for category in WebinarCategory}
    view = BoardView(
        tab=tabs.get(query.get("tab", "").lower(), WebinarStatus.UPCOMING),
        category=categories.get(query.get("category", "").lower()),
        q=_words(query.get("q", "")),
    )
    page = query.get("page", "1")
    number = int(page) if page.isascii() and page.isdecimal() and len(page) < 6 else 1
    return replace(view, page=min(max(number, 1), max(view.pages, 1)))


def tab_id(tab: WebinarStatus) -> str:
    """Id of a tab's link."""
    return f"webinars-{tab.value}"


def category_id(category: WebinarCategory | None) -> str:
    """Id of a category's link; none: all of them."""
    return f"category-{category.value.lower().replace(' ', '-') if category else 'all'}"


def _words(typed: str) -> str:
    """One bounded line, without halves of characters and control characters, which neither address nor page can carry."""
    whole = "".join(one if one.isprintable() else " " for one in typed)
    return " ".join(whole.split())[:QUERY_LENGTH].strip()


class WebinarBoard(rx.State):
    """The list of webinars with the chosen filters."""

    tab: rx.Field[str] = rx.field(BoardView().tab.value)
    category: rx.Field[str] = rx.field("")
    """Empty: all."""
    q: rx.Field[str] = rx.field("")
    page: rx.Field[int] = rx.field(1)

    @rx.event
    def open_board(self) -> None:
        """Show what the address asks for."""
        self._show(read_view(self.router.url.query_parameters))

    @rx.event
    def search(self, text: str) -> Any:
        """Filter the list while the visitor types; the address is replaced, so that the back button leaves the page."""
        return self._search(str(text))

    @rx.event
    def submit_search(self, form: dict[str, Any]) -> Any:
        """Narrow the list by the Enter key."""
        return self._search(submitted(form).get("q", ""))

    @rx.var
    def shown(self) -> list[str]:
        """Ids of the webinars on the page."""
        return [one.id for one in self._view.shown]

    @rx.var
    def pages(self) -> int:
        """How many pages there are."""
        return self._view.pages

    @rx.var
    def summary(self) -> str:
        """What was found, in words."""
        return self._view.summary

    @rx.var
    def links(self) -> dict[str, str]:
        """The address behind each tab and category (by its id), each page (by its number; as many as the list can ever have)
        and `SHOW_ALL`. Its fragment leads to the link itself or to the start of the list."""
        view = replace(self._view, page=1)
        tabs = {tab_id(status): replace(view, tab=status) for status in WebinarStatus}
        categories = {category_id(one): replace(view, category=one) for one in (None, *WebinarCategory)}
        pages = {str(number): replace(view, page=number) for number in range(1, MOST_PAGES + 1)}
        to_themselves = {key: f"{one.address}#{key}" for key, one in (tabs | categories).items()}
        to_the_list = pages | {SHOW_ALL: replace(view, category=None, q="")}
        return to_themselves | {key: f"{one.address}#{LIST}" for key, one in to_the_list.items()}

    @property
    def _view(self) -> BoardView:
        query = {"tab": self.tab, "category": self.category, "q": self.q, "page": str(self.page)}
        return read_view(query)

    def _show(self, view: BoardView) -> None:
        self.tab, self.q, self.page = view.tab.value, view.q, view.page
        self.category = view.category.value if view.category else ""

    def _search(self, text: str) -> Any:
        view = read_view({"tab": self.tab, "category": self.category, "q": text})
        self._show(view)
        return rx.redirect(view.address, replace=True)
