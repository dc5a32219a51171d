"""What visitors see of the entries, for each server process, and publishing on time."""

from sqlmodel import col, func, select, update
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from agency_site.clock import now
from agency_site.content.entry_kinds import Overlay
from agency_site.db.event_log import SYSTEM, append_event
from agency_site.features.editing.entries.rules import EntryChange, EntryState
from agency_site.features.editing.entries.tables import ContentEntry, ContentEvent

DUE_AT_ONCE = 50
"""Entries that one round publishes at most."""


async def read_stamp(session: AsyncSession) -> int:
    """Return a number that rises with every change of an entry."""
    total = select(func.coalesce(func.sum(ContentEntry.version), 0))
    return int((await session.exec(total)).one())


async def is_entry_due(session: AsyncSession) -> bool:
    """Return whether the time of a scheduled entry has come."""
    return (await session.exec(_select_due().limit(1))).first() is not None


async def list_overlays(session: AsyncSession) -> tuple[Overlay, ...]:
    """Return what visitors see of every entry, by its age. Entries that were never published are left out."""
    rows = await session.exec(select(ContentEntry).order_by(col(ContentEntry.id)))
    return tuple(
        Overlay(row.kind, row.slug, None if row.state is EntryState.HIDDEN else row.published_document)
        for row in rows
        if row.state is EntryState.HIDDEN or row.published_document is not None
    )


async def publish_due_entries(session: AsyncSession) -> int:
    """Publish the scheduled entries whose time has come; return their number."""
    due = (await session.exec(_select_due().limit(DUE_AT_ONCE))).all()
    published = [entry for entry in due if await _publish_due(session, entry)]
    return len(published)


def _select_due() -> SelectOfScalar[ContentEntry]:
    due = (ContentEntry.state == EntryState.SCHEDULED, col(ContentEntry.publish_at) <= now())
    return select(ContentEntry).where(*due).order_by(col(ContentEntry.publish_at))


async def _publish_due(session: AsyncSession, entry: ContentEntry) -> bool:
    """Publish one entry, unless an editor or another process has changed it since it was read."""
    moment = now()
    changed = await session.exec(
        update(ContentEntry)
        .where(
            col(ContentEntry.id) == entry.id,
            col(ContentEntry.version) == entry.version,
            col(ContentEntry.state) == EntryState.SCHEDULED,
        )
        .values(
            state=EntryState.PUBLISHED, published_document=entry.document, publish_at=None, published_at=moment,
            version=col(ContentEntry.version) + 1,
        )
        .execution_options(synchronize_session=False)
    )  # fmt: skip
    if changed.rowcount != 1:
        return False
    await append_event(
        session, ContentEvent, [entry.id], EntryChange.PUBLISHED, SYSTEM, document=entry.document
    )
    return True
