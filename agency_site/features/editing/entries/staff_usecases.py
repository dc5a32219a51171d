"""Use cases of staff: write, publish, schedule, hide and restore entries. `actor` is the e-mail address of the account.

A record is named by its kind and slug, whether staff have changed it before or not; version 0 is the delivered record.
"""

import re
import unicodedata
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.characters import is_blank
from agency_site.clock import now
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS, KindDefinition
from agency_site.db.event_log import NOTE_LENGTH, SYSTEM, LoggedEvent, append_event
from agency_site.db.record_versions import update_record
from agency_site.errors import Conflict, FieldError, InputRejected, NotFound, StaleRecord
from agency_site.features.editing.entries.checks import (
    list_obstacles,
    list_problems,
    list_questions,
    require_answers,
)
from agency_site.features.editing.entries.records import (
    EntryRecord,
    EntryVersion,
    keep_known_fields,
    read_address,
    read_delivered_entry,
    read_entry,
)
from agency_site.features.editing.entries.rules import SLUG_LENGTH, EntryChange, find_state
from agency_site.features.editing.entries.tables import ContentEntry, ContentEvent
from agency_site.form_input import CHECK_FIELDS, search_text

_TITLE_LENGTH = 200
_FREE_NUMBERS = range(2, 100)
_HISTORY = 100
"""Events of a history that staff see."""


async def find_entry(session: AsyncSession, kind: Kind, slug: str) -> EntryRecord:
    """Return the record of that kind and slug. Raises NotFound if it neither was delivered nor is in the database."""
    definition = KINDS[kind]
    row = await _find_row(session, kind, slug)
    if row is None and definition.find_delivered(slug) is None:
        raise NotFound(f"There is no such {definition.name.lower()}.")
    return read_entry(row) if row else read_delivered_entry(definition, slug)


