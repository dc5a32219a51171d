"""The private link of a subscriber, which every issue carries: change interests, unsubscribe.

Unsubscribing takes nothing but the link, is idempotent, and also serves the one-click request of mail programs
(RFC 8058).
"""

from collections.abc import Sequence

from sqlmodel import col, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.event_log import VISITOR, append_event
from agency_site.db.record_versions import update_record
from agency_site.errors import NotFound
from agency_site.features.newsletter.records import SubscriberRecord
from agency_site.features.newsletter.rules import Interest, SubscriberChange, SubscriberState
from agency_site.features.newsletter.suppression import suppress
from agency_site.features.newsletter.tables import OptIn, Subscriber, SubscriberEvent
from agency_site.ids import token_hash
from agency_site.signing import find_private_token, private_token

_PURPOSE = "newsletter"


async def link_token(session: AsyncSession, subscriber: Subscriber) -> str:
    """The token of the subscriber's link, ready to be used.

    Its hash is stored with the first mail that carries it, and again when its secret key is no longer among ours.
    """
    token = token_of(subscriber)
    if token_hash(token) != subscriber.token_hash:
        mine = update(Subscriber).where(col(Subscriber.id) == subscriber.id)
        await session.exec(
            mine.values(token_hash=token_hash(token)).execution_options(synchronize_session=False)
        )
    return token


def token_of(subscriber: Subscriber) -> str:
    """The token of the subscriber's link: the one of earlier issues as long as its secret key is among ours."""
    seed = subscriber.token_seed
    kept = find_private_token(_PURPOSE, seed, subscriber.token_hash) if subscriber.token_hash else None
    return kept or private_token(_PURPOSE, seed)


async def find_by_token(session: AsyncSession, token: str) -> SubscriberRecord:
    """The subscriber that the token opens. Raises NotFound."""
    return SubscriberRecord.of(await _find_row_by_token(session, token))


async def unsubscribe(session: AsyncSession, token: str) -> SubscriberRecord:
    """Take the subscriber off the list; a second time changes nothing. Raises NotFound."""
    row = await _find_row_by_token(session, token, lock=True)
    if row.state is not SubscriberState.UNSUBSCRIBED:
        gone = {"state": SubscriberState.UNSUBSCRIBED, "unsubscribed_at": now()}
        await update_record(session, Subscriber, row.id, row.version, **gone)
        await append_event(session, SubscriberEvent, [row.id], SubscriberChange.UNSUBSCRIBED, VISITOR)
        await suppress_subscribers(session, [row.id], [row.email])
    return await find_by_token(session, token)


async def choose(session: AsyncSession, token: str, interests: Sequence[Interest]) -> SubscriberRecord:
    """Set what the subscriber wants to read about; the last choice counts. Raises NotFound."""
    row = await _find_row_by_token(session, token, lock=True)
    chosen = [interest.value for interest in interests]
    if row.state is SubscriberState.SUBSCRIBED and row.interests != chosen:
        await update_record(session, Subscriber, row.id, row.version, interests=chosen)
        await append_event(
            session, SubscriberEvent, [row.id], SubscriberChange.CHOSE, VISITOR, note=", ".join(chosen)
        )
    return await find_by_token(session, token)


async def suppress_subscribers(
    session: AsyncSession, subscribers: Sequence[int | None], addresses: Sequence[str]
) -> None:
    """Put unsubscribed people on the suppression list, and void their open confirmations."""
    await suppress(session, addresses)
    await session.exec(
        update(OptIn)
        .where(col(OptIn.subscriber_id).in_(subscribers), col(OptIn.confirmed_at).is_(None))
        .values(void_at=now())
        .execution_options(synchronize_session=False)
    )


async def _find_row_by_token(session: AsyncSession, token: str, *, lock: bool = False) -> Subscriber:
    found = select(Subscriber).where(Subscriber.token_hash == token_hash(token))
    found = found.with_for_update() if lock else found
    row = (await session.exec(found.execution_options(populate_existing=True))).one_or_none()
    if row is None:
        raise NotFound(
            "We know no subscription under this link. Please check that you opened the whole link."
        )
    return row
