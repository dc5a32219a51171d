"""Subscribers whose mailbox does not exist: no issue is sent to them until they subscribe and confirm again."""

from typing import Any

from sqlalchemy import ColumnElement, and_, func
from sqlmodel import col, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.features.newsletter.rules import SubscriberState
from agency_site.features.newsletter.tables import Subscriber


def is_bounced() -> ColumnElement[bool]:
    """Return the condition for subscribers whose mailbox has rejected a mail permanently."""
    return and_(col(Subscriber.state) == SubscriberState.SUBSCRIBED, col(Subscriber.bounced_at).is_not(None))


def is_reachable() -> ColumnElement[bool]:
    """Return the condition for subscribers who get issues."""
    return and_(col(Subscriber.state) == SubscriberState.SUBSCRIBED, col(Subscriber.bounced_at).is_(None))


async def count_reachable(session: AsyncSession) -> int:
    """Count the subscribers who get issues."""
    return (await session.exec(select(func.count()).select_from(Subscriber).where(is_reachable()))).one()


async def mark_bounced(session: AsyncSession, address: str) -> None:
    """Record that the mailbox of `address` does not exist.

    One rejection is enough, because mail providers lower the reputation of senders that write to dead mailboxes.
    """
    values: dict[str, Any] = {"bounced_at": now()}
    statement = update(Subscriber).where(func.lower(col(Subscriber.email)) == address.lower(), is_reachable())
    await session.exec(statement.values(values).execution_options(synchronize_session=False))
