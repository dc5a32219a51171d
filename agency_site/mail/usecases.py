"""What the rest of the site does with mail: put it in the outbox, and look at what is there."""

from base64 import b64encode
from collections.abc import Mapping
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
from agency_site.mail.markdown_body import mail_html, mail_text
from agency_site.mail.rules import MailState, Message, checked, words_of
from agency_site.mail.tables import OutboxMessage, StoredLetter
from agency_site.settings import settings


async def store_letter(session: AsyncSession, markdown: str) -> int:
    """Store a text in Markdown as a letter that messages can name; its id."""
    html, text = mail_html(markdown, settings().site_url), mail_text(markdown, settings().site_url)
    stored = await insert_new(session, StoredLetter, [{"html": html, "text": text, "created_at": now()}])
    return stored[0]


async def enqueue(session: AsyncSession, message: Message, *, key: str | None = None) -> int | None:
    """Put `message` into the outbox and return its id; it leaves once the caller's transaction has committed.

    With a `key` the message is stored once, however many callers try at the same instant: none comes back
    when the key was used before. Raises ValueError for a message that could not be sent as it stands (see
    `rules.checked`).
    """
    return next(iter(await insert_new(session, OutboxMessage, [_row(message, key)])), None)


async def enqueue_unless_repeated(
    session: AsyncSession, message: Message, *, key: str, window: timedelta = REPEAT_WINDOW
) -> int | None:
    """Put `message` into the outbox unless one with that `key` came within the `window` before; none comes back then.

    Later the same key is welcome again: somebody who writes the same words after a while means them. An older
    message lets go of its key first, so that the key stays unique at every instant and two presses cannot both pass.
    """
    await session.exec(
        update(OutboxMessage)
        .where(col(OutboxMessage.key) == key, col(OutboxMessage.created_at) <= now() - window)
        .values(key=None)
        .execution_options(synchronize_session=False)
    )
    return await enqueue(session, message, key=key)


async def count_since(session: AsyncSession, kind: str, to: str, window: timedelta) -> int:
    """How many messages of that kind have entered the outbox for an address within the last `window`."""
    recent = select(func.count()).where(
        col(OutboxMessage.kind) == kind,
        func.lower(col(OutboxMessage.to)) == to.lower(),
        col(OutboxMessage.created_at) > now() - window,
    )
    return (await session.exec(recent)).one()


async def may_write(session: AsyncSession, to: str, *kinds: str) -> bool:
    """Whether one more message of these kinds may go to an address that anybody can have typed.

    Our forms must not be a way to fill a stranger's mailbox: so many an hour and so many a day (settings), counted over
    all its addresses. Call it right before the message is put into the outbox: transactions that ask for the same
    mailbox take turns.
    """
    await wait_for_turn(session, f"mail:{kinds[0]}:{mailbox_of(to)}")
    written = await _written_to_mailbox(session, to, kinds, now() - timedelta(days=1))
    most = (
        (timedelta(hours=1), settings().mails_per_recipient_hour),
        (timedelta(days=1), settings().mails_per_recipient_day),
    )
    return all(sum(moment > now() - window for moment in written) < limit for window, limit in most)


async def _written_to_mailbox(
    session: AsyncSession, to: str, kinds: tuple[str, ...], since: datetime
) -> list[datetime]:
    """When messages of these kinds were put into the outbox for any address of the mailbox of `to`."""
    mailbox = mailbox_of(to)
    # All addresses of a mailbox begin alike; which of those found belong to it only `mailbox_of` knows.
    recent = select(OutboxMessage.to, OutboxMessage.created_at).where(
        col(OutboxMessage.kind).in_(kinds),
        col(OutboxMessage.created_at) > since,
        func.lower(col(OutboxMessage.to)).startswith(mailbox[:1], autoescape=True),
    )
    return [moment for address, moment in await session.exec(recent) if mailbox_of(address) == mailbox]


async def count_waiting(session: AsyncSession, kind: str) -> int:
    """How many messages of that kind wait to be sent."""
    waiting = select(func.count()).where(
        col(OutboxMessage.state) == MailState.QUEUED, col(OutboxMessage.kind) == kind
    )
    return (await session.exec(waiting)).one()


async def states_about(session: AsyncSession, reference: str, kind: str) -> dict[MailState, int]:
    """How many messages of that kind about a record stand in each state."""
    counted = (
        select(OutboxMessage.state, func.count())
        .where(col(OutboxMessage.about) == reference, col(OutboxMessage.kind) == kind)
        .group_by(col(OutboxMessage.state))
    )
    return {MailState(state): number for state, number in await session.exec(counted)}


async def enqueue_all(session: AsyncSession, keyed: Mapping[str, Message]) -> None:
    """Put several messages into the outbox with one statement, each under its key; otherwise as `enqueue`."""
    await insert_new(session, OutboxMessage, [_row(message, key) for key, message in keyed.items()])


def _row(message: Message, key: str | None) -> dict[str, Any]:
    said, moment = checked(message), now()
    leaves = bool(settings().smtp_host)
    return {
        "kind": said.kind,
        "to": said.to,
        "to_name": said.to_name,
        "subject": said.subject,
        "words": words_of(said),
        "letter_id": said.letter,
        "attachments": [
            {"filename": part.filename, "mime": part.mime, "content": b64encode(part.content).decode()}
            for part in said.attachments
        ],
        "headers": [["Reply-To", said.reply_to or BRAND.email], *said.headers],
        "message_id": f"<{uuid4().hex}@{BRAND.email.rpartition('@')[2]}>",
        "key": key,
        "about": said.about,
        "requested_by": "",
        "search": search_text(said.to, said.to_name, said.subject, said.about),
        "state": MailState.QUEUED if leaves else MailState.KEPT,
        "due_at": moment if leaves else None,
        "attempts": 0,
        "last_error": "",
        "created_at": moment,
    }


async def find_by_key(session: AsyncSession, key: str) -> OutboxMessage | None:
    """The message stored under that idempotency key, or none."""
    return (await session.exec(select(OutboxMessage).where(OutboxMessage.key == key))).one_or_none()


async def find_message(session: AsyncSession, identity: int) -> OutboxMessage | None:
    """The message of that id, or none."""
    return await session.get(OutboxMessage, identity)


async def list_outbox(session: AsyncSession, limit: int = 100) -> list[OutboxMessage]:
    """The newest messages of the outbox, newest first."""
    newest = select(OutboxMessage).order_by(col(OutboxMessage.id).desc()).limit(limit)
    return list((await session.exec(newest)).all())
