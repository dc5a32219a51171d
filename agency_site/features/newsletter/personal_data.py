"""Everything that the newsletter holds about one person, and its removal. It knows no phone numbers."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import func, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession
from sqlmodel.sql.expression import SelectOfScalar

from agency_site.clock import now
from agency_site.db.event_log import append_event
from agency_site.db.record_versions import change
from agency_site.features.newsletter.preferences import shut_out
from agency_site.features.newsletter.rules import SubscriberChange, SubscriberState
from agency_site.features.newsletter.suppression import suppressed_since
from agency_site.features.newsletter.tables import OptIn, Subscriber, SubscriberEvent
from agency_site.form_input import search_text

RETENTION = "retention"
"""Who acted, where it was nobody's wish."""
_SHOWN = {
    "reference", "email", "source", "state", "interests", "consented_at", "confirmed_at", "unsubscribed_at", "created_at",
}  # fmt: skip
_ASKED = {
    "source",
    "interests",
    "consent_text",
    "ticked_at",
    "address",
    "created_at",
    "confirmed_at",
    "confirmed_from",
}


async def held(session: AsyncSession, email: str, phone: str) -> list[dict[str, object]]:
    """The subscription with its history, in a form that JSON can hold."""
    found: list[dict[str, object]] = []
    since = await suppressed_since(session, email)
    suppressed = {"suppressed_since": since.isoformat()} if since else {}
    for subscriber in (await session.exec(_theirs(email))).all():
        events = select(SubscriberEvent).where(SubscriberEvent.subscriber_id == subscriber.id)
        lines = (await session.exec(events.order_by(col(SubscriberEvent.id)))).all()
        said = [line.model_dump(mode="json", include={"at", "what", "note"}) for line in lines]
        shown = subscriber.model_dump(mode="json", include=_SHOWN)
        asked = select(OptIn).where(OptIn.subscriber_id == subscriber.id).order_by(col(OptIn.id))
        opt_ins = [one.model_dump(mode="json", include=_ASKED) for one in (await session.exec(asked)).all()]
        found.append({"record": "subscriber", **shown, **suppressed, "history": said, "opt_ins": opt_ins})
    return found


async def erase(session: AsyncSession, email: str, phone: str, actor: str) -> int:
    """Take the address off the list and remove it, keeping reference, dates and state; how many were blanked.

    A keyed hash stays on the suppression list, so that no copy of the list brings the person back.
    """
    subscribers = (await session.exec(_theirs(email).with_for_update())).all()
    for subscriber in subscribers:
        await _blank(session, subscriber, actor)
    return len(subscribers)


async def expire(
    session: AsyncSession, states: Collection[SubscriberState], before: datetime, limit: int
) -> int:
    """Blank up to `limit` subscribers who have been in one of `states` since before that moment; how many there were.

    Who has asked again since then stays: the confirmation may still be pressed. Several processes may do so at once:
    none waits for a row that another holds.
    """
    since = func.coalesce(Subscriber.unsubscribed_at, Subscriber.created_at)
    asked_again = select(OptIn.id).where(
        OptIn.subscriber_id == Subscriber.id, col(OptIn.created_at) >= before, col(OptIn.void_at).is_(None)
    )
    old = select(Subscriber).where(
        col(Subscriber.state).in_(states), since < before, col(Subscriber.email) != "", ~asked_again.exists()
    )
    held = old.order_by(col(Subscriber.id)).limit(limit).with_for_update(skip_locked=True)
    subscribers = (await session.exec(held.execution_options(populate_existing=True))).all()
    for subscriber in subscribers:
        await _blank(session, subscriber, RETENTION)
    return len(subscribers)


def _theirs(email: str) -> SelectOfScalar[Subscriber]:
    # Erased rows have no address: they belong to nobody, least of all to whoever left a box empty.
    mine = (func.lower(col(Subscriber.email)) == email.strip().lower()) & (col(Subscriber.email) != "")
    return select(Subscriber).where(mine).execution_options(populate_existing=True)


async def _blank(session: AsyncSession, row: Subscriber, actor: str) -> None:
    # Who never confirmed and is forgotten in time has asked for nothing: no hash of theirs is kept.
    forgotten = actor == RETENTION and row.state is SubscriberState.PENDING
    wants_none = [] if forgotten else [row.email]
    blank: dict[str, Any] = {"email": "", "interests": [], "search": search_text(row.reference)}
    if row.state is not SubscriberState.UNSUBSCRIBED:
        blank |= {"state": SubscriberState.UNSUBSCRIBED, "unsubscribed_at": now()}
    await change(session, Subscriber, row.id, row.version, **blank)
    words = update(SubscriberEvent).where(col(SubscriberEvent.subscriber_id) == row.id).values(note="")
    await session.exec(words.execution_options(synchronize_session=False))
    await shut_out(session, [row.id], wants_none)
    places = update(OptIn).where(col(OptIn.subscriber_id) == row.id)
    await session.exec(
        places.values(address="", confirmed_from="", interests=None).execution_options(
            synchronize_session=False
        )
    )
    await append_event(session, SubscriberEvent, [row.id], SubscriberChange.ERASED, actor)
