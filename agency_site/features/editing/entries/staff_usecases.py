"""Use cases of staff: write, publish, schedule, hide and restore entries. `actor` is the e-mail address of the account.

A record is named by its kind and slug, whether staff have changed it before or not; version 0 is the delivered record.
"""

import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import unquote

from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.entries import Kind
from agency_site.content.entry_fields import split_lines
from agency_site.content.entry_kinds import FORMER_ADDRESSES, KINDS, EntryInvalid, KindDefinition
from agency_site.content.link_targets import list_dead_links
from agency_site.content.schema import Record
from agency_site.db.event_log import LoggedEvent, append_event
from agency_site.db.record_versions import update_record
from agency_site.errors import Conflict, FieldError, InputRejected, NotFound, StaleRecord
from agency_site.features.editing.entries.addresses import is_reserved
from agency_site.features.editing.entries.records import EntryRecord, EntryVersion
from agency_site.features.editing.entries.rules import SLUG_LENGTH, EntryChange, EntryState
from agency_site.features.editing.entries.tables import ContentEntry, ContentEvent
from agency_site.features.editing.entries.text_messages import find_length_problem
from agency_site.features.editing.pictures.usecases import find_missing_pictures
from agency_site.form_input import CHECK_FIELDS, search_text

_TITLE_LENGTH = 200
_FREE_NUMBERS = range(2, 100)
_HISTORY = 100
"""Events of a history that staff see."""


async def find_entry(session: AsyncSession, kind: Kind, slug: str) -> EntryRecord:
    """Return the record of that kind and slug. Raises NotFound if it neither was delivered nor is in the database."""
    definition = KINDS[kind]
    delivered = definition.find_delivered(slug)
    row = await _find_row(session, kind, slug)
    if row is None and delivered is None:
        raise NotFound(f"There is no such {definition.name.lower()}.")
    return _build_record(definition, slug, row, delivered)


async def list_entries(session: AsyncSession, kind: Kind) -> list[EntryRecord]:
    """Return every record of a kind: the delivered ones with their changes, then those that staff have added."""
    definition = KINDS[kind]
    rows = await session.exec(
        select(ContentEntry).where(ContentEntry.kind == kind).order_by(col(ContentEntry.id))
    )
    row_by_slug = {row.slug: row for row in rows}
    delivered = {definition.slug_of(record): record for record in definition.delivered}
    return [
        _build_record(definition, slug, row_by_slug.get(slug), delivered.get(slug))
        for slug in dict.fromkeys((*delivered, *row_by_slug))
    ]


async def create_entry(
    session: AsyncSession, kind: Kind, fields: Mapping[str, str], actor: str
) -> EntryRecord:
    """Store a new record as a draft. Raises InputRejected for a missing title, Conflict for a kind that has no new records."""
    definition = KINDS[kind]
    if not definition.can_create:
        raise Conflict(f"The list of {definition.plural.lower()} is fixed.")
    title = _read_title(definition, "", fields)
    slug = await _find_free_slug(session, definition, fields.get("address", "") or title)
    await _insert(session, definition, slug, fields, EntryState.DRAFT, EntryChange.CREATED, actor)
    return await find_entry(session, kind, slug)


async def save_entry(
    session: AsyncSession, kind: Kind, slug: str, version: int, fields: Mapping[str, str], actor: str
) -> EntryRecord:
    """Store the fields without publishing them. Raises NotFound and StaleRecord.

    Incomplete fields are fine, unless the entry is scheduled: InputRejected.
    """
    entry = await find_entry(session, kind, slug)
    fields = _keep_former_address(entry, fields)
    if entry.state is EntryState.SCHEDULED:
        await _require_complete(session, kind, slug, fields)
    if version == 0 == entry.version:
        await _insert(session, KINDS[kind], slug, fields, EntryState.DRAFT, EntryChange.SAVED, actor)
    else:
        await _change(session, entry, version, EntryChange.SAVED, actor, fields=fields)
    return await find_entry(session, kind, slug)


