"""What staff do with subscribers: read, count, and unsubscribe those who ask for it.

`actor` is the e-mail address of the member of staff, and is part of the subscriber's history. A verb that takes a
`version` changes the subscriber only as its editor saw it, and raises StaleRecord otherwise.
"""

from collections.abc import Sequence

from sqlmodel import col, func, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.event_log import append_event
from agency_site.db.found_rows import find_one
from agency_site.db.record_versions import STATEMENT_REFERENCES, update_record, update_records
from agency_site.errors import StaleRecord
from agency_site.features.newsletter.bounces import is_reachable
from agency_site.features.newsletter.preferences import suppress_subscribers
from agency_site.features.newsletter.records import SubscriberRecord
from agency_site.features.newsletter.rules import SubscriberChange, SubscriberState
from agency_site.features.newsletter.tables import Subscriber, SubscriberEvent
from agency_site.form_input import field_text

REASON_LENGTH = 2_000


async def find(session: AsyncSession, reference: str) -> SubscriberRecord:
    """The subscriber of that reference. Raises NotFound."""
    return SubscriberRecord.of(await _row(session, reference))


async def count(session: AsyncSession, state: SubscriberState = SubscriberState.SUBSCRIBED) -> int:
    """How many subscribers are in that state; those whose mailbox does not exist count in none."""
    counted = is_reachable() if state is SubscriberState.SUBSCRIBED else col(Subscriber.state) == state
    return (await session.exec(select(func.count()).select_from(Subscriber).where(counted))).one()


async def unsubscribe(
    session: AsyncSession, reference: str, version: int, reason: str, actor: str
) -> SubscriberRecord:
    """Take the address off the list; `reason` says how the person asked. They get no mail about it.

    Raises InputRejected for no reason or one that is too long, NotFound, and StaleRecord.
    """
    note, row = _reason(reason), await _row(session, reference)
    if row.version == version and row.state is SubscriberState.UNSUBSCRIBED:
        return SubscriberRecord.of(row)
    values = {"state": SubscriberState.UNSUBSCRIBED, "unsubscribed_at": now()}
    if not await update_record(session, Subscriber, row.id, version, **values):
        raise StaleRecord(reference, await find(session, reference))
    await suppress_subscribers(session, [row.id], [row.email])
    await append_event(session, SubscriberEvent, [row.id], SubscriberChange.UNSUBSCRIBED, actor, note=note)
    return await find(session, reference)


async def unsubscribe_many(
    session: AsyncSession, references: Sequence[str], reason: str, actor: str
) -> tuple[str, ...]:
    """Take many addresses off the list; the references of those that were not off it. Raises InputRejected."""
    note = _reason(reason)
    values = {"state": SubscriberState.UNSUBSCRIBED, "unsubscribed_at": now()}
    gone = [
        found
        for state in (SubscriberState.SUBSCRIBED, SubscriberState.PENDING)
        for found in await update_records(session, Subscriber, references, state, **values)
    ]
    ids = [identity for identity, _ in gone]
    for some in (ids[at : at + STATEMENT_REFERENCES] for at in range(0, len(ids), STATEMENT_REFERENCES)):
        addresses = await session.exec(select(Subscriber.email).where(col(Subscriber.id).in_(some)))
        await suppress_subscribers(session, some, addresses.all())
    await append_event(session, SubscriberEvent, ids, SubscriberChange.UNSUBSCRIBED, actor, note=note)
    return tuple(reference for _, reference in gone)


async def _row(session: AsyncSession, reference: str) -> Subscriber:
    found = select(Subscriber).where(Subscriber.reference == reference)
    return await find_one(session, found, f"There is no subscriber {reference}.", fresh=True)


def _reason(typed: str) -> str:
    return field_text(typed, "reason", "The reason", REASON_LENGTH, "Please say how the person asked for it.")
