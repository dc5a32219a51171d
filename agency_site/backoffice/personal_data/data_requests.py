"""The personal data of one visitor, all over the site: finding, exporting and erasing it on request.

Features own the data, and the composition root registers them: the back office imports none of them.
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
"""One record in a form that JSON can hold; `record` says what sort it is, `reference` which one."""


@dataclass(frozen=True)
class DataSource:
    """A part of the site that stores personal data of visitors."""

    name: str
    """What it stores, such as `Bookings`."""
    find: Callable[[AsyncSession, str, str], Awaitable[list[Record]]]
    """Everything about the person of an e-mail address or a phone number; either may be empty."""
    erase: Callable[[AsyncSession, str, str, str], Awaitable[int]]
    """Blanks it for the same two and the acting member of staff; returns how many records there were. Raises Conflict
    where something has to be settled first."""
    kept: str
    """What is kept all the same, and why."""
    pages: Mapping[str, str] = field(default_factory=dict)
    """Address of a record's page by its sort; the reference is put behind it."""


@dataclass(frozen=True)
class SourceRecords:
    """The records that one source has about a person."""

    source: DataSource
    records: Sequence[Record]


_sources: list[DataSource] = []


def register_sources(*sources: DataSource) -> None:
    """Add to the list, whose order is the order of erasing. Called by the composition root only."""
    _sources.extend(sources)


def parse_person(email: object, phone: object) -> Person:
    """The person of an address or a phone number as it was typed, in any spelling.

    Raises InputRejected naming the field, and Conflict for an address or number of our own.
    """
    typed = {
        "email": _typed(email, "email", "The e-mail address", EMAIL_LENGTH),
        "phone": _typed(phone, "phone", "The phone number", PHONE_LENGTH),
    }
    if not any(typed.values()):
        ask = "Please enter an e-mail address or a phone number."
        raise InputRejected(ask, (FieldError("email", ask),))
    if typed["email"] and "@" not in typed["email"][1:-1]:
        wrong = "Please enter the whole e-mail address, such as amina@example.com."
        raise InputRejected(wrong, (FieldError("email", wrong),))
    return person(typed["email"], typed["phone"])


def _typed(value: object, name: str, what: str, limit: int) -> str:
    try:
        return machine_line(value, what, limit)
    except ValueError as wrong:
        raise InputRejected(str(wrong), (FieldError(name, str(wrong)),)) from None


def reference_of(who: Person) -> str:
    """What the audit log calls a person: a keyed digest, which discloses nothing and is constant under one secret key."""
    return f"PN-{sign('person', who.address or who.number)[:12].upper()}"


async def find_records(session: AsyncSession, who: Person) -> list[SourceRecords]:
    """All records of a person, by source; a source without any is left out."""
    found = [
        SourceRecords(source, await source.find(session, who.address, who.number))
        for source in (*_sources, SAVED_VIEWS)
    ]
    return [one for one in found if one.records]


async def erase(session: AsyncSession, who: Person, actor: str) -> dict[str, int]:
    """Erase the person everywhere, within the caller's transaction; how many records, by the source's name.

    Raises Conflict when a source refuses: the caller's transaction must then be given up as a whole.
    """
    return {
        source.name: await source.erase(session, who.address, who.number, actor)
        for source in (*_sources, SAVED_VIEWS)
    }


def document(who: Person, found: Sequence[SourceRecords]) -> dict[str, object]:
    """What a person is given on request: everything, as JSON."""
    return {
        "made_at": now().isoformat(timespec="seconds"),
        "person": {"email": who.address, "phone": who.number},
        "records": {one.source.name: list(one.records) for one in found},
    }


async def _views_held(session: AsyncSession, email: str, phone: str) -> list[Record]:
    return [
        {"record": "saved view", "reference": view.name, "listing": view.list_name, "query": view.query}
        for view in await _views(session, email, phone)
    ]


async def _views_erased(session: AsyncSession, email: str, phone: str, _actor: str) -> int:
    views = await _views(session, email, phone)
    for view in views:
        await session.delete(view)
    await session.flush()
    return len(views)


async def _views(session: AsyncSession, email: str, phone: str) -> list[SavedView]:
    """Lists that somebody keeps filtered by the address or the number: few rows, read one by one."""
    named = [part for part in (email, phone, phone.removeprefix("+254")) if part]
    views = (await session.exec(select(SavedView))).all()
    return [view for view in views if any(part in _searched_text(view) for part in named)]


def _searched_text(view: SavedView) -> str:
    asked = parse_qs(view.query).get("q", [""])[0]
    return f"{view.name} {asked} {asked.replace(' ', '')}".lower()


SAVED_VIEWS = DataSource("Saved views", _views_held, _views_erased, "Nothing; the view is deleted.")
"""The one place of the back office itself where a visitor may be named."""
