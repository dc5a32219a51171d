"""Personal data of the newsletter: export, erasure and retention. It has no phone numbers."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import func, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.event_log import RETENTION
from agency_site.db.personal_data import ClassifiedColumns, PersonalData
from agency_site.features.newsletter.preferences import suppress_subscribers
from agency_site.features.newsletter.rules import SubscriberState
from agency_site.features.newsletter.suppression import suppressed_since
from agency_site.features.newsletter.tables import OptIn, Subscriber, SubscriberEvent
from agency_site.form_input import search_text
from agency_site.visits.rules import ORIGIN_COLUMNS

OPT_INS = ClassifiedColumns(
    table=OptIn,
    personal=("interests", "address", "confirmed_from"),
    retained=("source", "consent_text", "ticked_at", "created_at", "confirmed_at"),
    internal=("id", "subscriber_id", "token_hash", "void_at"),
)
"""The proofs of a subscriber's consent."""


async def _unsubscribe(session: AsyncSession, row: Subscriber, actor: str) -> dict[str, Any]:
    """End the subscription. A keyed hash of the address prevents that a copy of the list restores it.

    For an unconfirmed address that expires no hash is stored, because its owner has not asked for anything.
    """
    is_unconfirmed = actor == RETENTION and row.state is SubscriberState.PENDING
    await suppress_subscribers(session, [row.id], [] if is_unconfirmed else [row.email])
    proofs = update(OptIn).where(col(OptIn.subscriber_id) == row.id)
    blank = proofs.values(address="", confirmed_from="", interests=None)
    await session.exec(blank.execution_options(synchronize_session=False))
    if row.state is SubscriberState.UNSUBSCRIBED:
        return {}
    return {"state": SubscriberState.UNSUBSCRIBED, "unsubscribed_at": now()}


async def _export_consent(session: AsyncSession, row: Subscriber) -> dict[str, object]:
    proofs = (
        await session.exec(select(OptIn).where(OptIn.subscriber_id == row.id).order_by(col(OptIn.id)))
    ).all()
    since = await suppressed_since(session, row.email)
    columns = {*OPT_INS.personal, *OPT_INS.retained}
    suppressed = {"suppressed_since": since.isoformat()} if since else {}
    return {**suppressed, "opt_ins": [proof.model_dump(mode="json", include=columns) for proof in proofs]}


async def _erase_no_mails(session: AsyncSession, reference: str) -> None:
    """Do nothing: mails of the newsletter are found by the address of their recipient."""


SUBSCRIBERS = PersonalData[Subscriber](
    table=Subscriber,
    record="subscriber",
    personal=("email", "interests"),
    retained=(
        "reference",
        "source",
        "state",
        "consented_at",
        "confirmed_at",
        "unsubscribed_at",
        "bounced_at",
        "created_at",
        *ORIGIN_COLUMNS,
    ),
    secret=("search",),
    internal=("id", "version", "token_seed", "token_hash"),
    replace=lambda row: {"search": search_text(row.reference)},
    related=_erase_no_mails,
    end=_unsubscribe,
    events=SubscriberEvent,
    export_more=_export_consent,
)


async def expire(
    session: AsyncSession, states: Collection[SubscriberState], before: datetime, limit: int
) -> int:
    """Erase up to `limit` subscribers who have been in one of `states` since before `before`; return their number.

    A subscriber with a newer request stays, because it may still be confirmed.
    """
    since = func.coalesce(Subscriber.unsubscribed_at, Subscriber.created_at)
    again = select(OptIn.id).where(
        OptIn.subscriber_id == Subscriber.id, col(OptIn.created_at) >= before, col(OptIn.void_at).is_(None)
    )
    old = select(Subscriber).where(col(Subscriber.state).in_(states), since < before, ~again.exists())
    return await SUBSCRIBERS.expire(session, old.order_by(col(Subscriber.id)), limit)
