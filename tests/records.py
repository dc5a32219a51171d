"""Changing declared records in tests, as staff do in the back office."""

from collections.abc import Mapping
from typing import Any

from agency_site.auth.rules import Role, Staff
from agency_site.backoffice import records
from agency_site.backoffice.lists.definition import Column, record_of
from agency_site.backoffice.records import Record
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.event_log import LoggedEvent, list_events

NOTHING: Mapping[str, str] = {}


def member(email: str, role: Role = Role.OWNER) -> Staff:
    """Return a signed-in member of staff with that address."""
    return Staff(0, email, email.partition("@")[0].title(), role, 0, "203.0.113.9")


async def find(record: Record, reference: str) -> Any:
    """Return the stored row of the record's table."""
    async with read_scope() as session:
        row = await records.find_row(session, record, member("reader@mwanga.example"), reference)
        return record_of(row, record.table)


def find_fact(record: Record, key: str, row: Any) -> str:
    """Return the text of a fact on the page of a record, by the key of its column."""
    return next(fact.cell(row).text for fact in record.facts if isinstance(fact, Column) and fact.key == key)


async def list_record_events(record: Record, reference: str) -> list[LoggedEvent]:
    """Return the events of a record, oldest first."""
    row = await find(record, reference)
    assert record.events
    async with read_scope() as session:
        return await list_events(session, record.events, row.id)


async def create(record: Record, texts: Mapping[str, str], actor: str) -> Any:
    """Store a new record with these texts of its form, the first ones for the others; return its row."""
    async with session_scope() as session:
        filled = record.first_texts() | dict(texts)
        reference = await records.create_record(session, record, filled, member(actor))
    return await find(record, reference)


async def edit(
    record: Record, reference: str, texts: Mapping[str, str], actor: str, version: int | None = None
) -> Any:
    """Save the form of a record with these texts changed; return the row. Without a version it is the present one."""
    current = record.texts(await find(record, reference))
    async with session_scope() as session:
        await records.edit_record(session, record, reference, version, current | dict(texts), member(actor))
    return await find(record, reference)


async def act(
    record: Record,
    key: str,
    reference: str,
    actor: str,
    texts: Mapping[str, str] = NOTHING,
    version: int | None = None,
) -> Any:
    """Run an action of a record; return the row."""
    action = record.find_action(key)
    assert action
    async with session_scope() as session:
        await records.act(session, record, action, reference, version, texts, member(actor))
    return await find(record, reference)
