"""The history of subscribers: every change writes a line, in the same transaction."""

from collections.abc import Sequence

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.features.newsletter.records import SubscriberLine
from agency_site.features.newsletter.rules import SubscriberChange
from agency_site.features.newsletter.tables import Subscriber, SubscriberEvent

VISITOR = "visitor"


async def write_line(
    session: AsyncSession,
    subscribers: Sequence[int | None],
    what: SubscriberChange,
    actor: str,
    note: str = "",
) -> None:
    """Add a line to the history of each subscriber of these ids. `note` says why, or names interests."""
    line = {"at": now(), "actor": actor, "what": what, "note": note}
    if subscribers:
        rows = [line | {"subscriber_id": identity} for identity in subscribers]
        await insert_new(session, SubscriberEvent, rows)


async def history(session: AsyncSession, reference: str) -> tuple[SubscriberLine, ...]:
    """What happened to the subscriber of that reference, oldest first; nothing for an unknown one."""
    lines = (
        select(SubscriberEvent)
        .join(Subscriber, col(Subscriber.id) == SubscriberEvent.subscriber_id)
        .where(Subscriber.reference == reference)
        .order_by(col(SubscriberEvent.id))
    )
    return tuple(SubscriberLine.of(row) for row in (await session.exec(lines)).all())
