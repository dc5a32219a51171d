"""Receiving enquiries: each is stored, mailed to staff and acknowledged once."""

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

EnquiryRequest = TypeVar("EnquiryRequest", ContactMessage, PlanSignup)


async def receive_message(session: AsyncSession, message: ContactMessage) -> bool:
    """Store a message of the contact form, mail staff, and return whether its writer gets an acknowledgement.

    A repeated message within `REPEAT_WINDOW`, such as from a double click, stores and sends nothing.
    """
    values = message_values(message)
    return await _receive(session, message, values, emails.staff_message, emails.message_received)


async def receive_signup(session: AsyncSession, signup: PlanSignup) -> bool:
    """Do the same for a sign-up for a hosting plan."""
    values = signup_values(signup)
    return await _receive(session, signup, values, emails.staff_signup, emails.signup_received)


def message_values(message: ContactMessage) -> dict[str, Any]:
    """The column values of a message."""
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
    """The column values of a plan sign-up."""
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
    request: EnquiryRequest,
    values: dict[str, Any],
    write_notice: Callable[[EnquiryRequest, str], Message],
    write_acknowledgement: Callable[[EnquiryRequest, str], Message],
) -> bool:
    row = values | {
        "state": EnquiryState.NEW,
        "version": 1,
        "created_at": now(),
        "updated_at": now(),
        "thread": "",
        **request.origin.columns(),
    }
    details = values["details"]
    search = (
        values["email"], values["phone"], values["fullname"], values["subject"], details.get("plan", ""),
        details.get("domain_name", ""),
    )  # fmt: skip
    insertion = await insert_unless_repeated(session, Enquiry, row, REFERENCE, search, request.model_dump())
    if not insertion.new:
        return True
    reference, ids = insertion.reference, [insertion.identity]
    await append_event(session, EnquiryEvent, ids, EnquiryChange.RECEIVED, VISITOR, after=EnquiryState.NEW)
    await enqueue(session, write_notice(request, reference), key=f"enquiry-notice:{reference}")
    acknowledgement = write_acknowledgement(request, reference)
    thread = await enqueue_within_limit(session, acknowledgement, key=f"enquiry-received:{reference}")
    if thread:
        await session.exec(update(Enquiry).where(col(Enquiry.id) == insertion.identity).values(thread=thread))
    return bool(thread)
