"""Receiving enquiries: each is stored, mailed to staff and acknowledged to its writer, once."""

from collections.abc import Callable
from typing import Any, TypeVar

from sqlmodel import col, update
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.deduplication import insert_unless_repeated
from agency_site.db.event_log import VISITOR, append_event
from agency_site.features.contact import emails
from agency_site.features.contact.request import ContactMessage, PlanSignup
from agency_site.features.contact.rules import REFERENCE, EnquiryChange, EnquiryKind, EnquiryState
from agency_site.features.contact.tables import Enquiry, EnquiryEvent
from agency_site.mail.rules import Message
from agency_site.mail.usecases import enqueue, enqueue_within_limit

Sent = TypeVar("Sent", ContactMessage, PlanSignup)


async def receive_message(session: AsyncSession, message: ContactMessage) -> bool:
    """Store a message of the contact form and mail staff; whether its writer gets an acknowledgement.

    The same message again within `REPEAT_WINDOW`, as from a double click, stores and sends nothing.
    """
    values = message_values(message)
    return await _receive(session, message, values, emails.staff_message, emails.message_received)


async def receive_signup(session: AsyncSession, signup: PlanSignup) -> bool:
    """As `receive_message`, for a sign-up for a hosting plan."""
    values = signup_values(signup)
    return await _receive(session, signup, values, emails.staff_signup, emails.signup_received)


def message_values(message: ContactMessage) -> dict[str, Any]:
    """The columns that a message fills."""
    return {
        "kind": EnquiryKind.MESSAGE,
        "fullname": message.name,
        "email": message.email,
        "phone": "",
        "subject": message.subject,
        "message": message.message,
        "details": {},
    }


def signup_values(signup: PlanSignup) -> dict[str, Any]:
    """The columns that a plan sign-up fills."""
    return {
        "kind": EnquiryKind.SIGNUP,
        "fullname": signup.full_name,
        "email": signup.email,
        "phone": signup.phone,
        "subject": "",
        "message": "",
        "details": signup.model_dump(include={"plan", "domain_type", "domain_name"}),
    }


async def _receive(
    session: AsyncSession,
    sent: Sent,
    values: dict[str, Any],
    write_notice: Callable[[Sent, str], Message],
    write_acknowledgement: Callable[[Sent, str], Message],
) -> bool:
    row = values | {
        "state": EnquiryState.NEW,
        "version": 1,
        "created_at": now(),
        "updated_at": now(),
        "thread": "",
    }
    details = values["details"]
    search = (
        values["email"], values["phone"], values["fullname"], values["subject"], details.get("plan", ""),
        details.get("domain_name", ""),
    )  # fmt: skip
    placed = await insert_unless_repeated(session, Enquiry, row, REFERENCE, search, sent.model_dump())
    if not placed.new:
        return True
    reference, ids = placed.reference, [placed.identity]
    await append_event(session, EnquiryEvent, ids, EnquiryChange.RECEIVED, VISITOR, after=EnquiryState.NEW)
    await enqueue(session, write_notice(sent, reference), key=f"enquiry-notice:{reference}")
    acknowledgement = write_acknowledgement(sent, reference)
    thread = await enqueue_within_limit(session, acknowledgement, key=f"enquiry-received:{reference}")
    if thread:
        await session.exec(update(Enquiry).where(col(Enquiry.id) == placed.identity).values(thread=thread))
    return bool(thread)
