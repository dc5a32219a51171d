"""What visitors see of the entries, for each server process, and publishing on time."""

from collections.abc import Sequence
from dataclasses import replace

from sqlmodel import col, func, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from agency_site.clock import now
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import FORMER_ADDRESSES, Overlay
from agency_site.db.due_work import handle_each
from agency_site.features.editing.entries.records import EntryRecord, read_address, read_entry
from agency_site.features.editing.entries.rules import EntryState
from agency_site.features.editing.entries.staff_usecases import publish_on_time, unschedule_with_reason
from agency_site.features.editing.entries.tables import ContentEntry
from agency_site.features.editing.pictures.present import read_shown_pictures, update_pictures
from agency_site.features.editing.pictures.tables import Picture

_FAILURE = "The site failed to publish it. Its log says why."
DUE_AT_ONCE = 50
"""Entries that one round publishes at most."""


async def read_stamp(session: AsyncSession) -> int:
    """Return a number that rises with every change of an entry, and of a picture that was uploaded before."""
    entries = select(func.coalesce(func.sum(ContentEntry.version), 0))
    pictures = select(func.coalesce(func.sum(Picture.version - 1), 0))
    return int((await session.exec(entries)).one()) + int((await session.exec(pictures)).one())


async def is_entry_due(session: AsyncSession) -> bool:
    """Return whether the time of a scheduled entry has come."""
    return (await session.exec(_select_due().limit(1))).first() is not None


async def list_overlays(session: AsyncSession) -> tuple[Overlay, ...]:
    """Return what visitors see of every entry, by its age. Entries that were never published are left out."""
    rows = (await session.exec(select(ContentEntry).order_by(col(ContentEntry.id)))).all()
    former = _list_former_addresses([read_entry(row) for row in rows])
    overlays = [
        _build_overlay(read_entry(row), former[row.kind, row.slug])
        for row in rows
        if row.is_hidden or row.published_document is not None or former[row.kind, row.slug]
    ]
    return await update_overlays(session, overlays)


def _build_overlay(entry: EntryRecord, former: Sequence[str]) -> Overlay:
    fields = entry.visible_fields
    if fields is None or not former:
        return Overlay(entry.kind, entry.slug, fields)
    return Overlay(entry.kind, entry.slug, {**fields, FORMER_ADDRESSES: "\n".join(former)})


async def update_overlays(session: AsyncSession, overlays: Sequence[Overlay]) -> tuple[Overlay, ...]:
    """Return the overlays with the present focal points and descriptions of their pictures."""
    pictures = await read_shown_pictures(session, [overlay.fields or {} for overlay in overlays])
    return tuple(
        replace(overlay, fields=overlay.fields and update_pictures(overlay.fields, pictures))
        for overlay in overlays
    )


def _list_former_addresses(entries: Sequence[EntryRecord]) -> dict[tuple[Kind, str], list[str]]:
    """Return the addresses that lead to each visible entry; one that several have had leads to the latest of them.

    The slug of an entry leads to it anyway, so it is left out.
    """
    visible = [entry for entry in entries if entry.visible_fields is not None]
    latest: dict[tuple[Kind, str], tuple[str, str]] = {}
    for entry in visible:
        for address, moment in entry.addresses.items():
            latest[entry.kind, address] = max(
                latest.get((entry.kind, address), ("", "")), (moment, entry.slug)
            )
    former: dict[tuple[Kind, str], list[str]] = {(entry.kind, entry.slug): [] for entry in entries}
    for entry in visible:
        present = read_address(entry.slug, entry.visible_fields or {})
        former[entry.kind, entry.slug] = [
            address
            for address in entry.addresses
            if address not in {present, entry.slug} and latest[entry.kind, address][1] == entry.slug
        ]
    return former


async def publish_due_entries(session: AsyncSession) -> int:
    """Publish the scheduled entries whose time has come; return their number."""
    rows = await session.exec(_select_due().limit(DUE_AT_ONCE))
    due = [(row.kind, row.slug, row.version) for row in rows]

    async def publish(entry: tuple[Kind, str, int]) -> int:
        async with session.begin_nested():
            return int(await publish_on_time(session, *entry))

    async def give_up(entry: tuple[Kind, str, int]) -> None:
        await unschedule_with_reason(session, *entry, _FAILURE)

    return await handle_each(due, publish, lambda entry: f"The scheduled {entry[0]} {entry[1]}", give_up)


async def list_failed_entries(session: AsyncSession) -> list[EntryRecord]:
    """Return the entries that were not published at their moment, and that no editor has changed since."""
    rows = await session.exec(select(ContentEntry).where(col(ContentEntry.problem) != ""))
    return [read_entry(row) for row in rows]


async def count_failed_entries(session: AsyncSession) -> int:
    """Return the number of entries that need an editor because they were not published at their moment."""
    return len(await list_failed_entries(session))


def _select_due() -> SelectOfScalar[ContentEntry]:
    due = (ContentEntry.state == EntryState.SCHEDULED, col(ContentEntry.publish_at) <= now())
    return select(ContentEntry).where(*due).order_by(col(ContentEntry.publish_at))
