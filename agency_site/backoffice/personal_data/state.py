"""Finding a person, and erasing on request: what the page does."""

from typing import Any

import reflex as rx

from agency_site.auth import audit
from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.access_control import staff_event, staff_page
from agency_site.backoffice.personal_data import data_requests
from agency_site.backoffice.personal_data.labels import Group, groups_of, other_identifiers
from agency_site.backoffice.screens import screens
from agency_site.backoffice.state import StaffState
from agency_site.db.engine import report_scope, session_scope
from agency_site.errors import Conflict
from agency_site.mail.personal_data import Person
from agency_site.ui.forms import submitted

FEW = 4
"""Up to so many records are shown unfolded."""


class DataRequestState(StaffState):
    """The person who was searched for, and their records. The page's address contains none of it."""

    email: rx.Field[str] = rx.field("")
    phone: rx.Field[str] = rx.field("")
    searched: rx.Field[bool] = rx.field(False)
    """A search was done."""
    groups: rx.Field[list[Group]] = rx.field(default_factory=list)
    unfolded: rx.Field[bool] = rx.field(False)
    """Every record is open, to be read or printed whole."""
    others: rx.Field[list[str]] = rx.field(default_factory=list)
    """Addresses and numbers that the records carry besides."""
    asking: rx.Field[bool] = rx.field(False)
    """The confirmation dialog is open."""
    refused: rx.Field[str] = rx.field("")
    """Why nothing was erased."""
    outcomes: rx.Field[list[str]] = rx.field(default_factory=list)
    """What was erased."""

    @staff_page(Permission.PRIVACY)
    async def open_page(self, _who: Staff) -> None:
        """Begin with nobody."""
        self._clear()
        self.email = self.phone = ""

    @staff_event(Permission.PRIVACY)
    async def find(self, who: Staff, form: dict[str, Any]) -> None:
        """Find the records of the person whom the form names."""
        given = submitted(form)
        await self._find(who, data_requests.parse_person(given.get("email", ""), given.get("phone", "")))

    @staff_event(Permission.PRIVACY)
    async def widen(self, who: Staff, other: str) -> None:
        """Search for one of the other addresses and numbers as well."""
        if other not in self.others:
            return
        email, phone = (other, self.phone) if "@" in other else (self.email, other)
        await self._find(who, data_requests.parse_person(email, phone))

    @staff_event(Permission.PRIVACY)
    async def unfold(self, _who: Staff) -> None:
        """Open every record, or close them again."""
        self.unfolded = not self.unfolded

    @staff_event(Permission.PRIVACY)
    async def ask(self, _who: Staff) -> None:
        """Ask before anything is erased."""
        self.asking, self.refused, self.outcomes = bool(self.groups), "", []

    @staff_event(Permission.PRIVACY)
    async def dismiss(self, _who: Staff) -> None:
        """Keep everything."""
        self.asking = False

    @staff_event(Permission.PRIVACY)
    async def erase(self, who: Staff) -> None:
        """Erase what is shown, everywhere or nowhere."""
        if not self.asking:
            return
        self.asking = False
        try:
            outcomes = await _erased(self._person(), who)
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
            found = await data_requests.find_records(session, person)
        self.groups = groups_of(found, {screen.path for screen in screens()})
        self.others = other_identifiers(found, person.names)
        self.searched = True
        self.unfolded = sum(len(one.records) for one in found) <= FEW

    def _person(self) -> Person:
        return data_requests.parse_person(self.email, self.phone)

    def _clear(self) -> None:
        self.searched, self.asking, self.refused = False, False, ""
        self.groups, self.others, self.outcomes = [], [], []


async def _erased(person: Person, who: Staff) -> list[str]:
    async with session_scope() as session:
        erased = await data_requests.erase(session, person, who.email)
        counts = [f"{name}: {count}" for name, count in erased.items() if count]
        reference = data_requests.reference_of(person)
        await audit.record(session, who, "person.erased", "person", reference, ", ".join(counts))
    return counts
