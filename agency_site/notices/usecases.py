"""Sending notices by the channels that owners have chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlmodel import select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.mail_texts import mail_text
from agency_site.mail.rules import Message
from agency_site.mail.usecases import enqueue, enqueue_all
from agency_site.notices.held_mails import hold_mail
from agency_site.notices.rules import Channel, NoticeKind, find_purpose
from agency_site.notices.tables import NoticeChannel
from agency_site.settings import settings
from agency_site.sms.rules import TextMessage, TextPurpose, find_next_end
from agency_site.sms.usecases import (
    can_text,
    enqueue_text,
    enqueue_texts,
    new_short_address,
    store_short_address,
)


@dataclass(frozen=True)
class NoticeText:
    """The text message of a notice, before its link is shortened."""

    words: str
    """Key of the mail text that has its words."""
    to: str
    """The number in E.164; empty if the customer has given none."""
    values: Mapping[str, str]
    """A value for each placeholder of the words, except `link`."""
    link: str
    """The absolute address that becomes the short `link`."""
    useless_after: datetime | None
    """As in `TextMessage`; also of the mail that goes out instead. Each notice says so itself: one about a past consultation is
    useful."""
    about: str = ""
    """Reference of the record that it is about."""
    needed_by: datetime | None = None
    """The recipient needs to know before then, such as the start of a changed session. Without it `useless_after` counts."""


@dataclass(frozen=True)
class Notice:
    """One notice to a customer, written for both channels."""

    kind: NoticeKind
    key: str
    """Idempotency key, for both channels."""
    mail: Message | None
    """None if the customer has no e-mail address."""
    text: NoticeText | None
    """None if the notice is a mail only."""
    answers: bool = False
    """It answers what the recipient has just done, although its kind is one of `ANNOUNCEMENTS`."""


class EnqueueMail(Protocol):
    """Enqueues a mail. Returns a false value if it is not stored: it exists already, or a limit is reached."""

    async def __call__(self, session: AsyncSession, message: Message, /, *, key: str) -> object: ...


@dataclass(frozen=True)
class _Text:
    """A text message with its short link, which is stored once the message is."""

    message: TextMessage
    short: str
    """The short address in its text."""
    target: str
    """The absolute address to which it leads."""


async def notify(session: AsyncSession, notice: Notice, *, enqueue_mail: EnqueueMail = enqueue) -> bool:
    """Enqueue the notice by its channel, and return whether a message was stored.

    If the chosen channel does not reach the customer, the other one is used: at once if that is known, else once the text
    message has not arrived (`held_mails`).
    """
    chosen = await session.get(NoticeChannel, notice.kind)
    mail, text = await _choose_messages(session, notice, chosen.channel if chosen else Channel.BOTH)
    has_mailed = mail is not None and bool(await enqueue_mail(session, mail, key=notice.key))
    has_texted = text is not None and await enqueue_text(session, text.message, key=notice.key) is not None
    if text and has_texted:
        await _complete_text(session, notice, text, mail)
    return has_mailed or has_texted


async def notify_all(session: AsyncSession, notices: Sequence[Notice]) -> None:
    """Enqueue several notices, all mails and all text messages with one statement each."""
    channels = {row.kind: row.channel for row in await session.exec(select(NoticeChannel))}
    mails: dict[str, Message] = {}
    texts: dict[str, TextMessage] = {}
    for notice in notices:
        mail, text = await _choose_messages(session, notice, channels.get(notice.kind, Channel.BOTH))
        if mail:
            mails[notice.key] = mail
        if text and await _can_get_text(session, text.message):
            await _complete_text(session, notice, text, mail)
            texts[notice.key] = text.message
    await enqueue_all(session, mails)
    await enqueue_texts(session, texts)


async def _complete_text(session: AsyncSession, notice: Notice, text: _Text, mail: Message | None) -> None:
    """Store the short link of a text message, and hold the mail of the notice if it does not go out beside it."""
    await store_short_address(session, text.short, text.target)
    if notice.mail and mail is None:
        await hold_mail(session, notice.mail, notice.key, text.message.useless_after)


async def _choose_messages(
    session: AsyncSession, notice: Notice, channel: Channel
) -> tuple[Message | None, _Text | None]:
    """Return the messages of the channel, or of the other one if it does not reach the customer."""
    if channel is Channel.MAIL and notice.mail:
        return notice.mail, None
    text = _write_text(notice)
    if channel is not Channel.SMS or text is None:
        return notice.mail, text
    # Without a provider the text message only stays in the outbox.
    is_enough = settings().has_sms_provider and await _can_get_text(session, text.message)
    return None if is_enough else notice.mail, text


def _write_text(notice: Notice) -> _Text | None:
    """Return the text message of a notice; None if it has none."""
    text = notice.text
    words = mail_text(text.words) if text else None
    if text is None or words is None or not (words.text_message and text.to):
        return None
    short = new_short_address()
    message = TextMessage(
        kind=notice.kind.value,
        to=text.to,
        text=words.fill_text({**text.values, "link": short}),
        purpose=_find_purpose(notice, text),
        about=text.about,
        useless_after=text.useless_after,
    )
    return _Text(message, short, text.link)


def _find_purpose(notice: Notice, text: NoticeText) -> TextPurpose:
    moment = now()
    needed_by = moment if notice.answers else text.needed_by or text.useless_after
    return find_purpose(notice.kind, needed_by, find_next_end(moment, settings().sms_quiet_hours))


async def _can_get_text(session: AsyncSession, message: TextMessage) -> bool:
    return await can_text(session, message.to, message.purpose, message.useless_after)
