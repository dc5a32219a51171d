"""What staff do with outgoing mail: look at it, send it once more, see what failed.

No address that belongs to a recipient leaves this module (`redaction.for_staff`).
"""

from base64 import b64decode
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import format_datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, or_, update
from sqlalchemy.orm import aliased, defer
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.brand import BRAND
from agency_site.errors import Conflict, NotFound
from agency_site.mail.mime import sender
from agency_site.mail.redaction import for_staff
from agency_site.mail.render import html_body, text_body
from agency_site.mail.rules import ONE_TIME_KINDS, Attachment, MailFailure, MailState, Message, as_said
from agency_site.mail.tables import OutboxMessage
from agency_site.mail.usecases import enqueue_unless_repeated

DOUBLE_PRESS = timedelta(minutes=1)
"""Within this time the same message is not sent once more again."""
_CARRIED: tuple[Any, ...] = (OutboxMessage.words, OutboxMessage.attachments, OutboxMessage.headers)
ISSUED_ANEW = (
    "This message carries a one-time link, so it is not sent again. An owner sends a new one from the person's page under "
    "Staff."
)
STILL_NEWS = timedelta(days=14)
"""How long a failed message asks for attention."""


@dataclass(frozen=True)
class MailLine:
    """One message as lists show it."""

    id: int
    kind: str
    to: str
    subject: str
    state: MailState
    failure: MailFailure | None
    """Why it failed: refused for good, or given up after the last attempt."""
    attempts: int
    last_error: str
    created_at: datetime
    sent_at: datetime | None
    repeats: int | None
    """The message that was sent once more with this one."""
    requested_by: str
    about: str
    """The reference of the order or booking that it is about; empty: none."""

    @property
    def one_time(self) -> bool:
        """Whether it carries a one-time link to a staff account."""
        return self.kind in ONE_TIME_KINDS


@dataclass(frozen=True)
class Preview:
    """A message as its recipient sees it, without the addresses of its buttons and links."""

    line: MailLine
    subject: str
    html: str
    text: str
    headers: tuple[tuple[str, str], ...]
    attachments: tuple[str, ...]
    """Names of the files that travel with it."""


def line_of(row: OutboxMessage) -> MailLine:
    """The line of a message in a list."""
    assert row.id is not None
    return MailLine(
        id=row.id,
        kind=row.kind,
        to=row.to,
        subject=row.subject,
        state=row.state,
        failure=row.failure,
        attempts=row.attempts,
        last_error=row.last_error,
        created_at=row.created_at,
        sent_at=row.sent_at,
        repeats=row.repeats,
        requested_by=row.requested_by,
        about=row.about,
    )


async def mails_about(session: AsyncSession, reference: str) -> tuple[MailLine, ...]:
    """All messages about an order or a booking, oldest first."""
    about = select(OutboxMessage).where(OutboxMessage.about == reference).order_by(col(OutboxMessage.id))
    # A page that stays open asks often: what the messages carry is not fetched each time.
    lean = about.options(*(defer(part) for part in _CARRIED))
    return tuple(line_of(row) for row in await session.exec(lean))


async def preview(session: AsyncSession, identity: int) -> Preview:
    """The message of that id without private addresses. Raises NotFound, and Conflict when its contents are erased."""
    row = await _found(session, identity)
    shown, letter = for_staff(_message(row)), row.letter
    return Preview(
        line=line_of(row),
        subject=shown.subject,
        html=html_body(shown, letter.html if letter else ""),
        text=text_body(shown, letter.text if letter else ""),
        headers=_headers(row, shown),
        attachments=tuple(file.filename for file in shown.attachments),
    )


async def file_of(session: AsyncSession, identity: int, position: int) -> Attachment:
    """A file that travels with a message, without private addresses. Raises as `preview`, and NotFound."""
    files = for_staff(_message(await _found(session, identity))).attachments
    if not 0 <= position < len(files):
        raise NotFound("This message carries no such file.")
    return files[position]


def _headers(row: OutboxMessage, shown: Message) -> tuple[tuple[str, str], ...]:
    return (
        ("From", f"{BRAND.name} <{sender()}>"),
        ("To", f"{row.to_name} <{row.to}>" if row.to_name else row.to),
        ("Subject", shown.subject),
        ("Date", format_datetime(row.created_at)),
        ("Message-ID", row.message_id),
        ("Reply-To", shown.reply_to),
        *shown.headers,
    )


async def resend(session: AsyncSession, identity: int, actor: str) -> MailLine:
    """Send a message once more: a new row that names the old one, with headers of today and a Message-ID of its own.

    It goes to the address that is stored with it, never to another. The old row stays as it is. Raises NotFound; Conflict
    for a message with a one-time link, while the old one is still on its way, when it has just been sent once more, and
    when its contents have been erased.
    """
    row = await _found(session, identity)
    if row.kind in ONE_TIME_KINDS:
        raise Conflict(ISSUED_ANEW)
    if row.state is MailState.QUEUED:
        raise Conflict("This message is still on its way: it is tried again by itself.")
    key = f"again:{identity}"
    stored = await enqueue_unless_repeated(session, _message(row), key=key, window=DOUBLE_PRESS)
    if stored is None:
        raise Conflict("This message has been sent once more within the last minute.")
    await session.exec(
        update(OutboxMessage)
        .where(col(OutboxMessage.id) == stored)
        .values(repeats=identity, requested_by=actor)
        .execution_options(synchronize_session=False)
    )
    return line_of(await _found(session, stored))


def _message(row: OutboxMessage) -> Message:
    reply_to = next((value for name, value in row.headers if name == "Reply-To"), "")
    return Message(
        kind=row.kind,
        to=row.to,
        to_name=row.to_name,
        subject=row.subject,
        **as_said(row.words),
        letter=row.letter_id,
        attachments=tuple(
            Attachment(part["filename"], b64decode(part["content"]), part["mime"]) for part in row.attachments
        ),
        reply_to=reply_to,
        headers=tuple((name, value) for name, value in row.headers if name != "Reply-To"),
        about=row.about,
    )


async def _found(session: AsyncSession, identity: int) -> OutboxMessage:
    row = await session.get(OutboxMessage, identity, populate_existing=True)
    if row is None:
        raise NotFound("There is no such message.")
    if not row.to:
        raise Conflict("The contents of this message have been erased.")
    return row


def failed_for_good() -> ColumnElement[bool]:
    """Messages of the last two weeks that failed, still say something, and were neither sent again nor replaced since."""
    again = aliased(OutboxMessage)
    anew = and_(
        col(OutboxMessage.kind).in_(ONE_TIME_KINDS),
        col(again.kind) == col(OutboxMessage.kind),
        col(again.to) == col(OutboxMessage.to),
        col(again.id) > col(OutboxMessage.id),
    )
    return and_(
        col(OutboxMessage.state) == MailState.FAILED,
        col(OutboxMessage.created_at) > now() - STILL_NEWS,
        col(OutboxMessage.to) != "",
        ~select(again.id).where(or_(col(again.repeats) == col(OutboxMessage.id), anew)).exists(),
    )
