"""Stores text messages, delivers them, and reads them."""

from datetime import datetime

from sqlmodel import col, select

from agency_site.db.engine import read_scope, session_scope
from agency_site.sms.delivery import deliver_due_texts
from agency_site.sms.rules import TextMessage, TextPurpose
from agency_site.sms.tables import SmsMessage, SmsNumber
from agency_site.sms.usecases import enqueue_text

NUMBER, OTHER, BRITISH = "+254712345678", "+254722000111", "+447911123456"
_ENDLESS = 50


def build_text(
    purpose: TextPurpose = TextPurpose.TRANSACTION,
    to: str = NUMBER,
    text: str = "Your consultation is confirmed.",
    useless_after: datetime | None = None,
) -> TextMessage:
    return TextMessage("booking-confirmed", to, text, purpose, "BK-7F3K9Q", useless_after)


def number_with(last: str) -> str:
    """Return a number that chooses the simulator's outcome by its last digits."""
    return f"+254712345{last}"


async def enqueue(message: TextMessage, key: str | None = None) -> int | None:
    async with session_scope() as session:
        return await enqueue_text(session, message, key=key)


async def deliver_all() -> None:
    """Run the job until nothing is due."""
    for _ in range(_ENDLESS):
        if not await deliver_due_texts():
            return
    raise AssertionError("messages are always due")


async def list_texts() -> list[SmsMessage]:
    async with read_scope() as session:
        return list((await session.exec(select(SmsMessage).order_by(col(SmsMessage.id)))).all())


async def find_number(number: str = NUMBER) -> SmsNumber | None:
    async with read_scope() as session:
        return (await session.exec(select(SmsNumber).where(SmsNumber.number == number))).first()
