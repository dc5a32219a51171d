"""Use cases of staff for outgoing mail: preview, resend. Private links are redacted before a message is returned."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import format_datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_, update
from sqlalchemy.orm import aliased, defer
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.brand import BRAND
from agency_site.db.read_models import ReadModel
from agency_site.errors import Conflict, NotFound
from agency_site.mail.mime import get_sender_address
from agency_site.mail.redaction import redact_message
from agency_site.mail.render import render_html, render_text
from agency_site.mail.rules import ONE_TIME_KINDS, Attachment, MailFailure, MailState, Message
from agency_site.mail.tables import FAILED, OutboxMessage
from agency_site.mail.usecases import enqueue_unless_repeated

RESENT_AT_ONCE = 500
"""The most failed messages that one request resends: a transaction of about a second."""
_RESEND_WINDOW = timedelta(minutes=1)
"""A message is resent at most once within this time."""
_LARGE_COLUMNS: tuple[Any, ...] = (OutboxMessage.content, OutboxMessage.attachments, OutboxMessage.headers)
ONE_TIME_LINK_NOTICE = (
    "This message contains a one-time link and can't be resent. An owner can send a new link from the account's page "
    "under Staff."
)
QUEUED_NOTICE = "This message is still queued and is retried automatically."
_ATTENTION_PERIOD = timedelta(days=14)
"""A failed message needs attention for this long."""


@dataclass(frozen=True)
class OutboxEntry(ReadModel):
    """A message without its content."""

    id: int
    kind: str
    to: str
    subject: str
    state: MailState
    failure: MailFailure | None
    attempts: int
    last_error: str
    created_at: datetime
    sent_at: datetime | None
    original_id: int | None
    """The message that this one resends."""
    requested_by: str
    about: str
    """The reference of the record that it is about; empty without one."""


@dataclass(frozen=True)
class MessagePreview:
    """A message with its rendered bodies; private links are redacted."""

    entry: OutboxEntry
    subject: str
    html: str
    text: str
    headers: tuple[tuple[str, str], ...]
    attachments: tuple[str, ...]
    """File names."""


async def find_messages_about(session: AsyncSession, reference: str) -> tuple[OutboxEntry, ...]:
    """Return all messages about a record, oldest first."""
    about = select(OutboxMessage).where(OutboxMessage.about == reference).order_by(col(OutboxMessage.id))
    # Open pages poll this query, so it skips the large columns, which lists do not show.
    without_content = about.options(*(defer(column) for column in _LARGE_COLUMNS))
    return tuple(OutboxEntry.of(row) for row in await session.exec(without_content))


async def preview_message(session: AsyncSession, identity: int) -> MessagePreview:
    """Return the message of that id, redacted. Raises NotFound, and Conflict if its content is erased."""
    return build_preview(await _load_row(session, identity))


def build_preview(row: OutboxMessage) -> MessagePreview:
    """Return a stored message, redacted. Raises Conflict if its content is erased."""
    _require_content(row)
    message, body = redact_message(row.to_message()), row.shared_body
    return MessagePreview(
        entry=OutboxEntry.of(row),
        subject=message.subject,
        html=render_html(message, body.html if body else ""),
        text=render_text(message, body.text if body else ""),
        headers=_list_headers(row, message),
        attachments=tuple(attachment.filename for attachment in message.attachments),
    )


async def find_attachment(session: AsyncSession, identity: int, position: int) -> Attachment:
    """Return an attachment of a message, redacted. Raises as `preview_message`, and NotFound for an unknown position."""
    attachments = redact_message((await _load_row(session, identity)).to_message()).attachments
    if not 0 <= position < len(attachments):
        raise NotFound("This message has no such attachment.")
    return attachments[position]


def _list_headers(row: OutboxMessage, message: Message) -> tuple[tuple[str, str], ...]:
    return (
        ("From", f"{BRAND.name} <{get_sender_address()}>"),
        ("To", f"{row.to_name} <{row.to}>" if row.to_name else row.to),
        ("Subject", message.subject),
        ("Date", format_datetime(row.created_at)),
        ("Message-ID", row.message_id),
        ("Reply-To", message.reply_to),
        *message.headers,
    )


async def resend_message(session: AsyncSession, identity: int, actor: str) -> OutboxEntry:
    """Enqueue a copy of a message with a new date and Message-ID; its row refers to the old one, which does not change.

    The recipient is always the stored one. Raises NotFound, and Conflict for a message that has a one-time link, is still
    queued, was resent within the last minute, is erased or was encrypted with a key that the site no longer has.
    """
    row = await _load_row(session, identity)
    if row.kind in ONE_TIME_KINDS:
        raise Conflict(ONE_TIME_LINK_NOTICE)
    if row.state is MailState.QUEUED:
        raise Conflict(QUEUED_NOTICE)
    if row.has_lost_links:
        raise Conflict(
            "The links of this message can no longer be read, because the site's secret key has changed."
        )
    key = f"again:{identity}"
    stored = await enqueue_unless_repeated(session, row.to_message(), key=key, window=_RESEND_WINDOW)
    if stored is None:
        raise Conflict("This message was resent less than a minute ago.")
    await session.exec(
        update(OutboxMessage)
        .where(col(OutboxMessage.id) == stored)
        .values(original_id=identity, requested_by=actor)
        .execution_options(synchronize_session=False)
    )
    return OutboxEntry.of(await _load_row(session, stored))


async def _load_row(session: AsyncSession, identity: int) -> OutboxMessage:
    row = await session.get(OutboxMessage, identity, populate_existing=True)
    if row is None:
        raise NotFound("This message does not exist.")
    _require_content(row)
    return row


def _require_content(row: OutboxMessage) -> None:
    if not row.to:
        raise Conflict("The content of this message has been erased.")


async def count_unresolved_failures(session: AsyncSession) -> int:
    """Count the failed messages that need attention."""
    return (
        await session.exec(select(func.count()).select_from(OutboxMessage).where(is_unresolved_failure()))
    ).one()


async def count_resendable_failures(session: AsyncSession) -> int:
    """Count the failed messages that `resend_failures` resends."""
    return (
        await session.exec(select(func.count()).select_from(OutboxMessage).where(_is_resendable_failure()))
    ).one()


def _is_resendable_failure() -> ColumnElement[bool]:
    return and_(is_unresolved_failure(), col(OutboxMessage.kind).not_in(ONE_TIME_KINDS))


async def resend_failures(session: AsyncSession, actor: str) -> tuple[str, ...]:
    """Resend the oldest failed messages that need attention, up to `RESENT_AT_ONCE`; return the ids of those resent.

    A message with a one-time link stays failed: its link may have ended, and an owner sends a new one. So does a message
    whose links can no longer be read.
    """
    failures = (
        select(OutboxMessage.id)
        .where(_is_resendable_failure())
        .order_by(col(OutboxMessage.id))
        .limit(RESENT_AT_ONCE)
    )
    resent = []
    for identity in (await session.exec(failures)).all():
        with suppress(Conflict):
            await resend_message(session, identity or 0, actor)
            resent.append(str(identity))
    return tuple(resent)


def is_unresolved_failure() -> ColumnElement[bool]:
    """SQL condition: failed recently, not erased, and neither resent nor replaced by a newer one-time link."""
    newer = aliased(OutboxMessage)
    resent = select(newer.id).where(col(newer.original_id) == col(OutboxMessage.id)).exists()
    newer_link = (
        select(newer.id)
        .where(
            col(newer.kind) == col(OutboxMessage.kind),
            col(newer.to) == col(OutboxMessage.to),
            col(newer.id) > col(OutboxMessage.id),
        )
        .exists()
    )
    return and_(
        col(OutboxMessage.state) == FAILED,
        col(OutboxMessage.created_at) > now() - _ATTENTION_PERIOD,
        col(OutboxMessage.to) != "",
        # Two conditions: for one with OR databases would scan the whole outbox for each failed message.
        ~resent,
        or_(col(OutboxMessage.kind).not_in(ONE_TIME_KINDS), ~newer_link),
    )
