"""E-mail addresses whose owners have shown that the mailbox is theirs: only these are greeted by name.

Visitors can type a stranger's address and, as the name, words for the stranger to read. An address is confirmed by a link in
a mail to it, or by a payment.
"""

from collections.abc import Sequence
from dataclasses import replace

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.mail.rules import ONE_TIME_KINDS, Message
from agency_site.mail.tables import ConfirmedAddress

_GREETING = "Hello "


async def confirm_address(session: AsyncSession, email: str) -> None:
    """Record that the mailbox of `email` is the person's own; idempotent."""
    if email:
        await insert_new(session, ConfirmedAddress, [{"address": email.lower(), "confirmed_at": now()}])


async def is_confirmed(session: AsyncSession, email: str) -> bool:
    """Return whether the owner of `email` has confirmed it."""
    return email.lower() in await _find_confirmed(session, [email])


async def omit_strangers_names(session: AsyncSession, messages: Sequence[Message]) -> list[Message]:
    """Return the messages, without the recipient's name if the address was never confirmed."""
    addresses = [message.to for message in messages if message.to_name]
    confirmed = await _find_confirmed(session, addresses) if addresses else frozenset()
    return [_omit_name(message) if _is_stranger(message, confirmed) else message for message in messages]


def _is_stranger(message: Message, confirmed: frozenset[str]) -> bool:
    # Mails to staff are exempt: an owner entered their names.
    return message.to.lower() not in confirmed and message.kind not in ONE_TIME_KINDS


def _omit_name(message: Message) -> Message:
    greeting, *others = message.paragraphs or ("",)
    is_greeting = greeting.startswith(_GREETING) and greeting.endswith(",")
    paragraphs = (f"{_GREETING.strip()},", *others) if is_greeting else message.paragraphs
    return replace(message, to_name="", paragraphs=paragraphs)


async def _find_confirmed(session: AsyncSession, addresses: Sequence[str]) -> frozenset[str]:
    query = select(ConfirmedAddress.address).where(
        col(ConfirmedAddress.address).in_({address.lower() for address in addresses})
    )
    return frozenset((await session.exec(query)).all())
