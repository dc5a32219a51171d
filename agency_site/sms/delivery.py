"""Delivery of due text messages through the provider. Any number of processes may deliver at the same time.

The provider has no idempotency key, so a message is handed over at most once unless it was certainly not sent. A worker claims
it, which makes it SENDING in the same statement, calls the provider with no transaction open, and stores the outcome. A message
whose answer never came, or whose worker was killed, becomes UNKNOWN; only staff send it again.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import ColumnElement, Update, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.due_work import handle_each, handle_together
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.leases import claim, has_come, is_due
from agency_site.db.outages import retry_outages
from agency_site.settings import settings
from agency_site.sms.africas_talking import EMPTY_ACCOUNT, SendResult, sms_client
from agency_site.sms.reports import (
    apply_early_report,
    is_report_due,
    list_due_reports,
    note_outcome,
    postpone_report,
    settle_early_report,
)
from agency_site.sms.rules import TextPurpose, TextState, end_quiet_hours
from agency_site.sms.tables import EarlyReport, SmsMessage
from agency_site.sms.usecases import find_stopped

BATCH = 10
"""Messages that a worker claims at once and hands over at the same time."""
LEASE = timedelta(minutes=2)
"""Much longer than the time limit of a request."""
BACKOFF = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15))
"""Pauses between attempts; the last one repeats."""
GIVE_UP_AFTER = timedelta(days=3)
PAUSE = timedelta(minutes=5)
"""The pause of all messages after the provider has reported an empty account."""

_USELESS = "It could not be sent while it was useful."
_LOST = "The worker ended before the provider's answer was stored."

_logger = logging.getLogger(__name__)


async def deliver_due_texts() -> int:
    """Hand over up to `BATCH` due messages; return how many were due.

    Without a provider, messages that were queued for one become `kept`.
    """
    work = await _look_for_work()
    if work.has_lost:
        await _settle_lost_messages()
    if work.has_early_reports:
        await _settle_early_reports()
    if not work.has_due:
        return 0
    if not settings().has_sms_provider:
        return await _keep_due_messages()
    rows = await _claim_messages()
    due_rows = [row for row in rows if row.state is TextState.SENDING]
    await handle_together(due_rows, _deliver, lambda row: f"text {row.id}")
    return len(rows)


@dataclass(frozen=True)
class _Work:
    """The kinds of work that wait."""

    has_lost: bool
    has_early_reports: bool
    has_due: bool


async def _look_for_work() -> _Work:
    """Return which kinds of work wait, by reads alone: a round without work must not wait for SQLite's only writer."""
    due = select(SmsMessage.id).where(_is_queued(), is_due(SmsMessage, now()))
    queries = (select(SmsMessage.id).where(*_is_lost()), select(EarlyReport.id).where(is_report_due()), due)
    async with read_scope() as session:
        return _Work(*[(await session.exec(query.limit(1))).first() is not None for query in queries])


async def _settle_early_reports() -> None:
    async def settle(identity: int) -> None:
        async with session_scope() as session:
            await settle_early_report(session, identity)

    async def postpone(identity: int) -> None:
        async with session_scope() as session:
            await postpone_report(session, identity)

    async with read_scope() as session:
        due = await list_due_reports(session)
    await handle_each(due, settle, lambda identity: f"early report {identity}", postpone)


async def _settle_lost_messages() -> None:
    """Mark messages whose worker ended while it sent them as unknown."""
    values = {"state": TextState.UNKNOWN, "due_at": None, "leased_until": None, "last_error": _LOST}
    async with session_scope() as session:
        lost = await session.exec(update(SmsMessage).where(*_is_lost()).values(**values))
    _logger.warning("%s text messages are unknown: their worker ended while it sent them", lost.rowcount)


async def _keep_due_messages() -> int:
    async with session_scope() as session:
        rows = await claim(session, SmsMessage, now(), _is_queued(), lease=LEASE)
        for row in rows:
            row.state, row.due_at, row.leased_until = TextState.KEPT, None, None
        return len(rows)


