"""The private link of a subscriber, which is in every issue: change interests, unsubscribe.

Unsubscribing needs only the link, is idempotent, and also handles the one-click request of mail programs
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
    """Return the token of the subscriber's link, and store its hash if it is new.

    It is new in the first mail, and after its secret key was removed from the settings.
    """
    token = token_of(subscriber)
    if token_hash(token) != subscriber.token_hash:
        statement = update(Subscriber).where(col(Subscriber.id) == subscriber.id)
        await session.exec(
            statement.values(token_hash=token_hash(token)).execution_options(synchronize_session=False)
        )
    return token


def token_of(subscriber: Subscriber) -> str:
    """Return the token of the subscriber's link. It stays the same while its secret key is in the settings."""
    seed = subscriber.token_seed
    earlier_token = (
        find_private_token(_PURPOSE, seed, subscriber.token_hash) if subscriber.token_hash else None
    )
    return earlier_token or private_token(_PURPOSE, seed)


async def find_by_token(session: AsyncSession, token: str) -> SubscriberRecord:
    """Return the subscriber with that token. Raises NotFound."""
    return SubscriberRecord.of(await _find_row_by_token(session, token))


async def unsubscribe(session: AsyncSession, token: str) -> SubscriberRecord:
    """Unsubscribe the subscriber. A repeated call changes nothing. Raises NotFound."""
    row = await _find_row_by_token(session, token, lock=True)
    if row.state is not SubscriberState.UNSUBSCRIBED:
        values = {"state": SubscriberState.UNSUBSCRIBED, "unsubscribed_at": now()}
        await update_record(session, Subscriber, row.id, row.version, **values)
        await append_event(session, SubscriberEvent, [row.id], SubscriberChange.UNSUBSCRIBED, VISITOR)
        await suppress_subscribers(session, [row.id], [row.email])
    return await find_by_token(session, token)


async def choose_interests(
    session: AsyncSession, token: str, interests: Sequence[Interest]
) -> SubscriberRecord:
    """Store the interests of the subscriber. Raises NotFound."""
    row = await _find_row_by_token(session, token, lock=True)
    names = [interest.value for interest in interests]
    if row.state is SubscriberState.SUBSCRIBED and row.interests != names:
        await update_record(session, Subscriber, row.id, row.version, interests=names)
        await append_event(
            session, SubscriberEvent, [row.id], SubscriberChange.CHOSE, VISITOR, note=", ".join(names)
        )
    return await find_by_token(session, token)


async def suppress_subscribers(
    session: AsyncSession, subscribers: Sequence[int | None], addresses: Sequence[str]
) -> None:
    """Add unsubscribed addresses to the suppression list, and void their open confirmations."""
    await suppress(session, addresses)
    await session.exec(
        update(OptIn)
        .where(col(OptIn.subscriber_id).in_(subscribers), col(OptIn.confirmed_at).is_(None))
        .values(void_at=now())
        .execution_options(synchronize_session=False)
    )


async def _find_row_by_token(session: AsyncSession, token: str, *, lock: bool = False) -> Subscriber:
    query = select(Subscriber).where(Subscriber.token_hash == token_hash(token))
    query = query.with_for_update() if lock else query
    row = (await session.exec(query.execution_options(populate_existing=True))).one_or_none()
    if row is None:
        raise NotFound("There is no subscription at this link. Please check that you opened the whole link.")
    return row
