"""Taking in what visitors write: it reaches staff by mail, and its writer is told that it did.

The forms are public, so a double press, a reload or a replayed event may bring the same words twice. They are known
again by a digest of the words themselves, not by a key that the page carries: the page's state moves on with the
first press, before the second is looked at, and begins anew with every reload, second tab and restart of the server.
The price is small: who sends the very same words twice within five minutes reaches staff once.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.enquiries import emails
from agency_site.enquiries.request import ContactMessage, PlanSignup, read_message, read_signup
from agency_site.mail.rules import Message, content_key
from agency_site.mail.usecases import count_since, enqueue, enqueue_unless_repeated

ACKNOWLEDGEMENTS_AN_HOUR = 3
"""Anybody can type anybody's address: our forms must not be a way to fill a stranger's mailbox."""


async def take_message(session: AsyncSession, form: Mapping[str, Any]) -> ContactMessage:
    """Send what was typed into the contact form to staff, and an acknowledgement to its writer.

    The same message again within a few minutes sends nothing. Raises InputRejected with one message per field at
    fault.
    """
    message = read_message(form)
    key = content_key("contact", message.model_dump())
    await _send(session, emails.staff_message(message), emails.message_received(message), key)
    return message


async def take_signup(session: AsyncSession, form: Mapping[str, Any]) -> PlanSignup:
    """Send what was typed into the plan form to staff, and an acknowledgement to its writer.

    The same sign-up again within a few minutes sends nothing. Raises InputRejected with one message per field at
    fault.
    """
    signup = read_signup(form)
    key = content_key("signup", signup.model_dump())
    await _send(session, emails.staff_signup(signup), emails.signup_received(signup), key)
    return signup


async def _send(session: AsyncSession, notice: Message, acknowledgement: Message, key: str) -> None:
    if await enqueue_unless_repeated(session, notice, key=key) is None:
        return
    told = await count_since(session, acknowledgement.kind, acknowledgement.to, timedelta(hours=1))
    if told < ACKNOWLEDGEMENTS_AN_HOUR:
        await enqueue(session, acknowledgement)
