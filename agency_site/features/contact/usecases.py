"""Taking in what visitors write: it is stored, it reaches staff by mail, and its writer is told that it did.

The forms are public, so a double press, a reload or a replayed event may bring the same words twice. They are known
again by a digest of the words themselves, not by a key that the page carries: the page's state moves on with the
first press, before the second is looked at, and begins anew with every reload, second tab and restart of the server.
The price is small: who sends the very same words twice within five minutes has sent them once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from sqlmodel import col, update
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.clock import now
from agency_site.db.columns import INDEXED_LENGTH
from agency_site.db.deduplication import insert_unless_repeated
from agency_site.db.event_log import VISITOR, append_event
from agency_site.features.contact import emails
from agency_site.features.contact.request import ContactMessage, PlanSignup, read_message, read_signup
from agency_site.features.contact.rules import REFERENCE, EnquiryChange, EnquiryKind, EnquiryState
from agency_site.features.contact.tables import Enquiry, EnquiryEvent
from agency_site.form_input import search_text
from agency_site.mail.rules import Message, build_content_key
from agency_site.mail.usecases import can_mail_recipient, enqueue, find_message

Typed = TypeVar("Typed")


class Mails(NamedTuple):
    """What is written about one kind of enquiry; each takes the reference."""

    notice: Callable[[str], Message]
    acknowledgement: Callable[[str], Message]


@dataclass(frozen=True)
class Taken(Generic[Typed]):
    """What was taken in."""

    typed: Typed
    acknowledged: bool
    """False: enough mail has gone to its writer, so none follows."""


async def take_message(session: AsyncSession, form: Mapping[str, Any]) -> Taken[ContactMessage]:
    """Store what was typed into the contact form, send it to staff, and an acknowledgement to its writer.

    The same message again within a few minutes stores and sends nothing. Raises InputRejected with one message per
    field at fault.
    """
    message = read_message(form)
    mails = Mails(partial(emails.staff_message, message), partial(emails.message_received, message))
    key = build_content_key("contact", message.model_dump())
    return Taken(message, await _take(session, message_values(message), key, mails))


async def take_signup(session: AsyncSession, form: Mapping[str, Any]) -> Taken[PlanSignup]:
    """Store what was typed into the plan form, send it to staff, and an acknowledgement to its writer.

    The same sign-up again within a few minutes stores and sends nothing. Raises InputRejected with one message per
    field at fault.
    """
    signup = read_signup(form)
    mails = Mails(partial(emails.staff_signup, signup), partial(emails.signup_received, signup))
    key = build_content_key("signup", signup.model_dump())
    return Taken(signup, await _take(session, signup_values(signup), key, mails))


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


def search_of(reference: str, values: Mapping[str, Any]) -> str:
    """What an enquiry of these columns is found by; the rarest words first, because an index entry has an end."""
    details = values["details"]
    named = (values["fullname"], values["subject"], details.get("plan", ""), details.get("domain_name", ""))
    return search_text(reference, values["email"], values["phone"], *named)[:INDEXED_LENGTH]


async def _take(session: AsyncSession, values: dict[str, Any], key: str, mails: Mails) -> bool:
    """Whether its writer is sent an acknowledgement, or was when the same came before."""
    moment = now()
    stored = {"state": EnquiryState.NEW, "version": 1, "created_at": moment, "updated_at": moment}
    row = values | stored | {"content_key": key, "thread": ""}
    placed = await insert_unless_repeated(session, Enquiry, row, REFERENCE, partial(search_of, values=values))
    if not placed.new:
        return True
    await append_event(
        session, EnquiryEvent, [placed.identity], EnquiryChange.RECEIVED, VISITOR, after=EnquiryState.NEW
    )
    await enqueue(session, mails.notice(placed.reference), key=f"enquiry-notice:{placed.reference}")
    return await _acknowledge(
        session, placed.identity, mails.acknowledgement(placed.reference), placed.reference
    )


async def _acknowledge(session: AsyncSession, identity: int, message: Message, reference: str) -> bool:
    if not await can_mail_recipient(session, message.to, message.kind):
        return False
    sent = await enqueue(session, message, key=f"enquiry-received:{reference}")
    mail = await find_message(session, sent) if sent else None
    if mail is not None:
        await session.exec(update(Enquiry).where(col(Enquiry.id) == identity).values(thread=mail.message_id))
    return True
