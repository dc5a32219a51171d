"""Stores messages and reads the outbox."""

from datetime import datetime

from agency_site.db.engine import read_scope, session_scope
from agency_site.mail.confirmed_addresses import confirm_address
from agency_site.mail.rules import Attachment, MailState, Message
from agency_site.mail.tables import OutboxMessage
from agency_site.mail.usecases import enqueue, list_newest_messages

CALENDAR = b"BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n"


def build_message(subject: str = "Your consultation", to: str = "amina@shop.example") -> Message:
    return Message(
        kind="booking-confirmed",
        to=to,
        to_name="Amina Wanjirũ",
        subject=subject,
        heading="Your consultation is booked",
        paragraphs=("Hello Amina.",),
        facts=(("Reference", "BK-7F3K9Q"),),
        actions=(("See it", "https://site.example/booking/token"),),
        attachments=(
            Attachment("invitation.ics", CALENDAR, "text/calendar; method=REQUEST; charset=utf-8"),
            Attachment("receipt.pdf", b"%PDF-1.7", "application/pdf"),
        ),
    )


async def store_message(
    subject: str = "Your consultation", to: str = "amina@shop.example", key: str | None = None
) -> bool:
    """Enqueue and commit a message to a confirmed address; return whether a row was stored."""
    async with session_scope() as session:
        await confirm_address(session, to)
        return await enqueue(session, build_message(subject, to), key=key) is not None


async def list_rows() -> list[OutboxMessage]:
    async with read_scope() as session:
        return list(reversed(await list_newest_messages(session)))


async def read_state() -> tuple[MailState, int, datetime | None]:
    """Return state, attempts and next attempt of the single message."""
    (row,) = await list_rows()
    return row.state, row.attempts, row.due_at
