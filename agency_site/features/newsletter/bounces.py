"""Subscribers whose mailbox does not exist: no issue is sent to them until they subscribe and confirm again."""

from typing import Any

from sqlalchemy import ColumnElement, and_, func
from sqlmodel import col, update
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.features.newsletter.rules import SubscriberState
from agency_site.features.newsletter.tables import Subscriber


def is_bounced() -> ColumnElement[bool]:
    """The condition of subscribers whose mailbox has refused a mail for good."""
    return and_(col(Subscriber.state) == SubscriberState.SUBSCRIBED, col(Subscriber.bounced_at).is_not(None))


def is_reachable() -> ColumnElement[bool]:
    """The condition of subscribers who get issues."""
    return and_(col(Subscriber.state) == SubscriberState.SUBSCRIBED, col(Subscriber.bounced_at).is_(None))


async def mark_bounced(session: AsyncSession, address: str) -> None:
    """Record that the mailbox of `address` does not exist; other addresses stay as they are.

    A single refusal is enough: mail providers lower the standing of a sender that writes to dead mailboxes.
    """
    values: dict[str, Any] = {"bounced_at": now()}
    bounced = update(Subscriber).where(func.lower(col(Subscriber.email)) == address.lower(), is_reachable())
    await session.exec(bounced.values(values).execution_options(synchronize_session=False))
