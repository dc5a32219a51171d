"""Use cases of text messages: enqueueing them, consent and STOP, and short links."""

import logging
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.inserts import insert_new
from agency_site.form_input import search_text
from agency_site.ids import ALPHABET
from agency_site.settings import settings
from agency_site.signing import sign, signatures
from agency_site.sms.rules import (
    LIMITED,
    TextMessage,
    TextPurpose,
    TextState,
    count_parts,
    end_quiet_hours,
    is_textable,
    to_gsm7,
)
from agency_site.sms.tables import ShortLink, SmsMessage, SmsNumber

SHORT_PATH = "/s/"
CODE_LENGTH = 12
"""57 bits: with the limit of requests per address, codes cannot be guessed. In the database they are keyed hashes."""
_PURPOSE = "short-link"

_logger = logging.getLogger(__name__)


async def enqueue_text(
    session: AsyncSession, message: TextMessage, *, key: str | None = None, requested_by: str = ""
) -> int | None:
    """Store a text message and return its id; it is sent after the caller's transaction commits.

    A `key` makes this idempotent, also under concurrency. Returns None if the key exists, or if the message may not be sent
    (`can_text`) or would be useless at the end of quiet hours. `requested_by` is the member of staff who wrote it.
    """
    rows = await _build_rows(session, [(key, message)])
    if not rows:
        return None
    return next(iter(await insert_new(session, SmsMessage, [rows[0] | {"requested_by": requested_by}])), None)


async def enqueue_texts(session: AsyncSession, keyed: Mapping[str, TextMessage]) -> None:
    """Enqueue several text messages by key, with one statement, without those that may not be sent."""
    if rows := await _build_rows(session, list(keyed.items())):
        await insert_new(session, SmsMessage, rows)


async def can_text(
    session: AsyncSession, number: str, purpose: TextPurpose, useless_after: datetime | None = None
) -> bool:
    """Return whether a text message for this purpose may go to a number in E.164.

    It may not go abroad unless the settings allow it, nor to a number that fails for good, unless staff try it again. STOP ends
    all but `LIMITED` purposes, reminders need consent, and a number gets a limited number of texts for `LIMITED` purposes a day,
    as does the whole site. None is sent that would be useless at the end of quiet hours.
    """
    if _schedule(purpose, useless_after) is None:
        return False
    recipients = await _load_recipients(session, [number])
    if not recipients[number].can_get(purpose):
        return False
    return purpose not in LIMITED or not await _find_numbers_at_limit(session, [number])


async def count_limited(session: AsyncSession) -> int:
    """Return the number of texts for `LIMITED` purposes that the whole site has stored within a day, at most the limit of the
    settings."""
    newest = (
        select(SmsMessage.created_at)
        .where(col(SmsMessage.purpose).in_(LIMITED))
        .order_by(col(SmsMessage.id).desc())
        .limit(settings().sms_site_limit)
        .subquery()
    )
    recent = select(func.count()).select_from(newest).where(newest.c.created_at > now() - timedelta(days=1))
    return (await session.exec(recent)).one()


async def find_stopped(
    session: AsyncSession, recipients: Collection[tuple[str, TextPurpose]]
) -> frozenset[tuple[str, TextPurpose]]:
    """Return those numbers and purposes for which a message that was enqueued may not be sent any more."""
    loaded = await _load_recipients(session, (number for number, _ in recipients))
    return frozenset(
        (number, purpose) for number, purpose in recipients if not loaded[number].can_get(purpose)
    )


async def give_consent(session: AsyncSession, number: str) -> None:
    """Record that the holder of a number in E.164 agrees to reminders; an earlier STOP ends, and so does what a network has
    reported of an earlier holder."""
    await _note(session, number, consented_at=now(), stopped_at=None, failed_at=None, failure="")


async def stop(session: AsyncSession, number: str) -> None:
    """Record that the holder of a number in E.164 wants no messages but those about what they do or pay for."""
    await _note(session, number, consented_at=None, stopped_at=now())


async def mark_dead(session: AsyncSession, number: str, failure: str) -> None:
    """Record that no message can reach a number, with the network's reason; it counts for some weeks."""
    await _note(session, number, failed_at=now(), failure=failure[:80])


async def mark_reachable(session: AsyncSession, number: str) -> None:
    """Record that a number exists after all, because a message came from it or has arrived there."""
    changes = {"failed_at": None, "failure": "", "updated_at": now()}
    dead = col(SmsNumber.number) == number, col(SmsNumber.failed_at).is_not(None)
    await session.exec(update(SmsNumber).where(*dead).values(**changes))


async def shorten(session: AsyncSession, address: str) -> str:
    """Return a short address that leads to an absolute `address` of this site for some months."""
    short = new_short_address()
    await store_short_address(session, short, address)
    return short


def new_short_address() -> str:
    """Return a short address that leads nowhere until `store_short_address` stores it."""
    code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
    return f"{settings().site_url}{SHORT_PATH}{code}"


async def store_short_address(session: AsyncSession, short: str, address: str) -> None:
    """Let a new short address lead to an absolute `address` of this site for some months."""
    moment = now()
    row = {
        "code_hash": sign(_PURPOSE, short.rpartition("/")[2]),
        "target": address,
        "created_at": moment,
        "expires_at": moment + timedelta(days=settings().sms_link_days),
    }
    await insert_new(session, ShortLink, [row])


