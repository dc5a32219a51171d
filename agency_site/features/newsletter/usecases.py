"""Subscribing to the newsletter with double opt-in: an address is pending until its owner confirms it.

The page shows every visitor the same message, so that it does not disclose who is subscribed. The mail has the details.
"""

import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_
from sqlmodel import col, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.newsletter import CONSENT
from agency_site.db.deduplication import REPEAT_WINDOW, insert_or_find
from agency_site.db.event_log import VISITOR, append_event
from agency_site.db.record_versions import update_record
from agency_site.errors import Conflict, NotFound
from agency_site.features.newsletter import emails
from agency_site.features.newsletter.preferences import link_token, token_of
from agency_site.features.newsletter.records import SubscriberRecord
from agency_site.features.newsletter.request import ConsentedSubscription, Subscription
from agency_site.features.newsletter.rules import REFERENCE, SubscriberChange, SubscriberState
from agency_site.features.newsletter.suppression import lift
from agency_site.features.newsletter.tables import REACHABLE, OptIn, Subscriber, SubscriberEvent
from agency_site.ids import token_hash
from agency_site.mail.confirmed_addresses import confirm_address
from agency_site.mail.rules import MailLimitReached
from agency_site.mail.usecases import can_mail_recipient, count_recent_messages, enqueue

LIFETIME = timedelta(days=14)
"""The time for which a confirmation link is valid."""


@dataclass(frozen=True)
class OptInRecord:
    """A requested confirmation, for its private page."""

    subscriber: SubscriberRecord
    interests: tuple[str, ...] | None
    consent_text: str
    requested_at: datetime
    confirmed: bool


class LinkExpired(Conflict):
    """The error of a confirmation link that is too old or was reinsertion."""

    def __init__(self) -> None:
        super().__init__(
            "This link has expired or was replaced by a newer one. Please subscribe again to get a new link."
        )


async def subscribe(
    session: AsyncSession, subscription: Subscription, source: str, address: str = ""
) -> Subscriber:
    """Store the address and mail it a confirmation request. Present subscribers stay as they are.

    `source` names the form; the first one stays. `address` is the client address. Interests and the moment of consent
    replace earlier ones after their confirmation. Raises MailLimitReached after too many such mails to one address,
    whether it is subscribed or not.
    """
    interests, moment = None, now()
    if isinstance(subscription, ConsentedSubscription):
        interests = [interest.value for interest in subscription.interests]
    email = subscription.email
    row: dict[str, Any] = {
        "email": email,
        "source": source,
        "state": SubscriberState.PENDING,
        "interests": interests or [],
        "consented_at": None if interests is None else moment,
        "token_seed": secrets.token_urlsafe(24),
        "version": 1,
        "created_at": moment,
        **subscription.origin.columns(),
    }
    same_address = and_(col(Subscriber.email) == email, REACHABLE)
    insertion = await insert_or_find(session, Subscriber, row, REFERENCE, (email,), same_address)
    ids = [insertion.identity]
    subscriber = await session.get_one(
        Subscriber, insertion.identity, populate_existing=True, with_for_update=True
    )
    if insertion.new or subscriber.state is SubscriberState.UNSUBSCRIBED:
        await append_event(session, SubscriberEvent, ids, SubscriberChange.SUBSCRIBED, VISITOR, note=source)
    if interests is not None and subscriber.state is SubscriberState.PENDING:
        if not insertion.new:
            values = {"interests": interests, "consented_at": moment}
            await update_record(session, Subscriber, subscriber.id, subscriber.version, **values)
        note = ", ".join(interests)
        await append_event(session, SubscriberEvent, ids, SubscriberChange.CHOSE, VISITOR, note=note)
    await _request_confirmation(session, subscriber, interests, source, address)
    await session.refresh(subscriber)
    return subscriber


async def find_opt_in(session: AsyncSession, token: str) -> tuple[OptInRecord, str]:
    """Return the requested confirmation, and the token of the private link, which is empty until it is confirmed.

    Raises NotFound and LinkExpired.
    """
    opt_in = await _find_opt_in_row(session, token)
    query = select(Subscriber).where(Subscriber.id == opt_in.subscriber_id)
    subscriber = (await session.exec(query)).one()
    record = _read_opt_in(opt_in, subscriber)
    return record, token_of(subscriber) if record.confirmed else ""


