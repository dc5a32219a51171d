"""Sending notices by the channels that owners have chosen."""

from dataclasses import dataclass

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.mail.rules import Message
from agency_site.mail.usecases import enqueue
from agency_site.notices.rules import Channel, NoticeKind
from agency_site.notices.tables import NoticeChannel
from agency_site.sms.rules import TextMessage
from agency_site.sms.usecases import enqueue_text


@dataclass(frozen=True)
class Notice:
    """One notice to a customer, written for both channels."""

    kind: NoticeKind
    key: str
    """Idempotency key, for both channels."""
    mail: Message | None
    """None if the customer has no e-mail address."""
    text: TextMessage | None
    """None if the customer has no number that gets text messages."""


async def notify(session: AsyncSession, notice: Notice) -> None:
    """Enqueue the notice by its channel. If the chosen channel does not reach the customer, the other one is used."""
    channel = await session.get(NoticeChannel, notice.kind)
    chosen = channel.channel if channel else Channel.BOTH
    by_text = notice.text is not None and (chosen is not Channel.MAIL or notice.mail is None)
    by_mail = notice.mail is not None and (chosen is not Channel.SMS or not by_text)
    if by_mail and notice.mail:
        await enqueue(session, notice.mail, key=notice.key)
    if by_text and notice.text:
        await enqueue_text(session, notice.text, key=notice.key)