async def list_newest_texts(session: AsyncSession, limit: int) -> list[SmsMessage]:
    """Return the newest text messages, newest first."""
    newest = select(SmsMessage).order_by(col(SmsMessage.id).desc()).limit(limit)
    return list((await session.exec(newest)).all())


async def find_link_target(session: AsyncSession, code: str) -> str:
    """Return the address to which a short link leads, however its code is typed; empty if it does not exist or has expired."""
    hashes = signatures(_PURPOSE, code.upper())
    valid = col(ShortLink.code_hash).in_(hashes), col(ShortLink.expires_at) > now()
    return str((await session.exec(select(ShortLink.target).where(*valid))).first() or "")


_DEAD_FOR = timedelta(weeks=4)
"""Networks give numbers to other people, and reject some by mistake."""


@dataclass(frozen=True)
class _Recipient:
    """What is known about a number."""

    is_allowed: bool
    """Text messages may go to its country."""
    is_dead: bool = False
    """The network has reported lately that messages can never arrive."""
    has_consent: bool = False
    has_stopped: bool = False

    def can_get(self, purpose: TextPurpose) -> bool:
        if not self.is_allowed:
            return False
        if purpose is TextPurpose.STAFF:
            return not self.has_stopped
        if purpose is TextPurpose.REMINDER and (self.has_stopped or not self.has_consent):
            return False
        return not self.is_dead


async def _load_recipients(session: AsyncSession, numbers: Iterable[str]) -> dict[str, _Recipient]:
    foreign = settings().sms_foreign_numbers
    recipients = {number: _Recipient(is_textable(number, foreign=foreign)) for number in numbers}
    for row in await session.exec(select(SmsNumber).where(col(SmsNumber.number).in_(recipients))):
        recipients[row.number] = _Recipient(
            recipients[row.number].is_allowed,
            is_dead=row.failed_at is not None and row.failed_at > now() - _DEAD_FOR,
            has_consent=row.consented_at is not None,
            has_stopped=row.stopped_at is not None,
        )
    return recipients


async def _find_numbers_at_limit(session: AsyncSession, numbers: Iterable[str]) -> frozenset[str]:
    """Return those of the numbers that got as many texts for `LIMITED` purposes within a day as the settings allow; all of them
    once the whole site has sent as many as it may, because strangers can enter any number."""
    wanted = frozenset(numbers)
    if wanted and await count_limited(session) >= settings().sms_site_limit:
        _logger.warning("no text message: the site has reached its limit of a day")
        return wanted
    query = (
        select(SmsMessage.to)
        .where(
            col(SmsMessage.to).in_(wanted),
            col(SmsMessage.purpose).in_(LIMITED),
            col(SmsMessage.created_at) > now() - timedelta(days=1),
        )
        .group_by(col(SmsMessage.to))
        .having(func.count() >= settings().sms_daily_limit)
    )
    return frozenset((await session.exec(query)).all())


async def _note(session: AsyncSession, number: str, **changes: datetime | str | None) -> None:
    """Change what is known about a number."""
    values = {"updated_at": now(), **changes}
    if not await insert_new(session, SmsNumber, [{"number": number, "failure": "", **values}]):
        await session.exec(update(SmsNumber).where(col(SmsNumber.number) == number).values(**values))


async def _build_rows(
    session: AsyncSession, keyed: Sequence[tuple[str | None, TextMessage]]
) -> list[dict[str, Any]]:
    """Return the rows of the messages that may be sent."""
    if not keyed:
        return []
    recipients = await _load_recipients(session, (message.to for _, message in keyed))
    limited = (message.to for _, message in keyed if message.purpose in LIMITED)
    at_limit = await _find_numbers_at_limit(session, limited)
    rows = []
    for key, message in keyed:
        is_over = message.purpose in LIMITED and message.to in at_limit
        due_at = _schedule(message.purpose, message.useless_after)
        if due_at is not None and not is_over and recipients[message.to].can_get(message.purpose):
            rows.append(_build_row(message, key, due_at))
        else:
            reason = "useless by then" if due_at is None else "at a limit" if is_over else "not allowed"
            _logger.info("no text message (%s) about %s: %s", message.kind, message.about, reason)
    return rows


def _schedule(purpose: TextPurpose, useless_after: datetime | None) -> datetime | None:
    """Return when a message is due; None if it is useless by then."""
    due_at = now()
    if purpose is not TextPurpose.TRANSACTION:
        due_at = end_quiet_hours(due_at, settings().sms_quiet_hours)
    return None if useless_after is not None and useless_after <= due_at else due_at


def _build_row(message: TextMessage, key: str | None, due_at: datetime) -> dict[str, Any]:
    is_sent, text = settings().has_sms_provider, to_gsm7(message.text)
    return {
        "kind": message.kind,
        "to": message.to,
        "text": text,
        "parts": count_parts(text).parts,
        "purpose": message.purpose,
        "key": key,
        "about": message.about,
        "requested_by": "",
        "expires_at": message.useless_after,
        "search": search_text(message.to, message.about, message.kind),
        "state": TextState.QUEUED if is_sent else TextState.KEPT,
        "attempts": 0,
        "last_error": "",
        "cost": 0,
        "currency": "",
        "created_at": now(),
        "due_at": due_at if is_sent else None,
    }
