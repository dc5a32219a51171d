"""Use cases of staff for text messages: writing and resending."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from sqlalchemy import ColumnElement, String, and_, cast, literal, or_, update
from sqlalchemy.orm import aliased
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.content.mail_texts import find_placeholder_problem
from agency_site.content.staff_texts import LINK, LINK_NAME
from agency_site.db.sealed_columns import LOST_LINK
from agency_site.errors import Conflict, FieldError, InputRejected
from agency_site.settings import settings
from agency_site.signing import sign
from agency_site.sms.outcomes import has_failed, is_stuck
from agency_site.sms.rules import (
    LIMITED,
    Length,
    TextMessage,
    TextPurpose,
    TextState,
    count_parts,
    is_kenyan_mobile,
    is_textable,
    to_gsm7,
)
from agency_site.sms.tables import SmsMessage, SmsNumber
from agency_site.sms.usecases import CODE_LENGTH, SHORT_PATH, can_text, enqueue_text, shorten

FROM_STAFF = "from-staff"
"""The kind of messages that staff write."""
LONGEST_PARTS = 4
_REPEAT_WINDOW = timedelta(minutes=1)
"""The same text goes to the same number at most once within this time."""
_ATTENTION_PERIOD = timedelta(days=14)
"""A failed message needs attention for this long."""
_RESENT = "again:"
"""Prefix of the key of a copy; the id of the message that it repeats follows."""
ERASED = "The content of this message has been erased."
RESENDABLE = (TextState.FAILED, TextState.UNKNOWN, TextState.STOPPED, TextState.KEPT)


@dataclass(frozen=True)
class StaffMessage:
    """A text message that staff write."""

    to: str
    """The number in E.164."""
    text: str
    """With placeholders."""
    values: Mapping[str, str] = field(default_factory=dict)
    """A value for each known placeholder; that of `LINK_NAME` is the private link of the record, which goes out short."""
    about: str = ""
    """The reference of that record."""


def measure_text(text: str, values: Mapping[str, str]) -> Length:
    """Return the length of a typed text as it will be sent: with its values, a short link, and without typographic characters.

    A text that cannot be sent, because it has an unknown placeholder, counts as it is typed.
    """
    if not find_placeholder_problem(text, values):
        short_link = f"{settings().site_url}{SHORT_PATH}{'x' * CODE_LENGTH}"
        text = text.format_map({**values, LINK_NAME: short_link})
    return count_parts(to_gsm7(text))


async def explain_refusal(
    session: AsyncSession, number: str, purpose: TextPurpose = TextPurpose.STAFF
) -> str:
    """Return why no text message for this purpose may go to a number in E.164; empty if one may."""
    if not number:
        return "There is no phone number."
    if await can_text(session, number, purpose):
        return ""
    if not is_textable(number, foreign=settings().sms_foreign_numbers):
        is_kenyan = number.startswith("+254") and not is_kenyan_mobile(number)
        return f"This number is {'not a mobile number' if is_kenyan else 'outside Kenya'}, so it gets no SMS."
    known = (await session.exec(select(SmsNumber).where(SmsNumber.number == number))).first()
    if known and known.stopped_at and purpose not in LIMITED:
        return "The recipient has stopped text messages (STOP)."
    if purpose is TextPurpose.REMINDER and not (known and known.consented_at):
        return "The recipient has not agreed to reminders by SMS."
    if known and known.failed_at:
        reason = known.failure or "unknown"
        return f"No SMS can reach this number. The network's reason: {reason}. You can write a new SMS to it."
    return "This number gets no more text messages today: the limit of a day is reached, of the number or of the site."


async def send_text(session: AsyncSession, message: StaffMessage, actor: str) -> SmsMessage:
    """Enqueue a message of staff, with values in the places of its placeholders.

    Raises InputRejected for a text that is too long or has an unknown placeholder, and Conflict if the number gets no messages,
    or the same text within the last minute.
    """
    _require_sendable(message)
    if refusal := await explain_refusal(session, message.to):
        raise Conflict(refusal)
    text = await _fill_text(session, message)
    outgoing = TextMessage(FROM_STAFF, message.to, text, TextPurpose.STAFF, message.about)
    key = _build_key(message)
    await session.exec(
        update(SmsMessage)
        .where(col(SmsMessage.key) == key, col(SmsMessage.created_at) <= now() - _REPEAT_WINDOW)
        .values(key=None)
        .execution_options(synchronize_session=False)
    )
    stored = await enqueue_text(session, outgoing, key=key, requested_by=actor)
    if stored is None:
        raise Conflict("The same text was sent to this number less than a minute ago.")
    return await session.get_one(SmsMessage, stored, populate_existing=True)


async def _fill_text(session: AsyncSession, message: StaffMessage) -> str:
    values = dict(message.values)
    if LINK in message.text:
        values[LINK_NAME] = await shorten(session, values[LINK_NAME])
    return message.text.format_map(values)


def _require_sendable(message: StaffMessage) -> None:
    if problem := find_placeholder_problem(message.text, message.values):
        raise _reject(problem)
    if measure_text(message.text, message.values).parts > LONGEST_PARTS:
        raise _reject(f"This text is too long for {LONGEST_PARTS} text messages. Please shorten it.")


def _reject(problem: str) -> InputRejected:
    return InputRejected(problem, (FieldError("text", problem),))


def _build_key(message: StaffMessage) -> str:
    """Return the idempotency key of a message: of the typed text, because each short link is another one.

    The digest needs the secret key: it is stored longer than the number.
    """
    return f"{FROM_STAFF}:{message.about}:{sign('staff-text', f'{message.to} {message.text}')[:32]}"


async def resend_text(session: AsyncSession, row: SmsMessage, actor: str) -> None:
    """Enqueue a copy of a message that has failed, may not have arrived or was never sent; the old row does not change.

    A message is resent once; its copy can be resent in turn. Raises Conflict for a message that is erased, on its way, delivered,
    resent already, useless by now, or whose number gets no messages.
    """
    if refusal := await explain_no_resend(session, row):
        raise Conflict(refusal)
    copy = TextMessage(row.kind, row.to, row.text, row.purpose, row.about, row.expires_at)
    # The key is unique, so of two submits one stores the copy.
    if await enqueue_text(session, copy, key=f"{_RESENT}{row.id}", requested_by=actor) is None:
        raise Conflict(f"{_ALREADY_RESENT} Or it would be useless at the end of quiet hours.")


_ALREADY_RESENT = "This message has been resent already. If its copy fails too, resend the copy."


def find_original(row: SmsMessage) -> int | None:
    """Return the id of the message that this one repeats; None if it is no copy."""
    key = row.key or ""
    return int(key.removeprefix(_RESENT)) if key.startswith(_RESENT) else None


async def find_copy(session: AsyncSession, row: SmsMessage) -> SmsMessage | None:
    """Return the message that repeats this one."""
    return (await session.exec(select(SmsMessage).where(SmsMessage.key == f"{_RESENT}{row.id}"))).first()


async def explain_no_resend(session: AsyncSession, row: SmsMessage) -> str:
    """Return why the message cannot be sent again; empty if it can."""
    if not row.to:
        return ERASED
    if row.state not in RESENDABLE:
        return "Only a message that failed, may not have arrived or was not sent can be resent."
    if await find_copy(session, row):
        return _ALREADY_RESENT
    if LOST_LINK in row.text:
        return "The link of this message can no longer be read, because the site's secret key has changed."
    if row.expires_at is not None and row.expires_at <= now():
        return "This message is useless by now."
    return await explain_refusal(session, row.to, row.purpose)


def is_unresolved_failure() -> ColumnElement[bool]:
    """SQL condition: failed, stopped, stuck or perhaps not delivered, recently, not erased, still of use, and not resent."""
    newer = aliased(SmsMessage)
    key = literal(_RESENT).concat(cast(col(SmsMessage.id), String))
    resent = select(newer.id).where(col(newer.key) == key).exists()
    recent = col(SmsMessage.created_at) > now() - _ATTENTION_PERIOD
    return and_(
        or_(has_failed(), is_stuck()),
        recent,
        col(SmsMessage.to) != "",
        or_(col(SmsMessage.expires_at).is_(None), col(SmsMessage.expires_at) > now()),
        ~resent,
    )
