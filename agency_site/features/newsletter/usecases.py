"""Subscribing to the newsletter: the address is stored as pending, and its mailbox is asked to confirm."""

import secrets
from typing import Any

from sqlalchemy import ColumnElement, and_
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.deduplication import insert_or_find
from agency_site.db.event_log import VISITOR, append_event
from agency_site.db.record_versions import change
from agency_site.features.newsletter.confirmation import Asking, ask
from agency_site.features.newsletter.rules import (
    REFERENCE,
    SubscriberChange,
    SubscriberState,
    Wish,
    subscriber_email,
)
from agency_site.features.newsletter.tables import REACHABLE, Subscriber, SubscriberEvent


async def subscribe(session: AsyncSession, email: str, source: str, address: str = "") -> Subscriber | None:
    """Store the address, ask its mailbox to confirm, and return its subscriber; known ones stay as they are.

    `source` names the form it came from and stays the first one; `address` is where the form was sent from. Nothing
    happens and none comes back when `email` is blank. Raises InputRejected for text that is no address.
    """
    found = subscriber_email(email)
    if found is None:
        return None
    subscriber = await _stored(session, found, source)
    await ask(session, subscriber, Asking(source, address))
    return subscriber


async def subscribe_with_consent(
    session: AsyncSession, wish: Wish, source: str, address: str = ""
) -> Subscriber:
    """The same with interests and the moment of consent; they replace older ones once they are confirmed."""
    subscriber = await _stored(session, wish.email, source)
    interests = [interest.value for interest in wish.interests]
    if subscriber.state is SubscriberState.PENDING:
        await change(
            session, Subscriber, subscriber.id, subscriber.version, interests=interests, consented_at=now()
        )
        await append_event(
            session,
            SubscriberEvent,
            [subscriber.id],
            SubscriberChange.CHOSE,
            VISITOR,
            note=", ".join(interests),
        )
    await ask(session, subscriber, Asking(source, address, tuple(interests)))
    return await _held(session, subscriber.id)


async def find_subscriber(session: AsyncSession, email: str) -> Subscriber | None:
    """The subscriber with that address in lower case, or none."""
    return (await session.exec(select(Subscriber).where(_has(email)))).one_or_none()


async def _stored(session: AsyncSession, address: str, source: str) -> Subscriber:
    """The subscriber of that address, who may be new; held until the transaction ends."""
    row: dict[str, Any] = {
        "email": address,
        "source": source,
        "state": SubscriberState.PENDING,
        "interests": [],
        "token_seed": secrets.token_urlsafe(24),
        "version": 1,
        "created_at": now(),
    }
    placed = await insert_or_find(session, Subscriber, row, REFERENCE, (address,), _has(address))
    subscriber = await _held(session, placed.identity)
    if placed.new or subscriber.state is SubscriberState.UNSUBSCRIBED:
        await append_event(
            session, SubscriberEvent, [subscriber.id], SubscriberChange.SUBSCRIBED, VISITOR, note=source
        )
    return subscriber


def _has(address: str) -> ColumnElement[bool]:
    return and_(col(Subscriber.email) == address, REACHABLE)


async def _held(session: AsyncSession, identity: int | None) -> Subscriber:
    found = select(Subscriber).where(Subscriber.id == identity).with_for_update()
    return (await session.exec(found.execution_options(populate_existing=True))).one()
