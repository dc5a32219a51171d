"""Text messages from phones: STOP and START act at once, everything else goes to staff."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.sms.africas_talking import read_number
from agency_site.sms.rules import Reply, classify_reply
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


IncomingTextHandler = Callable[[AsyncSession, IncomingText], Awaitable[None]]
_handlers: list[IncomingTextHandler] = []


def join_incoming_texts(*handlers: IncomingTextHandler) -> None:
    """Register handlers of messages that a person must read. Called once, at the start."""
    _handlers[:] = handlers


def read_incoming_text(fields: Mapping[str, str]) -> IncomingText:
    """Return the message of a callback's fields."""
    text = fields.get("text", "").replace("\r\n", "\n").replace("\x00", "").strip()[:_LONGEST_TEXT]
    sender = fields.get("from", "").strip()
    parts = (fields.get("id", ""), sender, text, "" if fields.get("id") else fields.get("date", ""))
    return IncomingText(
        hashlib.sha256("\n".join(parts).encode(errors="replace")).hexdigest(), read_number(sender), text
    )


async def receive_text(session: AsyncSession, incoming: IncomingText) -> None:
    """Act on a message; a repeated delivery changes nothing more."""
    reply = classify_reply(incoming.text)
    if incoming.number:
        await mark_reachable(session, incoming.number)
        if reply is Reply.STOP:
            await stop(session, incoming.number)
        if reply is Reply.START:
            await give_consent(session, incoming.number)
    if reply is Reply.OTHER or not incoming.number:
        for handle in _handlers:
            await handle(session, incoming)
