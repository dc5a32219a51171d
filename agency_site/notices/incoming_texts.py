"""The notice to staff about a text message from a phone."""

from collections.abc import Sequence

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.content.brand import BRAND
from agency_site.mail.rules import Message, split_paragraphs
from agency_site.mail.usecases import enqueue
from agency_site.notices.dealings import Dealing, list_dealings
from agency_site.phone_numbers import format_phone_number
from agency_site.settings import settings
from agency_site.sms.incoming import IncomingText
from agency_site.sms.rules import Reply

_STOPPED = "The number gets no more reminders. Its holder may also mean what is named below: please ask."


async def notify_staff_of_text(session: AsyncSession, incoming: IncomingText) -> None:
    """Send a text message from a phone to staff; a repeated delivery of the same message sends nothing more.

    START needs no person, nor does STOP of a number without anything that CANCEL could mean.
    """
    upcoming = [dealing for dealing in await list_dealings(session, incoming.number) if dealing.is_upcoming]
    is_stop = incoming.meaning is Reply.STOP
    if incoming.meaning is Reply.OTHER or not incoming.number or (is_stop and upcoming):
        await enqueue(session, build_text_notice(incoming, upcoming), key=f"staff-text:{incoming.key}")


def build_text_notice(incoming: IncomingText, upcoming: Sequence[Dealing] = ()) -> Message:
    number = format_phone_number(incoming.number) or "an unknown number"
    is_stop = incoming.meaning is Reply.STOP and incoming.number
    return Message(
        kind="staff-text",
        to=settings().mail_staff or BRAND.staff_email,
        subject=f"Text message from {number}",
        heading="New text message",
        paragraphs=(
            *(split_paragraphs(incoming.text) or ("The message is empty.",)),
            *((_STOPPED,) if is_stop else ()),
        ),
        facts=(("Number", number), *((dealing.reference, dealing.what) for dealing in upcoming)),
        closing=(
            "A reply to this e-mail does not reach the phone: call, or send a text message from the back office.",
        ),
    )
