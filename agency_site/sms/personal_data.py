"""Personal data in text messages: messages to a number, and what is known about it.

Erasing blanks number and text and keeps the row, as a record that a message of its kind was sent. A number whose holder has
stopped messages stays stored, without anything else: deleting it would start the messages again.
"""

from datetime import datetime

from sqlalchemy import ColumnElement, delete, func, update
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.personal_data import ClassifiedColumns
from agency_site.form_input import phone_number
from agency_site.phone_numbers import number_spellings
from agency_site.sms.redaction import hide_links
from agency_site.sms.rules import TextState
from agency_site.sms.tables import EarlyReport, ShortLink, SmsMessage, SmsNumber, SmsReply

_BLANKED = "text messages blanked"
"""Key of the count in the session."""

MESSAGES = ClassifiedColumns(
    table=SmsMessage,
    personal=("to", "text"),
    retained=("id", "about", "kind", "purpose", "parts", "state", "created_at", "sent_at", "reported_at"),
    secret=("last_error", "search", "due_at", "leased_until", "provider_id"),
    internal=("key", "requested_by", "expires_at", "attempts", "cost", "currency"),
)
NUMBERS = ClassifiedColumns(
    table=SmsNumber,
    personal=("number", "consented_at", "failed_at", "failure"),
    retained=("stopped_at",),
    internal=("id", "updated_at"),
)
"""Erasing deletes the row, unless its holder has stopped messages."""
EARLY_REPORTS = ClassifiedColumns(
    table=EarlyReport, personal=("number",), internal=("id", "provider_id", "state", "reason", "created_at")
)
"""Erasing deletes the row."""
REPLIES = ClassifiedColumns(
    table=SmsReply,
    personal=("number", "meaning", "sent_at"),
    internal=("id", "key", "created_at"),
)
"""Erasing deletes the row. The words of a message are in the mail to staff."""
SHORT_LINKS = ClassifiedColumns(
    table=ShortLink, secret=("code_hash", "target"), internal=("id", "created_at", "expires_at")
)
"""A row names no person. The page of an erased record does not open any more, and an expired row is deleted."""


async def export(session: AsyncSession, email: str, phone: str) -> list[dict[str, object]]:
    """Return all text messages to the number, oldest first, and what is known about it. Links are hidden: staff see the export.

    The `email` is unused: every source has this signature.
    """
    number = _read_number(phone)
    if not number:
        return []
    rows = select(SmsMessage).where(SmsMessage.to == number).order_by(col(SmsMessage.id))
    known = select(SmsNumber).where(col(SmsNumber.number).in_(number_spellings(number)))
    replies = select(SmsReply).where(SmsReply.number == number).order_by(col(SmsReply.id))
    return [
        *(_export_message(row) for row in await session.exec(rows)),
        *(_export_number(row) for row in await session.exec(known)),
        *(_export_reply(row) for row in await session.exec(replies)),
    ]


def _export_message(row: SmsMessage) -> dict[str, object]:
    columns = row.model_dump(mode="json", include={"to", *MESSAGES.retained} - {"id"})
    return {
        "record": "text message",
        "reference": str(row.id),
        **columns,
        "text": hide_links(row.text),
    }


def _export_number(row: SmsNumber) -> dict[str, object]:
    columns = row.model_dump(mode="json", include={*NUMBERS.personal, *NUMBERS.retained})
    return {"record": "phone number", "reference": "", **columns}


def _export_reply(row: SmsReply) -> dict[str, object]:
    columns = row.model_dump(mode="json", include={*REPLIES.personal})
    return {"record": "text message from the number", "reference": "", **columns}


async def erase(session: AsyncSession, email: str, phone: str, actor: str) -> int:
    """Blank number and text of the messages to a number; queued ones are not sent.

    Returns the number of messages blanked in this transaction, including those of `erase_texts_about`. `email` and `actor` are
    unused: every source has this signature.
    """
    if number := _read_number(phone):
        await _erase_number(session, number)
    return int(session.info.pop(_BLANKED, 0))


async def _erase_number(session: AsyncSession, number: str) -> None:
    await session.exec(delete(EarlyReport).where(col(EarlyReport.number) == number))
    await session.exec(delete(SmsReply).where(col(SmsReply.number) == number))
    # Callbacks of earlier releases are stored as they spelt the number.
    own = col(SmsNumber.number).in_(number_spellings(number))
    await session.exec(delete(SmsNumber).where(own, col(SmsNumber.stopped_at).is_(None)))
    blank = {"consented_at": None, "failed_at": None, "failure": ""}
    await session.exec(update(SmsNumber).where(own).values(**blank))
    await _blank(session, col(SmsMessage.to) == number)


async def erase_texts_about(session: AsyncSession, reference: str) -> int:
    """Blank all text messages about a record; return their number."""
    return await _blank(session, col(SmsMessage.about) == reference)


async def expire(session: AsyncSession, before: datetime, limit: int) -> int:
    """Blank up to `limit` settled messages older than `before`; return their number. Concurrent calls do not block.

    Numbers of that age are deleted, unless their holders have stopped messages, and so are short links that have expired.
    """
    may_start_again = col(SmsNumber.updated_at) < before, col(SmsNumber.stopped_at).is_(None)
    await session.exec(delete(SmsNumber).where(*may_start_again))
    await session.exec(delete(ShortLink).where(col(ShortLink.expires_at) < now()))
    await session.exec(delete(SmsReply).where(col(SmsReply.created_at) < before))
    old = select(SmsMessage.id).where(
        col(SmsMessage.state).not_in((TextState.QUEUED, TextState.SENDING)),
        col(SmsMessage.created_at) < before,
        col(SmsMessage.to) != "",
    )
    batch = old.order_by(col(SmsMessage.created_at), col(SmsMessage.id)).limit(limit)
    ids = (await session.exec(batch.with_for_update(skip_locked=True))).all()
    return await _blank(session, col(SmsMessage.id).in_(ids)) if ids else 0


async def _blank(session: AsyncSession, condition: ColumnElement[bool]) -> int:
    # A message without a due time is not sent; others keep their state.
    await session.exec(
        update(SmsMessage)
        .where(condition, col(SmsMessage.state) == TextState.QUEUED)
        .values(state=TextState.KEPT, due_at=None, leased_until=None)
        .execution_options(synchronize_session=False)
    )
    blanked = await session.exec(
        update(SmsMessage)
        .where(condition, col(SmsMessage.to) != "")
        .values(to="", text="", last_error="", provider_id=None, search=func.lower(col(SmsMessage.about)))
        .execution_options(synchronize_session=False)
    )
    session.info[_BLANKED] = session.info.get(_BLANKED, 0) + blanked.rowcount
    return int(blanked.rowcount)


def _read_number(phone: str) -> str:
    try:
        return phone_number(phone)
    except ValueError:
        return ""
