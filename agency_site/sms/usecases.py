"""Use cases of text messages: enqueueing them, consent, and short links."""

import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.form_input import search_text
from agency_site.ids import ALPHABET, token_hash
from agency_site.settings import settings
from agency_site.sms.rules import TextMessage, TextState
from agency_site.sms.tables import ShortLink, SmsMessage

SHORT_PATH = "/s/"
_CODE_LENGTH = 12
"""57 bits: with the limit of requests per address, codes cannot be guessed."""
_LINK_DAYS = 120


async def enqueue_text(session: AsyncSession, message: TextMessage, *, key: str | None = None) -> int | None:
    """Store a text message and return its id; it is sent after the caller's transaction commits.

    A `key` makes this idempotent, also under concurrency: returns None if the key exists.
    """
    return next(iter(await insert_new(session, SmsMessage, [_build_row(message, key)])), None)


async def enqueue_texts(session: AsyncSession, keyed: Mapping[str, TextMessage]) -> None:
    """Enqueue several text messages by key with one statement."""
    if rows := [_build_row(message, key) for key, message in keyed.items()]:
        await insert_new(session, SmsMessage, rows)


async def shorten(session: AsyncSession, address: str) -> str:
    """Return a short address that leads to an absolute `address` of this site for some months."""
    code = "".join(secrets.choice(ALPHABET) for _ in range(_CODE_LENGTH))
    moment = now()
    row = {
        "code_hash": token_hash(code),
        "target": address,
        "created_at": moment,
        "expires_at": moment + timedelta(days=_LINK_DAYS),
    }
    await insert_new(session, ShortLink, [row])
    return f"{settings().site_url}{SHORT_PATH}{code}"


def _build_row(message: TextMessage, key: str | None) -> dict[str, Any]:
    moment = now()
    return {
        "kind": message.kind,
        "to": message.to,
        "text": message.text,
        "parts": 1,
        "purpose": message.purpose,
        "key": key,
        "about": message.about,
        "requested_by": "",
        "expires_at": message.useless_after,
        "search": search_text(message.to, message.about, message.kind),
        "state": TextState.QUEUED,
        "attempts": 0,
        "last_error": "",
        "cost": 0,
        "currency": "",
        "created_at": moment,
        "due_at": moment,
    }
