"""The mails of notices that went out as text messages: each is sent once, if its text message does not arrive.

What is known before sending decides the channel; this decides by what became of it. The provider's report can come days later,
so a mail is held until the text message is on the phone, or no report can come any more.
"""

import logging
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, delete, func, or_
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.email_addresses import address_spellings, stored_address
from agency_site.mail.rules import Message
from agency_site.mail.tables import OutboxMessage
from agency_site.mail.usecases import dump_message, enqueue
from agency_site.notices.tables import HeldMail
from agency_site.sms.outcomes import is_undelivered
from agency_site.sms.rules import TextState
from agency_site.sms.tables import SmsMessage

_LONGEST = timedelta(days=4)
"""No report comes after that: networks give up within three days."""
_BATCH = 20

_logger = logging.getLogger(__name__)


async def hold_mail(
    session: AsyncSession, mail: Message, key: str, useless_after: datetime | None = None
) -> None:
    """Keep the mail of the notice with that key until its text message has arrived. Raises as `mail.usecases.enqueue`."""
    columns = dump_message(mail)
    row = {name: columns.pop(name) for name in ("to", "about", "attachments")}
    row |= {"key": key, "message": columns, "useless_after": useless_after, "created_at": now()}
    await insert_new(session, HeldMail, [row])


_SAME = col(SmsMessage.key) == col(HeldMail.key)


def _is_needless() -> ColumnElement[bool]:
    """SQL condition: the text message has arrived or is erased, the mail is useless by now, or no report can come any more."""
    is_sent = col(SmsMessage.state) == TextState.SENT
    return or_(
        col(SmsMessage.state) == TextState.DELIVERED,
        col(SmsMessage.to) == "",
        and_(col(HeldMail.useless_after).is_not(None), col(HeldMail.useless_after) <= now()),
        and_(is_sent, col(HeldMail.created_at) < now() - _LONGEST),
    )


def _is_decided() -> ColumnElement[bool]:
    return or_(_is_needless(), is_undelivered())


async def list_decided(session: AsyncSession) -> list[str]:
    """Return the keys of held mails whose text messages have failed, or which are not needed any more."""
    query = select(HeldMail.key).join(SmsMessage, _SAME).where(_is_decided()).order_by(col(HeldMail.id))
    return list((await session.exec(query.limit(_BATCH))).all())


async def settle_held_mail(session: AsyncSession, key: str) -> None:
    """Enqueue a held mail whose text message has not arrived, or drop one that is not needed, unless another process does so."""
    query = (
        select(HeldMail, _is_needless())
        .join(SmsMessage, _SAME)
        .where(col(HeldMail.key) == key, _is_decided())
    )
    pair = (await session.exec(query.with_for_update(of=HeldMail, skip_locked=True))).first()
    if pair is None:
        return
    row, is_needless = pair
    await session.delete(row)
    if is_needless:
        return
    try:
        mail = OutboxMessage(
            to=row.to, about=row.about, attachments=row.attachments, **row.message
        ).to_message()
        await enqueue(session, mail, key=key)
    except ValueError:
        # Its links can no longer be read: the secret key has changed. The text message is in the list of failed ones.
        _logger.exception("the mail of notice %s cannot be sent", row.id)


async def erase_held_mails(session: AsyncSession, email: str) -> None:
    """Delete the held mails to an address. Those whose text message is erased are dropped by the job."""
    if address := stored_address(email):
        to = func.lower(col(HeldMail.to)).in_(address_spellings(address))
        await session.exec(delete(HeldMail).where(to))


async def erase_held_mails_about(session: AsyncSession, reference: str) -> None:
    """Delete the held mails about a record."""
    await session.exec(delete(HeldMail).where(col(HeldMail.about) == reference))