async def publish_entry(
    session: AsyncSession, kind: Kind, slug: str, version: int, actor: str
) -> EntryRecord:
    """Show the saved fields to visitors now. Raises InputRejected for fields that are not complete, NotFound, StaleRecord."""
    entry = await _require_publishable(session, kind, slug)
    version = await _store_first(session, entry, version, actor)
    await _change(
        session, entry, version, EntryChange.PUBLISHED, actor,
        state=EntryState.PUBLISHED, published_document=dict(entry.fields), published_at=now(), publish_at=None,
    )  # fmt: skip
    return await find_entry(session, kind, slug)


async def schedule_entry(
    session: AsyncSession, kind: Kind, slug: str, version: int, moment: datetime, actor: str
) -> EntryRecord:
    """Publish the saved fields at that moment. Raises InputRejected also for a moment that has passed."""
    if moment <= now():
        raise InputRejected(CHECK_FIELDS, (FieldError("moment", "Please choose a time to come."),))
    entry = await _require_publishable(session, kind, slug)
    version = await _store_first(session, entry, version, actor)
    await _change(
        session, entry, version, EntryChange.SCHEDULED, actor,
        note=moment.isoformat(), state=EntryState.SCHEDULED, publish_at=moment,
    )  # fmt: skip
    return await find_entry(session, kind, slug)


async def unschedule_entry(
    session: AsyncSession, kind: Kind, slug: str, version: int, actor: str
) -> EntryRecord:
    """Publish nothing at the planned moment. Raises Conflict if nothing is planned."""
    entry = await find_entry(session, kind, slug)
    if entry.state is not EntryState.SCHEDULED:
        raise Conflict("Nothing is scheduled any more.")
    state = EntryState.DRAFT if await _is_unpublished(session, kind, slug) else EntryState.PUBLISHED
    await _change(session, entry, version, EntryChange.UNSCHEDULED, actor, state=state, publish_at=None)
    return await find_entry(session, kind, slug)


async def hide_entry(session: AsyncSession, kind: Kind, slug: str, version: int, actor: str) -> EntryRecord:
    """Take the record off the site, the delivered one too. Its fields stay. Raises Conflict for a kind that is never hidden."""
    entry = await find_entry(session, kind, slug)
    if not KINDS[kind].can_hide:
        raise Conflict(f"A {KINDS[kind].name.lower()} cannot be hidden.")
    if KINDS[kind].needs_one and not await _has_others(session, kind, slug):
        raise Conflict(f"This is the only {KINDS[kind].name.lower()} on the site. Publish another one first.")
    version = await _store_first(session, entry, version, actor)
    await _change(
        session, entry, version, EntryChange.HIDDEN, actor,
        state=EntryState.HIDDEN, publish_at=None,
    )  # fmt: skip
    return await find_entry(session, kind, slug)


async def _has_others(session: AsyncSession, kind: Kind, slug: str) -> bool:
    """Return whether visitors see another record of the kind."""
    entries = await list_entries(session, kind)
    return any(entry.published_fields is not None for entry in entries if entry.slug != slug)


async def reset_entry(session: AsyncSession, kind: Kind, slug: str, version: int, actor: str) -> EntryRecord:
    """Show the delivered record again. The history keeps what staff had written. Raises Conflict without a delivered record."""
    entry = await find_entry(session, kind, slug)
    if entry.delivered_fields is None:
        raise Conflict("This was written here, so there is nothing to return to. You can hide it.")
    await _change(
        session, entry, version, EntryChange.RESET, actor, fields=entry.delivered_fields,
        state=EntryState.DRAFT, published_document=None, publish_at=None,
    )  # fmt: skip
    return await find_entry(session, kind, slug)


async def restore_version(
    session: AsyncSession, kind: Kind, slug: str, version: int, event_id: int, actor: str
) -> EntryRecord:
    """Take the fields of an earlier event into the draft. Visitors see them once they are published. Raises NotFound."""
    entry = await find_entry(session, kind, slug)
    row = await _find_row(session, kind, slug)
    event = await session.get(ContentEvent, event_id)
    if row is None or event is None or event.entry_id != row.id:
        raise NotFound("There is no such version.")
    if entry.state is EntryState.SCHEDULED:
        await _require_complete(session, kind, slug, event.document)
    note = f"of {event.at.isoformat()}"
    await _change(session, entry, version, EntryChange.RESTORED, actor, note=note, fields=event.document)
    return await find_entry(session, kind, slug)


