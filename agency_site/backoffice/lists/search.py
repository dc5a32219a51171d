"""One search over all lists: reference, name, e-mail address, phone number."""

from dataclasses import dataclass
from urllib.parse import urlencode

import reflex as rx

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_page
from agency_site.backoffice.lists.definition import ListQuery, list_definitions, read_query
from agency_site.backoffice.lists.query import page_of
from agency_site.backoffice.lists.state import Line, lines_of
from agency_site.backoffice.screens import Screen
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import report_scope
from agency_site.form_input import fold
from agency_site.ui.elements import text_link

MOST = 6
"""Rows of each list; the list itself has the rest."""
SHORTEST = 2


@dataclass
class Found:
    """What one list has."""

    title: str
    href: str
    lines: list[Line]


class SearchState(StaffState):
    """The search, and where it found something."""

    words: rx.Field[str] = rx.field("")
    found: rx.Field[list[Found]] = rx.field(default_factory=list)

    @staff_page(Permission.ENTER)
    async def open_search(self, who: Staff) -> None:
        """Search every list that the role may see."""
        given = self.router.url.query_parameters.get("q", "")
        self.words = " ".join(str(given).split())[:80]
        if len(fold(self.words)) < SHORTEST:
            return
        self.found = [found for found in await _search_lists(self.words, who) if found.lines]


async def _search_lists(words: str, who: Staff) -> list[Found]:
    found = []
    async with report_scope() as session:
        for definition in list_definitions():
            if (
                not who.has_permission(definition.permission)
                or definition.search is None
                or not definition.found_everywhere
            ):
                continue
            list_query: ListQuery = read_query(definition, {"q": words})
            rows = (await page_of(session, definition, list_query))[:MOST]
            href = f"{definition.path}?{urlencode({'q': words})}"
            found.append(Found(definition.title, href, lines_of(definition, list_query, rows)))
    return found


def _page() -> rx.Component:
    return rx.fragment(
        rx.el.p(
            rx.cond(
                SearchState.found,
                rx.el.span("Results for “", SearchState.words, "”"),
                rx.cond(
                    SearchState.words == "",
                    "Search by reference, name, e-mail address or phone number above.",
                    rx.el.span(
                        "No results for “",
                        SearchState.words,
                        "”. Try part of the name or reference, at least two characters.",
                    ),
                ),
            ),
            role="status",
            class_name="office-note",
        ),
        rx.foreach(SearchState.found, _group),
    )


def _group(found: Found) -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.h2(found.title), text_link("View all results", found.href), class_name="office-spread"
        ),
        rx.el.ul(rx.foreach(found.lines, _row), class_name="office-log"),
        class_name="office-card",
        key=found.title,
    )


def _row(line: Line) -> rx.Component:
    rest = rx.foreach(
        line.fields,
        lambda field, index: rx.cond((index > 0) & (field.text != ""), rx.el.span(field.text, " "), ""),
    )
    return rx.el.li(
        rx.el.a(line.fields[0].text, href=line.href, class_name="link"),
        rx.el.small(rest, class_name="office-run"),
        key=line.reference,
    )


SCREENS = (
    Screen(
        path="/admin/search",
        title="Search",
        permission=Permission.ENTER,
        body=_page,
        on_load=(SearchState.open_search,),
    ),
)
