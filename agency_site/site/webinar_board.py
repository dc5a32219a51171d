"""The filters of the webinars page: tab, category, search and page, all of them in the address.

The address is the source of truth: links and the search change it, and every change (a click, a shared link, the back button)
is read by `WebinarBoard.open_board`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import reflex as rx

from agency_site.content.webinars import PAGE_SIZE, Webinar, WebinarCategory, WebinarStatus, past, upcoming
from agency_site.ui.forms import submitted

PATH = "/webinar"
LIST = "webinars"
"""Id of the list on the page."""
SHOW_ALL = "show-all"
"""Key of the link that drops search and category."""
QUERY_LENGTH = 80


def list_webinars() -> tuple[Webinar, ...]:
    """Return all webinars, in the order of the page."""
    return (*upcoming(), *past())


def count_pages() -> int:
    """Count the page links in the markup; those beyond the result are hidden."""
    return -(-len(list_webinars()) // PAGE_SIZE)


@dataclass(frozen=True)
class BoardView:
    """The filters in an address."""

    tab: WebinarStatus = WebinarStatus.UPCOMING
    category: WebinarCategory | None = None
    q: str = ""
    page: int = 1

    @property
    def matches(self) -> tuple[Webinar, ...]:
        """The webinars that match tab, category and search (specification, section 4)."""
        needle = self.q.lower()
        return tuple(
            webinar
            for webinar in list_webinars()
            if webinar.status is self.tab
            and self.category in (None, webinar.category)
            and any(needle in text.lower() for text in (webinar.title, webinar.description, webinar.speaker))
        )

    @property
    def pages(self) -> int:
        """The number of pages of the result; 0 without matches."""
        return -(-len(self.matches) // PAGE_SIZE)

    @property
    def page_webinars(self) -> tuple[Webinar, ...]:
        """The webinars of the page."""
        return self.matches[(self.page - 1) * PAGE_SIZE : self.page * PAGE_SIZE]

    @property
    def address(self) -> str:
        """The path with a query of all values that are not defaults."""
        category = self.category.value if self.category else ""
        values = {"tab": self.tab.value, "q": self.q, "category": category, "page": str(self.page)}
        defaults = {"tab": WebinarStatus.UPCOMING.value, "q": "", "category": "", "page": "1"}
        query = urlencode({name: value for name, value in values.items() if value != defaults[name]})
        return f"{PATH}?{query}" if query else PATH

    @property
    def summary(self) -> str:
        """The text that a screen reader announces after a change."""
        count = len(self.matches)
        if not count:
            return "No webinars found"
        text = f"{count} webinar{'s' if count > 1 else ''} found"
        return text if self.pages == 1 else f"{text}, page {self.page} of {self.pages}"


def read_view(query: Mapping[str, str]) -> BoardView:
    """Return the view of a query; invalid values are replaced by the defaults."""
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
    """Return the id of a tab's link."""
    return f"webinars-{tab.value}"


def category_id(category: WebinarCategory | None) -> str:
    """Return the id of a category's link; None is the link for all categories."""
    return f"category-{category.value.lower().replace(' ', '-') if category else 'all'}"


def _words(text: str) -> str:
    """Return one short line without control characters and half surrogates, which an address cannot contain."""
    printable = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(printable.split())[:QUERY_LENGTH].strip()


class WebinarBoard(rx.State):
    """The list of webinars with the chosen filters."""

    tab: rx.Field[str] = rx.field(BoardView().tab.value)
    category: rx.Field[str] = rx.field("")
    """Empty for all categories."""
    q: rx.Field[str] = rx.field("")
    page: rx.Field[int] = rx.field(1)

    @rx.event
    def open_board(self) -> None:
        """Show the webinars that the address asks for."""
        self._show(read_view(self.router.url.query_parameters))

    @rx.event
    def search(self, text: str) -> Any:
        """Filter the list while the visitor types; the address is replaced, so that the back button leaves the page."""
        return self._search(str(text))

    @rx.event
    def submit_search(self, form: dict[str, Any]) -> Any:
        """Filter the list when the form is submitted."""
        return self._search(submitted(form).get("q", ""))

    @rx.var
    def page_ids(self) -> list[str]:
        """Ids of the webinars on the page."""
        return [webinar.id for webinar in self._view.page_webinars]

    @rx.var
    def pages(self) -> int:
        """The number of pages."""
        return self._view.pages

    @rx.var
    def summary(self) -> str:
        """The result in words."""
        return self._view.summary

    @rx.var
    def links(self) -> dict[str, str]:
        """The address of each tab and category (by id), of each page (by number, for the maximum of pages) and of `SHOW_ALL`.
        Its fragment is the link itself or the start of the list."""
        view = replace(self._view, page=1)
        tabs = {tab_id(status): replace(view, tab=status) for status in WebinarStatus}
        categories = {
            category_id(category): replace(view, category=category) for category in (None, *WebinarCategory)
        }
        pages = {str(number): replace(view, page=number) for number in range(1, count_pages() + 1)}
        to_themselves = {key: f"{target.address}#{key}" for key, target in (tabs | categories).items()}
        to_the_list = pages | {SHOW_ALL: replace(view, category=None, q="")}
        return to_themselves | {key: f"{target.address}#{LIST}" for key, target in to_the_list.items()}

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