async def list_versions(session: AsyncSession, kind: Kind, slug: str) -> list[EntryVersion]:
    """Return the history of a record, newest event first, with the fields at each event."""
    row = await _find_row(session, kind, slug)
    if row is None:
        return []
    events = (
        select(ContentEvent)
        .where(ContentEvent.entry_id == row.id)
        .order_by(col(ContentEvent.id).desc())
        .limit(_HISTORY)
    )
    return [
        EntryVersion(
            event.id or 0, LoggedEvent(event.at, event.actor, event.what, note=event.note), event.document
        )
        for event in await session.exec(events)
    ]


def _build_record(
    definition: KindDefinition, slug: str, row: ContentEntry | None, delivered: Record | None
) -> EntryRecord:
    delivered_fields = definition.fields_of(delivered) if delivered else None
    if row is None:
        title = definition.title_of(delivered)
        fields = delivered_fields or {}
        return EntryRecord(
            definition.kind, slug, title, 0, EntryState.PUBLISHED, fields, fields, delivered_fields
        )
    is_hidden = row.state is EntryState.HIDDEN
    # A document that was stored before its kind got another field has the delivered value of that field.
    usual = delivered_fields or {}
    visible = delivered_fields if row.published_document is None else usual | row.published_document
    fields = usual | row.document
    return EntryRecord(
        definition.kind, slug, row.title, row.version, row.state, fields, None if is_hidden else visible,
        delivered_fields, row.publish_at, row.editor, row.updated_at,
    )  # fmt: skip


async def _find_row(session: AsyncSession, kind: Kind, slug: str) -> ContentEntry | None:
    wanted = select(ContentEntry).where(ContentEntry.kind == kind, ContentEntry.slug == slug)
    return (await session.exec(wanted.execution_options(populate_existing=True))).one_or_none()


async def _is_unpublished(session: AsyncSession, kind: Kind, slug: str) -> bool:
    row = await _find_row(session, kind, slug)
    return row is None or row.published_document is None


async def _require_publishable(session: AsyncSession, kind: Kind, slug: str) -> EntryRecord:
    entry = await find_entry(session, kind, slug)
    await _require_complete(session, kind, slug, entry.fields)
    return entry


async def _require_complete(session: AsyncSession, kind: Kind, slug: str, fields: Mapping[str, str]) -> None:
    """Raise InputRejected if the fields make no record, or a page at an address that is taken."""
    definition = KINDS[kind]
    try:
        path = definition.path_of(definition.build(slug, fields))
    except EntryInvalid as invalid:
        errors = tuple(FieldError(name, problem) for name, problem in invalid.problems.items())
        raise InputRejected(CHECK_FIELDS, errors) from None
    if problem := find_length_problem(fields.get("text_message", "")):
        raise InputRejected(CHECK_FIELDS, (FieldError("text_message", problem),))
    problems = definition.find_text_problems(fields) or _list_dead_links(definition, fields, path)
    if problems:
        raise InputRejected(CHECK_FIELDS, tuple(FieldError(*problem) for problem in problems.items()))
    if errors := await _list_missing_pictures(session, definition, fields):
        raise InputRejected(CHECK_FIELDS, errors)
    if definition.has_own_page and await _is_taken(session, definition, slug, path):
        field = "address" if "address" in fields else definition.fields[0].name
        reason = f"Another page has the address {path}. Please choose another one."
        raise InputRejected(CHECK_FIELDS, (FieldError(field, reason),))


def _list_dead_links(definition: KindDefinition, fields: Mapping[str, str], path: str) -> dict[str, str]:
    field_of = {address: name for name, address in definition.list_links(fields)}
    dead = list_dead_links(field_of, path)
    return {
        field_of[address]: f"A link leads to {unquote(address)}, where this site has no page."
        for address in dead
    }