async def _claim_messages() -> Sequence[SmsMessage]:
    """Claim due messages. Those that may not be sent any more, or not now, are not SENDING."""
    changes = {"state": TextState.SENDING, "attempts": col(SmsMessage.attempts) + 1}
    async with session_scope() as session:
        rows = await claim(session, SmsMessage, now(), _is_queued(), lease=LEASE, limit=BATCH, **changes)
        if rows:
            stopped = await find_stopped(session, [(row.to, row.purpose) for row in rows])
            for row in rows:
                _hold_back(row, is_stopped=(row.to, row.purpose) in stopped)
        return rows


def _hold_back(row: SmsMessage, *, is_stopped: bool) -> None:
    """Take back a claimed message that is useless or stopped by now, or must wait for the end of quiet hours."""
    moment = now()
    if row.expires_at is not None and row.expires_at <= moment:
        row.state, row.due_at, row.leased_until = TextState.FAILED, None, None
        row.last_error = _USELESS
    elif is_stopped:
        row.state, row.due_at, row.leased_until = TextState.STOPPED, None, None
    elif row.purpose is not TextPurpose.TRANSACTION:
        end = end_quiet_hours(moment, settings().sms_quiet_hours)
        if end > moment:
            row.state, row.due_at, row.leased_until = TextState.QUEUED, end, None


async def _deliver(row: SmsMessage) -> None:
    result = await sms_client().send(row.to, row.text)
    if result.state is TextState.QUEUED and now() - row.created_at > GIVE_UP_AFTER:
        result = SendResult(TextState.FAILED, result.reason)
    await retry_outages(lambda: _store_result(row, result))
    level = logging.INFO if result.state is TextState.SENT else logging.WARNING
    # Without number and content, because more people read logs than the outbox.
    _logger.log(level, "text %s (%s), attempt %s: %s", row.id, row.kind, row.attempts, result.state.value)


async def _store_result(row: SmsMessage, result: SendResult) -> None:
    is_sent = result.state is TextState.SENT
    values = {
        "state": result.state,
        "due_at": now() + _compute_pause(row, result) if result.state is TextState.QUEUED else None,
        "leased_until": None,
        "last_error": result.reason[:300],
        "provider_id": result.provider_id,
        "cost": result.cost,
        "currency": result.currency,
        "sent_at": now() if is_sent else None,
    }
    # A late answer replaces `unknown`, unless staff have sent the message again since.
    own_attempt = (
        col(SmsMessage.id) == row.id,
        col(SmsMessage.attempts) == row.attempts,
        col(SmsMessage.state).in_((TextState.SENDING, TextState.UNKNOWN)),
    )
    async with session_scope() as session:
        await session.exec(update(SmsMessage).where(*own_attempt).values(**values))
        if result.provider_id:
            await apply_early_report(session, result.provider_id)
        await note_outcome(session, row.to, result.state, result.reason)
        await _steer_queue(session, row, result)


def _compute_pause(row: SmsMessage, result: SendResult) -> timedelta:
    return PAUSE if result.reason == EMPTY_ACCOUNT else BACKOFF[min(row.attempts, len(BACKOFF)) - 1]


async def _steer_queue(session: AsyncSession, row: SmsMessage, result: SendResult) -> None:
    """Pause all due messages once the account is empty, and end all pauses once a message passes that had failed before."""
    if result.reason == EMPTY_ACCOUNT:
        due = is_due(SmsMessage, now())
        await session.exec(_reschedule(due, due_at=now() + PAUSE, last_error=EMPTY_ACCOUNT))
    elif result.state is TextState.SENT and row.last_error:
        # Without their errors the others do not do the same again when they pass.
        await session.exec(_reschedule(col(SmsMessage.last_error) != "", due_at=now(), last_error=""))


def _reschedule(condition: ColumnElement[bool], **values: object) -> Update:
    # Workers steer the same rows in different orders: waiting for each other's locks could deadlock.
    rows = select(SmsMessage.id).where(_is_queued(), condition).with_for_update(skip_locked=True)
    change = update(SmsMessage).where(col(SmsMessage.id).in_(rows)).values(**values)
    return change.execution_options(synchronize_session=False)


def _is_lost() -> tuple[ColumnElement[bool], ...]:
    return col(SmsMessage.state) == TextState.SENDING, has_come(col(SmsMessage.leased_until), now(), LEASE)


def _is_queued() -> ColumnElement[bool]:
    return col(SmsMessage.state) == TextState.QUEUED
