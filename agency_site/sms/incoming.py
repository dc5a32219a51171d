"""Text messages from phones: STOP and START act at once, once, and in the order in which they were sent; people read the rest."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.deduplication import wait_for_turn
from agency_site.db.inserts import insert_new
from agency_site.sms.africas_talking import read_moment, read_number
from agency_site.sms.rules import Reply, classify_reply
from agency_site.sms.tables import SmsReply
from agency_site.sms.usecases import give_consent, mark_reachable, stop

_LONGEST_TEXT = 2000
"""In characters. A message of ten parts has 1,530."""


@dataclass(frozen=True)
class IncomingText:
    """A text message from a phone."""

    key: str
    """The same for each delivery of the message."""
    number: str
    """The sender in E.164; empty if the provider states none, as for a sender with a name."""
    text: str
    sent_at: datetime
    """When the phone sent it, by the provider; its arrival if the provider states no time."""

    @property
    def meaning(self) -> Reply:
        return classify_reply(self.text)


IncomingTextHandler = Callable[[AsyncSession, IncomingText], Awaitable[None]]
_handlers: list[IncomingTextHandler] = []


def join_incoming_texts(*handlers: IncomingTextHandler) -> None:
    """Register handlers of messages. Each gets a message once, also STOP and START. Called once, at the start."""
    _handlers[:] = handlers


def read_incoming_text(fields: Mapping[str, str]) -> IncomingText:
    """Return the message of a callback's fields."""
    text = fields.get("text", "").replace("\r\n", "\n").replace("\x00", "").strip()[:_LONGEST_TEXT]
    number, identity, date = read_number(fields.get("from", "")), fields.get("id", ""), fields.get("date", "")
    # With neither a repeated delivery looks like a second message.
    once = "" if identity else date or now().isoformat()
    parts = (identity, number or fields.get("from", "").strip(), text, once)
    key = hashlib.sha256("\n".join(parts).encode(errors="replace")).hexdigest()
    return IncomingText(key, number, text, read_moment(date) or now())


async def receive_text(session: AsyncSession, incoming: IncomingText) -> None:
    """Act on a message; a repeated delivery changes nothing more."""
    await wait_for_turn(session, f"sms-reply:{incoming.number}")
    meaning = incoming.meaning
    row = {
        "key": incoming.key,
        "number": incoming.number,
        "meaning": meaning,
        "sent_at": incoming.sent_at,
        "created_at": now(),
    }
    if not await insert_new(session, SmsReply, [row]):
        return
    if incoming.number:
        await mark_reachable(session, incoming.number)
        if meaning is Reply.STOP and not await _is_overtaken(session, incoming, Reply.START):
            await stop(session, incoming.number)
        if meaning is Reply.START and not await _is_overtaken(session, incoming, Reply.STOP):
            await give_consent(session, incoming.number)
    for handle in _handlers:
        await handle(session, incoming)


async def _is_overtaken(session: AsyncSession, incoming: IncomingText, opposite: Reply) -> bool:
    """Return whether the same phone has sent the opposite later, although it arrived before. At the same time STOP counts."""
    sent_at = col(SmsReply.sent_at)
    is_later = sent_at >= incoming.sent_at if opposite is Reply.STOP else sent_at > incoming.sent_at
    same = col(SmsReply.number) == incoming.number, col(SmsReply.meaning) == opposite
    return (await session.exec(select(SmsReply.id).where(*same, is_later).limit(1))).first() is not None
