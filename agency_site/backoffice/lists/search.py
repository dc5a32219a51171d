"""The search over all lists: reference, name, e-mail address, phone number; and the clients of the records."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import reflex as rx

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_page
from agency_site.backoffice.elements import card, small_note, spread
from agency_site.backoffice.lists.definition import ListDefinition, definitions_for, read_query
from agency_site.backoffice.lists.query import open_page
from agency_site.backoffice.lists.state import Line, lines_of
from agency_site.backoffice.screens import Screen
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import report_scope
from agency_site.form_input import fold
from agency_site.phone_numbers import format_phone_number
from agency_site.ui.elements import text_link

MOST = 6
"""Rows of each list; the list itself shows all."""
SHORTEST = 2
_AT_A_TIME = 2


CLIENT = "/admin/client"
"""The page of one client."""


@dataclass
class SearchResult:
    """The matches in one list."""

    title: str
    href: str
    lines: list[Line]


@dataclass
class FoundClient:
    """A client with records among the results."""

    name: str
    contact: str
    href: str


class SearchState(StaffState):
    """The words and their results."""

    words: rx.Field[str] = rx.field("")
    clients: rx.Field[list[FoundClient]] = rx.field(default_factory=list)
    results: rx.Field[list[SearchResult]] = rx.field(default_factory=list)

    @staff_page(Permission.ENTER)
    async def open_search(self, who: Staff) -> None:
        """Search every list that the role may see."""
        parameter = self.router.url.query_parameters.get("q", "")
        self.words, self.clients, self.results = " ".join(str(parameter).split())[:80], [], []
        self.search_words = self.words
        if len(fold(self.words)) < SHORTEST:
            return
        rows = await search_lists(self.words, who)
        self.clients = list(_clients_of(rows))[:MOST]
        self.results = [
            found_rows(definition, self.words, matches) for definition, matches in rows if matches
        ]


async def search_lists(words: str, who: Staff) -> list[tuple[ListDefinition, Sequence[Any]]]:
    """Return each searched list that `who` may see, with the first page of its matches.

    Two lists are searched at a time, each in a session of its own: with a million rows each takes long.
    """
    turns = asyncio.Semaphore(_AT_A_TIME)

    async def search(definition: ListDefinition) -> tuple[ListDefinition, Sequence[Any]]:
        async with turns, report_scope() as session:
            page = await open_page(session, definition, read_query(definition, {"q": words}))
            return definition, page.rows

    searched = (
        definition for definition in definitions_for(who) if definition.search and definition.found_everywhere
    )
    return await asyncio.gather(*map(search, searched))


def found_rows(definition: ListDefinition, words: str, rows: Sequence[Any]) -> SearchResult:
    """Return the first matches of a list."""
    list_query = read_query(definition, {"q": words})
    href = f"{definition.path}?{urlencode({'q': words})}"
    return SearchResult(definition.title, href, lines_of(definition, list_query, rows[:MOST]))


def _clients_of(results: Sequence[tuple[ListDefinition, Sequence[Any]]]) -> Iterator[FoundClient]:
    client_rows = [
        (definition.clients.of(row), definition, row)
        for definition, rows in results
        if definition.clients
        for row in rows
    ]
    # The link leads to the record that says most about the person.
    client_rows.sort(key=lambda row: (not row[0].email, not row[0].phone, not row[0].name))
    listed = {client.phone for client, _, _ in client_rows if client.email}
    for client, definition, row in client_rows:
        # Addresses distinguish people: a family may share a phone. A caller may have given no address.
        identity = client.email.lower() or client.phone
        if identity and identity not in listed:
            listed.add(identity)
            record = urlencode({"list": definition.name, "ref": definition.reference(row)})
            contact = ", ".join(filter(None, (client.email, format_phone_number(client.phone))))
            yield FoundClient(client.name or client.email, contact, f"{CLIENT}?{record}")


def _results_page() -> rx.Component:
    return rx.fragment(
        small_note(
            rx.cond(
                SearchState.search_words != SearchState.words,
                rx.el.span("Searching for “", SearchState.search_words, "”…"),
                _describe_result(),
            ),
            role="status",
        ),
        rx.cond(SearchState.clients, _clients_card()),
        rx.foreach(SearchState.results, found_records),
    )


def _describe_result() -> rx.Component:
    return rx.cond(  # type: ignore[no-any-return]
        SearchState.results,
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
    )


def _clients_card() -> rx.Component:
    return card(
        "Clients",
        rx.el.ul(
            rx.foreach(
                SearchState.clients,
                lambda client: rx.el.li(
                    rx.el.a(client.name, href=client.href, class_name="link"),
                    rx.el.small(client.contact),
                    key=client.href,
                ),
            ),
            class_name="office-log",
        ),
    )


def found_records(result: SearchResult) -> rx.Component:
    """The matches of one list, with a link to the rest."""
    return rx.el.section(
        spread(rx.el.h2(result.title), text_link("View all results", result.href)),
        rx.el.ul(rx.foreach(result.lines, _result_item), class_name="office-log"),
        class_name="office-card",
        key=result.title,
    )


def _result_item(line: Line) -> rx.Component:
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
        body=_results_page,
        on_load=(SearchState.open_search,),
    ),
)
