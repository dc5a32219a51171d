"""Subscribing to the newsletter."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, and_
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.columns import INDEXED_LENGTH
from agency_site.db.once import insert_or_find
from agency_site.db.versions import change
from agency_site.inputs import search_text
from agency_site.newsletter.history import VISITOR, write_line
from agency_site.newsletter.rules import (
    REFERENCE,
    SubscriberChange,
    SubscriberState,
    Wish,
    subscriber_email,
)
from agency_site.newsletter.tables import REACHABLE, Subscriber


async def subscribe(session: AsyncSession, email: str, source: str) -> Subscriber | None:
    """Store the address and return its subscriber; the same one again when it is already there.

    Who has left is back then. `source` names the form it came from and stays the first one. Nothing happens and none
    comes back when `email` is blank. Raises InputRejected for text that is no address.
    """
    address = subscriber_email(email)
    if address is None:
        return None
    return await _stored(session, address, source)


async def subscribe_with_consent(session: AsyncSession, wish: Wish, source: str) -> Subscriber:
    """Store the address with its interests and the moment of consent; a newer wish replaces an older one."""
    row = await _stored(session, wish.email, source)
    interests = [interest.value for interest in wish.interests]
    await change(session, Subscriber, row.id, row.version, interests=interests, consented_at=now())
    await write_line(session, [row.id], SubscriberChange.CHOSE, VISITOR, ", ".join(interests))
    return await _held(session, row.id)


async def find_subscriber(session: AsyncSession, email: str) -> Subscriber | None:
    """The subscriber with that address in lower case, or none."""
    return (await session.exec(select(Subscriber).where(_has(email)))).one_or_none()


def search_of(reference: str, values: Mapping[str, Any]) -> str:
    """What a subscriber of these columns is found by."""
    return search_text(reference, values["email"])[:INDEXED_LENGTH]


async def _stored(session: AsyncSession, address: str, source: str) -> Subscriber:
    """The subscriber of that address, who is subscribed now; held until the transaction ends."""
    row: dict[str, Any] = {
        "email": address,
        "source": source,
        "state": SubscriberState.SUBSCRIBED,
        "interests": [],
        "consented_at": None,
        "unsubscribed_at": None,
        "version": 1,
        "created_at": now(),
    }
    found_by = partial(search_of, values=row)
    placed = await insert_or_find(session, Subscriber, row, REFERENCE, found_by, _has(address))
    subscriber = await _held(session, placed.identity)
    back = subscriber.state is SubscriberState.UNSUBSCRIBED
    if back:
        values = {"state": SubscriberState.SUBSCRIBED, "unsubscribed_at": None}
        await change(session, Subscriber, subscriber.id, subscriber.version, **values)
    if back or placed.new:
        await write_line(session, [subscriber.id], SubscriberChange.SUBSCRIBED, VISITOR, source)
    return await _held(session, subscriber.id) if back else subscriber


def _has(address: str) -> ColumnElement[bool]:
    return and_(col(Subscriber.email) == address, REACHABLE)


async def _held(session: AsyncSession, identity: int | None) -> Subscriber:
    found = select(Subscriber).where(Subscriber.id == identity).with_for_update()
    return (await session.exec(found.execution_options(populate_existing=True))).one()
