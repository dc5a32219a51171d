"""The page of a client: contact details, and the client's records in all lists that the reader may see.

The address names one of the client's records, never the client.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlencode

import reflex as rx
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_page
from agency_site.backoffice.detail_page import nothing_chosen
from agency_site.backoffice.elements import button_row, fact
from agency_site.backoffice.lists.definition import (
    Client,
    ListDefinition,
    ListQuery,
    definitions_for,
    read_query,
)
from agency_site.backoffice.lists.query import page_of
from agency_site.backoffice.lists.search import CLIENT, SearchResult, found_records, found_rows
from agency_site.backoffice.personal_data.data_requests import reference_of
from agency_site.backoffice.screens import Screen
from agency_site.backoffice.state import StaffState, has_permission
from agency_site.backoffice.texts.dialog import MessageDialog, TextTarget, message_button, message_dialogs
from agency_site.content.staff_texts import CLIENT_TEXTS
from agency_site.db.engine import report_scope, session_scope
from agency_site.errors import NotFound
from agency_site.mail.personal_data import Person
from agency_site.phone_numbers import format_phone_number
from agency_site.ui.elements import text_link


@dataclass(frozen=True)
class ClientAction:
    """An action for a client on another screen."""

    label: str
    permission: Permission
    path: str
    """The screen's path; the query of the client's page is appended."""


class ClientPage(StaffState):
    """The client whose record the address names."""

    fullname: rx.Field[str] = rx.field("")
    email: rx.Field[str] = rx.field("")
    phone: rx.Field[str] = rx.field("")
    record: rx.Field[str] = rx.field("")
    """The query of the address; empty if it names no client."""
    results: rx.Field[list[SearchResult]] = rx.field(default_factory=list)

    @staff_page(Permission.ENTER)
    async def open_client(self, who: Staff) -> None:
        """Load what the reader's role may see."""
        self.record = self.fullname = self.email = self.phone = ""
        self.results = []
        query = self.router.url.query_parameters
        async with report_scope() as session:
            client = await find_client(session, who, query)
            if client is None:
                return
            records = await records_of(session, who, client)
        async with session_scope() as session:
            # Reading personal data is audited.
            person = Person(client.email.lower(), client.phone)
            await audit.record(session, who, "person.looked_up", "person", reference_of(person))
        self.fullname, self.email, self.phone = client.name, client.email, format_phone_number(client.phone)
        self.record = urlencode({"list": query["list"], "ref": query["ref"]})
        words = client.email or client.phone
        self.results = [found_rows(definition, words, rows) for definition, rows in records]


class ClientMessages(MessageDialog, StaffState):
    """The dialog that is open for the client whose record the address names."""

    WORK: ClassVar = Permission.WORK_MAIL
    TEXTS: ClassVar = CLIENT_TEXTS

    async def _find_target(self, session: AsyncSession, who: Staff, _reference: str) -> TextTarget:
        client = await find_client(session, who, self.router.url.query_parameters)
        if client is None:
            raise NotFound("There is no client at this address.")
        person = reference_of(Person(client.email.lower(), client.phone))
        return TextTarget("person", person, client.name or client.email, client.phone)


async def find_client(session: AsyncSession, who: Staff, query: Mapping[str, Any]) -> Client | None:
    """Return the client of the record that a query names; None if `who` may not see it, or it names no client."""
    definition = next((each for each in definitions_for(who) if each.name == query.get("list")), None)
    if definition is None or definition.clients is None:
        return None
    reference = read_query(definition, {"q": query.get("ref")}).words
    matching = definition.narrowed(definition.clients.reference == reference)
    for row in await page_of(session, matching, ListQuery()):
        client = definition.clients.of(row)
        return client if client.email or client.phone else None
    return None


async def records_of(
    session: AsyncSession, who: Staff, client: Client
) -> list[tuple[ListDefinition, Sequence[Any]]]:
    """Return each list with records of the client that `who` may see, with the first page of them."""
    records = []
    for definition in definitions_for(who):
        if definition.clients:
            client_list = definition.narrowed(definition.clients.having(client))
            if rows := await page_of(session, client_list, ListQuery()):
                records.append((definition, rows))
    return records


def client_fact(list_name: Any, reference: rx.Var[str], *, is_shown: Any = True) -> rx.Component:
    """The link from a client's record, in the list of that name, to all other records."""
    href = f"{CLIENT}?list=" + rx.Var.create(list_name).to(str) + "&ref=" + reference
    return fact("Client", text_link("All records of this client", href), is_shown=is_shown)


def client_screen(*actions: ClientAction) -> Screen:
    return Screen(
        path=CLIENT,
        title="Client",
        permission=Permission.ENTER,
        body=lambda: _client_page(actions),
        on_load=(ClientPage.open_client,),
    )


def _client_page(actions: Sequence[ClientAction]) -> rx.Component:
    return rx.cond(
        ClientPage.record != "",
        rx.el.div(
            _client_heading(actions),
            rx.foreach(ClientPage.results, found_records),
            message_dialogs(ClientMessages, "client-text"),
            class_name="record",
        ),
        nothing_chosen(
            "No client selected. Search by name, phone, e-mail or reference above.", "Search", "/admin/search"
        ),
    )


def _client_heading(actions: Sequence[ClientAction]) -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.h2(rx.cond(ClientPage.fullname != "", ClientPage.fullname, ClientPage.email)),
            rx.el.p(ClientPage.email, class_name="record-below"),
            rx.el.p(ClientPage.phone, class_name="record-below"),
        ),
        button_row(
            _contact_link("Write e-mail", "mailto:", ClientPage.email),
            _contact_link("Call", "tel:", ClientPage.phone.replace(" ", "")),
            *(
                rx.cond(
                    has_permission(action.permission),
                    rx.el.a(
                        action.label, href=f"{action.path}?" + ClientPage.record, class_name="office-quiet"
                    ),
                )
                for action in actions
            ),
            rx.cond(ClientPage.phone != "", message_button(ClientMessages, "")),
        ),
        aria_label="Client",
        class_name="office-card record-head",
    )


def _contact_link(label: str, scheme: str, address: Any) -> rx.Component:
    return rx.cond(address != "", rx.el.a(label, href=scheme + address, class_name="office-quiet"))
