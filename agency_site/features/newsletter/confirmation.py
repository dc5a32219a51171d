"""Double opt-in: what a form asks for holds once whoever reads the mailbox has confirmed it.

The screen says the same to everybody, whatever is known about the address; all else is said in the mail.
"""

import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import col, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.newsletter import CONSENT
from agency_site.db.deduplication import REPEAT_WINDOW
from agency_site.db.event_log import VISITOR, append_event
from agency_site.db.inserts import insert_new
from agency_site.db.record_versions import change
from agency_site.errors import Conflict, NotFound
from agency_site.features.newsletter import emails
from agency_site.features.newsletter.preferences import link_token
from agency_site.features.newsletter.records import SubscriberRecord
from agency_site.features.newsletter.rules import SubscriberChange, SubscriberState
from agency_site.features.newsletter.suppression import lift
from agency_site.features.newsletter.tables import OptIn, Subscriber, SubscriberEvent
from agency_site.ids import token_hash
from agency_site.mail.rules import MailLimitReached
from agency_site.mail.usecases import can_mail_recipient, count_recent_messages, enqueue

LIFETIME = timedelta(days=14)
"""How long a confirmation can be pressed: two letters later nobody remembers having asked."""


@dataclass(frozen=True)
class Asking:
    """What a form asked for."""

    source: str
    address: str = ""
    """Where it was sent from."""
    interests: tuple[str, ...] | None = None
    """None: the form has no boxes for them, nor one for the consent."""


@dataclass(frozen=True)
class OptInRecord:
    """A confirmation that is asked for, as its private page shows it."""

    subscriber: SubscriberRecord
    interests: tuple[str, ...] | None
    consent_text: str
    asked_at: datetime
    confirmed: bool


class LinkOver(Conflict):
    """A confirmation that cannot be pressed any more."""

    def __init__(self) -> None:
        super().__init__(
            "This link is too old, or a newer one has taken its place. Subscribe again to get another."
        )


async def ask(session: AsyncSession, subscriber: Subscriber, asking: Asking) -> None:
    """Send a mail that asks for the confirmation, unless there is one already.

    Call it with the subscriber's row held. Who is on the list and asks for nothing new is told so instead. Raises
    MailboxFull when enough such mails were sent, whoever is on the list.
    """
    known = subscriber.state is SubscriberState.SUBSCRIBED and asking.interests is None
    if known and await count_recent_messages(session, emails.KNOWN, subscriber.email, REPEAT_WINDOW):
        return
    if not known and await _asked_already(session, subscriber, asking):
        return
    if not await can_mail_recipient(session, subscriber.email, emails.CONFIRM, emails.KNOWN):
        raise MailLimitReached
    if known:
        await enqueue(session, emails.known(subscriber, await link_token(session, subscriber)))
        return
    token = secrets.token_urlsafe(32)
    await insert_new(session, OptIn, [_row(subscriber, asking, token)])
    await enqueue(session, emails.confirm(subscriber, asking.interests, token))


async def find_opt_in(session: AsyncSession, token: str) -> OptInRecord:
    """The confirmation that the token opens. Raises NotFound, and LinkOver when it cannot be pressed any more."""
    opt_in = await _opt_in(session, token)
    found = select(Subscriber).where(Subscriber.id == opt_in.subscriber_id)
    return _record(opt_in, (await session.exec(found)).one())


async def confirm(session: AsyncSession, token: str, address: str) -> tuple[OptInRecord, str]:
    """Put the subscriber on the list, as asked; a second press changes nothing. Also the token of the private link.

    `address` is where the press came from. Raises NotFound and LinkOver.
    """
    subscriber_id = (await _opt_in(session, token)).subscriber_id
    # The subscriber first, as everywhere: two transactions that lock in different orders would wait for each other.
    held = select(Subscriber).where(Subscriber.id == subscriber_id).with_for_update()
    subscriber = (await session.exec(held.execution_options(populate_existing=True))).one()
    opt_in = await _opt_in(session, token)
    record = _record(opt_in, subscriber)
    if not record.confirmed:
        await _confirm(session, opt_in, subscriber, address)
    return replace(record, confirmed=True), await link_token(session, subscriber)


async def _confirm(session: AsyncSession, opt_in: OptIn, subscriber: Subscriber, address: str) -> None:
    moment = now()
    values: dict[str, Any] = {
        "state": SubscriberState.SUBSCRIBED,
        "confirmed_at": moment,
        "consented_at": opt_in.ticked_at or moment,
        "unsubscribed_at": None,
    }
    if opt_in.interests is not None:
        values["interests"] = opt_in.interests
    await change(session, Subscriber, subscriber.id, subscriber.version, **values)
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
    await append_event(
        session,
        SubscriberEvent,
        [subscriber.id],
        SubscriberChange.CONFIRMED,
        VISITOR,
        note=", ".join(opt_in.interests or ()),
    )


async def _opt_in(session: AsyncSession, token: str) -> OptIn:
    found = select(OptIn).where(OptIn.token_hash == token_hash(token))
    row = (await session.exec(found.execution_options(populate_existing=True))).one_or_none()
    if row is None:
        raise NotFound(
            "We know no subscription under this link. Please check that you opened the whole link."
        )
    return row


def _record(opt_in: OptIn, subscriber: Subscriber) -> OptInRecord:
    confirmed = opt_in.confirmed_at is not None
    over = opt_in.void_at is not None or opt_in.created_at <= now() - LIFETIME
    # A press that counted is still thanked for, unless its subscriber has left since.
    if (confirmed and subscriber.state is not SubscriberState.SUBSCRIBED) or (over and not confirmed):
        raise LinkOver
    return OptInRecord(
        subscriber=SubscriberRecord.of(subscriber),
        interests=None if opt_in.interests is None else tuple(opt_in.interests),
        consent_text=opt_in.consent_text,
        asked_at=opt_in.created_at,
        confirmed=confirmed,
    )


async def _asked_already(session: AsyncSession, subscriber: Subscriber, asking: Asking) -> bool:
    """Whether the very same was asked for a moment ago, as by a double press."""
    recent = select(OptIn.interests).where(
        col(OptIn.subscriber_id) == subscriber.id,
        col(OptIn.created_at) > now() - REPEAT_WINDOW,
        col(OptIn.confirmed_at).is_(None),
        col(OptIn.void_at).is_(None),
    )
    wanted = None if asking.interests is None else list(asking.interests)
    return wanted in (await session.exec(recent)).all()


def _row(subscriber: Subscriber, asking: Asking, token: str) -> dict[str, Any]:
    moment = now()
    ticked = asking.interests is not None
    return {
        "subscriber_id": subscriber.id,
        "token_hash": token_hash(token),
        "interests": list(asking.interests) if asking.interests is not None else None,
        "consent_text": CONSENT,
        "ticked_at": moment if ticked else None,
        "address": asking.address[:64],
        "source": asking.source,
        "created_at": moment,
        "confirmed_from": "",
    }
