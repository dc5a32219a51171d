"""Sending an issue: batch by batch its messages enter the outbox, once per subscriber, even if a worker is killed.

A batch is one transaction. It locks the issue's row, writes deliveries and messages together, and moves the mark up to
which subscribers are processed; so a process that dies has stored all of a batch or nothing of it, and the next
continues from the mark. Only one batch at a time waits in the outbox: a booking's confirmation must not be queued
behind all subscribers, and whoever unsubscribes during the send gets no more.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import col, func, select, update
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.newsletter import ISSUES
from agency_site.db.deduplication import wait_for_turn
from agency_site.db.inserts import insert_new
from agency_site.features.newsletter import emails, staff_usecases
from agency_site.features.newsletter.bounces import is_reachable
from agency_site.features.newsletter.preferences import token_of
from agency_site.features.newsletter.rules import DeliveryState, IssueState, fits
from agency_site.features.newsletter.suppression import suppressed
from agency_site.features.newsletter.tables import Delivery, NewsletterIssue, Subscriber
from agency_site.ids import token_hash
from agency_site.mail.rules import Message, validate_message
from agency_site.mail.usecases import count_queued_messages, enqueue_all, store_shared_body

BATCH = 100
"""Subscribers in one transaction, and messages of the issue that wait in the outbox at most: a tenth of a second of
writing, and some ten seconds of a mail server's time."""
_UNSENT = (IssueState.SCHEDULED, IssueState.SENDING)


@dataclass(frozen=True)
class _Reader:
    subscriber: Subscriber
    token: str
    message: Message | None
    """None: the address takes none."""


async def is_issue_due(session: AsyncSession) -> bool:
    """Whether an issue is due to be sent."""
    due = select(NewsletterIssue.id).where(
        col(NewsletterIssue.state).in_(_UNSENT), col(NewsletterIssue.due_at) <= now()
    )
    return (await session.exec(due.limit(1))).first() is not None


async def send_batch(session: AsyncSession) -> int:
    """Begin, continue or end the issue that is due longest; returns how many subscribers were processed, at least 1.

    0 when nothing is due, another worker has the issue, or the last batch still waits in the outbox. Call it in a session of
    its own.
    """
    due = (
        select(NewsletterIssue)
        .where(col(NewsletterIssue.state).in_(_UNSENT), col(NewsletterIssue.due_at) <= now())
        .order_by(col(NewsletterIssue.due_at), col(NewsletterIssue.id))
        .limit(1)
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
    counted = (await session.exec(select(func.max(NewsletterIssue.number)))).one() or 0
    issue.number = max(counted, *(one.number for one in ISSUES)) + 1
    issue.shared_body_id = await store_shared_body(session, issue.text)
    issue.audience = await staff_usecases.count(session)
    issue.state, issue.started_at = IssueState.SENDING, now()
    await session.flush()


async def _continue(session: AsyncSession, issue: NewsletterIssue) -> int:
    room = BATCH - await count_queued_messages(session, emails.ISSUE)
    if room <= 0:
        return 0
    following = (
        select(Subscriber)
        .where(is_reachable(), col(Subscriber.id) > issue.last_subscriber_id)
        .order_by(col(Subscriber.id))
        .limit(room)
    )
    found = (await session.exec(following.execution_options(populate_existing=True))).all()
    if not found:
        issue.state, issue.sent_at, issue.due_at = IssueState.SENT, now(), None
        await session.flush()
        return 1
    readers = [_reader(issue, one) for one in await _filter_readers(session, issue, found)]
    await _deliver(session, issue, readers)
    issue.last_subscriber_id = found[-1].id or 0
    issue.processed += len(found)
    await session.flush()
    return len(found)


async def _filter_readers(
    session: AsyncSession, issue: NewsletterIssue, found: Sequence[Subscriber]
) -> list[Subscriber]:
    unwanted = await suppressed(session, [one.email for one in found])
    had = select(Delivery.subscriber_id).where(
        col(Delivery.issue_id) == issue.id, col(Delivery.subscriber_id).in_([one.id for one in found])
    )
    done = set((await session.exec(had)).all())
    return [
        one
        for one in found
        if one.email not in unwanted and one.id not in done and fits(one.interests, issue.interests)
    ]


def _reader(issue: NewsletterIssue, subscriber: Subscriber) -> _Reader:
    assert issue.shared_body_id is not None
    token = token_of(subscriber)
    try:
        message = validate_message(
            emails.issue_mail(issue, subscriber.email, subscriber.reference, token, issue.shared_body_id)
        )
    except ValueError:
        # An odd address from long ago must not keep the issue from everybody after it.
        return _Reader(subscriber, token, None)
    return _Reader(subscriber, token, message)


async def _deliver(session: AsyncSession, issue: NewsletterIssue, readers: Sequence[_Reader]) -> None:
    moment = now()
    rows = [
        {
            "issue_id": issue.id,
            "subscriber_id": one.subscriber.id,
            "state": DeliveryState.HANDED if one.message else DeliveryState.REFUSED,
            "at": moment,
        }
        for one in readers
    ]
    if not rows:
        return
    await insert_new(session, Delivery, rows)
    for one in readers:
        if one.subscriber.token_hash != token_hash(one.token):
            mine = update(Subscriber).where(col(Subscriber.id) == one.subscriber.id)
            await session.exec(
                mine.values(token_hash=token_hash(one.token)).execution_options(synchronize_session=False)
            )
    messages = {
        f"newsletter:{issue.reference}:{one.subscriber.reference}": one.message
        for one in readers
        if one.message
    }
    if messages:
        await enqueue_all(session, messages)
    issue.mails_created += len(messages)
    issue.mails_refused += len(readers) - len(messages)
