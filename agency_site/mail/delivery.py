"""Sends what is due in the outbox. Any number of processes may do so at once.

A message is claimed, sent with no transaction open, and its outcome is stored: two short transactions around
the SMTP conversation. A process that is killed between them loses nothing: the lease runs out and another one
sends the message again under the same Message-ID, by which mail programs recognise a repeat.
"""

import asyncio
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import aiosmtplib
from sqlmodel import col, update

from agency_site.clock import now
from agency_site.db.engine import session_scope
from agency_site.db.leases import claim
from agency_site.mail.mime import compose, sender, wire_address
from agency_site.mail.rules import MailFailure, MailState, one_line
from agency_site.mail.tables import OutboxMessage
from agency_site.settings import settings

BACKOFF = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240))
"""Pauses after each attempt that may still succeed; after the one that follows the last pause we give up."""
LEASE = timedelta(minutes=2)
SEND_SECONDS = 60
"""Longest SMTP conversation; well inside the lease, so that nobody else takes the message meanwhile."""
STEP_SECONDS = 20
"""Longest wait for one answer of the SMTP server."""

logger = logging.getLogger(__name__)


class UndeliverableError(Exception):
    """The server refused this message for good, or it can never be written down as mail."""


class TryLaterError(Exception):
    """The server cannot be reached or cannot take the message now."""


async def deliver_due(limit: int = 20) -> int:
    """Send up to `limit` due messages and return how many were worked on.

    Without an SMTP server, what was queued while there was one is marked as kept. Safe in several processes at the same time.
    """
    if not settings().smtp_host:
        return await _keep_due(limit)
    for done in range(limit):
        row = await _claim_one()
        if row is None:
            return done
        await _settle(row, await _attempt(row))
    return limit


async def _keep_due(limit: int) -> int:
    async with session_scope() as session:
        rows = await claim(session, OutboxMessage, now(), lease=LEASE, limit=limit)
        for row in rows:
            row.state, row.due_at, row.leased_until = MailState.KEPT, None, None
        return len(rows)


async def _claim_one() -> OutboxMessage | None:
    # One at a time: a batch would outlive its lease behind a slow server.
    async with session_scope() as session:
        for row in await claim(session, OutboxMessage, now(), lease=LEASE, limit=1):
            row.attempts += 1
            return row
    return None


@dataclass(frozen=True)
class _Attempted:
    """What one attempt came to."""

    state: MailState
    error: str = ""
    due_at: datetime | None = None
    failure: MailFailure | None = None


async def _attempt(row: OutboxMessage) -> _Attempted:
    try:
        await send(row)
    except UndeliverableError as refused:
        return _Attempted(MailState.FAILED, str(refused), failure=MailFailure.REFUSED)
    except TryLaterError as trouble:
        if row.attempts > len(BACKOFF):
            return _Attempted(MailState.FAILED, str(trouble), failure=MailFailure.GIVEN_UP)
        return _Attempted(MailState.QUEUED, str(trouble), now() + BACKOFF[row.attempts - 1])
    return _Attempted(MailState.SENT)


async def _settle(row: OutboxMessage, came: _Attempted) -> None:
    state = came.state
    values = {
        "state": state,
        "due_at": came.due_at,
        "leased_until": None,
        "failure": came.failure,
        "last_error": one_line(came.error)[:300],
        "sent_at": now() if state is MailState.SENT else None,
    }
    # A worker whose lease ran out must not overwrite what its successor has settled.
    mine = (col(OutboxMessage.id) == row.id, col(OutboxMessage.state) == MailState.QUEUED)
    async with session_scope() as session:
        await session.exec(update(OutboxMessage).where(*mine).values(**values))
    level = logging.INFO if state is MailState.SENT else logging.WARNING
    # Neither address nor content: logs are read by more people than the outbox.
    logger.log(level, "mail %s (%s), attempt %s: %s", row.id, row.kind, row.attempts, state.value)


async def send(row: OutboxMessage) -> None:
    """Hand one message to the SMTP server. Raises UndeliverableError or TryLaterError."""
    try:
        message, recipient = compose(row), wire_address(row.to)
    except Exception as broken:
        # The email package refuses odd contents with errors of many kinds; none of them passes with time.
        raise UndeliverableError(f"cannot be written as mail: {broken!r}") from broken
    chosen = settings()
    try:
        async with asyncio.timeout(SEND_SECONDS):
            await aiosmtplib.send(
                message,
                sender=sender(),
                recipients=[recipient],
                hostname=chosen.smtp_host,
                port=chosen.smtp_port,
                username=chosen.smtp_user or None,
                password=chosen.smtp_password.get_secret_value() or None,
                local_hostname=urlsplit(chosen.site_url).hostname or "localhost",
                timeout=STEP_SECONDS,
                use_tls=chosen.smtp_security == "tls",
                start_tls=chosen.smtp_security == "starttls",
            )
    except Exception as failure:
        # Whatever went wrong, the row must leave the head of the queue and be tried only so many times.
        raise classify(failure) from failure


def classify(failure: Exception) -> UndeliverableError | TryLaterError:
    """What an SMTP failure means for the message.

    Only an answer of 5xx to the message itself (sender, recipient, data) refuses it for good. A refused
    greeting or login, or a 530 that asks for one, is for the operator to mend: the message waits.
    """
    if isinstance(failure, aiosmtplib.SMTPRecipientsRefused):
        failure = failure.recipients[0]
    text = f"{type(failure).__name__}: {failure}"
    if isinstance(failure, aiosmtplib.SMTPNotSupported):
        # Raised for one thing only: an address that is not ASCII, at a server that takes no other.
        return UndeliverableError(text)
    about_the_message = (
        aiosmtplib.SMTPSenderRefused,
        aiosmtplib.SMTPRecipientRefused,
        aiosmtplib.SMTPDataError,
    )
    if isinstance(failure, about_the_message) and failure.code >= 500 and failure.code != 530:
        return UndeliverableError(text)
    return TryLaterError(text)
