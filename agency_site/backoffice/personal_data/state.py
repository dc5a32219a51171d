"""The state of the page of data requests."""

from typing import Any

import reflex as rx

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page
from agency_site.backoffice.personal_data import data_requests
from agency_site.backoffice.personal_data.labels import (
    Group,
    endings_of,
    groups_of,
    names_of,
    other_identifiers,
)
from agency_site.backoffice.screens import screens
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import report_scope, session_scope
from agency_site.errors import Conflict
from agency_site.mail.personal_data import Person
from agency_site.ui.forms import submitted

FEW = 4
"""Up to this number records are shown expanded."""


class DataRequestState(StaffState):
    """The person of the search, and their records. The page's address contains neither."""

    email: rx.Field[str] = rx.field("")
    phone: rx.Field[str] = rx.field("")
    searched: rx.Field[bool] = rx.field(False)
    """A search has run."""
    groups: rx.Field[list[Group]] = rx.field(default_factory=list)
    unfolded: rx.Field[bool] = rx.field(False)
    """All records are expanded, for reading or printing."""
    others: rx.Field[list[str]] = rx.field(default_factory=list)
    """Further addresses and numbers in the records."""
    names: rx.Field[list[str]] = rx.field(default_factory=list)
    """The names in the records, if they have several: perhaps of several persons."""
    endings: rx.Field[list[str]] = rx.field(default_factory=list)
    """What erasing ends, such as upcoming bookings."""
    asking: rx.Field[bool] = rx.field(False)
    """The confirmation dialog is open."""
    refused: rx.Field[str] = rx.field("")
    """Why nothing was erased."""
    outcomes: rx.Field[list[str]] = rx.field(default_factory=list)
    """The erased records."""

    @staff_page(Permission.PRIVACY)
    async def open_page(self, _who: Staff) -> None:
        """Begin without a person."""
        self._clear()
        self.email = self.phone = ""

    @staff_event(Permission.PRIVACY)
    async def find(self, who: Staff, form: dict[str, Any]) -> None:
        """Find the records of the person in the form."""
        fields = submitted(form)
        await self._find(who, data_requests.parse_person(fields.get("email", ""), fields.get("phone", "")))

    @staff_event(Permission.PRIVACY)
    async def widen(self, who: Staff, other: str) -> None:
        """Include one of the other addresses and numbers in the search."""
        if other not in self.others:
            return
        email, phone = (other, self.phone) if "@" in other else (self.email, other)
        await self._find(who, data_requests.parse_person(email, phone))

    @staff_event(Permission.PRIVACY)
    async def unfold(self, _who: Staff) -> None:
        """Expand or collapse all records."""
        self.unfolded = not self.unfolded

    @staff_event(Permission.PRIVACY)
    async def ask(self, _who: Staff) -> None:
        """Ask before anything is erased."""
        self.asking, self.refused, self.outcomes = bool(self.groups), "", []

    @staff_event(Permission.PRIVACY)
    async def dismiss(self, _who: Staff) -> None:
        """Close the dialog without erasing."""
        self.asking = False

    @staff_event(Permission.PRIVACY)
    async def erase(self, who: Staff) -> None:
        """Erase the shown records, all or none."""
        if not self.asking:
            return
        self.asking = False
        try:
            outcomes = await _erase_person(self._person(), who)
        except Conflict as open_business:
            self.refused = open_business.message
            return
        await self._show(self._person())
        self.outcomes = outcomes
        self._say("Erased.")

    async def _find(self, who: Staff, person: Person) -> None:
        self._clear()
        self.email, self.phone = person.address, person.number
        async with session_scope() as session:
            # Reading personal data is audited, too.
            await audit.record(session, who, "person.looked_up", "person", data_requests.reference_of(person))
        await self._show(person)
        self.problem, self.done, self.errors = "", "", {}

    async def _show(self, person: Person) -> None:
        async with report_scope() as session:
            results = await data_requests.find_records(session, person)
        self.groups = groups_of(results, {screen.path for screen in screens()})
        self.others = other_identifiers(results, person.names)
        names = names_of(results)
        self.names, self.endings = names if len(names) > 1 else [], endings_of(results)
        self.searched = True
        self.unfolded = sum(len(result.records) for result in results) <= FEW

    def _person(self) -> Person:
        return data_requests.parse_person(self.email, self.phone)

    def _clear(self) -> None:
        self.searched, self.asking, self.refused = False, False, ""
        self.groups, self.others, self.outcomes, self.names, self.endings = [], [], [], [], []


async def _erase_person(person: Person, who: Staff) -> list[str]:
    async with session_scope() as session:
        erased_counts = await data_requests.erase(session, person, who.email)
        counts = [f"{name}: {count}" for name, count in erased_counts.items() if count]
        reference = data_requests.reference_of(person)
        await audit.record(session, who, "person.erased", "person", reference, ", ".join(counts))
    return counts
