"""Data requests: find, export and erase the personal data of a visitor over the whole site.

Features own the data; the composition root registers their sources, because the back office imports no feature.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.tables import SavedView
from agency_site.clock import now
from agency_site.errors import FieldError, InputRejected
from agency_site.form_input import EMAIL_LENGTH, PHONE_LENGTH, machine_line
from agency_site.mail.personal_data import Person, person
from agency_site.signing import sign

Record = dict[str, object]
"""A record as JSON values; `record` names its kind, `reference` the record."""


@dataclass(frozen=True)
class DataSource:
    """A part of the site that stores personal data of visitors."""

    name: str
    """The kind of records, such as `Bookings`."""
    find: Callable[[AsyncSession, str, str], Awaitable[list[Record]]]
    """Returns all records of the person with an e-mail address or a phone number; either may be empty."""
    erase: Callable[[AsyncSession, str, str, str], Awaitable[int]]
    """Erases them for the same two and the acting member of staff; returns how many records there were. Raises Conflict
        if something has to be settled first."""
    retained_data: str
    """What is kept all the same, and why."""
    pages: Mapping[str, str] = field(default_factory=dict)
    """The address of a record's page by its kind; the reference is appended."""
    describe_ending: Callable[[Record], str] | None = None
    """Returns what erasing a record ends, such as an upcoming booking; empty for nothing."""


@dataclass(frozen=True)
class SourceRecords:
    """The records of a person in one source."""

    source: DataSource
    records: Sequence[Record]


_sources: list[DataSource] = []


def register_sources(*sources: DataSource) -> None:
    """Register sources, in the order of erasing. Called by the composition root only."""
    _sources.extend(sources)


def parse_person(email: object, phone: object) -> Person:
    """Return the person of an e-mail address or phone number, in any spelling.

    Raises InputRejected naming the field, and Conflict for an address or number of the organisation.
    """
    parts = {
        "email": _read_line(email, "email", "The e-mail address", EMAIL_LENGTH),
        "phone": _read_line(phone, "phone", "The phone number", PHONE_LENGTH),
    }
    if not any(parts.values()):
        message = "Please enter an e-mail address or a phone number."
        raise InputRejected(message, (FieldError("email", message),))
    if parts["email"] and "@" not in parts["email"][1:-1]:
        wrong = "Please enter the complete e-mail address, such as amina@example.com."
        raise InputRejected(wrong, (FieldError("email", wrong),))
    return person(parts["email"], parts["phone"])


def _read_line(value: object, name: str, label: str, limit: int) -> str:
    try:
        return machine_line(value, label, limit)
    except ValueError as wrong:
        raise InputRejected(str(wrong), (FieldError(name, str(wrong)),)) from None


def reference_of(who: Person) -> str:
    """Return the person's name in the audit log: a keyed digest, which discloses nothing and is constant under one secret key."""
    return f"PN-{sign('person', who.address or who.number)[:12].upper()}"


async def find_records(session: AsyncSession, who: Person) -> list[SourceRecords]:
    """Return all records of a person, by source; sources without records are left out."""
    results = [
        SourceRecords(source, await source.find(session, who.address, who.number))
        for source in (*_sources, SAVED_VIEWS)
    ]
    return [result for result in results if result.records]


async def erase(session: AsyncSession, who: Person, actor: str) -> dict[str, int]:
    """Erase the person everywhere, within the caller's transaction; return the number of records by source.

    Raises Conflict if a source refuses; the caller must then roll back the whole transaction.
    """
    return {
        source.name: await source.erase(session, who.address, who.number, actor)
        for source in (*_sources, SAVED_VIEWS)
    }


def document(who: Person, results: Sequence[SourceRecords]) -> dict[str, object]:
    """Return the file for a person's request: all records, as JSON."""
    return {
        "made_at": now().isoformat(timespec="seconds"),
        "person": {"email": who.address, "phone": who.number},
        "records": {result.source.name: list(result.records) for result in results},
    }


async def _find_views(session: AsyncSession, email: str, phone: str) -> list[Record]:
    return [
        {"record": "saved view", "reference": view.name, "listing": view.list_name, "query": view.query}
        for view in await _views_naming(session, email, phone)
    ]


async def _erase_views(session: AsyncSession, email: str, phone: str, _actor: str) -> int:
    views = await _views_naming(session, email, phone)
    for view in views:
        await session.delete(view)
    await session.flush()
    return len(views)


async def _views_naming(session: AsyncSession, email: str, phone: str) -> list[SavedView]:
    """Return saved views that search for the address or the number; there are few rows, so each is checked."""
    identifiers = [part for part in (email, phone, phone.removeprefix("+254")) if part]
    views = (await session.exec(select(SavedView))).all()
    return [view for view in views if any(part in _searched_text(view) for part in identifiers)]


def _searched_text(view: SavedView) -> str:
    words = parse_qs(view.query).get("q", [""])[0]
    return f"{view.name} {words} {words.replace(' ', '')}".lower()


SAVED_VIEWS = DataSource("Saved views", _find_views, _erase_views, "Nothing; the view is deleted.")
"""The only data of the back office itself that may name a visitor."""
