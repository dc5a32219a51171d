"""Subscribing to the newsletter."""

from sqlalchemy.exc import IntegrityError
from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.newsletter.rules import Wish, subscriber_email
from agency_site.newsletter.tables import Subscriber


async def subscribe(session: AsyncSession, email: str, source: str) -> Subscriber | None:
    """Store the address and return its subscriber; the same one again when it is already there.

    `source` names the form it came from and stays the first one. Nothing happens and none comes back when
    `email` is blank. Raises InputRejected for text that is no address.
    """
    address = subscriber_email(email)
    if address is None:
        return None
    return await _stored(session, address, source)


async def subscribe_with_consent(session: AsyncSession, wish: Wish, source: str) -> Subscriber:
    """Store the address with its interests and the moment of consent; a newer wish replaces an older one."""
    row = await _stored(session, wish.email, source)
    row.interests = [interest.value for interest in wish.interests]
    row.consented_at = now()
    session.add(row)
    await session.flush()
    return row


async def _stored(session: AsyncSession, address: str, source: str) -> Subscriber:
    row = Subscriber(email=address, source=source)
    try:
        async with session.begin_nested():
            session.add(row)
            await session.flush()
    except IntegrityError:
        # Somebody was faster, perhaps in this very moment; if not, the constraint that failed is another one.
        known = await find_subscriber(session, address)
        if known is None:
            raise
        return known
    return row


async def find_subscriber(session: AsyncSession, email: str) -> Subscriber | None:
    """The subscriber with that address in lower case, or none."""
    return (await session.exec(select(Subscriber).where(Subscriber.email == email))).one_or_none()
