"""Use cases of staff for subscribers: read, count, and unsubscribe people who ask for it.

`actor` is the e-mail address of the member of staff, for the subscriber's history. A function with a `version` changes
the subscriber only if that is its present version, and raises StaleRecord otherwise.
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
    """Return the subscriber with that reference. Raises NotFound."""
    return SubscriberRecord.of(await _find_row(session, reference))


async def count(session: AsyncSession, state: SubscriberState = SubscriberState.SUBSCRIBED) -> int:
    """Count the subscribers in that state. Bounced subscribers are in no state."""
    condition = is_reachable() if state is SubscriberState.SUBSCRIBED else col(Subscriber.state) == state
    return (await session.exec(select(func.count()).select_from(Subscriber).where(condition))).one()


async def unsubscribe(
    session: AsyncSession, reference: str, version: int, reason: str, actor: str
) -> SubscriberRecord:
    """Unsubscribe an address. `reason` says how the person asked for it. They get no mail about it.

    Raises InputRejected for an empty or too long reason, NotFound, and StaleRecord.
    """
    note, row = _read_reason(reason), await _find_row(session, reference)
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
    """Unsubscribe many addresses and return the references of the changed ones. Raises InputRejected."""
    note = _read_reason(reason)
    values = {"state": SubscriberState.UNSUBSCRIBED, "unsubscribed_at": now()}
    changed = [
        subscriber
        for state in (SubscriberState.SUBSCRIBED, SubscriberState.PENDING)
        for subscriber in await update_records(session, Subscriber, references, state, **values)
    ]
    ids = [identity for identity, _ in changed]
    for batch in (ids[at : at + STATEMENT_REFERENCES] for at in range(0, len(ids), STATEMENT_REFERENCES)):
        addresses = await session.exec(select(Subscriber.email).where(col(Subscriber.id).in_(batch)))
        await suppress_subscribers(session, batch, addresses.all())
    await append_event(session, SubscriberEvent, ids, SubscriberChange.UNSUBSCRIBED, actor, note=note)
    return tuple(reference for _, reference in changed)


async def _find_row(session: AsyncSession, reference: str) -> Subscriber:
    query = select(Subscriber).where(Subscriber.reference == reference)
    return await find_one(session, query, f"There is no subscriber {reference}.", fresh=True)


def _read_reason(reason: str) -> str:
    return field_text(
        reason, "reason", "The reason", REASON_LENGTH, "Please say how the person asked for it."
    )
