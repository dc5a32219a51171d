"""The notice to staff about a text message from a phone."""

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.content.brand import BRAND
from agency_site.mail.rules import Message, split_paragraphs
from agency_site.mail.usecases import enqueue
from agency_site.phone_numbers import format_phone_number
from agency_site.settings import settings
from agency_site.sms.incoming import IncomingText


async def notify_staff_of_text(session: AsyncSession, incoming: IncomingText) -> None:
    """Send a text message from a phone to staff; a repeated delivery of the same message sends nothing more."""
    await enqueue(session, build_text_notice(incoming), key=f"staff-text:{incoming.key}")


def build_text_notice(incoming: IncomingText) -> Message:
    number = format_phone_number(incoming.number) or "an unknown number"
    return Message(
        kind="staff-text",
        to=settings().mail_staff or BRAND.staff_email,
        subject=f"Text message from {number}",
        heading="New text message",
        paragraphs=split_paragraphs(incoming.text) or ("The message is empty.",),
        facts=(("Number", number),),
        closing=(
            "A reply to this e-mail does not reach the phone: call, or send a text message from the back office.",
        ),
    )
