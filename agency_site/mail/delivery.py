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
from sqlalchemy import Update, func, update
from sqlmodel import col, select
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
    """Register handlers for addresses whose mailbox does not exist or rejects every mail. Called once, at the start."""
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
    if outcome.failure is MailFailure.REFUSED:
        # In its own transaction: erasing a person locks their record before their mails, and the opposite order could deadlock.
        async with session_scope() as session:
            if outcome.is_dead_mailbox or await _is_refused_again(session, row):
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


_DEAD_CODES = re.compile(r"\s*5\.1\.(?:[1-6]|10)\b")
"""Enhanced status codes of an address that does not exist (RFC 3463, RFC 7505)."""
_VAGUE_CODES = re.compile(r"\s*5\.(?:1\.0|2\.1)\b")
"""Those of an address or a mailbox that is disabled, unless the words blame something else."""
_OTHER_CODES = re.compile(r"\s*5\.(?:1\.[7-9]|2\.[2-4]|3\.\d+|6\.\d+|7\.\d+)\b")
"""Those of a sender, a full mailbox, a server, a content or a policy, whatever the words."""
_HOLDER = r"(?:user|mailbox|mail box|recipient|account|addressee|local part|inbox)"
_DEAD_WORDS = re.compile(
    rf"\b(?:no such|unknown|invalid|non-?existent|no)\s+(?:\w+\s+)?{_HOLDER}\b"
    rf"|\b{_HOLDER}\b.{{0,60}}\b(?:unknown|unavailable|disabled|inactive|deactivated|suspended|closed|terminated|discontinued|"
    r"invalid|not (?:be )?found|not exist|no longer|not known)\b"
    r"|\b(?:doesn't|does not) (?:exist\b|have an? \S+ (?:account|mailbox))|\bunrout(?:e)?able address\b|\bnot our customer\b"
    r"|\brecipient address rejected: access denied\b|\b(?:address|recipient) (?:does not exist|not found|is not valid)\b",
    re.IGNORECASE | re.DOTALL,
)
"""The words of large providers and small servers, with the code 5.5.0, 5.4.1, another one or none."""
_OTHER_WORDS = re.compile(
    r"\b(?:spam|block\w*|blacklist\w*|policy|quota|full|rate|too (?:many|quickly|fast)|temporar\w+|greylist\w*|relay\w*|"
    r"sender|spf|dkim|dmarc|reputation|authentica\w+)\b",
    re.IGNORECASE,
)
_MOST_REFUSALS = 5
"""After so many mails of a kind in a row a mailbox counts as dead, whatever the words."""


def _names_dead_mailbox(error: aiosmtplib.SMTPResponseException) -> bool:
    text = error.message
    if isinstance(error, aiosmtplib.SMTPSenderRefused) or _OTHER_CODES.match(text):
        return False
    if _DEAD_CODES.match(text):
        return True
    return not _OTHER_WORDS.search(text) and bool(_VAGUE_CODES.match(text) or _DEAD_WORDS.search(text))


async def _is_refused_again(session: AsyncSession, row: OutboxMessage) -> bool:
    """Return whether the newest mails of this kind to this address were all rejected permanently."""
    ended = (MailState.SENT, MailState.FAILED)
    newest = (
        select(OutboxMessage.failure)
        .where(func.lower(col(OutboxMessage.to)) == row.to.lower(), col(OutboxMessage.kind) == row.kind)
        .where(col(OutboxMessage.state).in_(ended))
        .order_by(col(OutboxMessage.id).desc())
        .limit(_MOST_REFUSALS)
    )
    failures = (await session.exec(newest)).all()
    return failures.count(MailFailure.REFUSED) == _MOST_REFUSALS


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