async def _list_missing_pictures(
    session: AsyncSession, definition: KindDefinition, fields: Mapping[str, str]
) -> tuple[FieldError, ...]:
    field_of = {address: name for name, address in definition.list_pictures(fields)}
    return tuple(
        FieldError(field_of[address], f"The picture {address} is not in the library. Please upload it.")
        for address in await find_missing_pictures(session, field_of)
    )


async def _is_taken(session: AsyncSession, definition: KindDefinition, slug: str, path: str) -> bool:
    delivered = definition.find_delivered(slug)
    if delivered and definition.path_of(delivered) == path:
        return False
    entries = await list_entries(session, definition.kind)
    others = (entry.find_path(entry.published_fields) for entry in entries if entry.slug != slug)
    return is_reserved(path) or path in others


def _keep_former_address(entry: EntryRecord, fields: Mapping[str, str]) -> dict[str, str]:
    """Return the fields with the addresses that the page has had: they lead to the present one."""
    before, after = (entry.published_fields or {}).get("address", ""), fields.get("address", "")
    former = dict.fromkeys((*split_lines(entry.fields.get(FORMER_ADDRESSES, "")), before))
    joined_addresses = "\n".join(address for address in former if address not in ("", after))
    return {**fields, FORMER_ADDRESSES: joined_addresses} if joined_addresses else dict(fields)


async def _store_first(session: AsyncSession, entry: EntryRecord, version: int, actor: str) -> int:
    """Store a delivered record that staff change for the first time; return the version to change."""
    if entry.version:
        return version
    await _insert(
        session, KINDS[entry.kind], entry.slug, entry.fields, EntryState.DRAFT, EntryChange.CREATED, actor
    )
    return 1


async def _insert(
    session: AsyncSession, definition: KindDefinition, slug: str, fields: Mapping[str, str], state: EntryState,
    change: EntryChange, actor: str,
) -> None:  # fmt: skip
    moment = now()
    title = _read_title(definition, slug, fields)
    entry = ContentEntry(
        kind=definition.kind, slug=slug, title=title, state=state, document=dict(fields), editor=actor,
        search=search_text(title, slug), created_at=moment, updated_at=moment,
    )  # fmt: skip
    try:
        async with session.begin_nested():
            session.add(entry)
    except IntegrityError:
        raise StaleRecord(title, await find_entry(session, definition.kind, slug)) from None
    await append_event(session, ContentEvent, [entry.id], change, actor, document=dict(fields))


async def _change(
    session: AsyncSession, entry: EntryRecord, version: int, change: EntryChange, actor: str, *, note: str = "",
    fields: Mapping[str, str] | None = None, **values: Any,
) -> None:  # fmt: skip
    row = await _find_row(session, entry.kind, entry.slug)
    document = dict(entry.fields if fields is None else fields)
    title = _read_title(KINDS[entry.kind], entry.slug, document)
    own = {"document": document, "title": title, "search": search_text(title, entry.slug), "editor": actor}
    identity = row.id if row else None
    if not await update_record(session, ContentEntry, identity, version, updated_at=now(), **own, **values):
        raise StaleRecord(entry.title, await find_entry(session, entry.kind, entry.slug))
    await append_event(session, ContentEvent, [identity], change, actor, note=note, document=document)


def _read_title(definition: KindDefinition, slug: str, fields: Mapping[str, str]) -> str:
    """Return the name of the record: its first field, or the delivered name in a fixed list. Raises InputRejected."""
    if not definition.can_create:
        return definition.title_of(definition.find_delivered(slug))
    first = definition.fields[0]
    title = " ".join(fields.get(first.name, "").split())[:_TITLE_LENGTH]
    if not title:
        raise InputRejected(CHECK_FIELDS, (FieldError(first.name, f"Please fill in “{first.label}”."),))
    return title


async def _find_free_slug(session: AsyncSession, definition: KindDefinition, text: str) -> str:
    """Return a slug made of the text that no record of this kind has."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[: SLUG_LENGTH - 4].strip(
        "-"
    ) or definition.kind.value.replace("_", "-")
    taken = {entry.slug for entry in await list_entries(session, definition.kind)}
    candidates = (slug, *(f"{slug}-{number}" for number in _FREE_NUMBERS))
    return next(candidate for candidate in candidates if candidate not in taken)
