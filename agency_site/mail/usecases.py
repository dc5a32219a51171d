"""Use cases of the outbox: enqueueing messages and querying them."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import func, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.brand import BRAND
from agency_site.db.deduplication import REPEAT_WINDOW, wait_for_turn
from agency_site.db.inserts import insert_new
from agency_site.email_addresses import mailbox_of
from agency_site.form_input import search_text
from agency_site.mail.confirmed_addresses import omit_strangers_names
from agency_site.mail.markdown_body import markdown_to_html, markdown_to_text
from agency_site.mail.rules import MailState, Message, dump_content, validate_message
from agency_site.mail.staff_notices import (
    JOINED_KINDS,
    KIND,
    add_to_joined_notice,
    build_joined_notice,
    is_burst,
    window_end,
    withhold,
)
from agency_site.mail.tables import OutboxMessage, SharedBody
from agency_site.settings import settings


async def store_shared_body(session: AsyncSession, markdown: str) -> int:
    """Render Markdown and store it as a body that messages can share; return its id."""
    origin = settings().site_url
    html, text = markdown_to_html(markdown, origin), markdown_to_text(markdown, origin)
    ids = await insert_new(session, SharedBody, [{"html": html, "text": text, "created_at": now()}])
    return ids[0]


async def enqueue(session: AsyncSession, message: Message, *, key: str | None = None) -> int | None:
    """Store `message` in the outbox and return its id; it is delivered after the caller's transaction commits.

    A `key` makes this idempotent, also under concurrency: returns None if the key exists. Raises ValueError for an invalid
    message (see `rules.validate_message`).
    """
    [greeted] = await omit_strangers_names(session, [message])
    identity = next(iter(await insert_new(session, OutboxMessage, [_build_row(greeted, key)])), None)
    if identity and message.kind in JOINED_KINDS and await is_burst(session, message.kind):
        await _join(session, identity, message)
    return identity


async def _join(session: AsyncSession, identity: int, notice: Message) -> None:
    """List a notice to staff in the joined mail of its burst, instead of sending it."""
    ends_at = window_end(now())
    key = f"{KIND}:{notice.kind}:{ends_at.timestamp():.0f}"
    row = _build_row(build_joined_notice(notice.kind, notice.to, notice.heading), key)
    await insert_new(session, OutboxMessage, [row | {"due_at": ends_at if row["due_at"] else None}])
    await add_to_joined_notice(session, key, notice)
    await withhold(session, identity)


async def enqueue_unless_repeated(
    session: AsyncSession, message: Message, *, key: str, window: timedelta = REPEAT_WINDOW
) -> int | None:
    """Store `message` in the outbox, or return None if one with that `key` was stored within `window`.

    After the window the same submission is intentional and accepted again. The older message loses its key first, so the
    unique constraint holds at all times and a double submit cannot store two messages.
    """
    await session.exec(
        update(OutboxMessage)
        .where(col(OutboxMessage.key) == key, col(OutboxMessage.created_at) <= now() - window)
        .values(key=None)
        .execution_options(synchronize_session=False)
    )
    return await enqueue(session, message, key=key)


async def count_recent_messages(session: AsyncSession, kind: str, to: str, window: timedelta) -> int:
    """Count messages of a kind that were enqueued for an address within the last `window`."""
    recent = select(func.count()).where(
        col(OutboxMessage.kind) == kind,
        func.lower(col(OutboxMessage.to)) == to.lower(),
        col(OutboxMessage.created_at) > now() - window,
    )
    return (await session.exec(recent)).one()


async def list_recent_recipients(
    session: AsyncSession, kind: str, about: Sequence[str], window: timedelta
) -> frozenset[str]:
    """Return the lower-case addresses for which messages of a kind about these records were enqueued within the `window`."""
    recent = select(OutboxMessage.to).where(
        col(OutboxMessage.about).in_(about),
        col(OutboxMessage.kind) == kind,
        col(OutboxMessage.created_at) > now() - window,
    )
    return frozenset(address.lower() for address in (await session.exec(recent)).all())


async def enqueue_within_limit(session: AsyncSession, message: Message, *, key: str) -> str:
    """Enqueue the message, unless its recipient, an unconfirmed address, has had enough mail of this kind.

    Returns its Message-ID, or an empty text if the limit is reached.
    """
    if not await can_mail_recipient(session, message.to, message.kind):
        return ""
    [greeted] = await omit_strangers_names(session, [message])
    row = _build_row(greeted, key)
    await insert_new(session, OutboxMessage, [row])
    return str(row["message_id"])


async def can_mail_recipient(session: AsyncSession, to: str, *kinds: str) -> bool:
    """Return whether the limits allow one more message of these kinds to an unconfirmed address.

    Public forms must not be usable to flood a stranger's mailbox: the settings limit messages per hour and per day, counted
    over all addresses of the mailbox. Serialises transactions for the same mailbox, so call it right before `enqueue`.
    """
    await wait_for_turn(session, f"mail:{kinds[0]}:{mailbox_of(to)}")
    times = await _list_mailbox_times(session, to, kinds, now() - timedelta(days=1))
    limits = (
        (timedelta(hours=1), settings().mails_per_recipient_hour),
        (timedelta(days=1), settings().mails_per_recipient_day),
    )
    return all(sum(moment > now() - window for moment in times) < limit for window, limit in limits)


async def _list_mailbox_times(
    session: AsyncSession, to: str, kinds: tuple[str, ...], since: datetime
) -> list[datetime]:
    """Return when messages of these kinds were enqueued for any address of the mailbox of `to`."""
    mailbox = mailbox_of(to)
    # SQL narrows by the first character, which all addresses of a mailbox share; Python compares exactly.
    recent = select(OutboxMessage.to, OutboxMessage.created_at).where(
        col(OutboxMessage.kind).in_(kinds),
        col(OutboxMessage.created_at) > since,
        func.lower(col(OutboxMessage.to)).startswith(mailbox[:1], autoescape=True),
    )
    return [moment for address, moment in await session.exec(recent) if mailbox_of(address) == mailbox]


async def count_queued_messages(session: AsyncSession, kind: str) -> int:
    """Count the queued messages of a kind."""
    queued = select(func.count()).where(
        col(OutboxMessage.state) == MailState.QUEUED, col(OutboxMessage.kind) == kind
    )
    return (await session.exec(queued)).one()


async def count_states_about(session: AsyncSession, reference: str, kind: str) -> dict[MailState, int]:
    """Count the messages of a kind about a record by state."""
    query = (
        select(OutboxMessage.state, func.count())
        .where(col(OutboxMessage.about) == reference, col(OutboxMessage.kind) == kind)
        .group_by(col(OutboxMessage.state))
    )
    return {MailState(state): number for state, number in await session.exec(query)}


async def enqueue_all(session: AsyncSession, keyed: Mapping[str, Message]) -> None:
    """Enqueue several messages by key; those that are not joined with one statement."""
    single = {key: message for key, message in keyed.items() if message.kind not in JOINED_KINDS}
    greeted = await omit_strangers_names(session, list(single.values()))
    if rows := [_build_row(message, key) for key, message in zip(single, greeted, strict=True)]:
        await insert_new(session, OutboxMessage, rows)
    for key, message in keyed.items():
        if key not in single:
            await enqueue(session, message, key=key)


def dump_message(message: Message) -> dict[str, Any]:
    """Return the columns of a message's content, from which `OutboxMessage.to_message` reads it back. Raises as `enqueue`."""
    valid = validate_message(message)
    return {
        "kind": valid.kind,
        "to": valid.to,
        "to_name": valid.to_name,
        "subject": valid.subject,
        "content": dump_content(valid),
        "shared_body_id": valid.shared_body_id,
        "attachments": [
            {"filename": file.filename, "mime": file.mime, "content": b64encode(file.content).decode()}
            for file in valid.attachments
        ],
        "headers": [["Reply-To", valid.reply_to or BRAND.email], *valid.headers],
        "about": valid.about,
    }


def _build_row(message: Message, key: str | None) -> dict[str, Any]:
    columns, moment = dump_message(message), now()
    is_delivered = bool(settings().smtp_host)
    return columns | {
        "message_id": f"<{uuid4().hex}@{BRAND.email.rpartition('@')[2]}>",
        "key": key,
        "requested_by": "",
        "search": search_text(*(columns[name] for name in ("about", "to", "to_name", "subject"))),
        "state": MailState.QUEUED if is_delivered else MailState.KEPT,
        "due_at": moment if is_delivered else None,
        "attempts": 0,
        "last_error": "",
        "created_at": moment,
    }


async def find_message(session: AsyncSession, identity: int) -> OutboxMessage | None:
    return await session.get(OutboxMessage, identity)


async def list_newest_messages(session: AsyncSession, limit: int = 100) -> list[OutboxMessage]:
    newest = select(OutboxMessage).order_by(col(OutboxMessage.id).desc()).limit(limit)
    return list((await session.exec(newest)).all())