async def confirm(session: AsyncSession, token: str, address: str) -> tuple[OptInRecord, str]:
    """Confirm the subscription and return the token of the private link. A repeated call changes nothing.

    `address` is the client address. Raises NotFound and LinkExpired.
    """
    subscriber_id = (await _find_opt_in_row(session, token)).subscriber_id
    # Every transaction locks the subscriber first: two that lock in different orders could deadlock.
    query = select(Subscriber).where(Subscriber.id == subscriber_id).with_for_update()
    subscriber = (await session.exec(query.execution_options(populate_existing=True))).one()
    opt_in = await _find_opt_in_row(session, token)
    record = _read_opt_in(opt_in, subscriber)
    if not record.confirmed:
        await _store_confirmation(session, opt_in, subscriber, address)
    return replace(record, confirmed=True), await link_token(session, subscriber)


async def _store_confirmation(
    session: AsyncSession, opt_in: OptIn, subscriber: Subscriber, address: str
) -> None:
    moment = now()
    values: dict[str, Any] = {
        "state": SubscriberState.SUBSCRIBED,
        "confirmed_at": moment,
        "consented_at": opt_in.ticked_at or moment,
        "unsubscribed_at": None,
        "bounced_at": None,
    }
    if opt_in.interests is not None:
        values["interests"] = opt_in.interests
    await update_record(session, Subscriber, subscriber.id, subscriber.version, **values)
    opt_in.confirmed_at, opt_in.confirmed_from = moment, address[:64]
    session.add(opt_in)
    await session.flush()
    await session.exec(
        update(OptIn)
        .where(col(OptIn.subscriber_id) == subscriber.id, col(OptIn.id) < opt_in.id, col(OptIn.confirmed_at).is_(None))
        .values(void_at=moment)
        .execution_options(synchronize_session=False)
    )  # fmt: skip
    await lift(session, subscriber.email)
    await confirm_address(session, subscriber.email)
    await append_event(
        session,
        SubscriberEvent,
        [subscriber.id],
        SubscriberChange.CONFIRMED,
        VISITOR,
        note=", ".join(opt_in.interests or ()),
    )


async def _find_opt_in_row(session: AsyncSession, token: str) -> OptIn:
    query = select(OptIn).where(OptIn.token_hash == token_hash(token))
    row = (await session.exec(query.execution_options(populate_existing=True))).one_or_none()
    if row is None:
        raise NotFound("There is no subscription at this link. Please check that you opened the whole link.")
    return row


def _read_opt_in(opt_in: OptIn, subscriber: Subscriber) -> OptInRecord:
    confirmed = opt_in.confirmed_at is not None
    is_expired = opt_in.void_at is not None or opt_in.created_at <= now() - LIFETIME
    # An old link still shows its confirmation, unless the subscriber has unsubscribed since.
    if (confirmed and subscriber.state is not SubscriberState.SUBSCRIBED) or (is_expired and not confirmed):
        raise LinkExpired
    return OptInRecord(
        subscriber=SubscriberRecord.of(subscriber),
        interests=None if opt_in.interests is None else tuple(opt_in.interests),
        consent_text=opt_in.consent_text,
        requested_at=opt_in.created_at,
        confirmed=confirmed,
    )


async def _request_confirmation(
    session: AsyncSession, subscriber: Subscriber, interests: list[str] | None, source: str, address: str
) -> None:
    """Mail a confirmation link, unless the same was requested within `REPEAT_WINDOW`.

    Call it with the subscriber's row locked. A subscriber who requests nothing new gets a mail that says so.
    """
    is_reachable = subscriber.state is SubscriberState.SUBSCRIBED and subscriber.bounced_at is None
    is_unchanged = is_reachable and interests is None
    if is_unchanged:
        if await count_recent_messages(session, emails.KNOWN, subscriber.email, REPEAT_WINDOW):
            return
    else:
        recent = select(OptIn.interests).where(
            col(OptIn.subscriber_id) == subscriber.id,
            col(OptIn.created_at) > now() - REPEAT_WINDOW,
            col(OptIn.confirmed_at).is_(None),
            col(OptIn.void_at).is_(None),
        )
        if interests in (await session.exec(recent)).all():
            return
    if not await can_mail_recipient(session, subscriber.email, emails.CONFIRM, emails.KNOWN):
        raise MailLimitReached
    if is_unchanged:
        await enqueue(session, emails.already_subscribed(subscriber, await link_token(session, subscriber)))
        return
    assert subscriber.id is not None
    token, moment = secrets.token_urlsafe(32), now()
    session.add(
        OptIn(
            subscriber_id=subscriber.id,
            token_hash=token_hash(token),
            interests=interests,
            consent_text=CONSENT,
            ticked_at=None if interests is None else moment,
            address=address[:64],
            source=source,
            created_at=moment,
            confirmed_from="",
        )
    )
    await enqueue(session, emails.confirmation_request(subscriber, interests, token))
