"""Delivery of due messages of the outbox by SMTP. Any number of processes may deliver at the same time.

A worker claims a message, sends it with no transaction open and stores the outcome: two short transactions around the
SMTP session. If a worker is killed between them, its lease expires and another worker sends the message again under the
same Message-ID, by which mail programs recognise a duplicate.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import aiosmtplib
from sqlalchemy import Update, update
from sqlmodel import col
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.due_work import handle_each
from agency_site.db.engine import session_scope
from agency_site.db.leases import claim
from agency_site.mail.mime import compose_message, encode_address, get_sender_address
from agency_site.mail.rules import MailFailure, MailState, join_lines
from agency_site.mail.tables import OutboxMessage
from agency_site.settings import settings

BACKOFF = tuple(timedelta(minutes=minutes) for minutes in (1, 5, *(15,) * 287))
"""Pauses between attempts, three days in total; the message fails with the attempt after the last pause."""
LEASE = timedelta(minutes=2)
SEND_TIMEOUT_SECONDS = 60
"""Limit of one SMTP session; well below the lease, so that no other worker claims the message meanwhile."""
RESPONSE_TIMEOUT_SECONDS = 20
"""Limit of one response of the SMTP server."""

_MESSAGE_ERRORS = (aiosmtplib.SMTPRecipientsRefused, aiosmtplib.SMTPDataError, aiosmtplib.SMTPNotSupported)
"""Errors about one message. After any other error the server may be unavailable for all messages."""

_logger = logging.getLogger(__name__)


@dataclass
class _MailServer:
    """The state of the SMTP server, as this process knows it."""

    has_failed: bool = True
    """No message was delivered since the last failure. True in a new process, which may start with repaired settings."""


_server = _MailServer()


DeadMailboxHandler = Callable[[AsyncSession, str], Awaitable[None]]
_dead_mailbox_handlers: list[DeadMailboxHandler] = []


def join_dead_mailboxes(*handlers: DeadMailboxHandler) -> None:
    """Register handlers for addresses whose mailbox does not exist. Called once, at the start."""
    _dead_mailbox_handlers[:] = handlers


class _PermanentFailure(Exception):
    """The server rejects this message permanently, or the message cannot be composed."""

    def __init__(self, text: str, *, is_dead_mailbox: bool = False) -> None:
        super().__init__(text)
        self.is_dead_mailbox = is_dead_mailbox
        """No message to this recipient can arrive."""


class _TemporaryFailure(Exception):
    """The server cannot be reached or cannot accept the message now."""


async def deliver_due_messages(limit: int = 20) -> int:
    """Attempt to deliver up to `limit` due messages; return the number of attempts.

    Without an SMTP server, messages that were queued for one become `kept`.
    """
    if not settings().smtp_host:
        return await _keep_due_messages(limit)
    for count in range(limit):
        row = await _claim_message()
        if row is None:
            return count
        await handle_each([row], _deliver, lambda row: f"mail {row.id}")
    return limit


async def _deliver(row: OutboxMessage) -> None:
    await _store_outcome(row, await _attempt_delivery(row))


async def _keep_due_messages(limit: int) -> int:
    async with session_scope() as session:
        rows = await claim(session, OutboxMessage, now(), lease=LEASE, limit=limit)
        for row in rows:
            row.state, row.due_at, row.leased_until = MailState.KEPT, None, None
        return len(rows)


async def _claim_message() -> OutboxMessage | None:
    # One at a time, because the lease of a batch would expire behind a slow server.
    one_more = col(OutboxMessage.attempts) + 1
    async with session_scope() as session:
        rows = await claim(session, OutboxMessage, now(), lease=LEASE, limit=1, attempts=one_more)
    return rows[0] if rows else None


@dataclass(frozen=True)
class _Outcome:
    state: MailState
    error: str = ""
    due_at: datetime | None = None
    failure: MailFailure | None = None
    is_dead_mailbox: bool = False


async def _attempt_delivery(row: OutboxMessage) -> _Outcome:
    try:
        await _send_message(row)
    except _PermanentFailure as error:
        return _Outcome(
            MailState.FAILED,
            str(error),
            failure=MailFailure.REFUSED,
            is_dead_mailbox=error.is_dead_mailbox,
        )
    except _TemporaryFailure as error:
        if row.attempts > len(BACKOFF):
            return _Outcome(MailState.FAILED, str(error), failure=MailFailure.GIVEN_UP)
        return _Outcome(MailState.QUEUED, str(error), now() + BACKOFF[row.attempts - 1])
    return _Outcome(MailState.SENT)


async def _store_outcome(row: OutboxMessage, outcome: _Outcome) -> None:
    is_sent = outcome.state is MailState.SENT
    values = {
        "state": outcome.state,
        "due_at": outcome.due_at,
        "leased_until": None,
        "failure": outcome.failure,
        "last_error": join_lines(outcome.error)[:300],
        "sent_at": now() if is_sent else None,
    }
    # A worker whose lease has expired must not overwrite the outcome that its successor has stored.
    unsettled = (col(OutboxMessage.id) == row.id, col(OutboxMessage.state) == MailState.QUEUED)
    async with session_scope() as session:
        await session.exec(update(OutboxMessage).where(*unsettled).values(**values))
        if is_sent and _server.has_failed:
            await session.exec(_make_waiting_due())
    if outcome.is_dead_mailbox:
        # In its own transaction: erasing a person locks their record before their mails, and the opposite order could deadlock.
        async with session_scope() as session:
            for handle in _dead_mailbox_handlers:
                await handle(session, row.to)
    _server.has_failed = not is_sent and _server.has_failed
    level = logging.INFO if is_sent else logging.WARNING
    # Without address and content, because more people read logs than the outbox.
    _logger.log(level, "mail %s (%s), attempt %s: %s", row.id, row.kind, row.attempts, outcome.state.value)


def _make_waiting_due() -> Update:
    """Return the statement that ends the pauses of all messages, because the server works again."""
    waiting = (
        col(OutboxMessage.state) == MailState.QUEUED,
        col(OutboxMessage.attempts) > 0,
        col(OutboxMessage.due_at) > now(),
    )
    return (
        update(OutboxMessage)
        .where(*waiting)
        .values(due_at=now())
        .execution_options(synchronize_session=False)
    )


async def _send_message(row: OutboxMessage) -> None:
    """Send one message by SMTP. Raises _PermanentFailure or _TemporaryFailure."""
    try:
        message, recipient = compose_message(row), encode_address(row.to)
    except Exception as error:
        # The email package rejects malformed content with errors of many kinds; none of them is temporary.
        raise _PermanentFailure(f"cannot be written as mail: {error!r}") from error
    config = settings()
    try:
        async with asyncio.timeout(SEND_TIMEOUT_SECONDS):
            await aiosmtplib.send(
                message,
                sender=get_sender_address(),
                recipients=[recipient],
                hostname=config.smtp_host,
                port=config.smtp_port,
                username=config.smtp_user or None,
                password=config.smtp_password.get_secret_value() or None,
                local_hostname=urlsplit(config.site_url).hostname or "localhost",
                timeout=RESPONSE_TIMEOUT_SECONDS,
                use_tls=config.smtp_security == "tls",
                start_tls=config.smtp_security == "starttls",
            )
    except Exception as error:
        # An error of any kind counts as an attempt, so that no message blocks the queue.
        _server.has_failed |= not isinstance(error, _MESSAGE_ERRORS)
        raise _classify_failure(error) from error


_DEAD_MAILBOX = re.compile(r"^\s*5\.1\.(?:[0-6]|10)\b")
"""Enhanced status codes of an address that does not exist (RFC 3463, RFC 7505); 5.1.7 to 5.1.9 concern the sender."""


def _names_dead_mailbox(error: aiosmtplib.SMTPResponseException) -> bool:
    is_of_sender = isinstance(error, aiosmtplib.SMTPSenderRefused)
    return not is_of_sender and _DEAD_MAILBOX.match(error.message) is not None


def _classify_failure(error: Exception) -> _PermanentFailure | _TemporaryFailure:
    """Return the failure that an SMTP error means for the message.

    Only a 5xx response to the message itself (sender, recipient, data) is permanent. The operator has to fix a rejected
    greeting or sign-in, or a 530 that requires one: the message stays queued.
    """
    if isinstance(error, aiosmtplib.SMTPRecipientsRefused):
        error = error.recipients[0]
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, aiosmtplib.SMTPNotSupported):
        # aiosmtplib raises it only for an address beyond ASCII at a server without SMTPUTF8.
        return _PermanentFailure(text, is_dead_mailbox=True)
    message_errors = (
        aiosmtplib.SMTPSenderRefused,
        aiosmtplib.SMTPRecipientRefused,
        aiosmtplib.SMTPDataError,
    )
    if isinstance(error, message_errors) and error.code >= 500 and error.code != 530:
        return _PermanentFailure(text, is_dead_mailbox=_names_dead_mailbox(error))
    return _TemporaryFailure(text)