async def list_entries(session: AsyncSession, kind: Kind) -> list[EntryRecord]:
    """Return every record of a kind: the delivered ones with their changes, then those that staff have added."""
    definition = KINDS[kind]
    rows = await session.exec(
        select(ContentEntry).where(ContentEntry.kind == kind).order_by(col(ContentEntry.id))
    )
    changed = {row.slug: read_entry(row) for row in rows}
    delivered = [definition.slug_of(record) for record in definition.delivered]
    return [
        changed.get(slug) or read_delivered_entry(definition, slug)
        for slug in dict.fromkeys((*delivered, *changed))
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
    await _insert(session, definition, slug, fields, EntryChange.CREATED, actor)
    return await find_entry(session, kind, slug)


async def save_entry(
    session: AsyncSession, kind: Kind, slug: str, version: int, fields: Mapping[str, str], actor: str,
    answered: Collection[str] = (),
) -> EntryRecord:  # fmt: skip
    """Store the fields without publishing them. Raises NotFound and StaleRecord.

    Incomplete fields are fine, unless the entry is scheduled: InputRejected, and AnswerNeeded as for `publish_entry`.
    """
    entry = await find_entry(session, kind, slug)
    if entry.publish_at:
        await _require_publishable(session, entry, fields, entry.publish_at, answered)
    if version == 0 == entry.version:
        await _insert(session, KINDS[kind], slug, fields, EntryChange.SAVED, actor)
    else:
        await _change(session, entry, version, EntryChange.SAVED, actor, fields=fields)
    return await find_entry(session, kind, slug)


async def publish_entry(
    session: AsyncSession, kind: Kind, slug: str, version: int, actor: str, answered: Collection[str] = ()
) -> EntryRecord:
    """Show the saved fields to visitors now. Raises InputRejected for fields that are not complete, NotFound, StaleRecord.

    Raises AnswerNeeded for questions that are not among the `answered` ones.
    """
    entry = await find_entry(session, kind, slug)
    await _require_publishable(session, entry, entry.fields, now(), answered)
    version = await _store_first(session, entry, version, actor)
    await _change(session, entry, version, EntryChange.PUBLISHED, actor, **_show_draft(entry))
    return await find_entry(session, kind, slug)


async def publish_on_time(session: AsyncSession, kind: Kind, slug: str, version: int) -> bool:
    """Publish a scheduled entry now; return False if it was not possible.

    What was checked when it was scheduled is checked again. If it fails, visitors see what they saw, and the entry has the reason
    as its problem. Nothing happens if an editor or another process has changed the entry since that version.
    """
    entry = await find_entry(session, kind, slug)
    others = await _list_others(session, entry)
    if problems := await list_problems(session, entry, entry.fields, others, now()):
        await unschedule_with_reason(
            session, kind, slug, version, " ".join(problem.message for problem in problems)
        )
        return False
    try:
        await _change(session, entry, version, EntryChange.PUBLISHED, SYSTEM, **_show_draft(entry))
    except StaleRecord:
        return False
    return True


async def unschedule_with_reason(
    session: AsyncSession, kind: Kind, slug: str, version: int, reason: str
) -> None:
    """Note why a scheduled entry was not published, unless an editor or another process has changed it since that version."""
    entry, problem = await find_entry(session, kind, slug), reason[:NOTE_LENGTH]
    with suppress(StaleRecord):
        await _change(
            session, entry, version, EntryChange.UNSCHEDULED, SYSTEM, note=problem, publish_at=None, problem=problem
        )  # fmt: skip


def _show_draft(entry: EntryRecord) -> dict[str, Any]:
    """Return the columns of an entry whose draft visitors see from now on."""
    document = dict(entry.fields)
    addresses = _note_visible_address(entry) | {read_address(entry.slug, document): now().isoformat()}
    return {
        "is_hidden": False, "published_document": document, "published_at": now(), "publish_at": None,
        "addresses": addresses,
    }  # fmt: skip


def _note_visible_address(entry: EntryRecord) -> dict[str, str]:
    """Return the addresses of an entry with that of the page that visitors see or saw."""
    if entry.published_fields is None:
        return dict(entry.addresses)
    return {read_address(entry.slug, entry.published_fields): ""} | dict(entry.addresses)


async def schedule_entry(
    session: AsyncSession, kind: Kind, slug: str, version: int, moment: datetime, actor: str,
    answered: Collection[str] = (),
) -> EntryRecord:  # fmt: skip
    """Publish the saved fields at that moment. Until then visitors see what they see now: a hidden entry stays hidden.

    Raises InputRejected also for a moment that has passed, and AnswerNeeded as for `publish_entry`.
    """
    if moment <= now():
        raise InputRejected(CHECK_FIELDS, (FieldError("moment", "Please choose a time to come."),))
    entry = await find_entry(session, kind, slug)
    await _require_publishable(session, entry, entry.fields, moment, answered)
    version = await _store_first(session, entry, version, actor)
    await _change(
        session, entry, version, EntryChange.SCHEDULED, actor, note=moment.isoformat(), publish_at=moment
    )
    return await find_entry(session, kind, slug)


async def unschedule_entry(
    session: AsyncSession, kind: Kind, slug: str, version: int, actor: str
) -> EntryRecord:
    """Publish nothing at the planned moment. Raises Conflict if nothing is planned."""
    entry = await find_entry(session, kind, slug)
    if entry.publish_at is None:
        raise Conflict("Nothing is scheduled any more.")
    await _change(session, entry, version, EntryChange.UNSCHEDULED, actor, publish_at=None)
    return await find_entry(session, kind, slug)


async def hide_entry(session: AsyncSession, kind: Kind, slug: str, version: int, actor: str) -> EntryRecord:
    """Take the record off the site, the delivered one too. Its fields stay; links to its preview and a planned publication end.

    Raises Conflict for a kind that is never hidden, and for a record that visitors do not see.
    """
    entry = await find_entry(session, kind, slug)
    if not KINDS[kind].can_hide:
        raise Conflict(f"A {KINDS[kind].name.lower()} cannot be hidden.")
    if entry.visible_fields is None:
        raise Conflict("Visitors do not see this.")
    if KINDS[kind].needs_one and not await _has_others(session, kind, slug):
        raise Conflict(f"This is the only {KINDS[kind].name.lower()} on the site. Publish another one first.")
    version = await _store_first(session, entry, version, actor)
    await _change(
        session, entry, version, EntryChange.HIDDEN, actor,
        is_hidden=True, publish_at=None, preview_number=entry.preview_number + 1,
    )  # fmt: skip
    return await find_entry(session, kind, slug)


async def show_entry(session: AsyncSession, kind: Kind, slug: str, version: int, actor: str) -> EntryRecord:
    """Show what visitors saw when the record was hidden. The draft stays a draft.

    Raises Conflict if the record is not hidden, and if it cannot be shown as it was.
    """
    entry = await find_entry(session, kind, slug)
    if not entry.is_hidden or entry.published_fields is None:
        raise Conflict("This is not hidden any more.")
    others = await _list_others(session, entry)
    if problems := await list_obstacles(session, entry, entry.published_fields, others):
        raise Conflict(f"It cannot be shown as it was: {problems[0].message} Publish the draft instead.")
    await _change(
        session, entry, version, EntryChange.SHOWN, actor, is_hidden=False, logged=entry.published_fields
    )
    return await find_entry(session, kind, slug)


async def renew_preview(
    session: AsyncSession, kind: Kind, slug: str, version: int, actor: str
) -> EntryRecord:
    """End the links to the preview of a record; its page has a new one."""
    entry = await find_entry(session, kind, slug)
    version = await _store_first(session, entry, version, actor)
    number = entry.preview_number + 1
    if not await update_record(
        session, ContentEntry, await _find_id(session, kind, slug), version, preview_number=number
    ):
        raise StaleRecord(entry.title, await find_entry(session, kind, slug))
    return await find_entry(session, kind, slug)


async def _has_others(session: AsyncSession, kind: Kind, slug: str) -> bool:
    """Return whether visitors see another record of the kind."""
    entries = await list_entries(session, kind)
    return any(entry.visible_fields is not None for entry in entries if entry.slug != slug)


async def reset_entry(session: AsyncSession, kind: Kind, slug: str, version: int, actor: str) -> EntryRecord:
    """Show the delivered record again, also if it was hidden. The history keeps what staff had written.

    Raises Conflict without a delivered record, and if another page has its address.
    """
    entry = await find_entry(session, kind, slug)
    if entry.delivered_fields is None:
        raise Conflict("This was written here, so there is nothing to return to. You can hide it.")
    others = await _list_others(session, entry)
    if problems := await list_obstacles(session, entry, entry.delivered_fields, others):
        raise Conflict(problems[0].message)
    await _change(
        session, entry, version, EntryChange.RESET, actor, fields=entry.delivered_fields,
        published_document=None, is_hidden=False, publish_at=None, addresses=_note_visible_address(entry),
    )  # fmt: skip
    return await find_entry(session, kind, slug)


async def restore_version(
    session: AsyncSession, kind: Kind, slug: str, version: int, event_id: int, actor: str,
    answered: Collection[str] = (),
) -> EntryRecord:  # fmt: skip
    """Take the fields of an earlier event into the draft. Visitors see them once they are published. Raises NotFound.

    For a scheduled entry they are checked as in `save_entry`.
    """
    entry = await find_entry(session, kind, slug)
    event = await session.get(ContentEvent, event_id)
    if event is None or event.entry_id != await _find_id(session, kind, slug):
        raise NotFound("There is no such version.")
    fields = keep_known_fields(KINDS[kind], event.document)
    if entry.publish_at:
        await _require_publishable(session, entry, fields, entry.publish_at, answered)
    note = f"of {event.at.isoformat()}"
    await _change(session, entry, version, EntryChange.RESTORED, actor, note=note, fields=fields)
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


async def _find_row(session: AsyncSession, kind: Kind, slug: str) -> ContentEntry | None:
    wanted = select(ContentEntry).where(ContentEntry.kind == kind, ContentEntry.slug == slug)
    return (await session.exec(wanted.execution_options(populate_existing=True))).one_or_none()


async def _find_id(session: AsyncSession, kind: Kind, slug: str) -> int | None:
    row = await _find_row(session, kind, slug)
    return row.id if row else None


async def _list_others(session: AsyncSession, entry: EntryRecord) -> list[EntryRecord]:
    return [other for other in await list_entries(session, entry.kind) if other.slug != entry.slug]


async def _require_publishable(
    session: AsyncSession, entry: EntryRecord, fields: Mapping[str, str], moment: datetime, answered: Collection[str]
) -> None:  # fmt: skip
    """Raise InputRejected if visitors cannot see these fields from that moment on, and AnswerNeeded for open questions."""
    others = await _list_others(session, entry)
    if problems := await list_problems(session, entry, fields, others, moment):
        raise InputRejected(CHECK_FIELDS, tuple(problems))
    require_answers(list_questions(entry, fields, others, moment), answered)


async def _store_first(session: AsyncSession, entry: EntryRecord, version: int, actor: str) -> int:
    """Store a delivered record that staff change for the first time; return the version to change."""
    if entry.version:
        return version
    await _insert(session, KINDS[entry.kind], entry.slug, entry.fields, EntryChange.CREATED, actor)
    return 1


async def _insert(
    session: AsyncSession, definition: KindDefinition, slug: str, fields: Mapping[str, str], change: EntryChange,
    actor: str,
) -> None:  # fmt: skip
    moment = now()
    title = _read_title(definition, slug, fields)
    entry = ContentEntry(
        kind=definition.kind, slug=slug, title=title, document=dict(fields), editor=actor,
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
    fields: Mapping[str, str] | None = None, logged: Mapping[str, str] | None = None, **facts: Any,
) -> None:  # fmt: skip
    """Change the draft (`fields`) and other facts of an entry; its state follows. The history gets `logged` or the draft."""
    row = await _find_row(session, entry.kind, entry.slug)
    document = dict(entry.fields if fields is None else fields)
    title = _read_title(KINDS[entry.kind], entry.slug, document)
    state = find_state(
        is_scheduled=facts.get("publish_at", entry.publish_at) is not None,
        is_hidden=facts.get("is_hidden", entry.is_hidden),
        is_published=facts.get("published_document", row and row.published_document) is not None,
    )
    own = {
        "document": document,
        "title": title,
        "search": search_text(title, entry.slug),
        "state": state,
        "problem": "",
    }
    editor = {} if actor == SYSTEM else {"editor": actor}
    identity = row.id if row else None
    changed = await update_record(
        session, ContentEntry, identity, version, **own | editor | facts, updated_at=now()
    )
    if not changed:
        raise StaleRecord(entry.title, await find_entry(session, entry.kind, entry.slug))
    await append_event(
        session, ContentEvent, [identity], change, actor, note=note, document=dict(logged or document)
    )


def _read_title(definition: KindDefinition, slug: str, fields: Mapping[str, str]) -> str:
    """Return the name of the record: its first field, or the delivered name in a fixed list. Raises InputRejected."""
    if not definition.can_create:
        return definition.title_of(definition.find_delivered(slug))
    first = definition.fields[0]
    title = " ".join(fields.get(first.name, "").split())[:_TITLE_LENGTH]
    if is_blank(title):
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
