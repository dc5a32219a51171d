"""Sending an issue: its messages enter the outbox in batches, once per subscriber, even if a worker is killed.

A batch is one transaction. It locks the issue's row, stores deliveries and messages, and records the last processed
subscriber. So a process that dies has stored a whole batch or nothing, and the next process continues after it. Only one
batch at a time waits in the outbox, because a booking's confirmation must not be queued behind all subscribers, and people
who unsubscribe during the send must get no more.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement
from sqlmodel import col, func, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.newsletter import ISSUES
from agency_site.db.deduplication import wait_for_turn
from agency_site.db.inserts import insert_new
from agency_site.features.newsletter import emails
from agency_site.features.newsletter.bounces import count_reachable, is_reachable
from agency_site.features.newsletter.preferences import token_of
from agency_site.features.newsletter.rules import DeliveryState, IssueState, fits
from agency_site.features.newsletter.suppression import suppressed
from agency_site.features.newsletter.tables import Delivery, NewsletterIssue, Subscriber
from agency_site.ids import token_hash
from agency_site.mail.rules import Message, validate_message
from agency_site.mail.usecases import count_queued_messages, enqueue_all, store_shared_body

log = logging.getLogger(__name__)

BATCH = 100
"""The most subscribers of one transaction and messages of the issue in the outbox. Storing them takes a tenth of a second,
and delivering them about ten seconds."""
_UNSENT = (IssueState.SCHEDULED, IssueState.SENDING)


@dataclass(frozen=True)
class _Reader:
    subscriber: Subscriber
    token: str
    message: Message | None
    """None if no message can be written to the address."""


async def list_due_issues(session: AsyncSession) -> list[int]:
    """Return the ids of the issues that are due to be sent, the one that has been due longest first."""
    due = select(NewsletterIssue.id).where(*_is_due())
    due = due.order_by(col(NewsletterIssue.due_at), col(NewsletterIssue.id))
    return [identity or 0 for identity in await session.exec(due)]


def _is_due() -> tuple[ColumnElement[bool], ...]:
    return col(NewsletterIssue.state).in_(_UNSENT), col(NewsletterIssue.due_at) <= now()


async def send_batch(session: AsyncSession, issue_id: int) -> int:
    """Begin, continue or end an issue; return the number of processed subscribers, at least 1.

    Return 0 if it is not due, another worker has it, or the last batch still waits in the outbox. Call it in its own session.
    """
    due = (
        select(NewsletterIssue)
        .where(NewsletterIssue.id == issue_id, *_is_due())
        .with_for_update(skip_locked=True)
    )
    issue = (await session.exec(due.execution_options(populate_existing=True))).first()
    if issue is None:
        return 0
    if issue.state is IssueState.SCHEDULED:
        await _begin(session, issue)
        return 1
    return await _continue(session, issue)


async def _begin(session: AsyncSession, issue: NewsletterIssue) -> None:
    await wait_for_turn(session, "newsletter-number")
    last_number = (await session.exec(select(func.max(NewsletterIssue.number)))).one() or 0
    issue.number = max(last_number, *(issue.number for issue in ISSUES)) + 1
    issue.shared_body_id = await store_shared_body(session, issue.text)
    issue.audience = await count_reachable(session)
    issue.state, issue.started_at = IssueState.SENDING, now()
    await session.flush()


async def _continue(session: AsyncSession, issue: NewsletterIssue) -> int:
    room = BATCH - await count_queued_messages(session, emails.ISSUE)
    if room <= 0:
        return 0
    query = (
        select(Subscriber)
        .where(is_reachable(), col(Subscriber.id) > issue.last_subscriber_id)
        .order_by(col(Subscriber.id))
        .limit(room)
    )
    subscribers = (await session.exec(query.execution_options(populate_existing=True))).all()
    if not subscribers:
        issue.state, issue.sent_at, issue.due_at = IssueState.SENT, now(), None
        await session.flush()
        return 1
    readers = [
        _prepare_reader(issue, subscriber)
        for subscriber in await _filter_readers(session, issue, subscribers)
    ]
    await _deliver(session, issue, readers)
    issue.last_subscriber_id = subscribers[-1].id or 0
    issue.processed += len(subscribers)
    await session.flush()
    return len(subscribers)


async def _filter_readers(
    session: AsyncSession, issue: NewsletterIssue, subscribers: Sequence[Subscriber]
) -> list[Subscriber]:
    suppressed_addresses = await suppressed(session, [subscriber.email for subscriber in subscribers])
    ids = [subscriber.id for subscriber in subscribers]
    delivered = select(Delivery.subscriber_id).where(
        col(Delivery.issue_id) == issue.id, col(Delivery.subscriber_id).in_(ids)
    )
    delivered_ids = set((await session.exec(delivered)).all())
    return [
        subscriber
        for subscriber in subscribers
        if subscriber.email not in suppressed_addresses
        and subscriber.id not in delivered_ids
        and fits(subscriber.interests, issue.interests)
    ]


def _prepare_reader(issue: NewsletterIssue, subscriber: Subscriber) -> _Reader:
    assert issue.shared_body_id is not None
    token = token_of(subscriber)
    try:
        message = validate_message(
            emails.issue_mail(issue, subscriber.email, subscriber.reference, token, issue.shared_body_id)
        )
    except Exception:
        # An invalid address in an old row must not stop the issue for the subscribers after it.
        log.exception("subscriber %s gets no issue %s", subscriber.reference, issue.reference)
        return _Reader(subscriber, token, None)
    return _Reader(subscriber, token, message)


async def _deliver(session: AsyncSession, issue: NewsletterIssue, readers: Sequence[_Reader]) -> None:
    moment = now()
    rows = [
        {
            "issue_id": issue.id,
            "subscriber_id": reader.subscriber.id,
            "state": DeliveryState.HANDED if reader.message else DeliveryState.REFUSED,
            "at": moment,
        }
        for reader in readers
    ]
    if not rows:
        return
    await insert_new(session, Delivery, rows)
    for reader in readers:
        if reader.subscriber.token_hash != token_hash(reader.token):
            statement = update(Subscriber).where(col(Subscriber.id) == reader.subscriber.id)
            await session.exec(
                statement.values(token_hash=token_hash(reader.token)).execution_options(
                    synchronize_session=False
                )
            )
    messages = {
        f"newsletter:{issue.reference}:{reader.subscriber.reference}": reader.message
        for reader in readers
        if reader.message
    }
    if messages:
        await enqueue_all(session, messages)
    issue.mails_created += len(messages)
    issue.mails_refused += len(readers) - len(messages)
